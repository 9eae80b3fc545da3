/** Filling in the history of the state of a directory that was filled without one. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Backfill } from "../../../src/node/backfill/backfill.js";
import {
	ChannelClosed,
	channelOf,
	type FromReplay,
	type ToReplay,
} from "../../../src/node/backfill/messages.js";
import { replayHistory } from "../../../src/node/backfill/replay.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { createMemoryDatabase, type KeyValueDatabase } from "../../../src/node/state/database.js";
import { storeDefinitions } from "../../../src/node/state/definition.js";
import { HISTORY_PREFIX } from "../../../src/node/state/history-format.js";
import { isRecorded } from "../../../src/node/state/history-stores.js";
import {
	FreezeBalanceContract,
	VoteWitnessContract,
	VoteWitnessContractVote,
} from "../../../src/protocol/messages.js";
import { openSmall, produce, signed, smallConfig, transfer, users } from "../chain/small-chain.js";

const BEFORE = 60;
const AFTER = 60;

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-backfill-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const config = (history: string) => smallConfig("", history);

/** Transfers, and votes that the maintenance counts and deletes: an ordered store whose keys go. */
function advance(open: OpenChain, blocks: number): void {
	for (let at = 0; at < blocks; at++) {
		const number = open.chain.head.number + 1n;
		const [owner, other] = users as [Uint8Array, Uint8Array];
		if (number === 2n) {
			const freeze = FreezeBalanceContract.create({
				owner_address: owner,
				frozen_balance: 100_000_000n,
				frozen_duration: 3n,
			});
			open.chain.pushTransaction(signed(open, 0, "FreezeBalanceContract", freeze));
		}
		if (number % 25n === 5n) {
			const witness = open.chain.state.witness.keys()[Number(number) % 5] as Uint8Array;
			const vote = VoteWitnessContractVote.create({ vote_address: witness, vote_count: 7n });
			const votes = VoteWitnessContract.create({ owner_address: owner, votes: [vote] });
			open.chain.pushTransaction(signed(open, 0, "VoteWitnessContract", votes));
		}
		if (number % 3n === 0n) open.chain.pushTransaction(transfer(open, 1, owner, number));
		if (number % 7n === 0n) open.chain.pushTransaction(transfer(open, 0, other, number));
		// Slots are left out so that a maintenance comes every twenty blocks.
		produce(open, 10n);
	}
}

/** Every entry that is recorded, of every block from 0 on, by what a chain has. */
function entriesOf(open: OpenChain, keys: ReadonlyMap<number, ReadonlySet<string>>, number: bigint): unknown {
	const backend = open.stateAt(number)?.backend;
	if (!backend) return undefined;
	return storeDefinitions
		.filter(({ index }) => isRecorded(index))
		.map((store) => [
			store.name,
			store.ordered ? [...backend.keys(store)] : [],
			[...(keys.get(store.index) ?? [])].map((key) => {
				const value = backend.get(store, key);
				return value === undefined ? null : Buffer.from(store.codec.encode(value, key)).toString("hex");
			}),
		]);
}

async function keysOf(...chains: readonly OpenChain[]): Promise<Map<number, Set<string>>> {
	const keys = new Map<number, Set<string>>();
	for (const { database } of chains)
		for (const store of storeDefinitions)
			for await (const [key] of database.dump(store))
				keys.set(store.index, (keys.get(store.index) ?? new Set()).add(key));
	return keys;
}

interface Filling {
	readonly backfill: Backfill;
	readonly done: Promise<boolean>;
	/** Ends both parts without telling anyone. */
	kill(): Promise<void>;
}

/** Both parts in one process; the replaying chain lives in the given directory and database. */
async function fill(main: OpenChain, replaying: KeyValueDatabase, history = "all"): Promise<Filling> {
	const subject = main.backfillable();
	if (!subject) throw new Error("there is nothing to fill in");
	const target = subject.history.first;
	const { port1, port2 } = new MessageChannel();
	const ours = channelOf<FromReplay, ToReplay>(port1);
	const theirs = channelOf<ToReplay, FromReplay>(port2);
	const open = await openSmall({
		config: config(`node.history.state = "${history}"`),
		dataDirectory: join(directory, "backfill"),
		storage: { ...replaying, close: async () => {} },
	});
	let isOver = false;
	const replay = replayHistory({
		open,
		channel: theirs,
		target,
		now: () => 0,
		pause: async () => {
			if (isOver) throw new ChannelClosed("over");
			await new Promise((resolve) => setImmediate(resolve));
		},
	}).catch((error: unknown) => {
		if (!(error instanceof ChannelClosed)) theirs.send({ kind: "failed", message: String(error) });
	});
	const backfill = new Backfill(subject, ours, target);
	const kill = async (): Promise<void> => {
		isOver = true;
		ours.close();
		theirs.close();
		await replay;
		await open.close();
	};
	const done = backfill.run();
	done.catch(() => {});
	return { backfill, done, kill };
}

