/** Follows a transaction that was sent until its outcome is known (protocol/command-line §4.2). */

import { Failure, onRefusal } from "../failure.js";
import { sentBefore } from "../node/broadcast.js";
import { NO_REASON } from "../node/constant-call.js";
import type { NodeClient } from "../node/node-client.js";
import { isBareRevert } from "../node/node-messages.js";
import { knownStatus, type TransactionStatus, waitFor } from "../node/wait.js";
import { type ActingResult, actingResult } from "../transaction/acting-result.js";
import type { TransactionEnvelope } from "../transaction/envelope.js";
import { utcTime } from "../values/moment.js";
import type { ChainQuestions } from "./plan.js";

/** Status of a transaction that was just sent, before any node was asked about it. */
export const SUBMITTED: TransactionStatus = { state: "submitted", receipt: undefined };

interface FollowOptions {
	/** Wait until it is in a block, or in an irreversible one. */
	readonly until: "included" | "solid";
	readonly timeoutMs: number;
	/** Called on every change of status; `replaced`: the block that contained it was dropped in a reorg. */
	readonly onStatus?: (status: TransactionStatus, replaced: boolean) => void;
}

/**
 * Waits for a transaction.
 * @throws {Failure} `wait_timeout` with `sent: true`; `rpc_error` if expired, and the node doesn't know its fate; transport failures
 */
export async function follow(
	client: NodeClient,
	{ transaction }: TransactionEnvelope,
	{ until, timeoutMs, onStatus }: FollowOptions,
): Promise<TransactionStatus> {
	let last = SUBMITTED;
	return await waitFor(client, transaction, {
		until,
		timeoutMs,
		onStatus: (status) => {
			const replaced = last.state === "included" && status.state === "submitted";
			last = status;
			onStatus?.(status, replaced);
		},
	});
}

/**
 * Members of the result that come from the receipt and the chain. The transaction is valid even if they can't be obtained.
 * @param onIncomplete called with the reason if something is missing
 */
export async function findings(
	{ state, receipt }: TransactionStatus,
	questions: ChainQuestions,
	onIncomplete: (reason: string) => void,
): Promise<object> {
	const read = receipt ? await questions.readReceipt?.(receipt) : undefined;
	if (state !== "included" && state !== "solid") return { ...read };
	try {
		return { ...read, ...(await questions.found?.()) };
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		onIncomplete(error.message);
		return { ...read };
	}
}

/**
 * The failure to report for a transaction that ended without success; undefined for any other.
 * @param found the result of {@link findings}
 * @param nowMs this machine's clock
 */
export function outcomeFailure(
	envelope: TransactionEnvelope,
	status: TransactionStatus,
	found: object,
	nowMs = Date.now(),
): Failure | undefined {
	const txID = envelope.transaction.idHex;
	if (status.state === "expired") {
		const still = mayStillEnter(envelope, nowMs);
		return new Failure("tx_expired", "the transaction expired without entering a block", {
			sent: true,
			txID,
			...(still === undefined ? {} : { hint: `that is by the node's clock: ${still}` }),
		});
	}
	if (status.state !== "failed") return undefined;
	const { result, reason }: ActingResult = { ...actingResult(envelope, status), ...found };
	return new Failure(
		"contract_revert",
		`the transaction failed: ${result ?? ""}${reason ? `, ${reason}` : ""}`,
		{ sent: true, txID, ...(isReasonless(result, reason) ? { hint: NO_REASON } : {}) },
	);
}

/** A warning if a transaction that the node calls expired may, by this machine's clock, still be included by another node. */
function mayStillEnter({ transaction }: TransactionEnvelope, nowMs: number): string | undefined {
	const expirationMs = transaction.raw?.expiration ?? 0n;
	if (BigInt(nowMs) > expirationMs) return undefined;
	return `by this machine's clock it may be included until ${utcTime(expirationMs)}, so don't make it anew before`;
}

/** Refusals that a transaction may meet although it was valid when sent: it has expired, or the account's permission has changed. */
const REFUSED_AFTERWARDS: ReadonlySet<string> = new Set([
	"tx_expired",
	"not_authorized",
	"threshold_not_reached",
]);

/**
 * Adds to a refusal, before the transaction is handed to a node, what became of it: others made or signed it, and may have sent it.
 * If the node can't tell, the transaction isn't reported as unsent, except when only signatures are missing: adding those leaves it
 * the same transaction.
 * @param nowMs this machine's clock
 */
export async function withFate(
	client: NodeClient,
	envelope: TransactionEnvelope,
	refusal: unknown,
	nowMs = Date.now(),
): Promise<unknown> {
	if (!(refusal instanceof Failure) || !REFUSED_AFTERWARDS.has(refusal.code)) return refusal;
	const { transaction, signers } = envelope;
	const txID = transaction.idHex;
	const status = await knownStatus(client, transaction).catch(onRefusal(undefined));
	if (status && status.state !== "expired") return sentBefore(txID, status.receipt);
	if (status) {
		const still = mayStillEnter(envelope, nowMs);
		if (still === undefined) {
			const anew =
				refusal.code === "tx_expired" ? { hint: "build it again; --expires gives it more time" } : {};
			return refusal.with({ sent: false, txID, ...anew });
		}
		const hint = `it is in no block, and over by the node: ${still}; coin tx status ${txID} tells whether it was`;
		return refusal.with({ sent: "unknown", txID, hint });
	}
	const mayBeSent =
		refusal.code === "tx_expired" || (refusal.code === "not_authorized" && signers.length > 0);
	return mayBeSent ? refusal.with({ sent: "unknown", txID }) : refusal;
}

function isReasonless(result: string | undefined, reason: string | undefined): boolean {
	return result === "REVERT" && isBareRevert(reason ?? "");
}
