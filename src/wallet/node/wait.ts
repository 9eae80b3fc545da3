/** Follows a transaction from the mempool to an irreversible block (protocol/command-line §4.2). */

import { equalBytes, fromHex, toHex } from "../../protocol/bytes.js";
import {
	type TransactionInfo,
	TransactionInfoCode,
	TransactionRaw,
	TransactionResultContractResult,
	TransactionResultContractResultEnum,
} from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { Failure, onRefusal } from "../failure.js";
import { isRecord, type JsonRecord } from "../json.js";
import {
	type BlockReference,
	fetchBlockByNumber,
	fetchHead,
	fetchReceipt,
	REFERENCE_NUMBERS,
	referredNumber,
} from "./chain-query.js";
import type { NodeClient, NodeView } from "./node-client.js";

export type TransactionState = "submitted" | "included" | "solid" | "failed" | "expired";

/** What is known about a transaction. */
export interface TransactionStatus {
	readonly state: TransactionState;
	/** The receipt, once it is in a block and if the node keeps receipts. */
	readonly receipt: Readonly<TransactionInfo> | undefined;
	/** Result of its contract call, from the record of a node that keeps no receipts. */
	readonly result?: string;
}

/** A transaction, or only its id of 32 bytes: without the transaction, its expiration and the blocks that may contain it aren't known. */
type Followed = Uint8Array | SignedTransaction;

const idOf = (followed: Followed): Uint8Array => (followed instanceof Uint8Array ? followed : followed.id);

/** A clock and a sleep, which tests replace so as not to wait. */
interface WaitTimer {
	now(): number;
	sleep(ms: number): Promise<void>;
}