/** A chain with history from the start, and the same one that was switched on later. */
async function pair(): Promise<{
	readonly reference: OpenChain;
	readonly late: OpenChain;
	storage: KeyValueDatabase;
}> {
	const reference = await openSmall({ config: config("node.history.state = all") });
	advance(reference, BEFORE);
	const storage = createMemoryDatabase();
	const kept = { ...storage, close: async () => {} };
	const options = { dataDirectory: join(directory, "late"), storage: kept };
	const without = await openSmall({ ...options, config: config("") });
	for (let number = 1n; number <= BigInt(BEFORE); number++)
		without.chain.push((reference.chain.blockByNumber(number) as never) ?? never(), "peer");
	await without.close();
	const late = await openSmall({ ...options, config: config("node.history.state = all") });
	expect(late.database.lowestKnown).toBeGreaterThan(10n);
	advance(reference, AFTER);
	for (let number = BigInt(BEFORE) + 1n; number <= BigInt(BEFORE + AFTER); number++)
		late.chain.push((reference.chain.blockByNumber(number) as never) ?? never(), "peer");
	return { reference, late, storage };
}

const never = (): never => {
	throw new Error("a block is missing");
};

test("what is filled in is what a history from the start has, entry by entry, also after a restart", async () => {
	const { reference, late, storage } = await pair();
	const first = late.database.lowestKnown;
	expect(late.stateAt(first - 1n)).toBeUndefined();
	const filling = await fill(late, createMemoryDatabase());
	expect(await filling.done).toBe(true);
	await filling.kill();
	expect(filling.backfill.progress).toEqual({ block: Number(first), target: Number(first) });
	expect(late.database.lowestKnown).toBe(0n);
	const keys = await keysOf(reference, late);
	const compare = (open: OpenChain): void => {
		for (let number = 0n; number <= BigInt(BEFORE + AFTER); number++)
			expect([number, entriesOf(open, keys, number)]).toEqual([number, entriesOf(reference, keys, number)]);
	};
	compare(late);
	// The votes of a maintenance are gone since, and were there.
	const voted = [...keys].some(([index]) => storeDefinitions[index]?.name === "votes");
	expect(voted || reference.stateAt(6n)?.votes.keys().length).toBeTruthy();
	await late.close();
	const again = await openSmall({
		config: config("node.history.state = all"),
		dataDirectory: join(directory, "late"),
		storage,
	});
	expect(again.backfillable()).toBeUndefined();
	compare(again);
	await again.close();
	await reference.close();
});

test("a kill in the middle loses no blocks, and leaves nothing half filled in", async () => {
	const { reference, late } = await pair();
	const first = late.database.lowestKnown;
	const replaying = createMemoryDatabase();
	const killed = await fill(late, replaying);
	while (killed.backfill.progress.block === 0) await new Promise((resolve) => setImmediate(resolve));
	await killed.kill();
	await expect(killed.done).rejects.toThrow(ChannelClosed);
	expect(late.database.lowestKnown).toBe(first);
	const again = await fill(late, replaying);
	expect(await again.done).toBe(true);
	await again.kill();
	const keys = await keysOf(reference, late);
	for (const number of [0n, 1n, 7n, first - 1n, first, first + 1n])
		expect(entriesOf(late, keys, number)).toEqual(entriesOf(reference, keys, number));
	await late.close();
	await reference.close();
});

test("is given up once the blocks that are kept have come by themselves", async () => {
	const storage = createMemoryDatabase();
	const options = { dataDirectory: join(directory, "late"), storage: { ...storage, close: async () => {} } };
	const without = await openSmall({ ...options, config: config("") });
	advance(without, 40);
	await without.close();
	const late = await openSmall({ ...options, config: config("node.history.state = 10") });
	advance(late, 12);
	const filling = await fill(late, createMemoryDatabase(), "10");
	advance(late, 60);
	expect(await filling.done).toBe(false);
	await filling.kill();
	for await (const [key] of storage.entries(Uint8Array.of(HISTORY_PREFIX))) expect(key[1]).toBeLessThan(2);
	await late.close();
});

test("a thread that fails is heard, and the history stays as it was", async () => {
	const { late, reference } = await pair();
	const subject = late.backfillable();
	if (!subject) throw new Error("there is nothing to fill in");
	const { first } = subject.history;
	const answers: FromReplay[] = [
		{ kind: "rows", rows: [[Uint8Array.of(0xfd, 9, 0, 1, 5), Uint8Array.of(0)]] },
		{ kind: "failed", message: "block 7 is refused" },
	];
	const channel = { send: () => {}, next: async () => answers.shift() as FromReplay };
	await expect(new Backfill(subject, channel, first).run()).rejects.toThrow("block 7 is refused");
	expect(subject.history.first).toBe(first);
	const wrong = {
		send: () => {},
		next: async () => ({ kind: "rows", rows: [[Uint8Array.of(1), Uint8Array.of(1)]] }) as FromReplay,
	};
	await expect(new Backfill(subject, wrong, first).run()).rejects.toThrow("no history's");
	await late.close();
	await reference.close();
});

test("there is nothing to fill in where the history has all, or blocks are missing", async () => {
	const whole = await openSmall({ config: config("node.history.state = all") });
	expect(whole.backfillable()).toBeUndefined();
	await whole.close();
	const none = await openSmall({ config: config("") });
	expect(none.backfillable()).toBeUndefined();
	await none.close();
});
