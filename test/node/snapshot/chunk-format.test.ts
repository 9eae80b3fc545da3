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
	expect(entries.map(([key, value]) => builder.add(key, value))).toEqual([false, false, true, true]);
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
		for await (const _ of readChunks(source, [chunk], 0, 2));
	};
	await expect(read()).rejects.toThrow("chunks/000000.br of the snapshot holds what is not a run of entries");
});
