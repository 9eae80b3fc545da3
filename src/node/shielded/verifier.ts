/** Verification of the proofs and signatures of shielded transfers (protocol/shielded §6.3). */

import { concatBytes } from "../../protocol/bytes.js";
import { noteTreeHash } from "../../protocol/sapling/incremental-tree.js";
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
import { verifyRedJubjub } from "../../protocol/sapling/redjubjub.js";
import { bindingKey } from "../../protocol/sapling/value-commitment.js";
import { type Groth16, type ProofCheck, splitProof } from "./groth16.js";
import type { BindingBalance, ShieldedOutput, ShieldedProofs, ShieldedSpend } from "./proofs.js";
import type { VerifyingKey } from "./verifying-key.js";

/** Number of public inputs of the two circuits. */
export const SPEND_INPUTS = 7;
export const OUTPUT_INPUTS = 5;

const WORD = 32;

/** Decodes a point; undefined if it is invalid or of small order. */
function readLargePoint(bytes: Uint8Array): Point | undefined {
	const point = decodePoint(bytes);
	return point && !isSmallOrder(point) ? point : undefined;
}

export class SaplingVerifier implements ShieldedProofs {
	constructor(
		private readonly spendProof: ProofCheck,
		private readonly outputProof: ProofCheck,
	) {}

	static withKeys(groth16: Groth16, spendKey: VerifyingKey, outputKey: VerifyingKey): SaplingVerifier {
		return new SaplingVerifier(groth16.prepare(spendKey), groth16.prepare(outputKey));
	}

	holdsSpend(spend: ShieldedSpend, signHash: Uint8Array): boolean {
		return this.isAuthorized(spend, signHash) && this.provesSpend(spend);
	}

	/** Whether a spend's authorization is valid; doesn't check its proof. */
	isAuthorized(spend: ShieldedSpend, signHash: Uint8Array): boolean {
		const rk = readLargePoint(spend.randomizedKey);
		if (!rk) return false;
		const message = concatBytes(spend.randomizedKey, signHash);
		return verifyRedJubjub(rk, spendGenerator(), message, spend.authorization);
	}

	/** Whether a spend's proof is valid; doesn't check its authorization. */
	provesSpend(spend: Omit<ShieldedSpend, "authorization">): boolean {
		const cv = readLargePoint(spend.valueCommitment);
		const anchor = readField(spend.anchor);
		const rk = readLargePoint(spend.randomizedKey);
		if (!cv || anchor === undefined || !rk || spend.nullifier.length !== WORD) return false;
		const inputs = [anchor, ...nullifierInputs(spend.nullifier)];
		return this.spendProof(spend.proof, [...coordinates(rk), ...coordinates(cv), ...inputs]);
	}

	holdsOutput(output: ShieldedOutput): boolean {
		const cv = readLargePoint(output.valueCommitment);
		const commitment = readField(output.noteCommitment);
		const epk = readLargePoint(output.ephemeralKey);
		if (!cv || commitment === undefined || !epk) return false;
		return this.outputProof(output.proof, [...coordinates(cv), ...coordinates(epk), commitment]);
	}

	holdsBalance({ spent, created, value, signature }: BindingBalance, signHash: Uint8Array): boolean {
		const points = [spent, created].map((list) => list.map(readLargePoint).filter(isPresent));
		const [spentPoints, createdPoints] = points as [Point[], Point[]];
		if (spentPoints.length < spent.length || createdPoints.length < created.length) return false;
		const key = bindingKey(spentPoints, createdPoints, value);
		if (!key) return false;
		const message = concatBytes(encodePoint(key), signHash);
		return verifyRedJubjub(key, valueRandomnessGenerator(), message, signature);
	}

	merkleHash(level: number, left: Uint8Array, right: Uint8Array): Uint8Array {
		return noteTreeHash(level, left, right);
	}
}

/** Accepts every well-formed proof; still checks signatures, balances and tree hashes. */
export function unprovenVerifier(): SaplingVerifier {
	const hasForm: ProofCheck = (proof) => splitProof(proof) !== undefined;
	return new SaplingVerifier(hasForm, hasForm);
}

const isPresent = <T>(value: T | undefined): value is T => value !== undefined;

function coordinates(point: Point): [x: bigint, y: bigint] {
	const { x, y } = point.toAffine();
	return [x, y];
}
