import { mkdtempSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { NodeChain } from "../../../src/node/network/node-chain.js";
import { be64, toHex } from "../../../src/protocol/bytes.js";
import { openSmall, produceMany, smallConfig, transfer, users } from "./small-chain.js";

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-old-blocks-"));
});
afterEach(() => {
	rmSync(directory, { recursive: true, force: true });
});

const moverLimits = { kept: 3, blocks: 4, bytes: 1 << 20, groupBytes: 400 };
const segmentsIn = (): string[] => readdirSync(join(directory, "segments")).sort();

function openHere(more = ""): Promise<OpenChain> {
	return openSmall({ dataDirectory: directory, moverLimits, config: smallConfig("", more) });
}

/** Blocks with a transfer each. */
function produceWithTransfers(open: OpenChain, count: number): void {
	for (let at = 0; at < count; at++) {
		open.chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, BigInt(at + 1)));
		produceMany(open, 1);
	}
}

/** Everything that readers can ask of the blocks. */
function history({ chain }: OpenChain): unknown[] {
	const { state } = chain;
	return Array.from({ length: Number(chain.head.number) + 1 }, (_, at) => {
		const block = chain.blockByNumber(BigInt(at));
		const infos = state.transactionResult.get(be64(BigInt(at)))?.transactioninfo;
		return block && [block.idHex, toHex(block.bytes), infos?.map(({ id }) => toHex(id))];
	});
}

test("a chain whose old blocks have moved answers as before, goes on, and is opened again", async () => {
	const open = await openHere();
	produceWithTransfers(open, 40);
	const before = history(open);
	await open.persist();
	await open.oldBlocks?.moving;
	expect(segmentsIn().length).toBeGreaterThan(4);
	expect(history(open)).toEqual(before);
	produceWithTransfers(open, 20);
	const whole = history(open);
	await open.close();

	const again = await openHere();
	expect(history(again)).toEqual(whole);
	produceMany(again, 1);
	await again.oldBlocks?.moving;
	await again.close();
});

test("node.blocks.segments = false leaves blocks where they are, and reads what was moved", async () => {
	const still = await openHere("node.blocks.segments = false");
	produceWithTransfers(still, 30);
	await still.persist();
	const before = history(still);
	await still.close();
	expect(() => segmentsIn()).toThrow("ENOENT");
	const moved = await openHere();
	await moved.oldBlocks?.moving;
	await moved.close();
	const [files] = [segmentsIn()];
	expect(files.length).toBeGreaterThan(2);
	const again = await openHere("node.blocks.segments = false");
	expect(history(again)).toEqual(before);
	await again.close();
	expect(segmentsIn()).toEqual(files);
});

test("with a number of blocks to keep, older ones go with their receipts and indexes, and peers are told", async () => {
	const keptBlocks = 12;
	const open = await openSmall({ dataDirectory: directory, moverLimits, keptBlocks });
	const chain = new NodeChain({
		open,
		pool: undefined,
		report: (error) => {
			throw error;
		},
	});
	expect(chain.lowestNumber).toBe(0n);
	produceWithTransfers(open, 40);
	const before = history(open);
	const ids = Array.from({ length: 40 }, (_, at) =>
		open.chain.blockByNumber(BigInt(at + 1))?.transactions.map(({ id }) => id),
	);
	await open.persist();
	await open.oldBlocks?.moving;
	const lowest = Number(open.oldBlocks?.lowest);
	const stored = Number(open.database.finalizedNumber);
	// Whole segments of four blocks go.
	expect(stored - lowest + 1).toBeGreaterThanOrEqual(keptBlocks);
	expect(stored - lowest + 1).toBeLessThan(keptBlocks + 4);
	expect(chain.lowestNumber).toBe(BigInt(lowest));
	await open.close();

	const again = await openSmall({ dataDirectory: directory, moverLimits, keptBlocks });
	expect(Number(again.oldBlocks?.lowest)).toBe(lowest);
	expect(history(again)).toEqual(before.map((block, at) => (at > 0 && at < lowest ? undefined : block)));
	for (const [at, inBlock] of ids.entries()) {
		for (const id of inBlock ?? []) expect(again.chain.state.transaction.has(id)).toBe(at + 1 >= lowest);
	}
	expect(segmentsIn()[0]).toBe(`${String(lowest).padStart(12, "0")}.seg`);
	produceWithTransfers(again, 3);
	await again.close();
});

test("a node doesn't start where a segment is cut or missing, and says which", async () => {
	const open = await openHere();
	produceWithTransfers(open, 30);
	await open.persist();
	await open.oldBlocks?.moving;
	await open.close();
	const path = join(directory, "segments", segmentsIn()[1] as string);
	truncateSync(path, 100);
	await expect(openHere()).rejects.toThrow(`the segment ${path} is damaged: it has 100 bytes instead of`);
	rmSync(path);
	await expect(openHere()).rejects.toThrow(`the segment ${path} is damaged: it is missing`);
});
