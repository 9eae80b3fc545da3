import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { HistoryFollower } from "../../../src/node/history/history-follower.js";
import { HistoryFailure } from "../../../src/node/history/history-index.js";
import { type HistoryStore, StoreAway } from "../../../src/node/history/history-store.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { openSmall, users } from "../chain/small-chain.js";
import { all, chainOf, expectWhole, type Followed, follow, grow, until } from "./followed-chain.js";
import { MemoryStore } from "./memory-store.js";
import { noPostgresql, Schemas, storeIn } from "./postgresql/schemas.js";

const anna = users[0] as Uint8Array;
const directories: string[] = [];
afterEach(() => {
	for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function newDirectory(): string {
	const directory = mkdtempSync(join(tmpdir(), "coin-history-"));
	directories.push(directory);
	return directory;
}

/** A store behind a line that can be cut: before what is sent arrives, or before the answer does. */
class Line implements HistoryStore {
	cut: "no" | "before" | "after" = "no";

	constructor(
		readonly far: MemoryStore,
		readonly keepsOthers?: string,
	) {}

	private async over<T>(work: () => Promise<T>): Promise<T> {
		if (this.cut === "before") throw new StoreAway("no line");
		const result = await work();
		if (this.cut === "after") throw new StoreAway("no answer");
		return result;
	}

	position = () => this.over(() => this.far.position());
	write = (...given: Parameters<HistoryStore["write"]>) => this.over(() => this.far.write(...given));
	rows = (...given: Parameters<HistoryStore["rows"]>) => this.over(() => this.far.rows(...given));
	clear = () => this.over(() => this.far.clear());
	readonly bytes = 0;
	close = () => this.far.close();
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Awaited {
	readonly followed: Followed;
	readonly told: (string | undefined)[];
}

async function followAway(directory: string, store: HistoryStore): Promise<Awaited> {
	const told: (string | undefined)[] = [];
	const followed = await follow(directory, store, 0, {
		onAway: (reason) => told.push(reason),
		pauseFor: tick,
	});
	return { followed, told };
}

describe("a history whose database is away", () => {
	it.each(["before", "after"] as const)(
		"goes on where it was written, whether %s the line was cut",
		async (cut) => {
			const line = new Line(new MemoryStore());
			const { followed, told } = await followAway(newDirectory(), line);
			grow(followed, 70);
			await followed.open.flushNow();
			for (let round = 0; round < 3; round++) {
				line.cut = cut;
				grow(followed, 70, 1_000 * (round + 1));
				// The chain waits for nothing.
				await followed.open.flushNow();
				expect(followed.index.status.isReachable).toBe(false);
				await expect(followed.index.page(all(anna))).rejects.toThrow(HistoryFailure);
				grow(followed, 5);
				line.cut = "no";
				await until(() => followed.index.status.isReachable);
				await followed.open.flushNow();
				await expectWhole(followed);
				expect(followed.index.status).toEqual({ isReachable: true, behind: 0 });
			}
			expect(followed.failures).toEqual([]);
			expect(told.filter((reason) => reason === undefined)).toHaveLength(3);
			await followed.close();
		},
	);

	it("begins when the database comes, and knows what it had before", async () => {
		const directory = newDirectory();
		const line = new Line(new MemoryStore());
		const first = await followAway(directory, line);
		grow(first.followed, 80);
		await first.followed.open.flushNow();
		await first.followed.close();
		line.cut = "before";
		const again = await followAway(directory, line);
		expect(again.told).toEqual(["no line"]);
		grow(again.followed, 80, 500);
		await again.followed.open.flushNow();
		line.cut = "no";
		await until(() => again.followed.index.status.isReachable && again.followed.index.coverage.isComplete);
		await expectWhole(again.followed);
		await again.followed.close();
	});

	it("makes rows of a reverted chain again, but throws nothing away that must be kept", async () => {
		const far = new MemoryStore();
		const other = await follow(newDirectory(), new Line(far));
		grow(other, 60, 7_000);
		await other.open.flushNow();
		await other.close();
		const kept = new Line(far, "postgres://there/chain");
		await expect(followAway(newDirectory(), kept)).rejects.toThrow(
			"the history in postgres://there/chain goes up to block",
		);
		const directory = newDirectory();
		const longer = await follow(directory, undefined);
		grow(longer, 120);
		await longer.close();
		await expect(followAway(directory, kept)).rejects.toThrow("has other blocks than this chain");
		expect(far.kept.size).toBeGreaterThan(0);
		const own = await followAway(directory, new Line(far));
		await until(() => own.followed.index.coverage.isComplete);
		await expectWhole(own.followed);
		await own.followed.close();
	});
});

describe("a history that another node writes", () => {
	/** A second node with the same blocks, which only reads. */
	async function reader(
		of: Followed,
		store: HistoryStore,
	): Promise<{
		index: HistoryFollower;
		take(): void;
		close(): Promise<void>;
		told: unknown[];
		open: Awaited["followed"]["open"];
	}> {
		const directory = newDirectory();
		const open = await openSmall({ dataDirectory: directory });
		const told: unknown[] = [];
		const index = await HistoryFollower.open({
			chain: chainOf(open),
			store,
			pauseFor: tick,
			onAway: (reason) => told.push(reason),
		});
		open.chain.observe(index);
		return {
			index,
			told,
			open,
			take: () => {
				for (let number = open.chain.head.number + 1n; number <= of.open.chain.head.number; number++) {
					open.chain.push(
						SignedBlock.decode((of.open.chain.blockByNumber(number) as SignedBlock).bytes),
						"peer",
					);
				}
			},
			close: async () => {
				await index.close();
				await open.close();
			},
		};
	}

	it("is the same as the writer's, however far either is", async () => {
		const far = new MemoryStore();
		const { followed } = await followAway(newDirectory(), new Line(far));
		grow(followed, 60);
		const line = new Line(far);
		const second = await reader(followed, line);
		second.take();
		await expectWhole(second);
		for (let round = 0; round < 3; round++) {
			grow(followed, 30, 100 * (round + 1));
			await followed.open.flushNow();
			if (round === 1) await tick();
			// Whether the writer has written them or not, what the reader has is found.
			await expectWhole(second);
			second.take();
			await expectWhole(second);
			await until(() => second.index.coverage.isComplete);
			await expectWhole(second);
		}
		line.cut = "before";
		await until(() => !second.index.status.isReachable);
		await expect(second.index.page(all(anna))).rejects.toThrow(HistoryFailure);
		line.cut = "no";
		await until(() => second.index.status.isReachable);
		await expectWhole(second);
		await second.close();
		await followed.close();
	});

	it("is not answered from where it is another chain's", async () => {
		const far = new MemoryStore();
		const { followed } = await followAway(newDirectory(), new Line(far));
		grow(followed, 60);
		await followed.open.flushNow();
		const other = await follow(newDirectory(), undefined);
		grow(other, 80, 9_000);
		const second = await reader(other, new Line(far));
		second.take();
		await until(() => !second.index.status.isReachable);
		expect(second.told).toEqual([expect.stringContaining("has another block")]);
		for (const each of [second, followed, other]) await each.close();
	});
});

describe.skipIf(noPostgresql)(`a PostgreSQL server${noPostgresql ? ` (${noPostgresql})` : ""}`, () => {
	let schemas: Schemas;
	beforeAll(async () => {
		schemas = await Schemas.open();
	});
	afterAll(() => schemas?.close());

	it("may be killed while its history is written", async () => {
		const { followed, told } = await followAway(newDirectory(), await storeIn(schemas.next()));
		for (let round = 0; round < 4; round++) {
			grow(followed, 70, 1_000 * (round + 1));
			const flushed = followed.open.flushNow();
			await schemas.server.kill();
			await flushed;
			grow(followed, 40, 1_000 * (round + 1) + 500);
			await followed.open.flushNow();
			await schemas.server.restart();
			await until(() => followed.index.status.isReachable);
		}
		await followed.open.flushNow();
		await until(() => followed.index.coverage.isComplete);
		await expectWhole(followed);
		expect(told.length).toBeGreaterThan(4);
		expect(followed.failures).toEqual([]);
		await followed.close();
	});
});
