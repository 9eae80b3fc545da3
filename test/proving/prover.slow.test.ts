import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadGroth16 } from "../../src/node/shielded/groth16-library.js";
import { readLittle } from "../../src/protocol/sapling/jubjub.js";
import type { OutputWitness, ProvingFailure, ProvingProgress } from "../../src/protocol/sapling/prover.js";
import { OUTPUT } from "../../src/proving/circuit.js";
import { compileProver } from "../../src/proving/compiled.js";
import { seedOf, writeParameters } from "../../src/proving/generated-parameters.js";
import { outputInputs, type ParameterFile } from "../../src/proving/tasks.js";
import { ThreadedProver } from "../../src/proving/threaded-prover.js";
import { Threads } from "../../src/proving/threads.js";
import { outputKey } from "../node/shielded/recorded-proofs.js";
import { outputWitness } from "./witnesses.js";
import { bundleWorker } from "./worker-script.js";

/** Of the file that the generator of the recordings' parameters makes of this seed, which is not this one. */
const SEED = "golden shielded recordings: output parameters, seed 1";
const HASH =
	"1646205e66e7063ff6e23cf7ab96f720098253d8c579252abdc951263ae8552d3bb25ad1929c0c72dd03a56fe4e63b5e64dc528fe6e50313f358ac9f03597eb6";

const folder = mkdtempSync(join(tmpdir(), "coin-prover-"));
const path = join(folder, "sapling-output.params");
let script: URL;
let made: string;
const stages: ProvingProgress[] = [];

function proverOf(file: ParameterFile): ThreadedProver {
	return new ThreadedProver({
		script,
		threads: 2,
		random: randomBytes,
		native: undefined,
		parameters: async () => file,
	});
}

const failure = (reason: ProvingFailure, text: string) =>
	expect.objectContaining({ failure: reason, message: expect.stringContaining(text) });

beforeAll(async () => {
	script = await bundleWorker(folder);
	const threads = new Threads(script, await compileProver(), 2);
	const onProgress = (progress: ProvingProgress) => stages.push(progress);
	made = await writeParameters(path, OUTPUT, seedOf(SEED), threads, { onProgress });
	await threads.close(new Error("done"));
});

afterAll(() => rmSync(folder, { recursive: true }));

test("parameters of a seed are those that another generator makes of it", () => {
	expect(made).toBe(HASH);
	const shares = stages.map(({ share }) => share);
	expect(shares).toEqual([...shares].sort((a, b) => a - b));
	expect(shares.at(-1)).toBeCloseTo(1);
});

describe("an output proof", () => {
	test("holds for the public inputs of its witness, and no two are equal", async () => {
		const prover = proverOf({ path, hash: HASH });
		const seen: ProvingProgress[] = [];
		const proof = await prover.output(outputWitness, { onProgress: (progress) => seen.push(progress) });
		const bytes = outputInputs(outputWitness) ?? expect.fail("no inputs");
		const inputs = Array.from({ length: 5 }, (_, i) => readLittle(bytes.subarray(32 * i, 32 * i + 32)));
		const check = (await loadGroth16()).prepare(outputKey);
		expect(check(proof, inputs)).toBe(true);
		expect(check(proof, inputs.with(4, 5n))).toBe(false);
		expect(seen.map(({ stage }) => stage).slice(0, 3)).toEqual(["parameters", "parameters", "proving"]);
		expect(seen.at(-1)?.share).toBeCloseTo(1);
		const again = await prover.output(outputWitness);
		expect(again).not.toEqual(proof);
		expect(check(again, inputs)).toBe(true);
		await prover.close();
	});

	test("is given up when its signal says so, and the next is made", async () => {
		const prover = proverOf({ path, hash: HASH });
		const leaving = new AbortController();
		const onProgress = () => leaving.abort(new Error("enough"));
		await expect(prover.output(outputWitness, { signal: leaving.signal, onProgress })).rejects.toThrow(
			"enough",
		);
		await expect(prover.output(outputWitness, { signal: leaving.signal })).rejects.toThrow("enough");
		expect(await prover.output(outputWitness)).toHaveLength(192);
		await prover.close();
	});

	test("ends with an error when the prover is closed", async () => {
		const prover = proverOf({ path, hash: HASH });
		const onProgress = () => void prover.close();
		await expect(prover.output(outputWitness, { onProgress })).rejects.toEqual(failure("closed", "closed"));
	});
});

