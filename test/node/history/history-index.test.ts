import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { HistoryIndex, ownerKey } from "../../../src/node/history/history-index.js";
import { type HistoryStore, openHistoryStore } from "../../../src/node/history/history-store.js";
import type { HistoryPage, PageQuery } from "../../../src/node/history/pages.js";
import { readPlace, readPointer } from "../../../src/node/history/rows.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { openSmall, produce, transfer, users } from "../chain/small-chain.js";
import { MemoryStore } from "./memory-store.js";

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

interface Followed {
	readonly open: OpenChain;
	readonly index: HistoryIndex;
	readonly failures: unknown[];
	close(): Promise<void>;
}

/** A chain and its index, as the node wires them. */
async function follow(
	dataDirectory: string | undefined,
	store: HistoryStore | undefined,
	lowestNumber = 0,
): Promise<Followed> {
	const open = await openSmall({ dataDirectory, flushLimits: { entries: 60, logBytes: 64 << 20 } });
	const { chain, database } = open;
	const failures: unknown[] = [];
	const index = await HistoryIndex.open({
		chain: {
			get state() {
				return chain.state;
			},
			block: (number) => chain.blockByNumber(BigInt(number)),
			get headNumber() {
				return Number(chain.state.properties.headNumber);
			},
			get storedNumber() {
				return Number(database.settledNumber);
			},
			lowestNumber,
			hasReceipts: true,
			flush: () => open.flushNow(),
		},
		store,
		pace: { now: () => 0, pause: () => Promise.resolve() },
		onFailure: (error) => failures.push(error),
	});
	chain.observe(index);
	if (store) open.followBase((number) => index.storedUpTo(Number(number)));
	return {
		open,
		index,
		failures,
		close: async () => {
			await open.close();
			await index.close();
		},
	};
}

/** Blocks with transfers among the three; what is sent is told by the amount. */
function grow({ open }: Followed, blocks: number, first = 1): void {
	for (let n = 0; n < blocks; n++) {
		const [from, to] = n % 3 === 0 ? [0, bert] : n % 3 === 1 ? [1, carl] : [0, carl];
		open.chain.pushTransaction(transfer(open, from, to as Uint8Array, BigInt(first + n)));
		produce(open);
	}
}

/** `height:directions` of an account's transactions, by looking through all blocks. */
function expected({ chain }: OpenChain, account: Uint8Array): string[] {
	const found: string[] = [];
	for (let number = 0n; number <= chain.state.properties.headNumber; number++) {
		for (const transaction of chain.blockByNumber(number)?.transactions ?? []) {
			const { owner_address, to_address } = transaction.parameter as unknown as Record<string, Uint8Array>;
			const isOf = (address: Uint8Array | undefined): boolean =>
				address !== undefined && toHex(address) === toHex(account);
			const directions = (isOf(owner_address) ? 1 : 0) | (isOf(to_address) ? 2 : 0);
			if (directions > 0) found.push(`${number}:${directions}:${transaction.idHex.slice(0, 16)}`);
		}
	}
	return found;
}

const shown = ({ rows }: HistoryPage): string[] =>
	rows.map(({ suffix, value }) => {
		const { directions, mark } = readPointer(value);
		return `${readPlace(suffix).height}:${directions}:${toHex(mark)}`;
	});

const all = (account: Uint8Array): PageQuery => ({
	lists: [{ kind: "transaction", owner: ownerKey(account) }],
	from: 0,
	to: 1_000_000,
	descending: false,
	limit: 10_000,
});

