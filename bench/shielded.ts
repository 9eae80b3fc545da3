/**
 * Cost of checking shielded proofs: `npm run bench:shielded -- FOLDER`, a folder as test/golden/shielded. Times are those of
 * the processor, so that other work on the machine doesn't count; JSON on stdout.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { loadGroth16 } from "../src/node/shielded/groth16-library.js";
import { portableGroth16 } from "../src/node/shielded/groth16-portable.js";
import type { ShieldedProofs } from "../src/node/shielded/proofs.js";
import { OUTPUT_INPUTS, SaplingVerifier, SPEND_INPUTS } from "../src/node/shielded/verifier.js";
import { readVerifyingKey } from "../src/node/shielded/verifying-key.js";
import type { Precompile } from "../src/node/vm/precompiles/precompile.js";
import {
	merkleHash,
	verifyBurnProof,
	verifyMintProof,
	verifyTransferProof,
} from "../src/node/vm/precompiles/shielded.js";
import { fromHex } from "../src/protocol/bytes.js";

const PRECOMPILES = [verifyMintProof, verifyTransferProof, verifyBurnProof, merkleHash];

/** By the lengths of their inputs. */
const CASES: readonly (readonly [name: string, length: number])[] = [
	["mint", 1504],
	["transfer 1-1", 2080],
	["transfer 1-2", 2368],
	["transfer 2-1", 2464],
	["transfer 2-2", 2752],
	["burn", 512],
	["tree hash", 96],
];

const folder = process.argv[2] ?? "test/golden/shielded";
const read = (name: string) => readFileSync(join(folder, name));
const calls = JSON.parse(brotliDecompressSync(read("precompiles.json.br")).toString()) as [string, string][];

function cpuMs(work: () => void, times: number): number {
	work();
	const before = process.cpuUsage();
	for (let i = 0; i < times; i++) work();
	const { user, system } = process.cpuUsage(before);
	return Math.round((user + system) / times / 10) / 100;
}

function measure(proofs: ShieldedProofs, times: number): Record<string, number> {
	const context = { machine: { options: { proofs } } } as unknown as Parameters<Precompile["run"]>[1];
	const entries = CASES.map(([name, length]) => {
		// One that the reference node took: its answer is not zero.
		const call = calls.find(
			([data, answer]) => data.length === 64 + 2 * length && /[1-9a-f]/.test(answer.slice(64, 128)),
		);
		if (!call) throw new Error(`no recorded call: ${name}`);
		const word = Number.parseInt(call[0].slice(0, 64), 16);
		const input = fromHex(call[0].slice(64));
		const precompile = PRECOMPILES.find((one) => one.word === word);
		return [name, cpuMs(() => precompile?.run(input, context), times)] as const;
	});
	return Object.fromEntries(entries);
}

const keys = [
	readVerifyingKey(read("sapling-spend.vk"), SPEND_INPUTS),
	readVerifyingKey(read("sapling-output.vk"), OUTPUT_INPUTS),
] as const;
for (const [library, times] of [
	[await loadGroth16(), 20],
	[portableGroth16, 5],
] as const) {
	const ms = measure(SaplingVerifier.withKeys(library, ...keys), times);
	process.stdout.write(`${JSON.stringify({ library: library.name, cpuMs: ms })}\n`);
}
