/**
 * Old blocks in the database and in segments: size, sequential and random reads, and event loop delay while
 * moving them. Uses the blocks and receipts of a data directory, repeated under other heights.
 *
 * npm run tool bench:segments -- <data directory> [blocks]
 */

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { BlockMover } from "../src/node/segments/block-mover.js";
import { segmentFilesOnDisk } from "../src/node/segments/segment-files.js";
import type { SegmentRow } from "../src/node/segments/segment-format.js";
import { SegmentedDatabase } from "../src/node/segments/segmented-database.js";
import { Segments } from "../src/node/segments/segments.js";
import {
	compactLevelDatabase,
	type KeyValueDatabase,
	openLevelDatabase,
} from "../src/node/state/database.js";
import { stores } from "../src/node/state/definition.js";
import { be64 } from "../src/protocol/bytes.js";

const READS = 3_000;
const keyOf = ({ index }: { readonly index: number }, key: Uint8Array): Buffer =>
	Buffer.concat([Uint8Array.of(index), key]);

async function rowsOf(directory: string): Promise<SegmentRow[]> {
	const database = await openLevelDatabase(join(directory, "database"));
	const rows: SegmentRow[] = [];
	for await (const [key, block] of database.entries(Uint8Array.of(stores.block.index))) {
		const id = key.subarray(1);
		const receipts = database.get(keyOf(stores.transactionResult, id.subarray(0, 8)));
		// Skips the first blocks, which are nearly empty, unlike a network's.
		if (receipts) rows.push({ id, block, receipts });
	}
	await database.close();
	return rows;
}

function sizeOf(directory: string): number {
	return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
}

const idOf = (rows: readonly SegmentRow[], number: number): Uint8Array =>
	Buffer.concat([be64(BigInt(number)), (rows[number % rows.length] as SegmentRow).id.subarray(8)]);

async function fill(database: KeyValueDatabase, rows: readonly SegmentRow[], count: number): Promise<void> {
	for (let number = 1; number <= count; number++) {
		const row = rows[number % rows.length] as SegmentRow;
		const id = idOf(rows, number);
		const height = be64(BigInt(number));
		await database.write(
			[
				{ key: keyOf(stores.block, id), value: row.block },
				{ key: keyOf(stores.blockIndex, height), value: id },
				{ key: keyOf(stores.transactionResult, height), value: row.receipts ?? new Uint8Array(0) },
			],
			false,
		);
	}
}

/** Reads as clients do: first the id of a height, then the block. */
function reads(what: string, database: KeyValueDatabase, numbers: readonly number[]): void {
	const times = numbers
		.map((number) => {
			const started = performance.now();
			const id = database.get(keyOf(stores.blockIndex, be64(BigInt(number))));
			if (!id || !database.get(keyOf(stores.block, id))) throw new Error(`block ${number} is missing`);
			return performance.now() - started;
		})
		.sort((a, b) => a - b);
	const at = (share: number): string => ((times[Math.floor(times.length * share)] ?? 0) * 1000).toFixed(0);
	const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
	console.log(`${what}: mean ${(mean * 1000).toFixed(0)} µs, p50 ${at(0.5)}, p99 ${at(0.99)}`);
}

const [source, countText = "6000"] = process.argv.slice(2);
if (source === undefined) throw new Error("give a data directory");
const count = Number(countText);
const rows = await rowsOf(source);
const root = mkdtempSync(join(tmpdir(), "coin-bench-segments-"));
try {
	const path = join(root, "database");
	let database = await openLevelDatabase(path);
	await fill(database, rows, count);
	await database.close();
	await compactLevelDatabase(path);
	const bytesBefore = sizeOf(path);
	const inOrder = Array.from({ length: READS }, (_, at) => 1 + (at % count));
	const anywhere = Array.from({ length: READS }, (_, at) => 1 + ((at * 7919) % count));
	database = await openLevelDatabase(path);
	reads("database, in order", database, inOrder);
	reads("database, anywhere", database, anywhere);

	const directory = join(root, "segments");
	const segments = await Segments.open(database, directory, segmentFilesOnDisk);
	const mover = new BlockMover({
		database,
		segments,
		stored: () => BigInt(count),
		limits: { kept: 0, blocks: Math.floor(count / 3), bytes: 256 << 20, groupBytes: 128 << 10 },
		now: () => performance.now(),
		pause: (ms) => sleep(ms),
	});
	const delay = monitorEventLoopDelay({ resolution: 1 });
	delay.enable();
	const cpu = process.cpuUsage();
	const started = performance.now();
	await mover.run();
	const used = process.cpuUsage(cpu);
	delay.disable();
	const seconds = (performance.now() - started) / 1000;
	const moved = segments.list.reduce((sum, { bytes }) => sum + bytes, 0);
	console.log(
		`moving: ${(segments.list.at(-1)?.last ?? 0n).toString()} blocks in ${seconds.toFixed(1)} s, ` +
			`${((used.user + used.system) / 1e6).toFixed(1)} s of processors, ` +
			`event loop p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, longest ${(delay.max / 1e6).toFixed(1)} ms`,
	);
	const all = new SegmentedDatabase(database, segments);
	reads("segments, in order", all, inOrder);
	reads("segments, anywhere", all, anywhere);
	await all.close();
	await compactLevelDatabase(path);
	const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
	console.log(
		`bytes: database ${mib(bytesBefore)} before, ${mib(sizeOf(path))} after; segments ${mib(moved)}`,
	);
} finally {
	rmSync(root, { recursive: true, force: true });
}
