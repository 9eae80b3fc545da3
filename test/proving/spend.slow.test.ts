import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { DEVELOPMENT_OUTPUT_KEY, DEVELOPMENT_SPEND_KEY } from "../../src/node/shielded/development-proofs.js";
import { loadGroth16 } from "../../src/node/shielded/groth16-library.js";
import { readVerifyingKey, type VerifyingKey } from "../../src/node/shielded/verifying-key.js";
import { toHex } from "../../src/protocol/bytes.js";
import { readLittle } from "../../src/protocol/sapling/jubjub.js";
import { OUTPUT } from "../../src/proving/circuit.js";
import { ensureDevelopmentParameters } from "../../src/proving/development-parameters.js";
import { spendInputs } from "../../src/proving/tasks.js";
import { ThreadedProver } from "../../src/proving/threaded-prover.js";
import { spendWitness } from "./witnesses.js";
import { bundleWorker } from "./worker-script.js";

const folder = mkdtempSync(join(tmpdir(), "coin-spend-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A key as text, whatever kind of bytes it has. */
const plain = ({ alpha, beta, gamma, delta, inputs }: VerifyingKey) =>
	[alpha, beta, gamma, delta, ...inputs].map(toHex);

const keyOf = (circuit: string, inputs: number) =>
	plain(readVerifyingKey(readFileSync(join(folder, `sapling-${circuit}.params`)), inputs));

test("a development chain's parameters are made on first use, and its proofs hold with the keys that are shipped", async () => {
	let made = 0;
	const prover = new ThreadedProver({
		script: await bundleWorker(folder),
		threads: 2,
		random: randomBytes,
		native: undefined,
		parameters: async (circuit, threads, options) => {
			made++;
			await ensureDevelopmentParameters(folder, OUTPUT, threads, options);
			return ensureDevelopmentParameters(folder, circuit, threads, options);
		},
	});
	const proof = await prover.spend(spendWitness);
	const bytes = spendInputs(spendWitness) ?? expect.fail("no inputs");
	const inputs = Array.from({ length: 7 }, (_, i) => readLittle(bytes.subarray(32 * i, 32 * i + 32)));
	const check = (await loadGroth16()).prepare(DEVELOPMENT_SPEND_KEY);
	expect(check(proof, inputs)).toBe(true);
	expect(check(proof, inputs.with(4, 5n))).toBe(false);
	expect(keyOf("output", 5)).toEqual(plain(DEVELOPMENT_OUTPUT_KEY));
	expect(made).toBe(1);
	await prover.close();
});
