import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDataDirectory } from "../../../../src/node/chain/data-directory.js";
import type { OpenChain } from "../../../../src/node/chain/open-chain.js";
import { createContractMachine } from "../../../../src/node/contract-runner.js";
import type { DatabaseMoment, KeyValueDatabase } from "../../../../src/node/state/database.js";
import { hashDatabase } from "../../../../src/node/state/state-hash/hash-database.js";
import { readSums } from "../../../../src/node/state/state-hash/kept-hashes.js";
import { toHex } from "../../../../src/protocol/bytes.js";
import { feed, openRecorded, type RecordedSet, recordedSet } from "../../chain/recorded-chain.js";

/** Small enough that a short chain is flushed many times. */
const OFTEN = { entries: 300, logBytes: 1 << 20 };

let root: string;
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), "coin-state-hash-"));
});
afterEach(() => {
	rmSync(root, { recursive: true, force: true });
});

function withHash(set: RecordedSet, stateHash: boolean): RecordedSet {
	return { ...set, config: { ...set.config, node: { ...set.config.node, stateHash } } };
}

/** The hash of everything that a closed directory holds, read anew. */
async function hashOf(directory: string, set: RecordedSet): Promise<string> {
	const database = await openDataDirectory(directory, set.config.storage.directory);
	try {
		const hash = await hashDatabase(database, () => true, 0);
		return toHex(hash?.value().hash as Uint8Array);
	} finally {
		await database.close();
	}
}

/** The same database; reading what it holds at a moment waits. */
function slowToRead(database: KeyValueDatabase, gate: Promise<void>): KeyValueDatabase {
	const moment = (): DatabaseMoment => {
		const taken = database.moment?.();
		if (!taken) throw new Error("a database on the disk has moments");
		return {
			range: async (...asked) => {
				await gate;
				return taken.range(...asked);
			},
			entries: (prefix) => taken.entries(prefix),
			close: () => taken.close(),
		};
	};
	return new Proxy(database, {
		get: (target, name) => {
			if (name === "moment") return moment;
			const value: unknown = Reflect.get(target, name, target);
			return typeof value === "function" ? value.bind(target) : value;
		},
	});
}

/** What was asked of the thread is answered. */
async function answered(open: OpenChain): Promise<void> {
	await open.flushNow();
	await new Promise((resolve) => setImmediate(resolve));
}

function keptAt(open: OpenChain, number: bigint): string | undefined {
	const kept = open.database.followedHash?.kept.at(number);
	return kept && toHex(kept.hash);
}

test.each(["core-accounts", "late-tokens", "late-stake-freeze"])(
	"after every stop it is the one of everything that the directory holds: %s",
	async (name) => {
		const set = withHash(recordedSet(name), true);
		const directory = join(root, "data");
		const { run: machine } = createContractMachine(set.config, false);
		let open = await openRecorded(set, directory, OFTEN, { machine });
		const seen = new Map<bigint, string>();
		const step = Math.ceil(set.blocks.length / 6);
		for (const [at, block] of set.blocks.entries()) {
			feed(open, block);
			if (at % step !== step - 1) continue;
			await answered(open);
			const number = open.solidState.properties.headNumber;
			const followed = keptAt(open, number);
			await open.close();
			expect(await hashOf(directory, set)).toBe(followed);
			open = await openRecorded(set, directory, OFTEN, { machine });
			// The start settles the newest blocks once more: what is known of them stays.
			for (const [former, hash] of seen) expect(keptAt(open, former)).toBe(hash);
			expect(open.database.followedHash?.progress).toBeUndefined();
			expect(keptAt(open, number)).toBe(followed);
			seen.set(number, followed as string);
		}
		expect(seen.size).toBeGreaterThan(3);
		await open.close();
	},
);

test("goes on after a kill, and is made anew where blocks came while it was off", async () => {
	const set = recordedSet("core-accounts");
	const [on, off] = [withHash(set, true), withHash(set, false)];
	const directory = join(root, "data");
	const killed = await openRecorded(on, directory, OFTEN);
	const half = Math.floor(set.blocks.length / 2);
	for (const block of set.blocks.slice(0, half)) feed(killed, block);
	await killed.throttle();
	while (killed.database.isFlushing) await new Promise((resolve) => setTimeout(resolve, 1));
	const copy = join(root, "copy");
	cpSync(directory, copy, { recursive: true });
	await killed.close();

	let open = await openRecorded(on, copy, OFTEN);
	expect(open.database.followedHash?.progress).toBeUndefined();
	for (const block of set.blocks.slice(half, half + 10)) feed(open, block);
	await answered(open);
	const followed = keptAt(open, open.solidState.properties.headNumber);
	await open.close();
	expect(await hashOf(copy, set)).toBe(followed);

	open = await openRecorded(off, copy, OFTEN);
	for (const block of set.blocks.slice(half + 10, half + 20)) feed(open, block);
	await open.close();
	const database = await openDataDirectory(copy, set.config.storage.directory);
	expect(readSums(database)).toBeUndefined();
	await database.close();

	let go = (): void => {};
	const gate = new Promise<void>((resolve) => {
		go = resolve;
	});
	const storage = slowToRead(await openDataDirectory(copy, set.config.storage.directory), gate);
	open = await openRecorded(on, copy, OFTEN, { storage });
	expect(open.database.followedHash?.progress).toBe(0);
	// Blocks that come while the database is read count from the view of it on.
	for (const block of set.blocks.slice(half + 20)) feed(open, block);
	await open.flushNow();
	expect(open.database.followedHash?.kept.newest?.number).toBeLessThan(open.solidState.properties.headNumber);
	go();
	while (open.database.followedHash?.progress !== undefined) {
		await new Promise((resolve) => setImmediate(resolve));
	}
	await answered(open);
	const late = keptAt(open, open.solidState.properties.headNumber);
	await open.close();
	expect(late).toBeDefined();
	expect(await hashOf(copy, set)).toBe(late);
});
