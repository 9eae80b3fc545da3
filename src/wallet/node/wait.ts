/** Following a transaction from the pool to an irreversible block (protocol/command-line §4.2). */

import { equalBytes, toHex } from "../../protocol/bytes.js";
import {
	type TransactionInfo,
	TransactionInfoCode,
	TransactionResultContractResult,
	TransactionResultContractResultEnum,
} from "../../protocol/messages.js";
import { Failure, onRefusal } from "../failure.js";
import { fetchBlockByNumber, fetchHead, fetchReceipt } from "./chain-query.js";
import type { NodeClient, NodeView } from "./node-client.js";

export type TransactionState = "submitted" | "included" | "solid" | "failed" | "expired";

/** What is known of a transaction. */
export interface TransactionStatus {
	readonly state: TransactionState;
	/** The receipt, once it is in a block. */
	readonly receipt: Readonly<TransactionInfo> | undefined;
}

/** Time as the waiting needs it: a clock and a sleep, so that tests need not wait. */
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
	/** Expiration of the transaction, when it is known. */
	readonly expirationMs?: bigint | undefined;
	/** Called with every change of state. */
	readonly onStatus?: (status: TransactionStatus) => void;
	readonly timer?: WaitTimer;
	/** Called once, when the node knows no such transaction. */
	readonly onUnknown?: () => void;
}

const FAST_POLL_MS = 1000;
const SLOW_POLL_MS = 3000;
const FAST_PERIOD_MS = 10_000;

/**
 * Waits until a transaction has reached a state that will not change, or the wanted one.
 * @returns `included` or `solid` with a successful receipt; `failed`; `expired`
 * @throws {Failure} `wait_timeout`; transport failures of the last attempt only; `sent` is `true` of a transaction that
 * was sent from here or that the node has been seen to have, else `unknown`
 */
export async function waitFor(
	client: NodeClient,
	transactionId: Uint8Array,
	options: WaitOptions,
): Promise<TransactionStatus> {
	const timer = options.timer ?? systemTimer;
	const started = timer.now();
	let last: TransactionStatus = { state: "submitted", receipt: undefined };
	// Whoever sent it knows that a node took it.
	let isKnown = options.onUnknown === undefined;
	let isReported = false;
	for (;;) {
		const waited = timer.now() - started;
		const pause = waited < FAST_PERIOD_MS ? FAST_POLL_MS : SLOW_POLL_MS;
		const isLastAttempt = waited + pause > options.timeoutMs;
		try {
			const status = await statusUntil(client, transactionId, options);
			if (status.state !== last.state) options.onStatus?.(status);
			last = status;
			if (isFinal(status, options.until)) return status;
			isKnown ||= status.state !== "submitted" || (await knows(client, transactionId));
			if (!isKnown && !isReported) options.onUnknown?.();
			isReported ||= !isKnown;
		} catch (error) {
			// A broken connection is not a reason to give up while there is time.
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

/** Whether a node has a transaction, in a block or waiting for one. */
export async function knows(client: NodeClient, transactionId: Uint8Array): Promise<boolean> {
	for (const endpoint of ["gettransactionbyid", "gettransactionfrompending"]) {
		const request = { value: toHex(transactionId) };
		const answer = await client.call(endpoint, request).catch(onRefusal({}, "not_served"));
		if (Object.keys(answer).length > 0) return true;
	}
	return false;
}

/** Nobody can tell whether it was ever sent: another node may have it. */
function unknownTransaction(transactionId: Uint8Array, timeoutMs: number): Failure {
	const txID = toHex(transactionId);
	return new Failure(
		"wait_timeout",
		`after ${timeoutMs} ms this node knows no such transaction: it's in no block, and doesn't wait for one here`,
		{ sent: "unknown", txID, details: { state: "unknown" } },
	);
}

function isTransport(error: unknown): boolean {
	return error instanceof Failure && (error.code === "network" || error.code === "timeout");
}

/** A question that failed says nothing of the transaction: only one that was seen is sure to have been sent. */
function brokenOff(error: unknown, transactionId: Uint8Array, isKnown: boolean): unknown {
	if (!(error instanceof Failure)) return error;
	const txID = toHex(transactionId);
	const { hint = `coin tx wait ${txID}` } = error.facts;
	return error.with({ sent: isKnown ? true : "unknown", txID, hint });
}

async function statusUntil(
	client: NodeClient,
	transactionId: Uint8Array,
	{ until, expirationMs }: WaitOptions,
): Promise<TransactionStatus> {
	const status = await statusOf(client, transactionId, expirationMs);
	// Who waits for inclusion only wants to hear of a failure as soon as it is in a block.
	const failed = until === "included" && status.receipt !== undefined && !succeeded(status.receipt);
	return failed ? { ...status, state: "failed" } : status;
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
 * @param expirationMs without it, a transaction that is in no block counts as submitted for ever
 */
export async function statusOf(
	client: NodeClient,
	transactionId: Uint8Array,
	expirationMs?: bigint,
): Promise<TransactionStatus> {
	const receipt = await fetchReceipt(client, transactionId);
	if (receipt && receipt.blockNumber > 0n) {
		if (!(await isSolid(client, transactionId, receipt))) return { state: "included", receipt };
		return { state: succeeded(receipt) ? "solid" : "failed", receipt };
	}
	if (expirationMs !== undefined && (await solidTimeMs(client)) > expirationMs) {
		// It may have entered an irreversible block between the two questions.
		const late = await fetchReceipt(client, transactionId);
		if (late && late.blockNumber > 0n) return { state: "included", receipt: late };
		return { state: "expired", receipt: undefined };
	}
	return { state: "submitted", receipt: undefined };
}

/** Whether the contract did what it was asked to; transactions without contract code have no result. */
function succeeded(receipt: Readonly<TransactionInfo>): boolean {
	const result = receipt.receipt?.result ?? TransactionResultContractResult.DEFAULT;
	const fine =
		result === TransactionResultContractResult.DEFAULT || result === TransactionResultContractResult.SUCCESS;
	return fine && receipt.result !== TransactionInfoCode.FAILED;
}

/** The result as people and scripts read it. */
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

/** The receipt was read before the solid number: make sure that the block was not replaced in between. */
async function stillThere(
	client: NodeClient,
	transactionId: Uint8Array,
	receipt: Readonly<TransactionInfo>,
): Promise<boolean> {
	const again = await fetchReceipt(client, transactionId);
	return again !== undefined && again.blockNumber === receipt.blockNumber && equalBytes(again.id, receipt.id);
}

/** Number of the newest irreversible block. @throws {Failure} */
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

/** Asks the solidity API where there is one. */
async function askSolidity<T>(
	client: NodeClient,
	ask: (view: NodeView) => Promise<T>,
): Promise<T | typeof UNSERVED> {
	if (client.settings.solidity === undefined) return UNSERVED;
	return ask("solidity").catch(onRefusal(UNSERVED, "not_served", "network"));
}

/** The irreversible block's number by the full API: `solidityBlock` is `Num:<n>,ID:<id>`. */
async function solidNumber(client: NodeClient): Promise<bigint> {
	const { solidityBlock } = await client.call("getnodeinfo", {});
	const match = /Num:(\d{1,18})(?!\d)/.exec(String(solidityBlock));
	if (!match?.[1]) throw new Failure("rpc_error", "the node doesn't say which block is irreversible");
	return BigInt(match[1]);
}
