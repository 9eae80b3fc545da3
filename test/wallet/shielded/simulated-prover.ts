/**
 * Proofs without a circuit, for tests of everything around them: a verifying key whose secrets are known lets anybody
 * make a proof of anything in milliseconds. Witnesses are checked here as the circuits would check them.
 */

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { be32, concatBytes, equalBytes } from "../../../src/protocol/bytes.js";
import { noteTreeHash } from "../../../src/protocol/sapling/incremental-tree.js";
import {
	decodePoint,
	FIELD_ORDER,
	littleBytes,
	type Point,
	readLittle,
	reduceScalar,
} from "../../../src/protocol/sapling/jubjub.js";
import { noteCommitment, nullifier } from "../../../src/protocol/sapling/note.js";
import { ephemeralKey } from "../../../src/protocol/sapling/note-encryption.js";
import {
	type OutputWitness,
	type Prover,
	ProvingError,
	type SpendWitness,
} from "../../../src/protocol/sapling/prover.js";
import {
	incomingViewingKey,
	nullifierKey,
	transmissionKey,
} from "../../../src/protocol/sapling/shielded-keys.js";
import { randomizedKey } from "../../../src/protocol/sapling/spend-authorization.js";
import { valueCommitment } from "../../../src/protocol/sapling/value-commitment.js";

const { Point: G1 } = bls12_381.G1;
const { Point: G2 } = bls12_381.G2;

/** The secrets that a real key is made without anybody's knowing. */
const [ALPHA, BETA, GAMMA, DELTA] = [1009n, 2003n, 3001n, 4001n];
const secretOf = (input: number): bigint => 5003n + BigInt(input) * 97n;

const mod = (value: bigint): bigint => ((value % FIELD_ORDER) + FIELD_ORDER) % FIELD_ORDER;

function inverse(value: bigint): bigint {
	let result = 1n;
	let base = mod(value);
	for (let power = FIELD_ORDER - 2n; power > 0n; power >>= 1n) {
		if (power & 1n) result = mod(result * base);
		base = mod(base * base);
	}
	return result;
}

/** A verifying key in the form of a file of parameters. @param inputs public ones */
function keyFile(inputs: number): Uint8Array {
	const first = (secret: bigint): Uint8Array => G1.BASE.multiply(secret).toBytes(false);
	const second = (secret: bigint): Uint8Array => G2.BASE.multiply(secret).toBytes(false);
	return concatBytes(
		first(ALPHA),
		first(BETA),
		second(BETA),
		second(GAMMA),
		first(DELTA),
		second(DELTA),
		Uint8Array.from(be32(inputs + 1)),
		...Array.from({ length: inputs + 1 }, (_, i) => first(secretOf(i))),
	);
}

const SPEND_INPUTS = 7;
const OUTPUT_INPUTS = 5;

/** Writes both verifying keys into a folder. @returns what a node's configuration says of them */
export function writeSimulatedKeys(folder: string): {
	readonly folder: string;
	readonly spendHash: string;
	readonly outputHash: string;
} {
	mkdirSync(folder, { recursive: true });
	const hash = (name: string, inputs: number): string => {
		const bytes = keyFile(inputs);
		writeFileSync(join(folder, name), bytes);
		return createHash("blake2b512").update(bytes).digest("hex");
	};
	return {
		folder,
		spendHash: hash("sapling-spend.vk", SPEND_INPUTS),
		outputHash: hash("sapling-output.vk", OUTPUT_INPUTS),
	};
}

/** A proof of any public inputs. */
function simulate(inputs: readonly bigint[]): Uint8Array {
	const [r, s] = [7n, 11n];
	const sum = inputs.reduce((total, input, i) => mod(total + input * secretOf(i + 1)), secretOf(0));
	const c = mod((r * s - ALPHA * BETA - sum * GAMMA) * inverse(DELTA));
	return concatBytes(
		G1.BASE.multiply(r).toBytes(true),
		G2.BASE.multiply(s).toBytes(true),
		G1.BASE.multiply(c).toBytes(true),
	);
}

const coordinates = ({ x, y }: Point): [bigint, bigint] => [x, y];

function wrong(what: string): never {
	throw new ProvingError("witness", what);
}

function rootOf(leaf: Uint8Array, { path, position }: SpendWitness): Uint8Array {
	let node = leaf;
	for (const [level, sibling] of [...path].reverse().entries()) {
		const isRight = ((position >> BigInt(level)) & 1n) === 1n;
		node = isRight ? noteTreeHash(level, sibling, node) : noteTreeHash(level, node, sibling);
	}
	return node;
}

/** Makes proofs for nodes that check with the keys of {@link writeSimulatedKeys}. */
export class SimulatedProver implements Prover {
	/** How many proofs were made. */
	made = 0;

	async spend(witness: SpendWitness): Promise<Uint8Array> {
		const { ak, nsk, diversifier, rcm, alpha, value, anchor, position, rcv } = witness;
		const nk = nullifierKey(nsk);
		const key = transmissionKey(incomingViewingKey(ak, nk), diversifier) ?? wrong("diversifier");
		const note = { diversifier, transmissionKey: key, value, randomness: rcm };
		const cm = noteCommitment(note) ?? wrong("note");
		if (!equalBytes(rootOf(cm, witness), anchor)) wrong("path");
		const nf = nullifier(note, ak, nk, position) ?? wrong("nullifier");
		const rk = decodePoint(randomizedKey(ak, alpha) ?? wrong("alpha")) ?? wrong("rk");
		const mark = readLittle(nf);
		this.made++;
		return simulate([
			...coordinates(rk),
			...coordinates(valueCommitment(value, reduceScalar(rcv))),
			readLittle(anchor),
			mark & ((1n << 254n) - 1n),
			mark >> 254n,
		]);
	}

	async output({ esk, diversifier, pkD, rcm, value, rcv }: OutputWitness): Promise<Uint8Array> {
		const note = { diversifier, transmissionKey: pkD, value, randomness: rcm };
		const cm = noteCommitment(note) ?? wrong("note");
		const epk = decodePoint(ephemeralKey(diversifier, esk) ?? wrong("esk")) ?? wrong("epk");
		this.made++;
		return simulate([
			...coordinates(valueCommitment(value, reduceScalar(rcv))),
			...coordinates(epk),
			readLittle(cm),
		]);
	}

	async close(): Promise<void> {}
}

/** Bytes that look random and are the same in every run. */
export function seededRandom(seed: string): (length: number) => Uint8Array {
	let count = 0;
	return (length) => {
		const parts: Buffer[] = [];
		for (let have = 0; have < length; have += 64) {
			parts.push(createHash("sha512").update(`${seed} ${count++}`).digest());
		}
		return Uint8Array.from(Buffer.concat(parts).subarray(0, length));
	};
}

/** For a leaf of a tree: not a note's. */
export const someLeaf = (number: number): Uint8Array => littleBytes(BigInt(1_000 + number));
