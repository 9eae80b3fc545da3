/**
 * What a transaction would come to, told by a node that simulates (protocol/json-rpc §17.4). Nothing is signed: in the place of
 * signatures stand as many bytes as they will have.
 */

import { toHex } from "../../protocol/bytes.js";
import { TransactionInfo } from "../../protocol/messages.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import { SIGNATURE_LENGTH } from "../../protocol/signature.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, member } from "../json.js";
import { messageFrom } from "../node/answer.js";
import { simulatedOutcome } from "../node/json-rpc.js";
import type { NodeClient } from "../node/node-client.js";
import { toNeutralMessage, validationCode, withSentence } from "../node/node-messages.js";
import type { TransactionEnvelope } from "../transaction/envelope.js";
import type { ChainQuestions } from "./plan.js";

/** Something that goes from an account to another. */
export interface SimulatedMovement {
	readonly asset: string;
	/** Of an ORC-10 token, or of a token that is one of its kind. */
	readonly id?: string;
	/** Base58, as the accounts; null: no account stands there. */
	readonly contract?: string;
	readonly from: string | null;
	readonly to: string | null;
	/** Smallest units. */
	readonly amount: bigint;
}

export interface SimulatedOutcome {
	/** `failed`: it takes effect but for its fees; `refused`: no block takes it. */
	readonly status: "success" | "failed" | "refused";
	readonly error?: { readonly code: string; readonly message: string; readonly reason?: string };
	/** What it uses and costs; absent where it is refused. */
	readonly energy?: bigint;
	readonly feeSun?: bigint;
	readonly movements: readonly SimulatedMovement[];
	/** What is another thing afterwards, account by account: `address`, and members with `before` and `after`. */
	readonly changes: readonly JsonRecord[];
}

/**
 * Has a transaction simulated on the state after the head block.
 * @param signatures that it will have
 * @param postQuantum schemes of those among them that are post-quantum
 * @param readReceipt what the contract's interface makes of a receipt, such as the reason of a revert with an error of its own
 * @returns undefined where the node doesn't do that, or doesn't manage
 */
export async function simulate(
	client: NodeClient,
	{ transaction }: TransactionEnvelope,
	signatures: number,
	readReceipt?: ChainQuestions["readReceipt"],
	postQuantum: readonly PostQuantumScheme[] = [],
): Promise<SimulatedOutcome | undefined> {
	const recoverable = Math.max(0, signatures - postQuantum.length);
	const signature = Array.from({ length: recoverable }, () => "00".repeat(SIGNATURE_LENGTH));
	const entries = postQuantum.map(({ name, publicKeyLength, longestSignature }) => ({
		scheme: name,
		public_key: "00".repeat(publicKeyLength),
		signature: "00".repeat(longestSignature),
	}));
	const raw_data_hex = toHex(transaction.rawBytes);
	const unsigned = { raw_data_hex, signature, ...(entries.length > 0 ? { pq_auth_sig: entries } : {}) };
	const outcome = await simulatedOutcome(client, unsigned, { visible: true });
	const read = outcome && readOutcome(outcome, transaction.idHex);
	return outcome && read && readReceipt ? explained(read, outcome, readReceipt) : read;
}

const listOf = (record: JsonRecord, name: string): readonly JsonRecord[] => {
	const list = member(record, name);
	return Array.isArray(list) ? (list as readonly Json[]).filter(isRecord) : [];
};

const textOf = (record: JsonRecord, name: string): string | undefined => {
	const text = member(record, name);
	return typeof text === "string" ? text : undefined;
};

const STATUSES = ["success", "failed", "refused"] as const;

/** Undefined for an answer that isn't about the transaction, or can't be read. */
function readOutcome(record: JsonRecord, idHex: string): SimulatedOutcome | undefined {
	const status = STATUSES.find((known) => known === textOf(record, "status"));
	if (!status || textOf(record, "txID") !== idHex) return undefined;
	const error = member(record, "error");
	const receipt = member(record, "receipt");
	const usage = isRecord(receipt) ? member(receipt, "receipt") : undefined;
	const amount = (of: Json | undefined, name: string): bigint => {
		const value = isRecord(of) ? member(of, name) : undefined;
		return typeof value === "bigint" ? value : 0n;
	};
	return {
		status,
		...(isRecord(error) ? { error: readError(error) } : {}),
		...(isRecord(receipt)
			? { energy: amount(usage, "energy_usage_total"), feeSun: amount(receipt, "fee") }
			: {}),
		movements: listOf(record, "movements").flatMap(readMovement),
		changes: listOf(record, "changes"),
	};
}

/** The same with the reason as the contract's interface tells it, where the node knew none. */
async function explained(
	outcome: SimulatedOutcome,
	record: JsonRecord,
	readReceipt: NonNullable<ChainQuestions["readReceipt"]>,
): Promise<SimulatedOutcome> {
	const { error } = outcome;
	const shown = member(record, "receipt");
	if (!error || error.reason !== undefined || !isRecord(shown)) return outcome;
	const [contractResult, receipt] = [member(shown, "contractResult"), member(shown, "receipt")];
	if (contractResult === undefined || receipt === undefined) return outcome;
	try {
		// Addresses are left out: they are spelled for people.
		const found = await readReceipt(messageFrom(TransactionInfo, { contractResult, receipt }));
		const { reason } = found as { readonly reason?: unknown };
		return typeof reason === "string" ? { ...outcome, error: { ...error, reason } } : outcome;
	} catch (failure) {
		if (failure instanceof Failure) return outcome;
		throw failure;
	}
}

function readError(error: JsonRecord): NonNullable<SimulatedOutcome["error"]> {
	const reason = textOf(error, "reason");
	return {
		code: textOf(error, "code") ?? "",
		message: toNeutralMessage(textOf(error, "message") ?? ""),
		...(reason === undefined ? {} : { reason }),
	};
}

function readMovement(record: JsonRecord): SimulatedMovement[] {
	const [asset, amount] = [textOf(record, "asset"), textOf(record, "amount")];
	if (asset === undefined || amount === undefined || !/^\d{1,78}$/.test(amount)) return [];
	const [id, contract] = [textOf(record, "id"), textOf(record, "contract")];
	return [
		{
			asset,
			...(id === undefined ? {} : { id }),
			...(contract === undefined ? {} : { contract }),
			from: textOf(record, "from") ?? null,
			to: textOf(record, "to") ?? null,
			amount: BigInt(amount),
		},
	];
}

/** The refusal of a transaction that would not succeed; undefined if it would. */
export function failureOf({ status, error }: SimulatedOutcome): Failure | undefined {
	if (status === "success") return undefined;
	const { message = "", reason } = error ?? {};
	const because = reason ?? message;
	return status === "failed"
		? new Failure("contract_revert", `the transaction would fail: ${because}`)
		: new Failure(validationCode(message), `the transaction would be refused: ${withSentence(because)}`);
}
