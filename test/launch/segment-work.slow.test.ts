import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkSegments, listSegments, removeStrays } from "../../src/launch/segment-work.js";
import { openSmall, produceMany, transfer, users } from "../node/chain/small-chain.js";

let directory: string;
let database: string;
const file = (name: string): string => join(directory, "segments", name);

beforeEach(async () => {
	directory = mkdtempSync(join(tmpdir(), "coin-segment-work-"));
	database = join(directory, "database");
	const open = await openSmall({
		dataDirectory: directory,
		moverLimits: { kept: 3, blocks: 4, bytes: 1 << 20, groupBytes: 400 },
	});
	for (let at = 0; at < 20; at++) {
		open.chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, BigInt(at + 1)));
		produceMany(open, 1);
	}
	await open.persist();
	await open.oldBlocks?.moving;
	await open.close();
});
afterEach(() => {
	rmSync(directory, { recursive: true, force: true });
});

const check = () => checkSegments(directory, database, () => true);

test("segments are listed and checked block by block", async () => {
	const list = await listSegments(directory, database);
	expect(list.slice(0, 2)).toMatchObject([
		{ first: 1n, last: 4n, isMoved: true },
		{ first: 5n, last: 8n, isMoved: true },
	]);
	expect(await check()).toMatchObject({ segments: list.length, blocks: list.length * 4 });
	expect(await checkSegments(directory, database, () => false)).toBeUndefined();
});

test("a damaged group is named with its file", async () => {
	const path = file("000000000005.seg");
	const bytes = readFileSync(path);
	bytes.writeUInt8(bytes.readUInt8(200) ^ 1, 200);
	writeFileSync(path, bytes);
	await expect(check()).rejects.toThrow(
		new RegExp(`the segment ${path} is damaged: its bytes from \\d+ on have changed`),
	);
});

test("what a kill left is removed, and nothing else", async () => {
	const before = readdirSync(join(directory, "segments"));
	writeFileSync(file("000000000021.seg.new"), "half");
	writeFileSync(file("000000000021.seg"), "not noted");
	writeFileSync(file("notes.txt"), "somebody's");
	await removeStrays(directory, database);
	expect(readdirSync(join(directory, "segments")).sort()).toEqual([...before, "notes.txt"].sort());
	expect(await check()).toBeDefined();
});

test("a directory in use is left alone", async () => {
	const open = await openSmall({ dataDirectory: directory });
	await expect(check()).rejects.toThrow("is in use by another node");
	await open.close();
});
