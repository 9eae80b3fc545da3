/**
 * Asks a node to simulate a transaction (protocol/json-rpc §17.4). Nothing is signed: placeholders of the same length take the
 * place of the signatures.
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

/** A transfer of an asset from one account to another. */
export interface SimulatedMovement {
	readonly asset: string;
	/** Id of an ORC-10 token, or of a non-fungible token. */
	readonly id?: string;
	/** Base58, like the accounts below; null if there is no account on that side. */
	readonly contract?: string;
	readonly from: string | null;
	readonly to: string | null;
	/** Smallest units. */
	readonly amount: bigint;
}

export interface SimulatedOutcome {
	/** `failed`: it would be included, but have no effect except its fees; `refused`: it can't be included in a block. */
	readonly status: "success" | "failed" | "refused";
	readonly error?: { readonly code: string; readonly message: string; readonly reason?: string };
	/** Energy used, and fees; absent if it is refused. */
	readonly energy?: bigint;
	readonly feeSun?: bigint;
	readonly movements: readonly SimulatedMovement[];
	/** State changes by account: `address`, and for each changed member its value `before` and `after`. */
	readonly changes: readonly JsonRecord[];
}

/**
 * Simulates a transaction on the state after the head block.
 * @param signatures number of signatures that it will have
 * @param postQuantum schemes of the post-quantum ones among them
 * @param readReceipt decodes a receipt by the contract's interface, such as a revert with a custom error
 * @returns undefined if the node doesn't offer simulation, or it fails
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

/** Reads a simulation's result; undefined if it is about another transaction or can't be read. */
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

/** Adds the reason decoded by the contract's interface, if the node didn't know one. */
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
		// Addresses are left out, since the response has them in the form for people.
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

/** The failure to report for a transaction that would not succeed; undefined if it would. */
export function failureOf({ status, error }: SimulatedOutcome): Failure | undefined {
	if (status === "success") return undefined;
	const { message = "", reason } = error ?? {};
	const because = reason ?? message;
	return status === "failed"
		? new Failure("contract_revert", `the transaction would fail: ${because}`)
		: new Failure(validationCode(message), `the transaction would be refused: ${withSentence(because)}`);
}
