/** Every method of JSON-RPC (protocol/json-rpc §5). */

import { isFrom, RELEASES, type Release } from "../../rules/release.js";
import { lenientMethods } from "./lenient/methods.js";
import type { RpcMethod } from "./method.js";
import { blockMethods } from "./methods/blocks.js";
import { buildMethods } from "./methods/build.js";
import { callMethods } from "./methods/calls.js";
import { debugMethods } from "./methods/debug.js";
import { logMethods } from "./methods/logs.js";
import { nodeMethods } from "./methods/node.js";
import { rawStateMethods } from "./methods/raw-state.js";
import { stateMethods } from "./methods/state.js";
import { traceMethods } from "./methods/trace.js";
import { transactionMethods } from "./methods/transactions.js";
import { unavailableMethods } from "./methods/unavailable.js";
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
	...rawStateMethods,
];

/** What only nodes of this program have (protocol/json-rpc §§15 and 16). */
const ownMethods: readonly RpcMethod[] = [
	...subscriptionMethods,
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

function byName(
	list: readonly RpcMethod[],
	release: Release,
	{ debug = false, state = false }: MethodSwitches,
): ReadonlyMap<string, RpcMethod> {
	return new Map(
		list
			.filter(({ since = RELEASES[0] }) => isFrom(release, since))
			.filter(({ isDebug, isRawState }) => (!isDebug || debug) && (!isRawState || state))
			.flatMap((method) => [
				[method.name, method] as const,
				...(method.alias === undefined ? [] : [[method.alias, method] as const]),
			]),
	);
}

/** What a server has besides what all have, as the keys of `node.jsonrpc` say. */
interface MethodSwitches {
	/** Answering as Ethereum's libraries expect it. */
	readonly lenient?: boolean;
	/** With those that execute blocks again. */
	readonly debug?: boolean;
	/** With those that give entries of the state as they are stored. */
	readonly state?: boolean;
}

/** The methods of a release by every name under which they may be called. */
export function methodsByName(
	release: Release,
	switches: MethodSwitches = {},
): ReadonlyMap<string, RpcMethod> {
	const ordinary = switches.lenient ? lenientMethods(methods) : methods;
	return byName([...ordinary, ...ownMethods], release, switches);
}
