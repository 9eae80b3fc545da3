import { brotliCompressSync, constants } from "node:zlib";
import { expect, test } from "vitest";
import { ChunkBuilder, chunkEntries, hashOf, unpackChunk } from "../../../src/node/snapshot/chunk-format.js";
import { readChunks } from "../../../src/node/snapshot/chunk-reader.js";
import { type Chunk, chunkName } from "../../../src/node/snapshot/manifest.js";
import type { SnapshotSource } from "../../../src/node/snapshot/source.js";

const entries: readonly (readonly [Buffer, Buffer])[] = [
	[Buffer.from([0, 1]), Buffer.alloc(0)],
	[Buffer.from([0, 2]), Buffer.alloc(127, 1)],
	[Buffer.from([1]), Buffer.alloc(128, 2)],
	[Buffer.from([2, 9]), Buffer.alloc(20_000, 3)],
];

test("entries come out as they went in, and a builder begins anew", async () => {
	const builder = new ChunkBuilder(200);
	expect(entries.map(([key, value]) => builder.add(key, value))).toEqual([false, true, true, true]);
	const { packed, raw, entries: count } = await builder.take();
	expect([count, builder.entries]).toEqual([4, 0]);
	const bytes = await unpackChunk("it", packed, raw);
	expect([...chunkEntries("it", bytes)]).toEqual(entries);
	builder.add(Buffer.from([7]), Buffer.from([8]));
	const second = await builder.take();
	expect([...chunkEntries("it", await unpackChunk("it", second.packed, second.raw))]).toEqual([
		[Buffer.from([7]), Buffer.from([8])],
	]);
});

/** The chunks that a builder makes of entries, each in one piece. */
async function chunksOf(all: Iterable<readonly [Buffer, Buffer]>, rawBytes: number): Promise<Buffer[]> {
	const builder = new ChunkBuilder(rawBytes);
	const chunks: Buffer[] = [];
	for (const [key, value] of all) if (builder.add(key, value)) chunks.push((await builder.take()).packed);
	if (builder.entries > 0) chunks.push((await builder.take()).packed);
	return chunks;
}

const numbered = (count: number, length = 40): [Buffer, Buffer][] =>
	Array.from({ length: count }, (_, at) => {
		const key = Buffer.alloc(9, 0);
		key.writeUInt32BE(at, 4);
		return [key, Buffer.alloc(length, at)];
	});

test("what has not changed makes the same chunks, whatever is changed, put in or taken out elsewhere", async () => {
	const before = await chunksOf(numbered(8_000), 16_000);
	expect(before.length).toBeGreaterThan(60);
	const names = new Set(before.map((chunk) => chunk.toString("base64")));
	const changed: (readonly [string, (all: [Buffer, Buffer][]) => void])[] = [
		["a value", (all) => all[4_000]?.[1].fill(255)],
		["a longer value", (all) => all.splice(4_000, 1, [all[4_000]?.[0] as Buffer, Buffer.alloc(900)])],
		["entries before all", (all) => all.unshift([Buffer.from([0, 0]), Buffer.alloc(77)])],
		["entries at the end", (all) => all.push([Buffer.from([9]), Buffer.alloc(77)])],
		["the first ones gone", (all) => all.splice(0, 500)],
	];
	for (const [what, change] of changed) {
		const all = numbered(8_000);
		change(all);
		const after = await chunksOf(all, 16_000);
		const anew = after.filter((chunk) => !names.has(chunk.toString("base64")));
		expect(anew.length, what).toBeLessThanOrEqual(8);
	}
});

test("chunks have about a quarter of the most that they may have, also of large entries, and never more than one entry above", async () => {
	for (const length of [10, 200, 1_500, 5_000]) {
		const builder = new ChunkBuilder(16_000);
		const raw: number[] = [];
		for (const [key, value] of numbered(Math.ceil(2_000_000 / (length + 12)), length))
			if (builder.add(key, value)) raw.push((await builder.take()).raw);
		expect(Math.max(...raw)).toBeLessThan(16_000 + length + 20);
		const mean = raw.reduce((sum, bytes) => sum + bytes, 0) / raw.length;
		expect([length, Math.round(mean / 4_000)]).toEqual([length, 1]);
	}
});

test("a chunk that unpacks to more or less than it should is refused without being unpacked further", async () => {
	const bomb = brotliCompressSync(Buffer.alloc(8 << 20), {
		params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
	});
	for (const [bytes, raw] of [
		[bomb, 1000],
		[brotliCompressSync(Buffer.alloc(10)), 11],
		[Buffer.from("no Brotli"), 5],
	] as const) {
		await expect(unpackChunk("it", bytes, raw)).rejects.toThrow("it of the snapshot can't be unpacked");
	}
});

test.each([
	["a length that ends early", [0x80]],
	["a length of six bytes", [0xff, 0xff, 0xff, 0xff, 0xff, 1]],
	["a key that is longer than keys are", [0x81, 0x08, ...Array(1025).fill(0), 0]],
	["a value that is longer than the chunk", [1, 0, 5, 1]],
	["a key without value", [1, 0]],
])("%s is refused", (_what, bytes) => {
	expect(() => [...chunkEntries("it", Buffer.from(bytes))]).toThrow("not a run of entries");
});

test.each([
	["keys that don't ascend", [[1], [0]]],
	["a key twice", [[1], [1]]],
	["a key of the directory's own", [[0xff, 0x6d]]],
	["a key of no store", [[0x90]]],
	["an empty key", [[]]],
])("%s are refused", async (_what, keys) => {
	const builder = new ChunkBuilder();
	for (const key of keys) builder.add(Buffer.from(key), Buffer.from([1]));
	const { packed, raw, entries } = await builder.take();
	const chunk: Chunk = {
		name: chunkName(0),
		bytes: packed.length,
		sha256: await hashOf(packed),
		raw,
		entries,
	};
	const source: SnapshotSource = {
		read: async function* () {
			yield packed;
		},
		again: async () => false,
	};
	const read = async (): Promise<void> => {
		for await (const { runs } of readChunks(source, [chunk], 0, 2)) for (const _ of runs);
	};
	await expect(read()).rejects.toThrow("chunks/000000.br of the snapshot holds what is not a run of entries");
});

test("a chunk is read in runs of one store each, which end by and by", async () => {
	const builder = new ChunkBuilder();
	const value = Buffer.alloc(100 << 10, 1);
	for (const key of [[0, 1], [1, 1], [1, 2], [1, 3], [1, 4], [0xfe]]) builder.add(Buffer.from(key), value);
	const { packed, raw, entries } = await builder.take();
	const chunk = { name: chunkName(0), bytes: packed.length, sha256: await hashOf(packed), raw, entries };
	const source: SnapshotSource = {
		read: async function* () {
			yield packed;
		},
		again: async () => false,
	};
	const read: [number, number[]][] = [];
	for await (const { runs } of readChunks(source, [chunk], 0, 2))
		for (const { store, bytes } of runs)
			read.push([store, [...chunkEntries("it", bytes)].map(([key]) => key[1] ?? 0)]);
	expect(read).toEqual([
		[0, [1]],
		[1, [1, 2, 3]],
		[1, [4]],
		[0xfe, [0]],
	]);
});
