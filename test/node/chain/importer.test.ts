import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { importBlocks } from "../../../src/node/chain/importer.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { BadBlockError } from "../../../src/node/rules/errors.js";
import { DecodeError } from "../../../src/protocol/codec/reader.js";
import { openSmall, produceMany } from "./small-chain.js";

let source: OpenChain;
let open: OpenChain;
let blocks: Uint8Array[];
beforeEach(async () => {
	[source, open] = [await openSmall(), await openSmall()];
	blocks = produceMany(source, 12).map(({ bytes }) => bytes);
});
afterEach(async () => {
	for (const each of [source, open]) await each.close();
});

describe("an import", () => {
	test("applies every block in order, and skips those that are there", async () => {
		const first = await importBlocks({ open, pool: undefined }, blocks.slice(0, 5));
		expect(first).toMatchObject({ blocks: 5, transactions: 0 });
		const second = await importBlocks({ open, pool: undefined }, blocks);
		expect(second?.blocks).toBe(7);
		expect(open.chain.head.idHex).toBe(source.chain.head.idHex);
		expect(await importBlocks({ open, pool: undefined }, blocks)).toBeUndefined();
	});

	test("stops at the first block that is refused, and keeps those before it", async () => {
		const broken = [...blocks];
		const bad = Buffer.from(broken[6] as Uint8Array);
		// A byte of the stored root: the header's last field but the parent, version and signature is untouched.
		bad[bad.indexOf(Buffer.from([0x12, 0x20])) + 5] = 0xee;
		broken[6] = bad;
		await expect(importBlocks({ open, pool: undefined }, broken)).rejects.toThrow(BadBlockError);
		expect(open.chain.head.number).toBe(6n);
	});

	test("stops at bytes that are no block", async () => {
		const broken = [...blocks.slice(0, 2), Buffer.of(0x0a, 0x7f)];
		await expect(importBlocks({ open, pool: undefined }, broken)).rejects.toThrow(DecodeError);
	});

	test("ends after the current block when it is told to", async () => {
		const stop = new AbortController();
		const last = await importBlocks(
			{
				open,
				pool: undefined,
				signal: stop.signal,
				onProgress: ({ block }) => {
					if (block.number === 3n) stop.abort();
				},
			},
			blocks,
		);
		expect(last?.block.number).toBe(3n);
		expect(open.chain.head.number).toBe(3n);
	});
});
