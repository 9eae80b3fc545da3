/** All JSON-RPC methods (protocol/json-rpc §5). */

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

/** Which optional methods a server has. */
type MethodChoice = Partial<Pick<JsonRpcConfig, "lenient" | "debug" | "simulate" | "state">>;

/** Methods only this program's nodes have (protocol/json-rpc §§15 and 16). */
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

/** The network's methods; on nodes with simulation, calls accept state overrides. */
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
 * A release's methods by name and alias, with the chosen options: lenient answers, re-executing blocks,
 * simulation, raw state entries.
 */
export function methodsByName(release: Release, choice: MethodChoice = {}): ReadonlyMap<string, RpcMethod> {
	const ordinary = choice.lenient ? lenientMethods(methods) : strictMethods(choice);
	return byName([...ordinary, ...ownMethods], release, choice);
}
