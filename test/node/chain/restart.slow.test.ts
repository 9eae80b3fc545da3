import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { toHex } from "../../../src/protocol/bytes.js";
import {
	dumpState,
	feed,
	feedPool,
	openRecorded,
	poolIds,
	type RecordedBlock,
	type RecordedSet,
	recordedSet,
} from "./recorded-chain.js";

let root: string;
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), "coin-restart-"));
});
afterEach(() => {
	rmSync(root, { recursive: true, force: true });
});

/** Small enough that a short chain is flushed many times. */
const OFTEN = { entries: 300, logBytes: 1 << 20 };

/** A chain in a directory that is closed, or abandoned as by a kill, and opened again. */
class RestartedChain {
	private generation = 0;
	private readonly directory = mkdtempSync(join(root, "run-"));
	private readonly abandoned: OpenChain[] = [];

	open!: OpenChain;

	private constructor(private readonly set: RecordedSet) {}

	static async start(set: RecordedSet): Promise<RestartedChain> {
		const chain = new RestartedChain(set);
		await chain.openDirectory();
		return chain;
	}

	private get path(): string {
		return join(this.directory, String(this.generation));
	}

	private async openDirectory(): Promise<void> {
		this.open = await openRecorded(this.set, this.path, OFTEN);
	}

	/** What a kill leaves is what the operating system has: the files as they are. */
	async kill(): Promise<void> {
		await this.open.throttle();
		while (this.open.database.isFlushing) await new Promise((resolve) => setTimeout(resolve, 1));
		const from = this.path;
		this.generation++;
		cpSync(from, this.path, { recursive: true });
		this.abandoned.push(this.open);
		await this.openDirectory();
	}

	async restart(): Promise<void> {
		await this.open.close();
		await this.openDirectory();
	}

	async end(): Promise<void> {
		for (const open of [...this.abandoned, this.open]) await open.close();
	}
}

async function expectSame(restarted: OpenChain, steady: OpenChain): Promise<void> {
	expect(toHex(restarted.chain.head.id)).toBe(toHex(steady.chain.head.id));
	expect(poolIds(restarted)).toEqual(poolIds(steady));
	const [state, expected] = [await dumpState(restarted), await dumpState(steady)];
	// Maps compare slowly where there are thousands of entries.
	expect([...state].filter(([key, value]) => expected.get(key) !== value)).toEqual([]);
	expect([...expected.keys()].filter((key) => !state.has(key))).toEqual([]);
}

/** Height of the newest block of the chain on which a branch stands. */
function forkPoint({ chain }: OpenChain, { bytes }: RecordedBlock): bigint {
	for (
		let block: SignedBlock | undefined = SignedBlock.decode(bytes);
		block;
		block = chain.blockById(block.parentId)
	) {
		if (chain.blockByNumber(block.number)?.idHex === block.idHex) return block.number;
	}
	throw new Error("the branch stands on nothing");
}

/** Feeds a set to both chains, one of which stops at some of its blocks. */
async function compareOver(set: RecordedSet, stops: ReadonlyMap<number, "kill" | "restart">): Promise<void> {
	const steady = await openRecorded(set);
	const restarted = await RestartedChain.start(set);
	try {
		for (const [index, block] of set.blocks.entries()) {
			for (const open of [steady, restarted.open]) feedPool(open, block);
			const stop = stops.get(index);
			if (stop) {
				await restarted[stop]();
				await expectSame(restarted.open, steady);
			}
			const outcome = feed(steady, block);
			const again = feed(restarted.open, block);
			if (again !== outcome) {
				// A branch that can't win any more, since what it leaves is final, may be forgotten at a start.
				expect(again).toBe("UnLinkedBlockException: null");
				// The other one says so only when the branch would win, and forgets it then.
				if (outcome === "branch")
					expect(forkPoint(steady, block)).toBeLessThan(restarted.open.database.finalizedNumber);
				else expect(outcome).toMatch(/^NonCommonBlockException: the branch leaves the chain at /);
			}
		}
		await expectSame(restarted.open, steady);
	} finally {
		await restarted.end();
		await steady.close();
	}
}

describe("a chain that is stopped and started at random", () => {
	test.each(["core-accounts", "core-fork", "core-permissions"])(
		"goes on with the head, state and pool of one that never stopped: %s",
		async (name) => {
			const set = recordedSet(name);
			const stop = fc.tuple(
				fc.nat(set.blocks.length - 1),
				fc.constantFrom("kill" as const, "restart" as const),
			);
			await fc.assert(
				fc.asyncProperty(fc.array(stop, { minLength: 2, maxLength: 5 }), (stops) =>
					compareOver(set, new Map(stops)),
				),
				{ numRuns: 2, endOnFailure: true },
			);
		},
	);
});
