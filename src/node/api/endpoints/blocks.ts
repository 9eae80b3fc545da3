/** Blocks by number, id and range (protocol/http-endpoints §3.2, §3.6). */

import type { SignedBlock } from "../../../protocol/block.js";
import { blockJson } from "../../../protocol/json/transaction-json.js";
import {
	BlockBalanceTrace,
	BlockBalanceTraceBlockIdentifier,
	BlockLimit,
	BlockReq,
	BytesMessage,
	NumberMessage,
} from "../../../protocol/messages.js";
import { blockById, blockByNumber, headBlock } from "../../chain/block-store.js";
import { type ApiContext, liveView } from "../context.js";
import {
	defineEndpoint,
	type Endpoint,
	EVERYWHERE,
	errorMessage,
	errorReply,
	type FailureWriter,
	hexParameter,
	longParameter,
	messageRequest,
	optionalLong,
	printed,
	type ReplyWriter,
	type RequestForm,
	textParameter,
	trueParameter,
	visibleOnly,
	written,
} from "../endpoint.js";
import { LongAnswer, listPieces } from "../long-answer.js";
import { blockBalance } from "../queries/balance-history.js";
import { BlockIdError, blocksBetween, latestBlocks, requestedBlock } from "../queries/blocks.js";

/** Block texts by style. */
const texts = new WeakMap<SignedBlock, Map<string, string>>();

/** One block. Its text is cached as long as the block is, since many clients poll the newest one. */
const oneBlock: ReplyWriter<SignedBlock | undefined> = ({ style }, block) => {
	if (!block) return "{}";
	const key = `${style.dialect} ${style.visible} ${style.longsAsText ?? false}`;
	const known = texts.get(block) ?? new Map<string, string>();
	let text = known.get(key);
	if (text === undefined) {
		text = blockJson(block, style);
		texts.set(block, known.set(key, text));
	}
	return text;
};

const blockList: ReplyWriter<Iterable<SignedBlock> | undefined> = ({ style }, blocks) =>
	blocks ? new LongAnswer(listPieces('{"block":[', blocks, (block) => blockJson(block, style), "]}")) : "{}";

/** An empty body means the head block. */
const blockRequest: RequestForm<BlockReq> = {
	...messageRequest(BlockReq, { id_or_num: textParameter, detail: trueParameter }),
	read: (input) => {
		if (input.mode !== "query" && input.text === "") return new BlockReq();
		return messageRequest(BlockReq, { id_or_num: textParameter, detail: trueParameter }).read(input);
	},
};

function findBlock(context: ApiContext, request: BlockReq): string {
	const block = requestedBlock(context, request);
	return block ? blockJson(block, context.style, request.detail) : "{}";
}

/** Errors about an id are reported without the error class. */
const blockFailure: FailureWriter = (context, error) =>
	error instanceof BlockIdError ? errorMessage(error.message) : errorReply(context, error);

export const blockEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "getnowblock",
		about: "The newest block.",
		post: "query",
		servers: EVERYWHERE,
		request: visibleOnly,
		reply: oneBlock,
		answers: "Block",
		handle: ({ state }) => headBlock(state),
	}),
	defineEndpoint({
		name: "getblock",
		about: "A block by number or id, the newest without either; its transactions only with detail.",
		servers: EVERYWHERE,
		request: blockRequest,
		answers: "Block",
		reply: written,
		failure: blockFailure,
		handle: findBlock,
	}),
	defineEndpoint({
		name: "getblockbynum",
		about: "The block of a height.",
		servers: EVERYWHERE,
		request: messageRequest(NumberMessage, { num: optionalLong }),
		reply: oneBlock,
		answers: "Block",
		blockOf: (_, { num }) => num,
		handle: ({ state }, { num }) => blockByNumber(state, num),
	}),
	defineEndpoint({
		name: "getblockbyid",
		about: "The block with an id.",
		servers: EVERYWHERE,
		request: messageRequest(BytesMessage, { value: hexParameter }),
		reply: oneBlock,
		answers: "Block",
		blockOf: ({ state }, { value }) => blockById(state, value)?.number,
		handle: ({ state }, { value }) => blockById(state, value),
	}),
	defineEndpoint({
		name: "getblockbylatestnum",
		about: "The newest blocks, at most 99, oldest first.",
		servers: EVERYWHERE,
		request: messageRequest(NumberMessage, { num: longParameter }),
		reply: blockList,
		answers: "BlockList",
		handle: (context, { num }) => latestBlocks(liveView(context), num),
	}),
	defineEndpoint({
		name: "getblockbylimitnext",
		about: "Blocks from startNum up to, but not including, endNum: at most 100.",
		servers: EVERYWHERE,
		request: messageRequest(BlockLimit, { startNum: longParameter, endNum: longParameter }),
		reply: blockList,
		answers: "BlockList",
		handle: (context, { startNum, endNum }) => blocksBetween(liveView(context), startNum, endNum),
	}),
	defineEndpoint({
		name: "getblockbalance",
		about: "What a block's transactions did to balances; needs storage.balance.history.lookup.",
		get: "refused",
		servers: ["full"],
		request: messageRequest(BlockBalanceTraceBlockIdentifier),
		reply: printed(BlockBalanceTrace),
		handle: ({ state }, block) => blockBalance(state, block),
	}),
];
