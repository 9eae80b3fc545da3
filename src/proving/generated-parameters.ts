/**
 * Parameters generated from a seed (protocol/shielded §8.3). Whoever knows the seed can forge proofs; the
 * seeds of development chains are public.
 */

import { createHash } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { blake2b } from "@noble/hashes/blake2.js";
import { SCALAR_BYTES } from "../protocol/bls12-381.js";
import { be32, utf8 } from "../protocol/bytes.js";
import type { ProvingOptions } from "../protocol/sapling/prover.js";
import {
	type Circuit,
	countsOf,
	KEY_HEAD,
	listOffset,
	listsEnd,
	POINT_LISTS,
	type PointList,
	pointBytes,
} from "./circuit.js";
import type { GeneratedScalars, Group } from "./compiled.js";
import type { Threads } from "./threads.js";

/** Circuit hash and number of contributions, both zero, since there are none. */
const RECORD_BYTES = 64 + 4;

/** Points generated per task, so that a task needs only a few megabytes. */
const PART_POINTS = 8_192;

/** Hashes a text of any length to 32 bytes. */
export const seedOf = (text: string): Uint8Array => blake2b(utf8(text), { dkLen: 32 });

/** Estimated share of the total time spent before the first points are generated. */
const SCALARS_SHARE = 0.2;

/**
 * Generates a circuit's parameter file. It gets its final name only when complete.
 * @returns its BLAKE2b-512 in hexadecimal
 */
export async function writeParameters(
	path: string,
	circuit: Circuit,
	seed: Uint8Array,
	threads: Threads,
	{ signal, onProgress }: ProvingOptions = {},
): Promise<string> {
	signal?.throwIfAborted();
	await mkdir(dirname(path), { recursive: true });
	const unfinished = `${path}.${process.pid}.part`;
	const file = await open(unfinished, "w+");
	try {
		const scalars = await threads.run("generate", { circuit: circuit.name, seed });
		onProgress?.({ stage: "parameters", share: SCALARS_SHARE });
		await file.write(scalars.head, 0, KEY_HEAD, 0);
		for (const { offset, count } of countsOf(circuit)) await file.write(be32(count), 0, 4, offset);
		await file.write(new Uint8Array(RECORD_BYTES), 0, RECORD_BYTES, listsEnd(circuit));
		const parts = partsOf(circuit, scalars);
		const all = parts.reduce((sum, { cost }) => sum + cost, 0);
		let done = 0;
		await Promise.all(
			parts.map(async ({ group, base, scalars, offset, cost }) => {
				const points = await threads.run("multiples", { group, base, scalars });
				await file.write(points, 0, points.length, offset);
				done += cost;
				const share = SCALARS_SHARE + ((1 - SCALARS_SHARE) * done) / all;
				onProgress?.({ stage: "parameters", share });
			}),
		);
		signal?.throwIfAborted();
		await file.sync();
		const hash = createHash("blake2b512");
		for await (const bytes of file.createReadStream({ start: 0, autoClose: false })) hash.update(bytes);
		await rename(unfinished, path);
		return hash.digest("hex");
	} finally {
		await file.close();
		await rm(unfinished, { force: true });
	}
}

interface Part {
	readonly group: Group;
	readonly base: Uint8Array;
	readonly scalars: Uint8Array;
	/** Offset in the file. */
	readonly offset: number;
	readonly cost: number;
}

function partsOf(circuit: Circuit, scalars: GeneratedScalars): Part[] {
	const { baseG1, baseG2, h, l, a, b } = scalars;
	const lists: Record<PointList, Uint8Array> = { h, l, a, b1: b, b2: b };
	const inputs = cut(1, baseG1, scalars.inputs, KEY_HEAD + 4);
	const points = POINT_LISTS.flatMap((list) => {
		const count = lists[list].length / SCALAR_BYTES;
		if (count !== circuit.points[list])
			throw new Error(`the list ${list} has ${count} points, not ${circuit.points[list]}`);
		const isSecond = list === "b2";
		return cut(isSecond ? 2 : 1, isSecond ? baseG2 : baseG1, lists[list], listOffset(circuit, list));
	});
	return [...inputs, ...points];
}

/** Splits a list into parts. @param offset of its first point in the file */
function cut(group: Group, base: Uint8Array, scalars: Uint8Array, offset: number): Part[] {
	const size = pointBytes(group === 1 ? "h" : "b2");
	const count = scalars.length / SCALAR_BYTES;
	return Array.from({ length: Math.ceil(count / PART_POINTS) }, (_, i) => {
		const from = i * PART_POINTS;
		const part = scalars.slice(from * SCALAR_BYTES, (from + PART_POINTS) * SCALAR_BYTES);
		const cost = (part.length / SCALAR_BYTES) * (group === 1 ? 1 : 3);
		return { group, base, scalars: part, offset: offset + from * size, cost };
	});
}
