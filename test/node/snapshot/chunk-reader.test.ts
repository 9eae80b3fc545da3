import { expect, test } from "vitest";
import { readChunks } from "../../../src/node/snapshot/chunk-reader.js";
import type { SnapshotSource } from "../../../src/node/snapshot/source.js";

const MIB = 1 << 20;

/** How many chunks are on their way before the first has come, of four that say how long they are unpacked. */
async function onTheirWay(rawBytes: number): Promise<number> {
	let asked = 0;
	let fail: (error: Error) => void = () => undefined;
	const ended = new Promise<never>((_, reject) => {
		fail = reject;
	});
	ended.catch(() => undefined);
	const source: SnapshotSource = {
		read: async function* () {
			asked++;
			if (asked > 100) yield new Uint8Array(1);
			await ended;
		},
		again: async () => false,
	};
	const chunks = Array.from({ length: 8 }, (_, index) => ({
		name: `chunk-${index}`,
		bytes: 30_000,
		sha256: "00".repeat(32),
		raw: rawBytes,
		entries: 1,
	}));
	const first = readChunks(source, chunks, 0, 4).next();
	await new Promise((resolve) => setImmediate(resolve));
	const count = asked;
	fail(new Error("no more"));
	await expect(first).rejects.toThrow("no more");
	return count;
}

test("chunks on their way are bounded by what they become, and not by their number alone", async () => {
	expect(await onTheirWay(32 * MIB)).toBe(4);
	expect(await onTheirWay(60 * MIB)).toBe(2);
	expect(await onTheirWay(160 * MIB)).toBe(1);
});
