/**
 * Transactions decoded and encoded per second: our generated codec against that of protobufjs, which uses
 * Long for 64-bit fields. Both in one run on the same blocks.
 *
 * npm run tool bench:codec -- [folder of a recorded set]
 */

import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";
import { readBlockFile } from "../src/node/chain/block-file.js";
import { Block } from "../src/protocol/messages.js";
import { DEFAULT_SET } from "./recorded/default-set.js";

const folder = process.argv[2] ?? DEFAULT_SET;
const home = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const ROUNDS = 7;

const root = new protobuf.Root();
root.resolvePath = (_origin, target) =>
	target.startsWith("google/")
		? join(home, "node_modules", "protobufjs", target)
		: join(home, "proto", target);
root.loadSync("core/coin.proto", { keepCase: true });
const Reflected = root.lookupType("protocol.Block");

const blocks: Buffer[] = [];
let transactions = 0;
for await (const bytes of readBlockFile(join(folder, `${basename(folder)}.ndjson.br`))) {
	blocks.push(Buffer.from(bytes));
	transactions += Block.decode(bytes).transactions.length;
}

/** Best of several rounds, in transactions per second. */
function measure(run: () => void): number {
	let best = 0;
	for (let round = 0; round < ROUNDS; round++) {
		const started = performance.now();
		run();
		best = Math.max(best, transactions / ((performance.now() - started) / 1000));
	}
	return Math.round(best);
}

const ours = blocks.map((bytes) => Block.decode(bytes));
const theirs = blocks.map((bytes) => Reflected.decode(bytes));
const report = {
	transactions,
	decode: {
		ours: measure(() => {
			for (const bytes of blocks) Block.decode(bytes);
		}),
		protobufjs: measure(() => {
			for (const bytes of blocks) Reflected.decode(bytes);
		}),
	},
	encode: {
		ours: measure(() => {
			for (const block of ours) Block.encode(block);
		}),
		protobufjs: measure(() => {
			for (const block of theirs) Reflected.encode(block).finish();
		}),
	},
};
const ratio = (pair: { ours: number; protobufjs: number }): number =>
	Math.round((pair.ours / pair.protobufjs) * 100) / 100;
process.stdout.write(
	`${JSON.stringify({ ...report, decodeRatio: ratio(report.decode), encodeRatio: ratio(report.encode) })}\n`,
);
