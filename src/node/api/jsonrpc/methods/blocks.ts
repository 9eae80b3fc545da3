/** Blocks (protocol/json-rpc §§4, 5 and 7.1). */

import type { SignedBlock } from "../../../../protocol/block.js";
import { nullPointer } from "../../../../protocol/json/exceptions.js";
import type { StateView } from "../../../state/view.js";
import { blockById, blockByNumber } from "../../queries/blocks.js";
import { flag, text } from "../declared-types.js";
import { defineMethod, type Method, type RpcValue } from "../method.js";
import { blockObject } from "../objects/block.js";
import { isTag, pendingRefused, quantity, readBlockNumber, readHash } from "../values.js";

/** The block that a tag or number names. @throws {RpcError} */
export function blockByTag(state: StateView, tag: string | null): SignedBlock | undefined {
	if (isTag(tag, "pending")) throw pendingRefused();
	const { properties } = state;
	if (isTag(tag, "latest")) return blockByNumber(state, properties.headNumber);
	if (isTag(tag, "earliest")) return blockByNumber(state, 0n);
	if (isTag(tag, "finalized")) return blockByNumber(state, properties.get("LATEST_SOLIDIFIED_BLOCK_NUM"));
	return blockByNumber(state, readBlockNumber(tag));
}

function shown(state: StateView, block: SignedBlock | undefined, full: boolean | null): RpcValue {
	if (!block) return null;
	if (full === null) throw nullPointer();
	return blockObject(state, block, full);
}

function transactionCount(block: SignedBlock | undefined): RpcValue {
	return block ? quantity(block.transactions.length) : null;
}

export const blockMethods: readonly Method[] = [
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
		handle: ({ state }, hash, full) => shown(state, blockById(state, readHash(hash)), full),
	}),
	defineMethod({
		name: "eth_getBlockByNumber",
		about: "A block by its number or a tag; null if there is none.",
		parameters: [
			["block", text],
			["full", flag],
		],
		handle: ({ state }, block, full) => shown(state, blockByTag(state, block), full),
	}),
	defineMethod({
		name: "eth_getBlockTransactionCountByHash",
		about: "How many transactions a block has, by its id.",
		parameters: [["hash", text]],
		handle: ({ state }, hash) => transactionCount(blockById(state, readHash(hash))),
	}),
	defineMethod({
		name: "eth_getBlockTransactionCountByNumber",
		about: "How many transactions a block has, by its number or a tag.",
		parameters: [["block", text]],
		handle: ({ state }, block) => transactionCount(blockByTag(state, block)),
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
