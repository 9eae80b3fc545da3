/**
 * Extracts the proofs of transactions before execution (protocol/shielded §3.1, §4, §11.2): from transfers of
 * the native pool, and from call data of shielded token contracts. A proof's validity depends neither on the
 * state nor on the caller, so extracting one that is never asked for does no harm.
 */

import { SELECTOR_BYTES } from "../../abi/selector.js";
import { concatBytes, readBe32, toHex, toKey } from "../../protocol/bytes.js";
import { sha256 } from "../../protocol/hash.js";
import type { ShieldedTransferContract, TriggerSmartContract } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { ShieldedOutput, ShieldedSpend } from "./proofs.js";

/** A proof with its statement, as one byte string. */
export interface ProofQuestion {
	readonly kind: "spend" | "output";
	/** A spend has 320 bytes: nullifier, anchor, cv, rk, proof; an output 288: cm, cv, epk, proof. */
	readonly bytes: Uint8Array;
}

const WORD = 32;
const SPEND_BYTES = 320;
const OUTPUT_BYTES = 288;

/** What a spend's proof covers; its authorization isn't part of that. */
type ProvenSpend = Omit<ShieldedSpend, "authorization">;

export const spendQuestion = (spend: ProvenSpend): ProofQuestion => ({
	kind: "spend",
	bytes: concatBytes(spend.nullifier, spend.anchor, spend.valueCommitment, spend.randomizedKey, spend.proof),
});

export const outputQuestion = (output: ShieldedOutput): ProofQuestion => ({
	kind: "output",
	bytes: concatBytes(output.noteCommitment, output.valueCommitment, output.ephemeralKey, output.proof),
});

const part = (bytes: Uint8Array, index: number): Uint8Array =>
	bytes.subarray(WORD * index, WORD * (index + 1));

/** @param bytes 320 bytes */
export const spendOf = (bytes: Uint8Array): ProvenSpend => ({
	nullifier: part(bytes, 0),
	anchor: part(bytes, 1),
	valueCommitment: part(bytes, 2),
	randomizedKey: part(bytes, 3),
	proof: bytes.subarray(4 * WORD),
});

/** @param bytes 288 bytes */
export const outputOf = (bytes: Uint8Array): ShieldedOutput => ({
	noteCommitment: part(bytes, 0),
	valueCommitment: part(bytes, 1),
	ephemeralKey: part(bytes, 2),
	proof: bytes.subarray(3 * WORD),
});

/** The cache key of a result. */
export const questionKey = ({ kind, bytes }: ProofQuestion): string => `${kind[0]}${toKey(sha256(bytes))}`;

/** Whether the length matches the kind; otherwise the proof is invalid, and not worth checking. */
const isWhole = ({ kind, bytes }: ProofQuestion): boolean =>
	bytes.length === (kind === "spend" ? SPEND_BYTES : OUTPUT_BYTES);

/** `count` consecutive pieces of a length, starting at an offset. */
function piecesAt(data: Uint8Array, at: number, count: number, length: number): Uint8Array[] {
	const end = at + count * length;
	if (end > data.length) return [];
	return Array.from({ length: count }, (_, i) => data.subarray(at + i * length, at + (i + 1) * length));
}

/** The elements of a list whose offset is in a word of the data; none unless it has 1 or 2 elements. */
function listAt(data: Uint8Array, word: number, length: number): Uint8Array[] {
	const at = smallWord(data, WORD * word);
	const count = at === undefined ? undefined : smallWord(data, at);
	if (at === undefined || count === undefined || count < 1 || count > 2) return [];
	return piecesAt(data, at + WORD, count, length);
}

/** A word below 2^32; undefined if it is larger or missing. */
function smallWord(data: Uint8Array, at: number): number | undefined {
	if (at + WORD > data.length || data.subarray(at, at + WORD - 4).some((byte) => byte !== 0))
		return undefined;
	return readBe32(data, at + WORD - 4);
}

interface Pieces {
	readonly spends: readonly Uint8Array[];
	readonly outputs: readonly Uint8Array[];
}

/** How to find the proofs in call data, by selector; the data excludes the selector. */
const CALLS: ReadonlyMap<string, (data: Uint8Array) => Pieces> = new Map([
	["855d175e", (data) => ({ spends: [], outputs: piecesAt(data, WORD, 1, OUTPUT_BYTES) })],
	["9110a55b", (data) => ({ spends: listAt(data, 0, SPEND_BYTES), outputs: listAt(data, 2, OUTPUT_BYTES) })],
	[
		"cc105875",
		(data) => ({ spends: piecesAt(data, 0, 1, SPEND_BYTES), outputs: listAt(data, 19, OUTPUT_BYTES) }),
	],
]);

function questionsOfCall(data: Uint8Array): ProofQuestion[] {
	const pieces = CALLS.get(toHex(data.subarray(0, SELECTOR_BYTES)))?.(data.subarray(SELECTOR_BYTES));
	if (!pieces) return [];
	return [
		...pieces.spends.map((bytes) => ({ kind: "spend" as const, bytes })),
		...pieces.outputs.map((bytes) => ({ kind: "output" as const, bytes })),
	];
}

function questionsOfTransfer(contract: Readonly<ShieldedTransferContract>): ProofQuestion[] {
	const { spend_description: spends, receive_description: outputs } = contract;
	// A transfer with more is rejected before its proofs are checked.
	if (spends.length > 1 || outputs.length > 2) return [];
	return [
		...spends.map((spend) =>
			spendQuestion({
				nullifier: spend.nullifier,
				anchor: spend.anchor,
				valueCommitment: spend.value_commitment,
				randomizedKey: spend.rk,
				proof: spend.zkproof,
			}),
		),
		...outputs.map((output) =>
			outputQuestion({
				noteCommitment: output.note_commitment,
				valueCommitment: output.value_commitment,
				ephemeralKey: output.epk,
				proof: output.zkproof,
			}),
		),
	].filter(isWhole);
}

/** Whether a transaction appears to have proofs; only two types can. */
export const hasProofs = (transaction: SignedTransaction): boolean => questionsOf(transaction).length > 0;

/** A transaction's proofs, at most four. */
export function questionsOf(transaction: SignedTransaction): ProofQuestion[] {
	try {
		switch (transaction.type?.name) {
			case "ShieldedTransferContract":
				return questionsOfTransfer(transaction.parameter as ShieldedTransferContract);
			case "TriggerSmartContract":
				return questionsOfCall((transaction.parameter as TriggerSmartContract).data);
			default:
				return [];
		}
	} catch {
		// An undecodable transaction is rejected later, when it is executed.
		return [];
	}
}
