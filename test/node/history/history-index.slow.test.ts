import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { HistoryIndex } from "../../../src/node/history/history-index.js";
import { openHistoryStore } from "../../../src/node/history/history-store.js";
import type { PageQuery } from "../../../src/node/history/pages.js";
import { readPlace } from "../../../src/node/history/rows.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { openSmall, produce, users } from "../chain/small-chain.js";
import { all, expected, expectWhole, follow, grow, shown, until } from "./followed-chain.js";
import { KeptStore } from "./kept-stores.js";
import { MemoryStore } from "./memory-store.js";
import { noPostgresql, Schemas, storeIn } from "./postgresql/schemas.js";

const [anna, bert, carl] = users as [Uint8Array, Uint8Array, Uint8Array];
const directories: string[] = [];
afterEach(() => {
	for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function newDirectory(): string {
	const directory = mkdtempSync(join(tmpdir(), "coin-history-"));
	directories.push(directory);
	return directory;
}

/** A directory with more blocks than are indexed at a time, without an index; made once. */
let longChain: string | undefined;
afterAll(() => {
	if (longChain) rmSync(longChain, { recursive: true, force: true });
});

async function makeLongChain(): Promise<string> {
	const directory = mkdtempSync(join(tmpdir(), "coin-history-"));
	const plain = await follow(directory, undefined);
	grow(plain, 1_100);
	await plain.close();
	return directory;
}

/** All pages of a query, one after the other. */
async function inPages(index: HistoryIndex, query: PageQuery): Promise<string[]> {
	const found: string[] = [];
	let after: PageQuery["after"];
	for (let pages = 0; pages < 1_000; pages++) {
		const page = await index.page({ ...query, after });
		found.push(...shown(page));
		if (!page.next) return found;
		after = page.next;
	}
	throw new Error("pages without end");
}

let schemas: Schemas;
if (!noPostgresql) {
	beforeAll(async () => {
		schemas = await Schemas.open();
	});
	afterAll(() => schemas.close());
}

const STORES: readonly (readonly [string, string | undefined, () => KeptStore])[] = [
	[
		"memory",
		undefined,
		() => {
			const store = new MemoryStore();
			return new KeptStore(async () => store);
		},
	],
	[
		"LevelDB",
		undefined,
		() => {
			const directory = join(newDirectory(), "history");
			return new KeptStore(() => openHistoryStore(directory));
		},
	],
	[
		"PostgreSQL",
		noPostgresql,
		() => {
			const address = schemas.next();
			return new KeptStore(() => storeIn(address));
		},
	],
];

/** Runs a test over each store. */
function over(name: string, test: (keep: () => KeptStore) => Promise<void>): void {
	for (const [where, missing, keep] of STORES) {
		it.skipIf(missing)(`${name}, in ${where}${missing ? ` (${missing})` : ""}`, () => test(keep));
	}
}

describe("the history index", () => {
	it("knows the transactions of each account, those of unfinished blocks too", async () => {
		const followed = await follow(undefined, undefined);
		grow(followed, 12);
		expect(expected(followed.open, anna).length).toBeGreaterThan(8);
		await expectWhole(followed);
		expect(followed.index.coverage).toEqual({ lowest: 0, from: 0, isComplete: true, missing: 0 });
		await followed.close();
	});

	over("gives pages of any size in both orders, of store and memory as one list", async (keep) => {
		const followed = await follow(newDirectory(), await keep().open());
		grow(followed, 60);
		await followed.open.flushNow();
		grow(followed, 5);
		for (const descending of [false, true]) {
			for (const limit of [1, 2, 7, 200]) {
				const wanted = expected(followed.open, anna);
				const found = await inPages(followed.index, { ...all(anna), limit, descending });
				expect(found).toEqual(descending ? wanted.reverse() : wanted);
			}
		}
		const some = await followed.index.page({ ...all(carl), from: 10, to: 20 });
		expect(shown(some)).toEqual(
			expected(followed.open, carl).filter(
				(text) => Number.parseInt(text, 10) >= 10 && Number.parseInt(text, 10) <= 20,
			),
		);
		await followed.close();
	});

	over("goes on after a restart, and after a kill at any write", async (keep) => {
		for (let writes = 0; writes < 6; writes++) {
			const directory = newDirectory();
			const store = keep();
			store.writesLeft = writes;
			const killed = await follow(directory, await store.open());
			grow(killed, 70);
			await killed.open.flushNow();
			grow(killed, 5);
			await killed.open.close();
			expect(killed.failures.length).toBeLessThanOrEqual(1);
			await store.kill();
			const again = await follow(directory, await store.open());
			grow(again, 6, 1_000);
			await again.close();
			const last = await follow(directory, await store.open());
			await expectWhole(last);
			expect(last.index.coverage).toMatchObject({ isComplete: true });
			await last.close();
		}
	});

	over("follows the chain to another branch", async (keep) => {
		const followed = await follow(newDirectory(), await keep().open());
		const { open } = followed;
		grow(followed, 30);
		await open.flushNow();
		const fork = open.chain.head;
		grow(followed, 1, 500);
		const before = expected(open, bert);
		// The same witnesses' blocks without the transactions, later by as many slots as are needed to be longer.
		const other = await openSmall();
		for (let number = 1n; number <= fork.number; number++)
			other.chain.push(open.chain.blockByNumber(number) as SignedBlock, "peer");
		const branch = [produce(other, 2n), produce(other, 1n)];
		for (const block of branch) open.chain.push(SignedBlock.decode(block.bytes), "peer");
		const parent = branch[1] as SignedBlock;
		expect(open.chain.head.idHex).toBe(parent.idHex);
		expect(expected(open, bert)).not.toEqual(before);
		await expectWhole(followed);
		await followed.close();
	});

	over("indexes the blocks that were there before it, downwards", async (keep) => {
		const directory = newDirectory();
		longChain ??= await makeLongChain();
		cpSync(longChain, directory, { recursive: true });
		const store = keep();
		const followed = await follow(directory, await store.open());
		expect(followed.index.coverage.isComplete).toBe(false);
		expect(followed.index.coverage.missing).toBeGreaterThan(1_000);
		await until(() => followed.index.coverage.isComplete);
		await expectWhole(followed);
		await followed.close();
		// What stopped half-way goes on where it was.
		await store.clear();
		store.writesLeft = 1;
		const killed = await follow(directory, await store.open());
		await until(() => killed.failures.length > 0);
		await killed.close();
		await store.kill();
		const again = await follow(directory, await store.open());
		await until(() => again.index.coverage.isComplete);
		await expectWhole(again);
		await again.close();
	});

	over("leaves out the blocks below its lowest one, which on a fork are another node's", async (keep) => {
		const directory = newDirectory();
		const plain = await follow(directory, undefined);
		grow(plain, 20);
		await plain.close();
		for (const store of [undefined, await keep().open()]) {
			const followed = await follow(directory, store, 11);
			await until(() => followed.index.coverage.isComplete);
			expect(followed.index.coverage).toEqual({ lowest: 11, from: 11, isComplete: true, missing: 0 });
			const wanted = expected(followed.open, anna).filter((text) => Number.parseInt(text, 10) >= 11);
			expect(shown(await followed.index.page(all(anna)))).toEqual(wanted);
			await followed.close();
		}
	});

	over("stands still where its store fails, says so, and leaves the chain alone", async (keep) => {
		const store = keep();
		store.writesLeft = 0;
		const followed = await follow(newDirectory(), await store.open());
		grow(followed, 30);
		await followed.open.flushNow();
		grow(followed, 5);
		expect(followed.failures).toHaveLength(1);
		await expect(followed.index.page(all(anna))).rejects.toThrow("could not be written");
		expect(followed.open.chain.head.number).toBe(35n);
		await followed.close();
	});

	over("finds what a filter leaves in pages that end early", async (keep) => {
		const followed = await follow(newDirectory(), await keep().open());
		grow(followed, 60);
		await followed.open.flushNow();
		const last = expected(followed.open, anna).at(0);
		const accepts = ({ suffix }: { readonly suffix: string }): boolean => readPlace(suffix).height === 0;
		const found = await inPages(followed.index, { ...all(anna), limit: 1, descending: true, accepts });
		expect(found).toEqual([last]);
		await followed.close();
	});

	over("makes a store again that is of another chain, and says that it was ahead", async (keep) => {
		const store = keep();
		const other = await follow(newDirectory(), await store.open());
		grow(other, 40, 7_000);
		await other.close();
		const ahead: number[] = [];
		const onAhead = (to: number): void => void ahead.push(to);
		const followed = await follow(newDirectory(), await store.open(), 0, { onAhead });
		expect(ahead).toEqual([expect.any(Number)]);
		grow(followed, 40);
		await followed.open.flushNow();
		await expectWhole(followed);
		await followed.close();
	});

	over("reads the same after a restart", async (keep) => {
		const directory = newDirectory();
		const store = keep();
		const first = await follow(directory, await store.open());
		grow(first, 60);
		await first.open.flushNow();
		await expectWhole(first);
		await first.close();
		const again = await follow(directory, await store.open());
		grow(again, 3);
		await expectWhole(again);
		expect(await inPages(again.index, { ...all(anna), limit: 3, descending: true })).toEqual(
			expected(again.open, anna).reverse(),
		);
		await again.close();
	});
});
