import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BlockFileError, delimited, readBlockFile } from "../../../src/node/chain/block-file.js";

/** What this process has open, where the system tells it. */
const DESCRIPTORS = "/proc/self/fd";

function openFiles(): string[] {
	return readdirSync(DESCRIPTORS).flatMap((descriptor) => {
		try {
			return readlinkSync(join(DESCRIPTORS, descriptor));
		} catch {
			return []; // Closed meanwhile.
		}
	});
}

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-blocks-"));
});
afterEach(() => {
	rmSync(directory, { recursive: true, force: true });
});

async function read(name: string, bytes: Uint8Array): Promise<string[]> {
	const path = join(directory, name);
	writeFileSync(path, bytes);
	const blocks: string[] = [];
	for await (const block of readBlockFile(path)) blocks.push(Buffer.from(block).toString("hex"));
	return blocks;
}

const file = (blocks: readonly Uint8Array[]): Buffer => Buffer.concat(blocks.map(delimited));

describe("a file of blocks", () => {
	test("gives back what was written, whatever the lengths", async () => {
		const block = fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.constant(new Uint8Array(70_000).fill(7)));
		await fc.assert(
			fc.asyncProperty(fc.array(block, { maxLength: 6 }), async (blocks) => {
				const expected = blocks.map((each) => Buffer.from(each).toString("hex"));
				expect(await read("blocks.bin", file(blocks))).toEqual(expected);
			}),
			{ numRuns: 40 },
		);
	});

	test("may be compressed, and may be a recording", async () => {
		const blocks = [Buffer.of(1, 2), Buffer.of(3)];
		expect(await read("blocks.bin.gz", gzipSync(file(blocks)))).toEqual(["0102", "03"]);
		const lines =
			'{"t":"note"}\n{"t":"block","number":1,"block":"0102"}\n{"t":"req"}\n{"t":"block","block":"03"}\n';
		expect(await read("set.ndjson", Buffer.from(lines))).toEqual(["0102", "03"]);
		expect(await read("set.ndjson.br", brotliCompressSync(Buffer.from(lines)))).toEqual(["0102", "03"]);
	});
});

describe("a damaged file", () => {
	test.each([
		["ends inside a block", Buffer.of(5, 1, 2), "ends inside a block, at byte 3"],
		["ends inside a length", Buffer.of(0x80), "ends inside a block, at byte 1"],
		["has a length without end", Buffer.alloc(10, 0xff), "holds no block at byte 0"],
		["has an absurd length", Buffer.of(1, 9, 0xff, 0xff, 0xff, 0x7f, 0, 0), "holds no block at byte 2"],
	])("that %s is told in one sentence", async (_, bytes, sentence) => {
		await expect(read("blocks.bin", bytes)).rejects.toThrow(
			new BlockFileError(`${join(directory, "blocks.bin")} ${sentence}`),
		);
	});

	test("that is a recording names the line", async () => {
		await expect(read("set.ndjson", Buffer.from('{"t":"block","block":"0g"}\n'))).rejects.toThrow(
			"line 1 of ",
		);
	});

	test.each(["blocks.bin.gz", "blocks.bin.br"])("that doesn't unpack is told so: %s", async (name) => {
		await expect(read(name, Buffer.from("this is not compressed at all"))).rejects.toThrow(BlockFileError);
	});

	test.runIf(existsSync(DESCRIPTORS)).each([
		["doesn't unpack", "damaged.bin.gz", Buffer.alloc(1 << 20, "no blocks")],
		["is left before its end", "long.bin.gz", gzipSync(randomBytes(1 << 20))],
		[
			"is left before its end",
			"long.bin",
			Buffer.concat([delimited(new Uint8Array(9)), randomBytes(1 << 20)]),
		],
	])("that %s is closed: %s", async (_, name, bytes) => {
		const path = join(directory, name);
		writeFileSync(path, bytes);
		const blocks = readBlockFile(path);
		await blocks.next().catch(() => undefined);
		await blocks.return(undefined);
		expect(openFiles()).not.toContain(path);
	});

	test("that isn't there is told so", async () => {
		const path = join(directory, "none.bin");
		await expect(readBlockFile(path).next()).rejects.toThrow(new BlockFileError(`there is no file ${path}`));
	});
});
