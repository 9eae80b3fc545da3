/** Reads a pool from blocks and logs, without keys (protocol/shielded §4, protocol/wallet-formats §8.3). */

import { addressFromHash } from "../../protocol/address.js";
import { equalBytes, fromHex, fromUtf8, toHex, utf8 } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { keccak256, sha256 } from "../../protocol/hash.js";
import { ShieldedTransferContract, TransactionInfo, TransactionRaw } from "../../protocol/messages.js";
import { ORC20_EVENTS } from "../../protocol/sapling/orc20-builder.js";
import { SEALED_NOTE_SIZE, SEALED_OUTGOING_SIZE } from "../../protocol/sapling/sizes.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, member } from "../json.js";
import { messageFrom } from "../node/answer.js";
import { fetchBlockByNumber } from "../node/chain-query.js";
import type { NodeClient } from "../node/node-client.js";
import { pastLogs } from "../view/contract-logs.js";
import type { ContractPool, Pool, PoolTransaction, PublishedBurn, PublishedNote } from "./pool.js";

/** A log of a pool's contract. */
interface PoolLog {
	readonly topics: readonly Uint8Array[];
	readonly data: Uint8Array;
}

type EventName = keyof typeof ORC20_EVENTS;

const TOPICS = Object.entries(ORC20_EVENTS).map(
	([name, signature]) => [name as EventName, keccak256(utf8(signature))] as const,
);

const WORD = 32;
const LEAF_LENGTH = 4 * WORD + 21 * WORD;
const BURN_LENGTH = 5 * WORD;

function eventOf({ topics }: PoolLog): EventName | undefined {
	const [first, second] = topics;
	if (!first || second) return undefined;
	return TOPICS.find(([, topic]) => equalBytes(topic, first))?.[0];
}

const word = (data: Uint8Array, index: number): Uint8Array => data.slice(index * WORD, (index + 1) * WORD);
const number = (data: Uint8Array, index: number): bigint => BigInt(`0x${toHex(word(data, index))}`);

/** Decodes the logs of a transaction; a log in any other form is ignored. */
export function transactionOfLogs(txID: string, block: bigint, logs: readonly PoolLog[]): PoolTransaction {
	const notes: PublishedNote[] = [];
	const nullifiers: Uint8Array[] = [];
	const burns: PublishedBurn[] = [];
	let spends = false;
	for (const log of logs) {
		const { data } = log;
		const event = eventOf(log);
		if (event === "noteSpent" && data.length === WORD) nullifiers.push(data);
		else if (event === "tokenBurn" && data.length === BURN_LENGTH) {
			spends = true;
			burns.push({ to: addressFromHash(word(data, 0)), amount: number(data, 1) });
		} else if (
			(event === "mintLeaf" || event === "transferLeaf" || event === "burnLeaf") &&
			data.length === LEAF_LENGTH
		) {
			spends ||= event !== "mintLeaf";
			const sealed = data.slice(4 * WORD);
			notes.push({
				index: notes.length,
				position: number(data, 0),
				cm: word(data, 1),
				cv: word(data, 2),
				epk: word(data, 3),
				forReceiver: sealed.slice(0, SEALED_NOTE_SIZE),
				forSender: sealed.slice(SEALED_NOTE_SIZE, SEALED_NOTE_SIZE + SEALED_OUTGOING_SIZE),
			});
		}
	}
	return { txID, block, notes, nullifiers, burns, isSilent: spends && nullifiers.length === 0 };
}

/** Decodes a block's transaction of the chain's own pool; undefined if it is of another type, or failed. */
export function transactionOfBlock(answer: JsonRecord, block: bigint): PoolTransaction | undefined {
	const contracts = member(answer["raw_data"] as JsonRecord | undefined, "contract");
	const first = Array.isArray(contracts) ? (contracts[0] as Json | undefined) : undefined;
	if (!isRecord(first) || member(first, "type") !== "ShieldedTransferContract") return undefined;
	const { raw_data_hex: rawHex, ret } = answer;
	const outcome = Array.isArray(ret) ? (ret[0] as Json | undefined) : undefined;
	const result = isRecord(outcome) ? member(outcome, "contractRet") : undefined;
	if (typeof rawHex !== "string" || (result !== undefined && result !== "SUCCESS" && result !== "DEFAULT"))
		return undefined;
	const { raw, contract } = decoded(rawHex);
	return {
		txID: toHex(sha256(raw)),
		block,
		notes: contract.receive_description.map((made, index) => ({
			index,
			position: undefined,
			cm: made.note_commitment,
			cv: made.value_commitment,
			epk: made.epk,
			forReceiver: made.c_enc,
			forSender: made.c_out,
		})),
		nullifiers: contract.spend_description.map(({ nullifier }) => nullifier),
		burns:
			contract.spend_description.length > 0 && contract.transparent_to_address.length > 0
				? [{ to: contract.transparent_to_address, amount: contract.to_amount }]
				: [],
		isSilent: false,
	};
}

function decoded(rawHex: string): { readonly raw: Uint8Array; readonly contract: ShieldedTransferContract } {
	try {
		const raw = fromHex(rawHex);
		const parameter = TransactionRaw.decode(raw).contract[0]?.parameter;
		return { raw, contract: ShieldedTransferContract.decode(parameter?.value ?? new Uint8Array(0)) };
	} catch (error) {
		if (!(error instanceof RangeError) && !(error instanceof DecodeError)) throw error;
		throw new Failure("rpc_error", "the node's block holds a shielded transfer that can't be read");
	}
}

