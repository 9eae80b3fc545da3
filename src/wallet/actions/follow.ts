/** Following a transaction that was sent, and what became of it (protocol/command-line §4.2). */

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

/** A transaction that no one has asked for yet. */
export const SUBMITTED: TransactionStatus = { state: "submitted", receipt: undefined };

interface FollowOptions {
	/** Up to a block, or to an irreversible one. */
	readonly until: "included" | "solid";
	readonly timeoutMs: number;
	/** Called with every change; `replaced`: the block that it was in is gone. */
	readonly onStatus?: (status: TransactionStatus, replaced: boolean) => void;
}

/**
 * Waits for a transaction.
 * @throws {Failure} `wait_timeout` with `sent: true`; `rpc_error` where its time is over and the node can't tell whether it is in a block; transport failures of the last attempt
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
 * Members of the result that the receipt and the chain tell. The transaction stands whatever is answered.
 * @param onIncomplete called with the reason why something is missing
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
 * The refusal of a transaction that ended without success; undefined for any other.
 * @param found what {@link findings} gave
 * @param nowMs by the clock of this machine
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

/** What to heed of a transaction that is over by the node: only a clock that it doesn't set tells that no other node can still include it. */
function mayStillEnter({ transaction }: TransactionEnvelope, nowMs: number): string | undefined {
	const expirationMs = transaction.raw?.expiration ?? 0n;
	if (BigInt(nowMs) > expirationMs) return undefined;
	return `by this machine's clock it may be included until ${utcTime(expirationMs)}, so don't make it anew before`;
}

/** What is refused of a transaction that was in order when it was sent: its time is over, or the account's permission is another one. */
const REFUSED_AFTERWARDS: ReadonlySet<string> = new Set([
	"tx_expired",
	"not_authorized",
	"threshold_not_reached",
]);

/**
 * A refusal of a transaction that others made or signed, before it is handed to a node, with what became of it: whoever has it may
 * have sent it. Where the node can't tell, it isn't called unsent, but for signatures that are missing: with those it's still the same
 * transaction.
 * @param nowMs by the clock of this machine
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
	if (status && status.state !== "expired") return sentBefore(txID);
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
