/** Blocks (protocol/json-rpc §§4, 5 and 7.1). */

import type { SignedBlock } from "../../../../protocol/block.js";
import { nullPointer } from "../../../../protocol/json/exceptions.js";
import { blockById, blockByNumber, receiptsCost } from "../../../chain/block-store.js";
import { readersOf, refuseTags } from "../answers.js";
import { flag, text } from "../declared-types.js";
import { longResult } from "../long-result.js";
import { defineMethod, type RpcContext, type RpcMethod, type RpcResult, type RpcValue } from "../method.js";
import { blockObject } from "../objects/block.js";
import {
	MAX_LOGS_AT_ONCE,
	type Receipt,
	receiptObject,
	receiptPieces,
	receiptsOf,
	receiptsOfLarge,
	sizeOfReceipts,
} from "../objects/receipt.js";
import { objectStyleOf } from "../objects/style.js";
import { isTag, quantity } from "../values.js";

type ChainContext = Pick<RpcContext, "node" | "state">;

/** The block for a tag or number. @throws {RpcError} */
export function blockByTag(context: ChainContext, tag: string | null): SignedBlock | undefined {
	const { state } = context;
	const readers = readersOf(context);
	refuseTags(readers, tag);
	const { properties } = state;
	if (isTag(tag, "latest")) return blockByNumber(state, properties.headNumber);
	if (isTag(tag, "earliest")) return blockByNumber(state, 0n);
	if (isTag(tag, "finalized")) return blockByNumber(state, properties.get("LATEST_SOLIDIFIED_BLOCK_NUM"));
	return blockByNumber(state, readers.blockNumber(tag));
}

/** The block with an id. @throws {RpcError | NamedError} */
function blockByHash(context: ChainContext, hash: string | null): SignedBlock | undefined {
	return blockById(context.state, readersOf(context).hash(hash));
}

/** The block for an id, a number or a tag. @throws {RpcError | NamedError} */
export function blockBySelector(context: ChainContext, selector: string | null): SignedBlock | undefined {
	return readersOf(context).isHash(selector) ? blockByHash(context, selector) : blockByTag(context, selector);
}

function shown(context: RpcContext, block: SignedBlock | undefined, full: boolean | null): RpcValue {
	if (!block) return null;
	if (full === null) throw nullPointer();
	return blockObject(context.state, block, full, objectStyleOf(context));
}

/** The receipts of a block's transactions; null for the genesis block and unknown blocks. */
function blockReceipts(context: RpcContext, selector: string | null): RpcResult | Promise<RpcResult> {
	const block = blockBySelector(context, selector);
	if (!block || block.number === 0n) return null;
	const style = objectStyleOf(context);
	if (receiptsCost(context.state, block.number) !== undefined) {
		const { node, server } = context;
		// Reads the state current when the answer is actually sent.
		const receipts = function* (): Generator<Receipt> {
			yield* receiptsOfLarge(node.view(server), block, style);
		};
		return longResult(context, bracketed(receiptPieces(receipts())), 0);
	}
	const receipts = receiptsOf(context.state, block, style);
	const logs = receipts.reduce((sum, receipt) => sum + receipt.logs.length, 0);
	if (logs <= MAX_LOGS_AT_ONCE) return receipts.map(receiptObject);
	return longResult(context, bracketed(receiptPieces(receipts)), sizeOfReceipts(receipts));
}

function* bracketed(pieces: Iterable<string>): Generator<string> {
	yield "[";
	yield* pieces;
	yield "]";
}

function transactionCount(block: SignedBlock | undefined): RpcValue {
	return block ? quantity(block.transactions.length) : null;
}

export const blockMethods: readonly RpcMethod[] = [
	defineMethod({
		name: "eth_blockNumber",
		alias: "getLatestBlockNum",
		about: "Number of the head block.",
		parameters: [],
		handle: ({ state }) => quantity(state.properties.headNumber),
	}),
	defineMethod({
		name: "eth_getBlockByHash",
		about: "A block by its id; null if there is none.",
		parameters: [
			["hash", text],
			["full", flag],
		],
		handle: (context, hash, full) => shown(context, blockByHash(context, hash), full),
	}),
	defineMethod({
		name: "eth_getBlockByNumber",
		about: "A block by its number or a tag; null if there is none.",
		parameters: [
			["block", text],
			["full", flag],
		],
		handle: (context, block, full) => shown(context, blockByTag(context, block), full),
	}),
	defineMethod({
		name: "eth_getBlockTransactionCountByHash",
		about: "How many transactions a block has, by its id.",
		parameters: [["hash", text]],
		handle: (context, hash) => transactionCount(blockByHash(context, hash)),
	}),
	defineMethod({
		name: "eth_getBlockTransactionCountByNumber",
		about: "How many transactions a block has, by its number or a tag.",
		parameters: [["block", text]],
		handle: (context, block) => transactionCount(blockByTag(context, block)),
	}),
	defineMethod({
		name: "eth_getBlockReceipts",
		since: "4.8.1",
		about: "What became of a block's transactions, by its id, its number or a tag; null if there is none.",
		parameters: [["block", text]],
		handle: blockReceipts,
	}),
	defineMethod({
		name: "eth_getUncleByBlockHashAndIndex",
		about: "Nothing: the network has no uncles.",
		parameters: [
			["hash", text],
			["index", text],
		],
		handle: (_context, _block, _index) => null,
	}),
	defineMethod({
		name: "eth_getUncleByBlockNumberAndIndex",
		about: "Nothing: the network has no uncles.",
		parameters: [
			["block", text],
			["index", text],
		],
		handle: (_context, _block, _index) => null,
	}),
	defineMethod({
		name: "eth_getUncleCountByBlockHash",
		about: "0: the network has no uncles.",
		parameters: [["hash", text]],
		handle: (_context, _block) => "0x0",
	}),
	defineMethod({
		name: "eth_getUncleCountByBlockNumber",
		about: "0: the network has no uncles.",
		parameters: [["block", text]],
		handle: (_context, _block) => "0x0",
	}),
];
