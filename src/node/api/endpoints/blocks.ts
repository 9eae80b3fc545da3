/** Blocks by number, id and range (sheet 06 §7.2, §7.6). */

import type { SignedBlock } from "../../../protocol/block.js";
import { fromHex, readBe64 } from "../../../protocol/bytes.js";
import { MAX_INT64, MIN_INT64 } from "../../../protocol/int64.js";
import { blockJson } from "../../../protocol/json/transaction-json.js";
import {
	BlockBalanceTrace,
	BlockBalanceTraceBlockIdentifier,
	BlockLimit,
	BlockReq,
	BytesMessage,
	NumberMessage,
} from "../../../protocol/messages.js";
import type { ApiContext, ServerKind } from "../context.js";
import {
	defineEndpoint,
	type Endpoint,
	errorMessage,
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
import { blockBalance } from "../queries/balance-history.js";
import { blockById, blockByNumber, blocksFrom, headBlock } from "../queries/blocks.js";

const EVERYWHERE: readonly ServerKind[] = ["full", "solidity", "pbft"];

/** Fewer blocks than this can be asked for by `getblockbylatestnum`. */
const LATEST_LIMIT = 100n;
/** Most blocks of one `getblockbylimitnext`. */
const RANGE_LIMIT = 100n;

const oneBlock: ReplyWriter<SignedBlock | undefined> = ({ style }, block) =>
	block ? blockJson(block, style) : "{}";

const blockList: ReplyWriter<readonly SignedBlock[] | undefined> = ({ style }, blocks) =>
	blocks ? `{"block":[${blocks.map((block) => blockJson(block, style)).join(",")}]}` : "{}";

/** A blank body asks for the head block. */
const blockRequest: RequestForm<BlockReq> = {
	...messageRequest(BlockReq, { id_or_num: textParameter, detail: trueParameter }),
	read: (input) => {
		if (input.mode !== "query" && input.text.trim() === "") return new BlockReq();
		return messageRequest(BlockReq, { id_or_num: textParameter, detail: trueParameter }).read(input);
	},
};

/** A 64-bit number as the text of a request gives it; undefined if it is none. */
function blockNumber(text: string): bigint | undefined {
	if (!/^[+-]?\d+$/.test(text)) return undefined;
	const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
	return value < MIN_INT64 || value > MAX_INT64 ? undefined : value;
}

function findBlock(context: ApiContext, { id_or_num, detail }: BlockReq): string {
	const { state, style } = context;
	const write = (block: SignedBlock | undefined): string => (block ? blockJson(block, style, detail) : "{}");
	if (id_or_num === "") return write(headBlock(state));
	const number = blockNumber(id_or_num);
	const head = state.properties.headNumber;
	if (number !== undefined) {
		if (number > head) return "{}";
		if (number < 0n) return errorMessage("num must be non-positive number.");
		return write(blockByNumber(state, number));
	}
	if (!/^[0-9a-fA-F]{64}$/.test(id_or_num)) return errorMessage("id must be legal block hash.");
	const id = fromHex(id_or_num);
	const named = readBe64(id);
	if (named < 0n || named > head) return errorMessage("id must be legal block hash.");
	return write(blockById(state, id));
}

export const blockEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "getnowblock",
		about: "The newest block.",
		get: "query",
		post: "query",
		servers: EVERYWHERE,
		request: visibleOnly,
		reply: oneBlock,
		handle: ({ state }) => headBlock(state),
	}),
	defineEndpoint({
		name: "getblock",
		about: "A block by number or id, the newest without either; its transactions only with detail.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: blockRequest,
		reply: written,
		handle: findBlock,
	}),
	defineEndpoint({
		name: "getblockbynum",
		about: "The block of a height.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: messageRequest(NumberMessage, { num: optionalLong }),
		reply: oneBlock,
		handle: ({ state }, { num }) => blockByNumber(state, num),
	}),
	defineEndpoint({
		name: "getblockbyid",
		about: "The block with an id.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: messageRequest(BytesMessage, { value: hexParameter }),
		reply: oneBlock,
		handle: ({ state }, { value }) => blockById(state, value),
	}),
	defineEndpoint({
		name: "getblockbylatestnum",
		about: "The newest blocks, at most 99, oldest first.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: messageRequest(NumberMessage, { num: longParameter }),
		reply: blockList,
		handle: ({ state }, { num }) => {
			if (num <= 0n || num >= LATEST_LIMIT) return undefined;
			const head = state.properties.headNumber;
			const first = head - num + 1n;
			return blocksFrom(state, first < 0n ? 0n : first, num);
		},
	}),
	defineEndpoint({
		name: "getblockbylimitnext",
		about: "Blocks from startNum up to, but not including, endNum: at most 100.",
		get: "query",
		post: "body",
		servers: EVERYWHERE,
		request: messageRequest(BlockLimit, { startNum: longParameter, endNum: longParameter }),
		reply: blockList,
		handle: ({ state }, { startNum, endNum }) => {
			if (endNum <= 0n || endNum <= startNum || endNum - startNum > RANGE_LIMIT) return undefined;
			return blocksFrom(state, startNum, endNum - startNum);
		},
	}),
	defineEndpoint({
		name: "getblockbalance",
		about: "What a block's transactions did to balances; needs storage.balance.history.lookup.",
		get: "refused",
		post: "body",
		servers: ["full"],
		request: messageRequest(BlockBalanceTraceBlockIdentifier),
		reply: printed(BlockBalanceTrace),
		handle: ({ state }, block) => blockBalance(state, block),
	}),
];
