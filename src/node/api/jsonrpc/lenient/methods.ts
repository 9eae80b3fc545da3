/**
 * The methods as Ethereum libraries call and read them: parameters may be missing or extra, calls and filters
 * have other networks' members, and answers have every member in the form that is validated. Enabled by
 * `node.jsonrpc.lenient` and on every development chain; the strict answers are the network's.
 */

import { nextNonce } from "../../queries/deployment-nonce.js";
import { readersOf } from "../answers.js";
import type { RawArray, RawValue } from "../json-reader.js";
import type { RpcContext, RpcMethod, RpcResult } from "../method.js";
import { areSilent, overridden } from "../simulation/overridden.js";
import { isEmptyHex } from "../values.js";
import { blockAnswer, shortQuantity, transactionAnswer } from "./answers.js";
import { energyPriceQuantity, feeMethods, mostEnergy } from "./fees.js";
import { blockTag, callOf, filterId, filterOf, stateAt } from "./parameters.js";

/** How a method is made lenient. */
interface Change {
	/** Minimum number of parameters. */
	readonly least?: number;
	/** Maximum number, if above the network's. */
	readonly most?: number;
	/** The call; `strict` is the network's method. @throws {RpcError} */
	call(context: RpcContext, values: RawArray, strict: RpcMethod["call"]): RpcResult | Promise<RpcResult>;
}

/** Reads a state whose block is given by the last parameter. */
const ofState = (parameters: number): Change => ({
	least: parameters - 1,
	call: (context, values, strict) =>
		strict(stateAt(context, values[parameters - 1]), [...values.slice(0, parameters - 1), "latest"]),
});

const ofBlock = (hasTag: boolean): Change => ({
	least: 1,
	call: async (context, [block = null, full = false], strict) =>
		blockAnswer(
			await strict(context, [hasTag ? blockTag(block) : block, full ?? false]),
			energyPriceQuantity(context),
			mostEnergy(context),
		),
});

const ofTransaction = (hasTag: boolean): Change => ({
	call: async (context, [first = null, ...others], strict) =>
		transactionAnswer(
			await strict(context, [hasTag ? blockTag(first) : first, ...others]),
			energyPriceQuantity(context),
		),
});

const ofFilter: Change = {
	call: (context, [filter], strict) => strict(context, [filterOf(filter)]),
};

const ofFilterId: Change = {
	least: 0,
	call: (context, [id], strict) => strict(context, [filterId(id)]),
};

/** Whether a call's target has no code. */
function hasNoCode(context: RpcContext, to: RawValue | undefined): boolean {
	if (typeof to !== "string" || isEmptyHex(to)) return false;
	return !context.state.contract.has(readersOf(context).address(to));
}

/** Whether a call transfers nothing. */
function isWorthless(value: RawValue | undefined): boolean {
	return value === undefined || (typeof value === "string" && /^0x0*$/.test(value));
}

const CHANGES: Readonly<Record<string, Change>> = {
	eth_chainId: {
		call: async (context, values, strict) => shortQuantity((await strict(context, values)) as string),
	},
	net_version: {
		call: async (context, values, strict) => {
			const id = (await strict(context, values)) as string;
			// Decimal elsewhere; the network's nodes, lenient ones included, keep their own form.
			return context.node.rules.development ? BigInt(id).toString() : id;
		},
	},
	eth_getBalance: ofState(2),
	eth_getCode: ofState(2),
	eth_getStorageAt: ofState(3),
	eth_getTransactionCount: {
		least: 1,
		call: (context, [address, block]) => {
			const owner = readersOf(context).address(typeof address === "string" ? address : null);
			const { node, state } = stateAt(context, block);
			if (!node.rules.development) return "0x0";
			return `0x${nextNonce(state, owner, block === "pending" ? node.pool : undefined).toString(16)}`;
		},
	},
	eth_call: {
		least: 1,
		most: 4,
		call: (context, [object, block, accounts, changes], strict) => {
			const call = callOf(object);
			const run = (seen: RpcContext): ReturnType<typeof strict> =>
				// Calling an account without code returns nothing.
				hasNoCode(seen, call.get("to")) ? "0x" : strict(seen, [call, "latest"]);
			const seen = stateAt(context, block);
			return areSilent(accounts, changes) ? run(seen) : overridden(seen, accounts, changes).then(run);
		},
	},
	eth_estimateGas: {
		least: 1,
		most: 4,
		call: (context, [object, block, accounts, changes], strict) => {
			const call = callOf(object);
			const run = (seen: RpcContext): ReturnType<typeof strict> =>
				// Transferring nothing needs no energy; the network rejects it.
				hasNoCode(seen, call.get("to")) && isWorthless(call.get("value")) ? "0x0" : strict(seen, [call]);
			const seen = stateAt(context, block);
			return areSilent(accounts, changes) ? run(seen) : overridden(seen, accounts, changes).then(run);
		},
	},
	eth_getBlockByNumber: ofBlock(true),
	eth_getBlockByHash: ofBlock(false),
	eth_getBlockTransactionCountByNumber: {
		call: (context, [block], strict) => strict(context, [blockTag(block)]),
	},
	eth_getBlockReceipts: {
		call: (context, [block], strict) => strict(context, [blockTag(block)]),
	},
	eth_getTransactionByHash: ofTransaction(false),
	eth_getTransactionByBlockHashAndIndex: ofTransaction(false),
	eth_getTransactionByBlockNumberAndIndex: ofTransaction(true),
	eth_getLogs: ofFilter,
	eth_newFilter: ofFilter,
	eth_getFilterChanges: ofFilterId,
	eth_getFilterLogs: ofFilterId,
	eth_uninstallFilter: ofFilterId,
};

/** The methods, made lenient where it matters, and those only Ethereum has. */
export function lenientMethods(strict: readonly RpcMethod[]): readonly RpcMethod[] {
	return [...strict.map(lenient), ...feeMethods];
}

function lenient(method: RpcMethod): RpcMethod {
	const change = CHANGES[method.name];
	if (!change) return method;
	const { least, most = method.parameters.length, call } = change;
	const more = Array.from({ length: most - method.parameters.length }, (_, i) => ({
		name: `parameter ${method.parameters.length + i + 1}`,
		type: "any",
	}));
	return {
		...method,
		parameters: [...method.parameters, ...more],
		...(least === undefined ? {} : { least }),
		call: (context, values) => call(context, values, method.call),
	};
}
