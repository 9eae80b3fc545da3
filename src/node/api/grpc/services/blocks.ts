/** Blocks, plain or with the ids of their transactions (protocol/grpc §2.2). */

import { status } from "@grpc/grpc-js";
import type { SignedBlock } from "../../../../protocol/block.js";
import { varint } from "../../../../protocol/codec/message-parts.js";
import {
	Block,
	BlockExtention,
	BlockReference,
	DynamicProperties,
	NumberMessage,
} from "../../../../protocol/messages.js";
import { blockById, blockByNumber, headBlock } from "../../../chain/block-store.js";
import { transactionExtention } from "../../builder.js";
import { liveView } from "../../context.js";
import { BlockIdError, blocksBetween, latestBlocks, requestedBlock } from "../../queries/blocks.js";
import { CallError, type Handlers, LongMessage, withReason } from "../method.js";

function extended(block: SignedBlock | undefined, withTransactions = true): BlockExtention | undefined {
	if (!block) return undefined;
	const answer = BlockExtention.create({ blockid: block.id });
	if (block.message.block_header) answer.block_header = block.message.block_header;
	if (withTransactions) answer.transactions = block.transactions.map(transactionExtention);
	return answer;
}

/** Tag of field 1, length-delimited: the blocks in both kinds of lists. */
const BLOCK_TAG = 0x0a;

/** A list of blocks, encoded one at a time. */
function blockList(
	blocks: Iterable<SignedBlock> | undefined,
	encode: (block: SignedBlock) => Uint8Array,
): LongMessage | undefined {
	return blocks && new LongMessage(listParts(blocks, encode));
}

function* listParts(
	blocks: Iterable<SignedBlock>,
	encode: (block: SignedBlock) => Uint8Array,
): Generator<Uint8Array> {
	for (const block of blocks) {
		const bytes = encode(block);
		yield Uint8Array.of(BLOCK_TAG, ...varint(bytes.length));
		yield bytes;
	}
}

const bare = (block: SignedBlock): Uint8Array => Block.encode(block.message);
const withIds = (block: SignedBlock): Uint8Array => BlockExtention.encode(extended(block) as BlockExtention);

export const blocks = {
	GetNowBlock: ({ state }) => headBlock(state)?.message,
	GetNowBlock2: ({ state }) => extended(headBlock(state)),
	GetBlockByNum: ({ state }, { num }) => blockByNumber(state, num)?.message,
	GetBlockByNum2: ({ state }, { num }) => extended(blockByNumber(state, num)),
	GetBlockById: ({ state }, { value }) => blockById(state, value)?.message,
	GetBlockByLimitNext: (context, { startNum, endNum }) =>
		blockList(blocksBetween(liveView(context), startNum, endNum), bare),
	GetBlockByLimitNext2: (context, { startNum, endNum }) =>
		blockList(blocksBetween(liveView(context), startNum, endNum), withIds),
	GetBlockByLatestNum: (context, { num }) => blockList(latestBlocks(liveView(context), num), bare),
	GetBlockByLatestNum2: (context, { num }) => blockList(latestBlocks(liveView(context), num), withIds),
	GetBlock: withReason((context, request) => {
		try {
			return extended(requestedBlock(context, request), request.detail);
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

/** Methods read by a node that follows this one. */
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
