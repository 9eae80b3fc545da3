/** Old blocks that stay where a reference node wrote them. */

import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Adopted, adopt, judgeSource } from "../../../src/node/adoption/adoption.js";
import { openForeignStore } from "../../../src/node/adoption/engine/foreign-store.js";
import { openSourceDirectory } from "../../../src/node/adoption/source-directory.js";
import {
	transactionById,
	transactionInfoById,
	transactionInfosOfBlock,
} from "../../../src/node/api/queries/blocks.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { createMemoryDatabase, type KeyValueDatabase } from "../../../src/node/state/database.js";
import { stores as definitions } from "../../../src/node/state/definition.js";
import { be64, readBe64, toHex } from "../../../src/protocol/bytes.js";
import { TransactionInfo } from "../../../src/protocol/messages.js";
import { openSmall, produce, smallConfig, transfer, users } from "../chain/small-chain.js";
import { storesOf } from "./fake-source.js";
import { writeDirectory } from "./made-directory.js";

const BLOCKS = 24;
/** Blocks that are copied in any case. */
const KEPT = 4n;

let root: string;
let original: OpenChain;
beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), "coin-in-place-"));
	original = await openSmall();
	for (let i = 0; i < BLOCKS; i++) {
		if (i % 3 !== 0)
			original.chain.pushTransaction(transfer(original, 0, users[1] as Uint8Array, BigInt(i + 1)));
		produce(original);
	}
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function adoptInPlace(database: KeyValueDatabase): Promise<Adopted | undefined> {
	const config = smallConfig();
	const judged = await judgeSource(openSourceDirectory(root, openForeignStore), config);
	const options = { config, blocks: "in-place" as const, keptBlocks: KEPT, onProgress: () => true };
	return adopt(judged, database, "data", options);
}

/** Of a block, encoded. */
function receipts({ chain }: OpenChain, number: bigint): string[] {
	return transactionInfosOfBlock(chain.state, number).map((info) => toHex(TransactionInfo.encode(info)));
}

/** Numbers of the blocks that a database holds itself. */
async function ownBlocks(database: KeyValueDatabase): Promise<number[]> {
	const numbers: number[] = [];
	for await (const [key] of database.entries(Uint8Array.of(definitions.block.index))) {
		numbers.push(Number(readBe64(key.subarray(1))));
	}
	return numbers;
}

describe("old blocks in place", () => {
	it("are there for every query, as if they had been copied", async () => {
		await writeDirectory(root, await storesOf(original));
		const database = createMemoryDatabase();
		expect((await adoptInPlace(database))?.lowest).toBe(1n);
		expect(await ownBlocks(database)).toEqual([0, 21, 22, 23, 24]);
		const open = await openSmall({ storage: database });
		expect(open.lowestNumber).toBe(1n);
		const { state } = open.chain;
		for (let number = 0n; number <= BLOCKS; number++) {
			const block = original.chain.blockByNumber(number);
			expect(open.chain.blockByNumber(number)?.idHex).toBe(block?.idHex);
			expect(receipts(open, number)).toEqual(receipts(original, number));
			for (const { id, idHex } of number > 0n ? (block?.transactions ?? []) : []) {
				expect(transactionById(state, id)?.idHex).toBe(idHex);
				expect(transactionInfoById(state, id)?.blockNumber).toBe(number);
			}
		}
		expect(open.chain.blockByNumber(BigInt(BLOCKS + 1))).toBeUndefined();
		for (let i = 0; i < 3; i++) open.chain.push(produce(original), "import");
		expect(open.chain.head.idHex).toBe(original.chain.head.idHex);
		await open.close();
	});

	it("are copied where only a log or the checkpoint holds them", async () => {
		const isLate = (key: Uint8Array): boolean => readBe64(key) % 5n === 0n;
		await writeDirectory(root, await storesOf(original), (store, key) =>
			["block", "block-index", "transactionRetStore"].includes(store) && isLate(key) ? "log" : "table",
		);
		const database = createMemoryDatabase();
		await adoptInPlace(database);
		expect(await ownBlocks(database)).toEqual([0, 5, 10, 15, 20, 21, 22, 23, 24]);
		const open = await openSmall({ storage: database });
		for (let number = 0n; number <= BLOCKS; number++) {
			expect(open.chain.blockByNumber(number)?.number).toBe(number);
			expect(receipts(open, number)).toEqual(receipts(original, number));
		}
		await open.close();
	});

	it("keep the index of what could be sent again, and only look further for queries", async () => {
		const stores = await storesOf(original);
		const recent = [...(stores.get("recent-transaction") ?? [])];
		stores.set(
			"recent-transaction",
			new Map(recent.filter(([key]) => key.charCodeAt(1) > BLOCKS - Number(KEPT))),
		);
		await writeDirectory(root, stores);
		const database = createMemoryDatabase();
		await adoptInPlace(database);
		const open = await openSmall({ storage: database });
		const [old] = original.chain.blockByNumber(3n)?.transactions ?? [];
		const [late] = original.chain.blockByNumber(24n)?.transactions ?? [];
		if (!old || !late) throw new Error("these blocks have transactions");
		const { transaction } = open.chain.state;
		expect([transaction.has(old.id), transaction.has(late.id)]).toEqual([false, true]);
		expect(toHex(transaction.find(old.id) ?? Uint8Array.of())).toBe(toHex(be64(3n)));
		await open.close();
	});

	it("aren't left there if a log deletes some of them", async () => {
		await writeDirectory(root, await storesOf(original));
		const db = new ClassicLevel<Uint8Array, Uint8Array>(join(root, "transactionRetStore"), {
			keyEncoding: "view",
		});
		await db.open();
		await db.del(be64(2n));
		await db.close();
		await expect(adoptInPlace(createMemoryDatabase())).rejects.toThrow(
			/a log of the store transactionRetStore deletes what its tables hold at 0000000000000002: use --blocks copy/,
		);
	});
});