const r = Uint8Array.from(
	Buffer.from("b72cf7d65e0e97d08210c8cc932068a6003b3401013b6706a9af3365eab47d0e", "hex"),
);
const REFUSED: readonly (readonly [part: string, wrong: Partial<OutputWitness>, text: string])[] = [
	["esk at the order", { esk: r }, "esk is not a reduced scalar"],
	["rcm at the order", { rcm: r }, "rcm is not a reduced scalar"],
	["rcv at the order", { rcv: r }, "rcv is not a reduced scalar"],
	["pk_d that is not a point", { pkD: new Uint8Array(32).fill(255) }, "pkD is not a point of prime order"],
	["pk_d of small order", { pkD: new Uint8Array(32) }, "pkD is not a point of prime order"],
	[
		"a diversifier without base",
		{ diversifier: new Uint8Array(11).fill(1) },
		"diversifier has no base point",
	],
	["a short esk", { esk: r.subarray(1) }, "esk has 31 bytes instead of 32"],
	["a long diversifier", { diversifier: r }, "diversifier has 32 bytes instead of 11"],
	["a negative value", { value: -1n }, "value is not between 0 and 2^63 - 1"],
	["a value of 2^63", { value: 2n ** 63n }, "value is not between 0 and 2^63 - 1"],
];

describe("a witness is refused", () => {
	let prover: ThreadedProver;
	beforeAll(() => {
		prover = proverOf({ path: join(folder, "not read"), hash: undefined });
	});
	afterAll(() => prover.close());

	test.each(REFUSED)("with %s", async (_, wrong, text) => {
		await expect(prover.output({ ...outputWitness, ...wrong })).rejects.toEqual(failure("witness", text));
	});
});

describe("a file of parameters is refused", () => {
	const copy = join(folder, "copy.params");

	test("that is missing", async () => {
		const prover = proverOf({ path: join(folder, "none"), hash: undefined });
		await expect(prover.output(outputWitness)).rejects.toEqual(failure("parameters", "can't be read"));
		await prover.close();
	});

	test("with another hash, also when it has been changed since it was checked", async () => {
		const bytes = readFileSync(path);
		writeFileSync(copy, bytes);
		const prover = proverOf({ path: copy, hash: HASH });
		await prover.output(outputWitness);
		bytes[bytes.length - 1] = 1;
		writeFileSync(copy, bytes);
		await expect(prover.output(outputWitness)).rejects.toEqual(failure("parameters", "BLAKE2b-512"));
		await prover.close();
	});

	test("that has the verifying key alone, or the lists of another circuit", async () => {
		const bytes = readFileSync(path);
		bytes[1447] = 7;
		writeFileSync(copy, bytes);
		const prover = proverOf({ path: copy, hash: undefined });
		await expect(prover.output(outputWitness)).rejects.toEqual(failure("parameters", "doesn't have"));
		truncateSync(copy, 1444);
		await expect(prover.output(outputWitness)).rejects.toEqual(failure("parameters", "has 1444 bytes"));
		await prover.close();
	});

	test("whose points are damaged where no hash is expected", async () => {
		const bytes = readFileSync(path);
		bytes[2000] = (bytes[2000] as number) ^ 1;
		writeFileSync(copy, bytes);
		const prover = proverOf({ path: copy, hash: undefined });
		await expect(prover.output(outputWitness)).rejects.toEqual(failure("parameters", "does not hold"));
		await prover.close();
	});
});