async function expectWhole({ open, index }: Followed): Promise<void> {
	for (const account of users) {
		const wanted = expected(open, account);
		expect(shown(await index.page(all(account)))).toEqual(wanted);
		expect(shown(await index.page({ ...all(account), descending: true }))).toEqual(wanted.reverse());
	}
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

describe("the history index", () => {
	it("knows the transactions of each account, those of unfinished blocks too", async () => {
		const followed = await follow(undefined, undefined);
		grow(followed, 12);
		expect(expected(followed.open, anna).length).toBeGreaterThan(8);
		await expectWhole(followed);
		expect(followed.index.coverage).toEqual({ lowest: 0, from: 0, isComplete: true, missing: 0 });
		await followed.close();
	});

	it("gives pages of any size in both orders, of store and memory as one list", async () => {
		const followed = await follow(newDirectory(), new MemoryStore());
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

	it("goes on after a restart, and after a kill at any write", async () => {
		for (let writes = 0; writes < 6; writes++) {
			const directory = newDirectory();
			const store = new MemoryStore();
			store.writesLeft = writes;
			const killed = await follow(directory, store);
			grow(killed, 70);
			await killed.open.flushNow();
			grow(killed, 5);
			await killed.open.close();
			expect(killed.failures.length).toBeLessThanOrEqual(1);
			store.writesLeft = Number.POSITIVE_INFINITY;
			const again = await follow(directory, store);
			grow(again, 6, 1_000);
			await again.close();
			const last = await follow(directory, store);
			await expectWhole(last);
			expect(last.index.coverage).toMatchObject({ isComplete: true });
			await last.close();
		}
	});

	it("follows the chain to another branch", async () => {
		const followed = await follow(newDirectory(), new MemoryStore());
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

	it("indexes the blocks that were there before it, downwards", async () => {
		const directory = newDirectory();
		const plain = await follow(directory, undefined);
		grow(plain, 1_100);
		await plain.close();
		const store = new MemoryStore();
		const followed = await follow(directory, store);
		expect(followed.index.coverage.isComplete).toBe(false);
		expect(followed.index.coverage.missing).toBeGreaterThan(1_000);
		for (let n = 0; n < 2_000 && !followed.index.coverage.isComplete; n++)
			await new Promise((resolve) => setImmediate(resolve));
		await expectWhole(followed);
		await followed.close();
		// What stopped half-way goes on where it was.
		store.kept.clear();
		store.stored = undefined;
		store.writesLeft = 2;
		const killed = await follow(directory, store);
		for (let n = 0; n < 2_000 && killed.failures.length === 0; n++)
			await new Promise((resolve) => setImmediate(resolve));
		await killed.close();
		store.writesLeft = Number.POSITIVE_INFINITY;
		const again = await follow(directory, store);
		for (let n = 0; n < 2_000 && !again.index.coverage.isComplete; n++)
			await new Promise((resolve) => setImmediate(resolve));
		await expectWhole(again);
		await again.close();
	});

	it("leaves out the blocks below its lowest one, which on a fork are another node's", async () => {
		const directory = newDirectory();
		const plain = await follow(directory, undefined);
		grow(plain, 20);
		await plain.close();
		for (const store of [undefined, new MemoryStore()]) {
			const followed = await follow(directory, store, 11);
			for (let n = 0; n < 2_000 && !followed.index.coverage.isComplete; n++)
				await new Promise((resolve) => setImmediate(resolve));
			expect(followed.index.coverage).toEqual({ lowest: 11, from: 11, isComplete: true, missing: 0 });
			const wanted = expected(followed.open, anna).filter((text) => Number.parseInt(text, 10) >= 11);
			expect(shown(await followed.index.page(all(anna)))).toEqual(wanted);
			await followed.close();
		}
	});

	it("stands still where its store fails, says so, and leaves the chain alone", async () => {
		const store = new MemoryStore();
		store.writesLeft = 0;
		const followed = await follow(newDirectory(), store);
		grow(followed, 30);
		await followed.open.flushNow();
		grow(followed, 5);
		expect(followed.failures).toHaveLength(1);
		await expect(followed.index.page(all(anna))).rejects.toThrow("could not be written");
		expect(followed.open.chain.head.number).toBe(35n);
		await followed.close();
	});

	it("finds what a filter leaves in pages that end early", async () => {
		const followed = await follow(newDirectory(), new MemoryStore());
		grow(followed, 60);
		await followed.open.flushNow();
		const last = expected(followed.open, anna).at(0);
		const accepts = ({ suffix }: { readonly suffix: string }): boolean => readPlace(suffix).height === 0;
		const found = await inPages(followed.index, { ...all(anna), limit: 1, descending: true, accepts });
		expect(found).toEqual([last]);
		await followed.close();
	});

	it("makes a store again that is of another chain", async () => {
		const store = new MemoryStore();
		const other = await follow(newDirectory(), store);
		grow(other, 40, 7_000);
		await other.close();
		const followed = await follow(newDirectory(), store);
		grow(followed, 40);
		await followed.open.flushNow();
		await expectWhole(followed);
		await followed.close();
	});

	it("reads the same from LevelDB", async () => {
		const directory = newDirectory();
		const first = await follow(directory, await openHistoryStore(join(directory, "history")));
		grow(first, 60);
		await first.open.flushNow();
		await expectWhole(first);
		await first.close();
		const again = await follow(directory, await openHistoryStore(join(directory, "history")));
		grow(again, 3);
		await expectWhole(again);
		expect(await inPages(again.index, { ...all(anna), limit: 3, descending: true })).toEqual(
			expected(again.open, anna).reverse(),
		);
		await again.close();
	});
});
