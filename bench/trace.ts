/**
 * Traces contract calls of a recording as clients do: the last transaction of a block, with and without
 * executing the preceding ones, with each tracer. Medians in milliseconds.
 *
 * npm run tool bench:trace -- FOLDER
 */

import { basename, join } from "node:path";
import { tracerFor } from "../src/node/api/jsonrpc/methods/debug.js";
import { readTraceOptions, type TraceOptions } from "../src/node/api/jsonrpc/traces/options.js";
import { readBlockFile } from "../src/node/chain/block-file.js";
import { OpenChain } from "../src/node/chain/open-chain.js";
import { createContractMachine } from "../src/node/contract-runner.js";
import { loadShieldedSupport } from "../src/node/shielded-support.js";
import { installRecoverEngine } from "../src/node/signatures/engine.js";
import { TraceBudget } from "../src/node/tracing/limits.js";
import { TraceRunner } from "../src/node/tracing/trace-runner.js";
import { SignedBlock } from "../src/protocol/block.js";
import { useFastHashing } from "../src/protocol/hash.js";
import { recordedConfig } from "./recorded/recorded-config.js";

const folder = process.argv[2];
if (folder === undefined) throw new Error("name the folder of a recorded set whose blocks call contracts");
const name = basename(folder);
/** Blocks whose last transaction is traced. */
const BLOCKS = 60;

installRecoverEngine();
await useFastHashing();
const config = recordedConfig(folder);
const machine = createContractMachine(config, false);
const open = await OpenChain.open({
	config,
	dataDirectory: undefined,
	clock: () => BigInt(Date.now()),
	shielded: await loadShieldedSupport(config, false),
	machine: machine.run,
	onStorageFailure: (error) => {
		throw error;
	},
});
const runner = new TraceRunner(open, machine, (error) => {
	throw error;
});
const run = { queue: async <T>(work: () => T) => work(), timeoutMs: Number.POSITIVE_INFINITY };

const tracers: readonly (readonly [string, TraceOptions])[] = [
	...["callTracer", "flatCallTracer", "prestateTracer", "4byteTracer"].map(
		(tracer) => [tracer, readTraceOptions(new Map([["tracer", tracer]]))] as const,
	),
	["operations", readTraceOptions(undefined)],
];

/** @returns milliseconds */
async function time(block: SignedBlock, position: number, options: TraceOptions): Promise<number> {
	const { observer, touched, show } = tracerFor(options, new TraceBudget(0));
	const started = performance.now();
	await runner.transaction(
		{ block, position },
		{
			observer,
			touched,
			result: ({ block, position, transaction, info, before, after }) =>
				show({
					transaction,
					place: { block, position },
					info,
					outcome: { succeeded: true, energyUsed: 0n, output: new Uint8Array(0) },
					before,
					after,
					dialect: "deployed",
				}),
		},
		run,
	);
	return performance.now() - started;
}

const times = new Map<string, number[]>();
const note = (label: string, ms: number): void => void times.set(label, [...(times.get(label) ?? []), ms]);
const isCall = (block: SignedBlock, position: number): boolean =>
	block.transactions[position]?.type?.name === "TriggerSmartContract";

let blocks = 0;
let predecessors = 0;
for await (const bytes of readBlockFile(join(folder, `${name}.ndjson.br`))) {
	const block = SignedBlock.decode(bytes);
	open.chain.push(block, "recording");
	const last = block.transactions.length - 1;
	if (!isCall(block, last)) continue;
	for (const [label, options] of tracers) {
		if (isCall(block, 0)) note(`${label}, first of its block`, await time(block, 0, options));
		note(`${label}, last of its block`, await time(block, last, options));
	}
	predecessors += last;
	if (++blocks === BLOCKS) break;
}
process.stdout.write(
	`${name}: ${blocks} blocks, ${Math.round(predecessors / blocks)} transactions before the last one\n`,
);
for (const [label, list] of times) {
	const sorted = [...list].sort((a, b) => a - b);
	const at = (part: number): string => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(2);
	process.stdout.write(`| ${label} | ${at(0.5)} | ${at(0.95)} |\n`);
}
await open.close();