const systemTimer: WaitTimer = {
	now: () => Date.now(),
	sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

interface WaitOptions {
	readonly until: "solid" | "included";
	readonly timeoutMs: number;
	/** Called on every change of state. */
	readonly onStatus?: (status: TransactionStatus) => void;
	readonly timer?: WaitTimer;
	/** Called once if the node doesn't know the transaction. */
	readonly onUnknown?: () => void;
}

const FAST_POLL_MS = 1000;
const SLOW_POLL_MS = 3000;
const FAST_PERIOD_MS = 10_000;

/**
 * Waits until a transaction has reached the wanted state, or one that is final.
 * @returns `included` or `solid` with a successful receipt; `failed`; `expired`
 * @throws {Failure} `wait_timeout`; `rpc_error` as {@link statusOf}; transport failures of the last attempt only; with `sent: true` if
 * the transaction was sent from here or the node was seen to have it, else `unknown`
 */
export async function waitFor(
	client: NodeClient,
	followed: Followed,
	options: WaitOptions,
): Promise<TransactionStatus> {
	const transactionId = idOf(followed);
	const timer = options.timer ?? systemTimer;
	const started = timer.now();
	let last: TransactionStatus = { state: "submitted", receipt: undefined };
	// The sender knows that a node has accepted it.
	let isKnown = options.onUnknown === undefined;
	let isReported = false;
	for (;;) {
		const waited = timer.now() - started;
		const pause = waited < FAST_PERIOD_MS ? FAST_POLL_MS : SLOW_POLL_MS;
		const isLastAttempt = waited + pause > options.timeoutMs;
		try {
			const isTimely = () => timer.now() - started <= options.timeoutMs;
			const status = await statusUntil(client, followed, options, isTimely);
			if (status.state !== last.state) options.onStatus?.(status);
			last = status;
			if (isFinal(status, options.until)) return status;
			isKnown ||= status.state !== "submitted" || (await knows(client, transactionId));
			if (!isKnown && !isReported) options.onUnknown?.();
			isReported ||= !isKnown;
		} catch (error) {
			// Keep trying after a broken connection while there is time.
			if (isLastAttempt || !isTransport(error)) throw brokenOff(error, transactionId, isKnown);
		}
		if (isLastAttempt && !isKnown) throw unknownTransaction(transactionId, options.timeoutMs);
		if (isLastAttempt) {
			throw new Failure(
				"wait_timeout",
				`after ${options.timeoutMs} ms the transaction is ${last.state}, not ${options.until}`,
				{
					sent: true,
					txID: toHex(transactionId),
					details: { state: last.state },
					hint: `coin tx wait ${toHex(transactionId)}`,
				},
			);
		}
		await timer.sleep(pause);
	}
}

/** The state of a transaction that the node must know. @throws {Failure} `not_found`; otherwise as {@link statusOf} */
export async function knownStatus(client: NodeClient, followed: Followed): Promise<TransactionStatus> {
	const status = await statusOf(client, followed);
	if (status.state !== "submitted" || (await knows(client, idOf(followed)))) return status;
	const what = `the node knows no transaction ${toHex(idOf(followed))}`;
	throw new Failure("not_found", what, { hint: UNRECORDED });
}

/** Whether a node has a transaction, in a block or in its mempool. */
async function knows(client: NodeClient, transactionId: Uint8Array): Promise<boolean> {
	for (const endpoint of ["gettransactionbyid", "gettransactionfrompending"]) {
		const request = { value: toHex(transactionId) };
		const answer = await client.call(endpoint, request).catch(onRefusal({}, "not_served"));
		if (Object.keys(answer).length > 0) return true;
	}
	return false;
}

/** Message about a transaction that the node has no record of. */
export const UNKNOWN_HERE =
	"this node knows no such transaction: it has none in the records of its blocks, and none waits here";
/** Advice that follows from that. */
const UNRECORDED =
	"a node that keeps no records may have it in a block all the same: one that keeps them can tell (--node <url>)";

/** The failure for an unknown transaction: `sent` is unknown, since another node may have it. */
function unknownTransaction(transactionId: Uint8Array, timeoutMs: number): Failure {
	const txID = toHex(transactionId);
	return new Failure("wait_timeout", `after ${timeoutMs} ms ${UNKNOWN_HERE}`, {
		sent: "unknown",
		txID,
		details: { state: "unknown" },
		hint: UNRECORDED,
	});
}

function isTransport(error: unknown): boolean {
	return error instanceof Failure && (error.code === "network" || error.code === "timeout");
}

/** A failed query says nothing about the transaction: only one that the node was seen to have is known to have been sent. */
function brokenOff(error: unknown, transactionId: Uint8Array, isKnown: boolean): unknown {
	if (!(error instanceof Failure)) return error;
	const txID = toHex(transactionId);
	const { hint = `coin tx wait ${txID}` } = error.facts;
	return error.with({ sent: isKnown ? true : "unknown", txID, hint });
}

async function statusUntil(
	client: NodeClient,
	followed: Followed,
	{ until }: WaitOptions,
	isTimely: () => boolean,
): Promise<TransactionStatus> {
	const status = await statusOf(client, followed, isTimely);
	// When waiting for inclusion only, a failure is reported as soon as the transaction is in a block.
	const { receipt, result } = status;
	const failed = receipt ? !succeeded(receipt) : result !== undefined && result !== "SUCCESS";
	return failed && until === "included" ? { ...status, state: "failed" } : status;
}

function isFinal({ state }: TransactionStatus, until: "solid" | "included"): boolean {
	return (
		state === "solid" ||
		state === "failed" ||
		state === "expired" ||
		(state === "included" && until === "included")
	);
}

/**
 * The present state of a transaction. `included` says nothing about success; `solid` and `failed` are irreversible.
 * @param followed if only its id is given, a transaction that is in no block counts as submitted forever
 * @param isTimely whether there is time left to read blocks
 * @throws {Failure} `rpc_error` if it has expired and the node can't tell whether it is in a block
 */
export async function statusOf(
	client: NodeClient,
	followed: Followed,
	isTimely: () => boolean = () => true,
): Promise<TransactionStatus> {
	const transactionId = idOf(followed);
	const receipt = await fetchReceipt(client, transactionId);
	if (receipt && receipt.blockNumber > 0n) {
		if (!(await isSolid(client, transactionId, receipt))) return { state: "included", receipt };
		return { state: succeeded(receipt) ? "solid" : "failed", receipt };
	}
	const { raw } = followed instanceof Uint8Array ? {} : followed;
	const isOver = raw !== undefined && (await solidTimeMs(client)) > raw.expiration;
	const record = await recordOf(client, transactionId);
	// It may have been included in a block between the requests.
	const late = isOver || record ? await fetchReceipt(client, transactionId) : undefined;
	if (late && late.blockNumber > 0n) return { state: "included", receipt: late };
	if (record) return statusBy(client, transactionId, record);
	if (!isOver) return { state: "submitted", receipt: undefined };
	const held = await recordInBlocks(client, followed as SignedTransaction, isTimely);
	return held ? irreversible(resultOf(held)) : { state: "expired", receipt: undefined };
}

/** A transaction as stored by a node that keeps no receipts. */
interface TransactionRecord {
	readonly record: JsonRecord;
	/** Whether it is known not to be in the mempool, which means that it is in a block. */
	readonly isIncluded: boolean;
}

/** Fetches a transaction's record; undefined if the node doesn't have it, or has it in its mempool. */
async function recordOf(
	client: NodeClient,
	transactionId: Uint8Array,
): Promise<TransactionRecord | undefined> {
	const request = { value: toHex(transactionId) };
	const record = await client.call("gettransactionbyid", request).catch(onRefusal({}, "not_served"));
	if (Object.keys(record).length === 0) return undefined;
	const unserved = onRefusal(undefined, "not_served");
	const waiting = await client.call("gettransactionfrompending", request).catch(unserved);
	return Object.keys(waiting ?? {}).length > 0 ? undefined : { record, isIncluded: waiting !== undefined };
}

/** Whether a node has a transaction that isn't known to be in its mempool. */
export async function isInRecords(client: NodeClient, transactionId: Uint8Array): Promise<boolean> {
	return (await recordOf(client, transactionId)) !== undefined;
}

/** The status of a transaction without a receipt. */
async function statusBy(
	client: NodeClient,
	transactionId: Uint8Array,
	{ record, isIncluded }: TransactionRecord,
): Promise<TransactionStatus> {
	const request = { value: toHex(transactionId) };
	const solid = await askSolidity(client, (view) => client.call("gettransactionbyid", request, view));
	const { raw_data: raw } = record;
	const endMs =
		isRecord(raw) && /^\d{1,19}$/.test(String(raw["expiration"])) ? BigInt(String(raw["expiration"])) : 0n;
	// No block after the first one past its expiration can contain it.
	const isSolid =
		(solid !== UNSERVED && Object.keys(solid).length > 0) ||
		(endMs > 0n && (await solidTimeMs(client)) > endMs);
	if (!isSolid && !isIncluded) return { state: "submitted", receipt: undefined };
	const result = resultOf(record);
	return isSolid ? irreversible(result) : { state: "included", receipt: undefined, ...result };
}

function resultOf({ ret }: JsonRecord): Pick<TransactionStatus, "result"> {
	const said = Array.isArray(ret) && isRecord(ret[0]) ? ret[0]["contractRet"] : undefined;
	return typeof said === "string" && said !== "DEFAULT" ? { result: said } : {};
}

function irreversible(said: Pick<TransactionStatus, "result">): TransactionStatus {
	const failed = said.result !== undefined && said.result !== "SUCCESS";
	return { state: failed ? "failed" : "solid", receipt: undefined, ...said };
}

/** The most reference candidates to go back through: months of blocks. */
const MAX_REFERENCES = 64;
/** A transaction is valid for a day at most, and a day has fewer blocks than this. */
const MAX_LIFE_BLOCKS = 30_000;

/**
 * Finds an expired transaction in its block; undefined if it is in none. A node without a record of it may not keep records at all, so
 * this reads the blocks between its reference and its expiration, until one shows that the node has kept records since then.
 * @param isTimely whether there is time to read another block
 * @throws {Failure} `rpc_error` if the node doesn't have these blocks; `timeout`
 */
export async function recordInBlocks(
	client: NodeClient,
	transaction: SignedTransaction,
	isTimely: () => boolean = () => true,
): Promise<JsonRecord | undefined> {
	const { idHex, raw = new TransactionRaw() } = transaction;
	const cantTell = (): Failure =>
		new Failure(
			"rpc_error",
			`the node can't tell whether ${idHex} is in a block: it lacks those of that time`,
			{
				sent: "unknown",
				txID: idHex,
				hint: "a node that keeps them can (--node <url>)",
			},
		);
	const blockAt = async (number: bigint): Promise<BlockReference> => {
		if (!isTimely()) throw new Failure("timeout", `the time is over in which blocks were read for ${idHex}`);
		const block = number < 0n ? undefined : await fetchBlockByNumber(client, number);
		if (block?.number === number) return block;
		throw cantTell();
	};
	if (raw.ref_block_bytes.length !== 2) return undefined;
	const { number: head } = await fetchHead(client);
	let block = await blockAt(referredNumber(head, raw));
	for (let count = 1; !equalBytes(block.id.subarray(8, 16), raw.ref_block_hash); count++) {
		// The chain refuses a transaction that refers to a block it doesn't have.
		if (block.number < REFERENCE_NUMBERS) return undefined;
		block = await blockAt(count < MAX_REFERENCES ? block.number - REFERENCE_NUMBERS : -1n);
	}
	for (let count = 0; block.timestampMs < raw.expiration; count++) {
		const { timestampMs } = block;
		block = await blockAt(count < MAX_LIFE_BLOCKS ? block.number + 1n : -1n);
		// Impossible in a valid chain; a malicious node could make this loop endless.
		if (block.timestampMs <= timestampMs) throw cantTell();
		const held = transactionsIn(block);
		if (!held) throw cantTell();
		const own = held.get(idHex);
		if (own) return own;
		const [other] = held.keys();
		if (other !== undefined && (await recordOf(client, fromHex(other)))) return undefined;
	}
	return undefined;
}

/** The transactions of a block in a node's response, by id; undefined if the response doesn't contain all of them. */
function transactionsIn({ answer, header }: BlockReference): ReadonlyMap<string, JsonRecord> | undefined {
	const { transactions = [] } = answer;
	if (!Array.isArray(transactions) || !transactions.every(isRecord)) return undefined;
	const held = new Map(transactions.map((each) => [String(each["txID"]).toLowerCase(), each]));
	const isCut = held.size === 0 && (header.raw_data?.txTrieRoot.some((byte) => byte !== 0) ?? false);
	return isCut || [...held.keys()].some((id) => !/^[0-9a-f]{64}$/.test(id)) ? undefined : held;
}

/** Whether a receipt reports success; transactions that run no contract code have no result. */
function succeeded(receipt: Readonly<TransactionInfo>): boolean {
	const result = receipt.receipt?.result ?? TransactionResultContractResult.DEFAULT;
	const fine =
		result === TransactionResultContractResult.DEFAULT || result === TransactionResultContractResult.SUCCESS;
	return fine && receipt.result !== TransactionInfoCode.FAILED;
}

/** The result's name for people and scripts. */
export function resultName(receipt: Readonly<TransactionInfo>): string {
	const result = receipt.receipt?.result ?? TransactionResultContractResult.DEFAULT;
	if (result === TransactionResultContractResult.DEFAULT) return succeeded(receipt) ? "SUCCESS" : "FAILED";
	return TransactionResultContractResultEnum.names.get(result) ?? String(result);
}

async function isSolid(
	client: NodeClient,
	transactionId: Uint8Array,
	receipt: Readonly<TransactionInfo>,
): Promise<boolean> {
	const solid = await askSolidity(client, (view) => fetchReceipt(client, transactionId, view));
	if (solid !== UNSERVED) return solid !== undefined && solid.blockNumber === receipt.blockNumber;
	return (await solidNumber(client)) >= receipt.blockNumber && stillThere(client, transactionId, receipt);
}

/** Checks that no reorg replaced the receipt's block before the irreversible block's number was read. */
async function stillThere(
	client: NodeClient,
	transactionId: Uint8Array,
	receipt: Readonly<TransactionInfo>,
): Promise<boolean> {
	const again = await fetchReceipt(client, transactionId);
	return again !== undefined && again.blockNumber === receipt.blockNumber && equalBytes(again.id, receipt.id);
}

/** Fetches the number of the newest irreversible block. @throws {Failure} */
export async function irreversibleNumber(client: NodeClient): Promise<bigint> {
	const head = await askSolidity(client, (view) => fetchHead(client, view));
	return head === UNSERVED ? solidNumber(client) : head.number;
}

async function solidTimeMs(client: NodeClient): Promise<bigint> {
	const head = await askSolidity(client, (view) => fetchHead(client, view));
	if (head !== UNSERVED) return head.timestampMs;
	return (await fetchBlockByNumber(client, await solidNumber(client)))?.timestampMs ?? 0n;
}

const UNSERVED = Symbol("no solidity API");

/** Queries the solidity API, if there is one. */
async function askSolidity<T>(
	client: NodeClient,
	ask: (view: NodeView) => Promise<T>,
): Promise<T | typeof UNSERVED> {
	if (client.settings.solidity === undefined) return UNSERVED;
	return ask("solidity").catch(onRefusal(UNSERVED, "not_served", "network"));
}

/** The irreversible block's number from the full API, where `solidityBlock` is `Num:<n>,ID:<id>`. */
async function solidNumber(client: NodeClient): Promise<bigint> {
	const { solidityBlock } = await client.call("getnodeinfo", {});
	const match = /Num:(\d{1,18})(?!\d)/.exec(String(solidityBlock));
	if (!match?.[1]) throw new Failure("rpc_error", "the node doesn't say which block is irreversible");
	return BigInt(match[1]);
}
