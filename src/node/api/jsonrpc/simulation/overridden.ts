/** Calls with state or block overrides (protocol/json-rpc §17.1). The implementation is loaded on first use. */

import { isRawObject, type RawValue } from "../json-reader.js";
import type { RpcContext, RpcMethod } from "../method.js";
import { invalidParams } from "../rpc-error.js";
import { contextOfBlock } from "../state-block.js";

/** Whether all overrides are empty. */
export const areSilent = (...values: readonly (RawValue | undefined)[]): boolean =>
	values.every((value) => value === undefined || value === null || (isRawObject(value) && value.size === 0));

/**
 * The call's context with overridden accounts and block.
 * @throws {RpcError}
 */
export async function overridden(
	context: RpcContext,
	accounts: RawValue | undefined,
	block: RawValue | undefined,
): Promise<RpcContext> {
	if (!context.node.simulator) {
		throw invalidParams(
			"overriding the state or the block of a call is not supported: node.jsonrpc.simulate is off",
		);
	}
	const { contextWith, readBlockOverrides, readStateOverrides } = await import("./overrides.js");
	const edits = readStateOverrides(context, accounts);
	return contextWith(context, edits, readBlockOverrides(block, "the block override"));
}

/**
 * The network's method with optional parameters appended: a block if it has none, and overrides for accounts and the block.
 */
export function overridable(method: RpcMethod): RpcMethod {
	const { parameters } = method;
	const least = parameters.length;
	const names = ["call", "block", "accounts", "block overrides"].slice(least);
	return {
		...method,
		parameters: [...parameters, ...names.map((name) => ({ name, type: "any" }))],
		pastBlock: undefined,
		least,
		call: async (context, values) => {
			if (values.length <= least) return method.call(context, values);
			const [call = null, block = null, accounts, changes] = values;
			const seen = block === null ? context : contextOfBlock(context, block);
			const there = areSilent(accounts, changes) ? seen : await overridden(seen, accounts, changes);
			return method.call(there, [call, "latest"].slice(0, least));
		},
	};
}

/** Methods that accept overrides. */
export const OVERRIDABLE: ReadonlySet<string> = new Set(["eth_call", "eth_estimateGas"]);
