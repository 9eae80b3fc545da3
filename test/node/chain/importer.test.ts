import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { importBlocks } from "../../../src/node/chain/importer.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { BlockSignatureError, MerkleRootError } from "../../../src/node/rules/errors.js";
import type { PrepareProofs } from "../../../src/node/shielded/proof-queue.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { DecodeError } from "../../../src/protocol/codec/reader.js";
import { Block, BlockHeader } from "../../../src/protocol/messages.js";
import { openSmall, produceMany, transfer, users } from "./small-chain.js";

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
		// The same header, and a transaction that it doesn't name.
		const { message } = SignedBlock.decode(broken[6] as Uint8Array);
		const payment = transfer(open, 0, users[1] as Uint8Array, 1n).message;
		broken[6] = Block.encode(Block.create({ ...message, transactions: [payment] }));
		await expect(importBlocks({ open, pool: undefined }, broken)).rejects.toThrow(MerkleRootError);
		expect(open.chain.head.number).toBe(6n);
	});

	test.each([
		["a forged signature", (header: BlockHeader) => ({ ...header, witness_signature: Buffer.alloc(65, 7) })],
		["no signature", ({ raw_data }: BlockHeader) => ({ raw_data })],
		[
			"the signature of another header",
			(header: BlockHeader) => ({
				...header,
				witness_signature: SignedBlock.decode(blocks[0] as Uint8Array).header.witness_signature,
			}),
		],
	])("refuses a block with %s", async (_, change) => {
		const { message, header } = SignedBlock.decode(blocks[3] as Uint8Array);
		const forged = Block.create({
			...message,
			block_header: BlockHeader.create(change(header as BlockHeader)),
		});
		blocks[3] = Block.encode(forged);
		await expect(importBlocks({ open, pool: undefined }, blocks)).rejects.toThrow(BlockSignatureError);
		expect(open.chain.head.number).toBe(3n);
	});

	test("stops at bytes that are not a block", async () => {
		const broken = [...blocks.slice(0, 2), Buffer.of(0x0a, 0x7f)];
		await expect(importBlocks({ open, pool: undefined }, broken)).rejects.toThrow(DecodeError);
	});

	test("has proofs of the next blocks checked while one waits for its own", async () => {
		let answer: () => void = () => {};
		const first = new Promise<void>((resolve) => {
			answer = resolve;
		});
		let asked = 0;
		const prepare: PrepareProofs = (_, lane) => {
			expect(lane).toBe("block");
			return asked++ === 0 ? first : undefined;
		};
		const ended = importBlocks({ open, pool: undefined, prepare }, blocks);
		while (asked < 9) await new Promise(setImmediate);
		for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
		expect(asked).toBe(9);
		expect(open.chain.head.number).toBe(0n);
		answer();
		expect((await ended)?.blocks).toBe(12);
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
