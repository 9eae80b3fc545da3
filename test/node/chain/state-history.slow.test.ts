import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { ConfigError } from "../../../src/hocon/hocon.js";
import { HistorySweeper } from "../../../src/node/chain/history-sweeper.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { ChangeHistory } from "../../../src/node/state/change-history.js";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { stores } from "../../../src/node/state/definition.js";
import { HISTORY_PREFIX } from "../../../src/node/state/history-format.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { refBlockOf } from "../../../src/protocol/block.js";
import { be64 } from "../../../src/protocol/bytes.js";
import { openSmall, produce, smallConfig, transfer, users } from "./small-chain.js";

const receiver = users[1] as Uint8Array;
const config = (state: string) => smallConfig("", `node.history.state = "${state}"`);

const directories: string[] = [];
afterEach(() => {
	for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});
const directory = (): string => {
	const made = mkdtempSync(join(tmpdir(), "coin-state-history-"));
	directories.push(made);
	return made;
};

/** Produces blocks, each with a transfer of as much as its number. */
function advance(open: OpenChain, blocks: number): void {
	for (let at = 0; at < blocks; at++) {
		open.chain.pushTransaction(transfer(open, 0, receiver, open.chain.head.number + 1n));
		produce(open);
	}
}

const START = 1_000_000_000_000n;
const received = (number: bigint): bigint => START + (number * (number + 1n)) / 2n;
const balanceAt = (open: OpenChain, number: bigint): bigint | undefined =>
	open.stateAt(number)?.account.get(receiver)?.balance;

describe("node.history.state", () => {
	test("lets the state of every block be read, also after a restart", async () => {
		const dataDirectory = directory();
		const options = { config: config("all"), dataDirectory };
		let open = await openSmall(options);
		advance(open, 20);
		await open.close();
		open = await openSmall(options);
		advance(open, 5);
		expect(open.database.finalizedNumber).toBeGreaterThan(10n);
		for (let number = 0n; number <= 25n; number++) {
			expect(balanceAt(open, number)).toBe(received(number));
			const { properties, blockIndex, transaction } = open.stateAt(number) as NonNullable<
				ReturnType<OpenChain["stateAt"]>
			>;
			expect(properties.headNumber).toBe(number);
			expect(blockIndex.has(be64(number))).toBe(true);
			expect(blockIndex.has(be64(number + 1n))).toBe(false);
			for (const later of [number, number + 1n]) {
				const block = open.chain.blockByNumber(later);
				const [sent] = block?.transactions ?? [];
				if (later > 0n && sent)
					expect([number, later, transaction.has(sent.id)]).toEqual([number, later, later <= number]);
				if (!block) continue;
				const { refBlockBytes, refBlockHash } = refBlockOf(block.id);
				const found = open.stateAt(number)?.recentBlock.get(refBlockBytes);
				expect(found && Buffer.from(found)).toEqual(later <= number ? Buffer.from(refBlockHash) : undefined);
			}
		}
		await open.close();
	});

	test("goes on where a kill left the database behind the log", async () => {
		const dataDirectory = directory();
		const storage = createMemoryDatabase();
		const options = { config: config("all"), dataDirectory, storage };
		const first = await openSmall(options);
		advance(first, 12);
		await first.flushNow();
		advance(first, 6);
		// The process is gone: nothing is closed.
		const open = await openSmall(options);
		expect(open.chain.head.number).toBe(18n);
		for (let number = 0n; number <= 18n; number++) expect(balanceAt(open, number)).toBe(received(number));
		await open.close();
	});

	test("begins with the block at which it was switched on, and keeps as many as it says", async () => {
		const dataDirectory = directory();
		let open = await openSmall({ config: smallConfig(), dataDirectory });
		advance(open, 10);
		const settled = open.database.finalizedNumber;
		await open.close();
		open = await openSmall({ config: config("4"), dataDirectory });
		expect(open.database.lowestKnown).toBe(settled);
		advance(open, 2);
		expect(balanceAt(open, settled)).toBe(received(settled));
		expect(balanceAt(open, settled - 1n)).toBeUndefined();
		advance(open, 8);
		const lowest = open.database.finalizedNumber - 4n;
		expect(balanceAt(open, lowest)).toBe(received(lowest));
		expect(balanceAt(open, lowest - 1n)).toBeUndefined();
		await open.close();
	});

	test("is kept through a start without it that adds no block, and erased after one that does", async () => {
		const dataDirectory = directory();
		let storage = createMemoryDatabase();
		const keys = async (): Promise<number> => {
			let count = 0;
			for await (const _ of storage.entries(Uint8Array.of(HISTORY_PREFIX))) count++;
			return count;
		};
		storage = { ...storage, close: async () => {} };
		const openAs = (state: string) => openSmall({ config: config(state), dataDirectory, storage });
		let open = await openAs("all");
		advance(open, 10);
		await open.close();
		await (await openAs("off")).close();
		open = await openAs("all");
		expect(balanceAt(open, 3n)).toBe(received(3n));
		await open.close();
		open = await openAs("off");
		advance(open, 5);
		await open.close();
		expect(await keys()).toBeGreaterThan(10);
		open = await openAs("off");
		await expect.poll(keys, { interval: 5 }).toBe(0);
		await open.close();
	});

	test.each(["no", "0", "-1", "1.5", ""])("doesn't take %o", (value) => {
		expect(() => config(value)).toThrow(ConfigError);
	});
});

test("sweeping leaves what the kept blocks need, and nothing else", async () => {
	const database = createMemoryDatabase();
	const state = await StateDatabase.open(database);
	const history = await state.keepChanges(0n, 1_000);
	const put = (key: string, value: number): void =>
		state.headBackend.put(stores.storageRow, key, Uint8Array.of(value & 0xff));
	for (let number = 1; number <= 3_000; number++) {
		put("always", number);
		if (number === 5) put("once", 5);
		if (number % 700 === 0) put("seldom", number / 700);
		state.commitBlock(BigInt(number));
		state.settle(BigInt(number));
	}
	await state.flush(false);
	const sweeper = new HistorySweeper({ database, history, keep: 1_000, now: () => 0, pause: async () => {} });
	await sweeper.run();
	// 2,000 is the first block that the database says it knows; the sweeper began at that one.
	expect(history.status.first).toBe(2_000);
	for (let number = 3_001; number <= 3_400; number++) {
		put("always", number);
		state.commitBlock(BigInt(number));
		state.settle(BigInt(number));
	}
	await state.flush(false);
	await sweeper.run();
	await state.flush(false);
	let [values, rows] = [0, 0];
	for await (const [key] of database.entries(Uint8Array.of(HISTORY_PREFIX, 1))) {
		if (key[2] === 2) values++;
		else rows++;
	}
	// Changes of "always" in 2,401 to 3,400, of "seldom" in 2,800.
	expect([values, rows]).toEqual([1_001, 4]);
	for (const number of [2_400, 2_799, 2_800, 3_399, 3_400]) {
		const backend = state.stateAfter(BigInt(number));
		const read = (key: string) => backend?.get(stores.storageRow, key)?.[0];
		expect([number, read("always"), read("once"), read("seldom")]).toEqual([
			number,
			number & 0xff,
			5,
			Math.floor(number / 700),
		]);
	}
	expect(await ChangeHistory.open(database, 3_400n, () => true, 1_000)).toMatchObject({ first: 2_400 });
});
