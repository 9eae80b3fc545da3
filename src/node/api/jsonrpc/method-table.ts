/** Every method of JSON-RPC (protocol/json-rpc §5). */

import type { JsonRpcConfig } from "../../config/service-config.js";
import { isFrom, type Release } from "../../rules/release.js";
import { lenientMethods } from "./lenient/methods.js";
import type { RpcMethod } from "./method.js";
import { blockMethods } from "./methods/blocks.js";
import { buildMethods } from "./methods/build.js";
import { callMethods } from "./methods/calls.js";
import { debugMethods } from "./methods/debug.js";
import { logMethods } from "./methods/logs.js";
import { nodeMethods } from "./methods/node.js";
import { rawStateMethods } from "./methods/raw-state.js";
import { simulationMethods } from "./methods/simulation.js";
import { stateHashMethods, stateMethods } from "./methods/state.js";
import { traceMethods } from "./methods/trace.js";
import { transactionMethods } from "./methods/transactions.js";
import { unavailableMethods } from "./methods/unavailable.js";
import { OVERRIDABLE, overridable } from "./simulation/overridden.js";
import { subscriptionMethods } from "./subscriptions/methods.js";

export const methods: readonly RpcMethod[] = [
	...nodeMethods,
	...blockMethods,
	...transactionMethods,
	...stateMethods,
	...callMethods,
	...logMethods,
	...buildMethods,
	...unavailableMethods,
	...debugMethods,
	...traceMethods,
	...simulationMethods,
	...rawStateMethods,
];

/** Which methods a server has beside those of every node. */
type MethodChoice = Partial<Pick<JsonRpcConfig, "lenient" | "debug" | "simulate" | "state">>;

/** What only nodes of this program have (protocol/json-rpc §§15 and 16). */
const ownMethods: readonly RpcMethod[] = [
	...subscriptionMethods,
	...stateHashMethods,
	{
		name: "rpc.discover",
		alias: undefined,
		about: "All methods as an OpenRPC document.",
		parameters: [],
		call: async ({ node }) => {
			const { openRpcDocument } = await import("./openrpc.js");
			const { jsonrpc, release } = node.config.node;
			const known = new Set(methodsByName(release, jsonrpc).values());
			return openRpcDocument([...known], release);
		},
	},
];

/** The network's; on nodes that simulate, calls take another state. */
const strictMethods = ({ simulate }: MethodChoice): readonly RpcMethod[] =>
	simulate ? methods.map((method) => (OVERRIDABLE.has(method.name) ? overridable(method) : method)) : methods;

function byName(
	list: readonly RpcMethod[],
	release: Release,
	{ debug, simulate, state }: MethodChoice,
): ReadonlyMap<string, RpcMethod> {
	return new Map(
		list
			.filter(({ since }) => isFrom(release, since))
			.filter(({ isDebug, isSimulation }) => (!isDebug || debug) && (!isSimulation || simulate))
			.filter(({ isRawState }) => !isRawState || state)
			.flatMap((method) => [
				[method.name, method] as const,
				...(method.alias === undefined ? [] : [[method.alias, method] as const]),
			]),
	);
}

/**
 * The methods of a release by every name under which they may be called: answering as Ethereum's libraries expect it, with those
 * that execute blocks again, with those that execute what is in no block, with those that
 * give entries of the state as they are stored.
 */
export function methodsByName(release: Release, choice: MethodChoice = {}): ReadonlyMap<string, RpcMethod> {
	const ordinary = choice.lenient ? lenientMethods(methods) : strictMethods(choice);
	return byName([...ordinary, ...ownMethods], release, choice);
}
