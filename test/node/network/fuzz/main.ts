/**
 * Damaged frames and datagrams against a live node:
 *
 *     npm run tool fuzz:frames -- --seed 7 --frames 1000000 --stall-ms 500
 */

import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { FrameFuzzer } from "./frame-fuzzer.js";

const { values } = parseArgs({
	options: {
		seed: { type: "string", default: "1" },
		frames: { type: "string", default: "100000" },
		/** The longest that the node may be busy with one thing. */
		"stall-ms": { type: "string", default: "1000" },
	},
});
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
process.on("unhandledRejection", (error) => {
	throw error;
});

const startMs = performance.now();
const report = await new FrameFuzzer(Number(values.seed)).run(Number(values.frames), collect);
const [early, late] = report.heapBytes.map((bytes) => (bytes / 2 ** 20).toFixed(1));
const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
process.stdout.write(
	`${report.frames} frames and ${report.datagrams} datagrams in ${report.connections} connections, ${seconds} s; ` +
		`heap ${early} MiB after a fifth, ${late} MiB at the end; longest stall ${report.longestMs} ms\n`,
);
for (const [outcome, count] of [...report.outcomes].sort((a, b) => b[1] - a[1])) {
	process.stdout.write(`  ${String(count).padStart(7)} ${outcome}\n`);
}
for (const failure of report.failures) process.stdout.write(`FAILED: ${failure}\n`);
const isStalled = report.longestMs > Number(values["stall-ms"]);
if (isStalled) process.stdout.write(`FAILED: busy for ${report.longestMs} ms with one thing\n`);
if (report.failures.length > 0 || isStalled) process.exitCode = 1;