/** Blocks per request: the maximum that servers return. */
const BLOCKS = 100n;
/** Number of concurrent requests. */
const PARALLEL = 8;
/** Blocks whose logs are requested between two progress reports. */
const LOG_BLOCKS = 5000n;

/** What happened in the pool in a range of blocks. */
export interface PoolBlocks {
	/** Number of the last of them. */
	readonly through: bigint;
	readonly transactions: readonly PoolTransaction[];
}

/** Yields what happened in a pool from one block to another, both included. @throws {Failure} */
export async function* readPool(
	client: NodeClient,
	pool: Pool,
	from: bigint,
	to: bigint,
): AsyncGenerator<PoolBlocks> {
	if (pool.kind === "native") yield* readNative(client, from, to);
	else if (client.settings.jsonrpc !== undefined) yield* readLogs(client, pool, from, to);
	else yield* readReceipts(client, pool, from, to);
}

async function* readNative(client: NodeClient, from: bigint, to: bigint): AsyncGenerator<PoolBlocks> {
	for (let start = from; start <= to; start += BLOCKS) {
		const end = start + BLOCKS <= to ? start + BLOCKS : to + 1n;
		const blocks = await blocksBetween(client, start, end);
		yield { through: end - 1n, transactions: blocks.flatMap(([block, answer]) => shieldedOf(answer, block)) };
	}
}

function shieldedOf({ transactions }: JsonRecord, block: bigint): PoolTransaction[] {
	const list = Array.isArray(transactions) ? transactions.filter(isRecord) : [];
	return list.flatMap((transaction) => transactionOfBlock(transaction, block) ?? []);
}

/** Fetches a range of blocks. @throws {Failure} `rpc_error` if one is missing */
async function blocksBetween(
	client: NodeClient,
	start: bigint,
	end: bigint,
): Promise<readonly (readonly [bigint, JsonRecord])[]> {
	const answer = await client.call("getblockbylimitnext", { startNum: start, endNum: end });
	const { block } = answer;
	const found = new Map<bigint, JsonRecord>();
	for (const record of Array.isArray(block) ? block.filter(isRecord) : []) {
		const header = member(record, "block_header") as JsonRecord | undefined;
		const number = member(member(header, "raw_data") as JsonRecord | undefined, "number") ?? 0n;
		if (typeof number === "bigint") found.set(number, record);
	}
	const all: (readonly [bigint, JsonRecord])[] = [];
	for (let number = start; number < end; number++) {
		const record = found.get(number) ?? (await fetchBlockByNumber(client, number))?.answer;
		if (!record) throw new Failure("rpc_error", `the node doesn't have block ${number}`);
		all.push([number, record]);
	}
	return all;
}

async function* readLogs(
	client: NodeClient,
	{ contract }: ContractPool,
	from: bigint,
	to: bigint,
): AsyncGenerator<PoolBlocks> {
	for (let start = from; start <= to; start += LOG_BLOCKS) {
		const through = start + LOG_BLOCKS - 1n < to ? start + LOG_BLOCKS - 1n : to;
		const byTransaction = new Map<string, { block: bigint; logs: PoolLog[] }>();
		for await (const log of pastLogs(client, { addresses: [contract], topics: [] }, start, through)) {
			if (log.removed || !equalBytes(log.address, contract.subarray(1))) continue;
			const { block, logs } = byTransaction.get(log.txID) ?? { block: log.block, logs: [] };
			logs.push(log);
			byTransaction.set(log.txID, { block, logs });
		}
		yield {
			through,
			transactions: [...byTransaction].map(([txID, { block, logs }]) => transactionOfLogs(txID, block, logs)),
		};
	}
}

async function* readReceipts(
	client: NodeClient,
	{ contract }: ContractPool,
	from: bigint,
	to: bigint,
): AsyncGenerator<PoolBlocks> {
	for (let start = from; start <= to; start += BLOCKS) {
		const through = start + BLOCKS - 1n < to ? start + BLOCKS - 1n : to;
		const transactions: PoolTransaction[] = [];
		for (let first = start; first <= through; first += BigInt(PARALLEL)) {
			const count = Number(through - first + 1n < PARALLEL ? through - first + 1n : PARALLEL);
			const numbers = Array.from({ length: count }, (_, i) => first + BigInt(i));
			const answers = await Promise.all(
				numbers.map((num) => client.callList("gettransactioninfobyblocknum", { num })),
			);
			for (const [i, answer] of answers.entries())
				transactions.push(...receiptsOf(answer, contract, numbers[i] as bigint));
		}
		yield { through, transactions };
	}
}

function receiptsOf(answer: readonly JsonRecord[], contract: Uint8Array, block: bigint): PoolTransaction[] {
	return answer.flatMap((record) => {
		const { id, log } = messageFrom(TransactionInfo, record);
		const own = log.filter(({ address }) => equalBytes(address, contract.subarray(1)));
		return own.length > 0 ? [transactionOfLogs(toHex(id), block, own)] : [];
	});
}

/** A memo without its padding of zeros. */
export function withoutFilling(memo: Uint8Array): Uint8Array {
	let end = memo.length;
	while (end > 0 && memo[end - 1] === 0) end--;
	return memo.slice(0, end);
}

/** A memo as text if it is valid text, else as `0x` and hexadecimal digits. */
export function memoView(memo: Uint8Array): string {
	const text = fromUtf8(memo);
	const isText = /^[^\p{C}]*$/u.test(text) && equalBytes(utf8(text), memo);
	return isText ? text : `0x${toHex(memo)}`;
}
