/** Blocks, bare or with the ids of their transactions (sheet 08 §2.3). */

import { status } from "@grpc/grpc-js";
import type { SignedBlock } from "../../../../protocol/block.js";
import {
	BlockExtention,
	BlockList,
	BlockListExtention,
	BlockReference,
	DynamicProperties,
	NumberMessage,
} from "../../../../protocol/messages.js";
import {
	BlockIdError,
	blockById,
	blockByIdOrNumber,
	blockByNumber,
	blocksBetween,
	headBlock,
	latestBlocks,
} from "../../queries/blocks.js";
import { transactionExtention } from "../../transaction-extention.js";
import { CallError, explained, type Handlers } from "../method.js";

function extended(block: SignedBlock | undefined, withTransactions = true): BlockExtention | undefined {
	if (!block) return undefined;
	const answer = BlockExtention.create({ blockid: block.id });
	if (block.message.block_header) answer.block_header = block.message.block_header;
	if (withTransactions) answer.transactions = block.transactions.map(transactionExtention);
	return answer;
}

function bareList(blocks: readonly SignedBlock[] | undefined): BlockList | undefined {
	return blocks && BlockList.create({ block: blocks.map((block) => block.message) });
}

function extendedList(blocks: readonly SignedBlock[] | undefined): BlockListExtention | undefined {
	return (
		blocks && BlockListExtention.create({ block: blocks.map((block) => extended(block) as BlockExtention) })
	);
}

export const blocks = {
	GetNowBlock: ({ state }) => headBlock(state)?.message,
	GetNowBlock2: ({ state }) => extended(headBlock(state)),
	GetBlockByNum: ({ state }, { num }) => blockByNumber(state, num)?.message,
	GetBlockByNum2: ({ state }, { num }) => extended(blockByNumber(state, num)),
	GetBlockById: ({ state }, { value }) => blockById(state, value)?.message,
	GetBlockByLimitNext: ({ state }, { startNum, endNum }) => bareList(blocksBetween(state, startNum, endNum)),
	GetBlockByLimitNext2: ({ state }, { startNum, endNum }) =>
		extendedList(blocksBetween(state, startNum, endNum)),
	GetBlockByLatestNum: ({ state }, { num }) => bareList(latestBlocks(state, num)),
	GetBlockByLatestNum2: ({ state }, { num }) => extendedList(latestBlocks(state, num)),
	GetBlock: explained(({ state }, { id_or_num, detail }) => {
		try {
			return extended(blockByIdOrNumber(state, id_or_num), detail);
		} catch (error) {
			if (error instanceof BlockIdError) throw new CallError(status.INVALID_ARGUMENT, error.message);
			throw error;
		}
	}),
	GetTransactionCountByBlockNum: ({ state }, { num }) => {
		const block = blockByNumber(state, num);
		return NumberMessage.create({ num: block ? BigInt(block.transactions.length) : -1n });
	},
} satisfies Partial<Handlers<"Wallet">>;

/** What a node that follows this one reads. */
export const database: Handlers<"Database"> = {
	getBlockReference: ({ state: { properties } }) =>
		BlockReference.create({ block_num: properties.headNumber, block_hash: properties.headId }),
	GetDynamicProperties: ({ state: { properties } }) =>
		DynamicProperties.create({
			last_solidity_block_num: properties.get("LATEST_SOLIDIFIED_BLOCK_NUM"),
		}),
	GetNowBlock: blocks.GetNowBlock,
	GetBlockByNum: blocks.GetBlockByNum,
};
