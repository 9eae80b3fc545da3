/**
 * CPU time per energy of every operation and precompiled contract, with the most expensive operands, executed
 * as in a signed block: without a time limit.
 *
 * npm run tool bench:energy -- [--bar ms] [--portable] [--all] [--progress] [part of a shape's name]
 */

import { parseArgs } from "node:util";
import { installRecoverEngine } from "../src/node/signatures/engine.js";
import { loadCurve } from "../src/node/vm/precompiles/bn128.js";
import { loadKzg } from "../src/node/vm/precompiles/kzg.js";
import { useFastHashing } from "../src/protocol/hash.js";
import { callShapes } from "./energy/calls.js";
import { prepareShape, type Shape } from "./energy/host.js";
import { operationNames, operationShapes } from "./energy/operations.js";
import { precompileNames, precompileShapes } from "./energy/precompiles.js";
import { stateShapes } from "./energy/state.js";

/** Runs per shape: more rarely change the result. */
const MAX_RUNS = 8;
const ENOUGH_MS = 400;
/** A run that takes this long is far above every bar, so it isn't repeated. */
const TOO_LONG_MS = 3000;

/** Shapes printed if none exceeds the bar. */
const SHOWN = 40;

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		bar: { type: "string", default: "100" },
		portable: { type: "boolean", default: false },
		progress: { type: "boolean", default: false },
		all: { type: "boolean", default: false },
	},
});
const bar = Number(values.bar);
const wanted = positionals[0] ?? "";

/** @returns CPU milliseconds per million units of energy, of the best run */
async function measure(shape: Shape): Promise<number> {
	const run = await prepareShape(shape);
	let best = Number.POSITIVE_INFINITY;
	let spent = 0;
	for (let i = 0; i < MAX_RUNS && (i < 3 || spent < ENOUGH_MS); i++) {
		const { energy, cpuMs } = await run();
		best = Math.min(best, (cpuMs * 1e6) / energy);
		spent += cpuMs;
		if (spent > TOO_LONG_MS) break;
	}
	return best;
}

function checkCoverage(shapes: readonly Shape[]): void {
	const covered = new Set(shapes.flatMap(({ covers }) => covers));
	const missing = [...operationNames, ...precompileNames].filter((name) => !covered.has(name));
	if (missing.length > 0) throw new Error(`nothing measures ${missing.join(", ")}`);
}

const shapes = [...operationShapes, ...callShapes, ...stateShapes, ...precompileShapes];
checkCoverage(shapes);
await useFastHashing();
const engine = installRecoverEngine();
const curve = values.portable ? "portable" : (await loadCurve()).name;
if (!values.portable) await loadKzg();
process.stdout.write(`signatures: ${engine}, alt_bn128: ${curve}; CPU ms for 1 M energy\n\n`);

const results: { readonly name: string; readonly ms: number }[] = [];
for (const shape of shapes.filter(({ name }) => name.includes(wanted))) {
	const result = { name: shape.name, ms: await measure(shape) };
	if (process.stderr.isTTY || values.progress)
		process.stderr.write(`${result.name}: ${result.ms.toFixed(1)}\n`);
	results.push(result);
}
results.sort((a, b) => b.ms - a.ms);
const above = results.filter(({ ms }) => ms > bar);
const shown = values.all || wanted !== "" ? results : results.slice(0, Math.max(SHOWN, above.length));
process.stdout.write("| shape | ms |\n|---|---|\n");
for (const { name, ms } of shown) {
	process.stdout.write(`| ${name} | ${ms.toFixed(1)}${ms > bar ? " ABOVE" : ""} |\n`);
}
process.stdout.write(`\n${results.length} shapes, ${above.length} above ${bar} ms\n`);
if (above.length > 0) process.exitCode = 1;