describe("a start on old blocks in place", () => {
	const start = async (change: (store: string) => void): Promise<OpenChain> => {
		await writeDirectory(root, await storesOf(original));
		const database = createMemoryDatabase();
		await adoptInPlace(database);
		change(join(root, "block"));
		return openSmall({ storage: database });
	};
	const table = (store: string): string =>
		join(store, readdirSync(store).find((name) => /\.(ldb|sst)$/.test(name)) as string);

	it("is refused when the directory is gone", async () => {
		const gone = start(() => renameSync(root, `${root}-elsewhere`));
		await expect(gone).rejects.toThrow(
			`old blocks can't be read where they lay: ${root}/block/CURRENT: is missing`,
		);
		renameSync(`${root}-elsewhere`, root);
	});

	it("is refused when an engine has written to it", async () => {
		const opened = start((store) => {
			const name = readFileSync(join(store, "CURRENT"), "latin1").trim();
			appendFileSync(join(store, name), Buffer.alloc(7));
		});
		await expect(opened).rejects.toThrow(
			/the store block in .*\/block was written to since its old blocks were adopted/,
		);
	});

	it("is refused where new blocks are dropped: a gap would come between", async () => {
		await writeDirectory(root, await storesOf(original));
		const database = createMemoryDatabase();
		await adoptInPlace(database);
		const config = smallConfig("", "node.blocks.keep = 100000");
		await expect(openSmall({ storage: database, config })).rejects.toThrow(
			/node\.blocks\.keep can't be a number while old blocks are read where they were adopted/,
		);
	});

	it("is refused when a table is missing", async () => {
		await expect(start((store) => rmSync(table(store)))).rejects.toThrow(/\/block\/\d{6}\.sst: is missing/);
	});

	it("is refused when a table has another size", async () => {
		await expect(start((store) => appendFileSync(table(store), "x"))).rejects.toThrow(
			/\/block\/\d{6}\.ldb: is damaged: it has \d+ bytes/,
		);
	});

	it("doesn't see a changed byte, which is found when it is read", async () => {
		const open = await start((store) => {
			const bytes = readFileSync(table(store));
			bytes[200] = (bytes[200] as number) ^ 1;
			writeFileSync(table(store), bytes);
		});
		expect(() => open.chain.blockByNumber(1n)).toThrow(
			/\/block\/\d{6}\.ldb: .*is not what its checksum says/,
		);
		expect(open.chain.blockByNumber(24n)?.number).toBe(24n);
		await open.close();
	});
});
