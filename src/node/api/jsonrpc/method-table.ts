/** Every method of JSON-RPC (protocol/json-rpc §5). */

import { isFrom, RELEASES, type Release } from "../../rules/release.js";
import { lenientMethods } from "./lenient/methods.js";
import type { RpcMethod } from "./method.js";
import { blockMethods } from "./methods/blocks.js";
import { buildMethods } from "./methods/build.js";
import { callMethods } from "./methods/calls.js";
import { logMethods } from "./methods/logs.js";
import { nodeMethods } from "./methods/node.js";
import { stateMethods } from "./methods/state.js";
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
];

/** What only nodes of this program have (protocol/json-rpc §15). */
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
			const known = new Set(methodsByName(release, jsonrpc.lenient).values());
			return openRpcDocument([...known], release);
		},
	},
];

function byName(list: readonly RpcMethod[], release: Release): ReadonlyMap<string, RpcMethod> {
	return new Map(
		list
			.filter(({ since = RELEASES[0] }) => isFrom(release, since))
			.flatMap((method) => [
				[method.name, method] as const,
				...(method.alias === undefined ? [] : [[method.alias, method] as const]),
			]),
	);
}

/**
 * The methods of a release by every name under which they may be called.
 * @param lenient answering as Ethereum's libraries expect it
 */
export function methodsByName(release: Release, lenient = false): ReadonlyMap<string, RpcMethod> {
	const ordinary = lenient ? lenientMethods(methods) : methods;
	return byName([...ordinary, ...ownMethods], release);
}
