/** Checking the proofs and signatures of shielded transfers (protocol/shielded §6.3). */

import { concatBytes } from "../../protocol/bytes.js";
import {
	decodePoint,
	encodePoint,
	isSmallOrder,
	type Point,
	readField,
	spendGenerator,
	valueRandomnessGenerator,
} from "../../protocol/sapling/jubjub.js";
import { nullifierInputs } from "../../protocol/sapling/note.js";
import { noteTreeHash } from "../../protocol/sapling/note-tree.js";
import { verifyRedJubjub } from "../../protocol/sapling/redjubjub.js";
import { bindingKey } from "../../protocol/sapling/value-commitment.js";
import type { Groth16, ProofCheck } from "./groth16.js";
import type { OutputDescription, ShieldedProofs, SpendDescription } from "./proofs.js";
import type { VerifyingKey } from "./verifying-key.js";

/** Public inputs of the two circuits. */
export const SPEND_INPUTS = 7;
export const OUTPUT_INPUTS = 5;

/** A point that is not of small order. */
function readLargePoint(bytes: Uint8Array): Point | undefined {
	const point = decodePoint(bytes);
	return point && !isSmallOrder(point) ? point : undefined;
}

export class SaplingVerifier implements ShieldedProofs {
	private readonly spendProof: ProofCheck;
	private readonly outputProof: ProofCheck;

	constructor(groth16: Groth16, spendKey: VerifyingKey, outputKey: VerifyingKey) {
		this.spendProof = groth16.prepare(spendKey);
		this.outputProof = groth16.prepare(outputKey);
	}

	verify(
		spends: readonly SpendDescription[],
		outputs: readonly OutputDescription[],
		valueBalance: bigint,
		bindingSignature: Uint8Array,
		signHash: Uint8Array,
	): boolean {
		const spent = spends.map(({ valueCommitment }) => readLargePoint(valueCommitment)).filter(isPresent);
		const created = outputs.map(({ valueCommitment }) => readLargePoint(valueCommitment)).filter(isPresent);
		if (spent.length < spends.length || created.length < outputs.length) return false;
		// Signatures first: they cost a tenth of a proof.
		return (
			this.balances(spent, created, valueBalance, bindingSignature, signHash) &&
			spends.every((spend, i) => this.holdsSpend(spend, spent[i] as Point, signHash)) &&
			outputs.every((output, i) => this.holdsOutput(output, created[i] as Point))
		);
	}

	merkleHash(level: number, left: Uint8Array, right: Uint8Array): Uint8Array {
		return noteTreeHash(level, left, right);
	}

	private balances(
		spent: readonly Point[],
		created: readonly Point[],
		balance: bigint,
		signature: Uint8Array,
		signHash: Uint8Array,
	): boolean {
		const key = bindingKey(spent, created, balance);
		if (!key) return false;
		const message = concatBytes(encodePoint(key), signHash);
		return verifyRedJubjub(key, valueRandomnessGenerator(), message, signature);
	}

	private holdsSpend(spend: SpendDescription, cv: Point, signHash: Uint8Array): boolean {
		const anchor = readField(spend.anchor);
		const rk = readLargePoint(spend.randomizedKey);
		if (anchor === undefined || !rk) return false;
		const message = concatBytes(spend.randomizedKey, signHash);
		if (!verifyRedJubjub(rk, spendGenerator(), message, spend.authorization)) return false;
		const inputs = [anchor, ...nullifierInputs(spend.nullifier)];
		return this.spendProof(spend.proof, [...coordinates(rk), ...coordinates(cv), ...inputs]);
	}

	private holdsOutput(output: OutputDescription, cv: Point): boolean {
		const commitment = readField(output.noteCommitment);
		const epk = readLargePoint(output.ephemeralKey);
		if (commitment === undefined || !epk) return false;
		return this.outputProof(output.proof, [...coordinates(cv), ...coordinates(epk), commitment]);
	}
}

const isPresent = <T>(value: T | undefined): value is T => value !== undefined;

function coordinates(point: Point): [x: bigint, y: bigint] {
	const { x, y } = point.toAffine();
	return [x, y];
}
