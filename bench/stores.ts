/**
 * Sequential reads of a reference node's stores: an upper bound for the speed of adopting its data directory.
 *
 * npm run tool bench:stores -- [directory of a store]
 *
 * Without a directory, LevelDB creates a store of small entries, with sizes of minimal accounts.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Level } from "level";
import { type ForeignStore, openForeignStore } from "../src/node/adoption/engine/foreign-store.js";

const ENTRIES = 2_000_000;
const BATCH = 1_000;
const ROUNDS = 3;

async function make(directory: string): Promise<void> {
	const db = new Level<Buffer, Buffer>(directory, { keyEncoding: "buffer", valueEncoding: "buffer" });
	for (let start = 0; start < ENTRIES; start += BATCH) {
		await db.batch(
			Array.from({ length: BATCH }, (_, i) => {
				const number = start + i;
				const key = Buffer.alloc(21, 0x41);
				key.writeUInt32BE(Math.imul(number, 0x9e3779b1) >>> 0, 1);
				const value = Buffer.alloc(60 + (number % 40));
				value.writeDoubleBE(number * Math.PI, 20);
				return { type: "put" as const, key, value };
			}),
		);
	}
	await db.close();
}

function walk(store: ForeignStore): void {
	const started = performance.now();
	const cpu = process.cpuUsage();
	let entries = 0;
	for (const _ of store.entries()) entries++;
	const used = process.cpuUsage(cpu);
	const seconds = (used.user + used.system) / 1e6;
	console.log(
		`${store.engine}: ${entries} entries, ${(store.bytes / 1e6).toFixed(0)} MB in ${((performance.now() - started) / 1000).toFixed(1)} s; ` +
			`${Math.round(entries / seconds)} a second of one core, ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB`,
	);
}

const given = process.argv[2];
const directory = given ?? mkdtempSync(join(tmpdir(), "coin-stores-"));
try {
	if (given === undefined) await make(directory);
	for (let round = 0; round < ROUNDS; round++) {
		const store = await openForeignStore(directory);
		walk(store);
		store.close();
	}
} finally {
	if (given === undefined) rmSync(directory, { recursive: true, force: true });
}
