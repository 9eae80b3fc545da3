/**
 * Cost of verifying shielded proofs: `npm run tool bench:shielded -- FOLDER` (like test/golden/shielded).
 * Prints CPU times as JSON, then how long a transfer blocks the event loop, with and without threads (wall
 * time).
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { loadGroth16 } from "../src/node/shielded/groth16-library.js";
import { portableGroth16 } from "../src/node/shielded/groth16-portable.js";
import { WorkerProofThreads } from "../src/node/shielded/proof-threads.js";
import type { ShieldedProofs } from "../src/node/shielded/proofs.js";
import { RememberedProofs } from "../src/node/shielded/remembered-proofs.js";
import { OUTPUT_INPUTS, SaplingVerifier, SPEND_INPUTS } from "../src/node/shielded/verifier.js";
import { readVerifyingKey } from "../src/node/shielded/verifying-key.js";
import type { Precompile } from "../src/node/vm/precompiles/precompile.js";
import {
	merkleHash,
	verifyBurnProof,
	verifyMintProof,
	verifyTransferProof,
} from "../src/node/vm/precompiles/shielded.js";
import { fromHex, readBe32 } from "../src/protocol/bytes.js";
import { contractType } from "../src/protocol/contract-types.js";
import { ReceiveDescription, ShieldedTransferContract, SpendDescription } from "../src/protocol/messages.js";
import { buildTransaction, type SignedTransaction } from "../src/protocol/transaction.js";

const PRECOMPILES = [verifyMintProof, verifyTransferProof, verifyBurnProof, merkleHash];

/** By length of the input. */
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
		// A valid input: the reference node's answer isn't zero.
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

/** A recorded valid transfer with one spend and two outputs. */
function recordedTransfer(): Uint8Array {
	const length = 2368;
	const call = calls.find(
		([data, answer]) => data.length === 64 + 2 * length && /[1-9a-f]/.test(answer.slice(64, 128)),
	);
	if (!call) throw new Error("no transfer is recorded");
	return fromHex(call[0].slice(64));
}

/** A transaction with the same proofs. */
function transactionOf(input: Uint8Array): SignedTransaction {
	const place = (word: number) => readBe32(input, 32 * word + 28) + 32;
	const [spend, output] = [place(0), place(2)];
	const part = (at: number, length = 32) => input.subarray(at, at + length);
	const contract = ShieldedTransferContract.create({
		spend_description: [
			SpendDescription.create({
				nullifier: part(spend),
				anchor: part(spend + 32),
				value_commitment: part(spend + 64),
				rk: part(spend + 96),
				zkproof: part(spend + 128, 192),
			}),
		],
		receive_description: [output, output + 288].map((at) =>
			ReceiveDescription.create({
				note_commitment: part(at),
				value_commitment: part(at + 32),
				epk: part(at + 64),
				zkproof: part(at + 96, 192),
			}),
		),
	});
	const header = {
		refBlockBytes: new Uint8Array(2),
		refBlockHash: new Uint8Array(8),
		expirationMs: 1n,
		timestampMs: 0n,
	};
	return buildTransaction(contractType("ShieldedTransferContract"), contract, header);
}

/** How long preparing and executing a transfer blocks the event loop: median of 20, and maximum. */
async function holdMs(
	threads: WorkerProofThreads | undefined,
): Promise<{ readonly medianMs: number; readonly longestMs: number }> {
	const verifier = SaplingVerifier.withKeys(await loadGroth16(), ...keys);
	const input = recordedTransfer();
	const transaction = transactionOf(input);
	let current = new RememberedProofs(verifier, threads);
	const proofs: ShieldedProofs = {
		holdsSpend: (...question) => current.holdsSpend(...question),
		holdsOutput: (output) => current.holdsOutput(output),
		holdsBalance: (...question) => current.holdsBalance(...question),
		merkleHash: (...question) => current.merkleHash(...question),
	};
	const context = { machine: { options: { proofs } } } as unknown as Parameters<Precompile["run"]>[1];
	const held: number[] = [];
	for (let i = 0; i < 23; i++) {
		// A new cache each time, so that the proofs aren't cached.
		current = new RememberedProofs(verifier, threads);
		const begun = performance.now();
		const ready = current.prepare([transaction], "transaction");
		const asked = performance.now();
		await ready;
		const executed = performance.now();
		verifyTransferProof.run(input, context);
		held.push(Math.max(asked - begun, performance.now() - executed));
	}
	// Skips the first runs, which start threads and warm up code.
	const sorted = held.slice(3).sort((a, b) => a - b);
	const rounded = (ms: number | undefined) => Math.round((ms ?? 0) * 10) / 10;
	return { medianMs: rounded(sorted[10]), longestMs: rounded(sorted.at(-1)) };
}

const threads = new WorkerProofThreads(
	pathToFileURL("dist/node/shielded/proof.worker.js"),
	{ spendKey: keys[0], outputKey: keys[1] },
	2,
);
for (const [where, some] of [
	["on threads", threads],
	["where they are asked for", undefined],
] as const) {
	process.stdout.write(`${JSON.stringify({ proofs: where, heldMs: await holdMs(some) })}\n`);
}
await threads.close();
