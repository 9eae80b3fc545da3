/** Reads the state after every block of a replayed set from the history, and compares it with the recorded writes. */

import { INDEX_STORES } from "../../src/node/state/store-kinds.js";
import { toHex } from "../../src/protocol/bytes.js";
import { compareEntry, type EntryDifference } from "./compare-state.js";
import type { RecordedState, RecordedWrites } from "./recording.js";
import type { ReplayTarget } from "./target.js";

/** Blocks after which the state goes to the database, so that both what it holds and what it doesn't are read. */
const FLUSH_BLOCKS = 37;
/** Token balances, which are compared with the accounts' records; the index of logs, which later blocks add to. */
const ELSEWHERE: ReadonlySet<string> = new Set(["account-asset", "section-bloom"]);

/** What an entry was from a block on. */
interface Since {
	readonly number: number;
	/** Undefined: that isn't recorded. */
	readonly value: string | null | undefined;
}

interface Entry {
	readonly store: string;
	readonly key: string;
	/** Ascending by number. */
	readonly values: Since[];
}

/** A difference, and the block after which it was found. */
interface HistoryDifference extends EntryDifference {
	readonly number: number;
}

export class HistoryCheck {
	private readonly entries = new Map<string, Entry>();
	/** Heights of which too little is recorded: a branch was left, and nothing tells the blocks of the new one apart. */
	private readonly unknown = new Set<number>();
	private head = 0;
	/** The last block whose writes aren't recorded. */
	private jumped: number | undefined;
	private sinceFlush = 0;

	constructor(private readonly target: ReplayTarget) {}

	/** The state before block 1. */
	begin(state: RecordedState): void {
		this.note(0, state);
	}

	/**
	 * A block became the head, and changed this.
	 * @param writes undefined: that isn't recorded
	 * @param isNext whether it follows the head before it; else the chain moved to its branch
	 */
	async advance(number: number, writes: RecordedWrites | undefined, isNext = true): Promise<void> {
		if (!isNext || !writes) this.jump(number);
		if (writes) this.note(number, writes);
		this.head = number;
		this.sinceFlush++;
		if (this.sinceFlush < FLUSH_BLOCKS) return;
		this.sinceFlush = 0;
		await this.target.flush();
	}

	private note(number: number, writes: RecordedState | RecordedWrites): void {
		for (const [store, entries] of Object.entries(writes)) {
			if (INDEX_STORES.has(store) || ELSEWHERE.has(store)) continue;
			for (const [key, value] of Object.entries(entries)) this.put(number, store, key, value);
		}
	}

	private put(number: number, store: string, key: string, value: string | null): void {
		const id = `${store} ${key}`;
		const entry = this.entries.get(id) ?? { store, key, values: this.before(number) };
		this.entries.set(id, entry);
		while ((entry.values.at(-1)?.number ?? -1) >= number) entry.values.pop();
		entry.values.push({ number, value });
	}

	/** Of an entry that no block before wrote: blocks whose writes aren't recorded may have. */
	private before(number: number): Since[] {
		if (number === 0) return [];
		const none: Since = { number: 0, value: null };
		return this.jumped === undefined ? [none] : [none, { number: this.jumped, value: undefined }];
	}

	/** The chain moved to another branch: from its tip on everything is as the replay compares it there. */
	private jump(number: number): void {
		for (let height = this.target.settled() + 1; height < number; height++) this.unknown.add(height);
		this.unknown.delete(number);
		this.jumped = number;
		for (const { store, key } of [...this.entries.values()]) {
			const value = this.target.read(store, key);
			this.put(number, store, key, value === null ? null : toHex(value));
		}
	}

	/** @returns how many values were compared, and those that differ */
	compare(movesTokens: boolean): { readonly compared: number; readonly differences: HistoryDifference[] } {
		const differences: HistoryDifference[] = [];
		let compared = 0;
		const entries = [...this.entries.values()];
		const places = new Uint32Array(entries.length);
		for (let number = 0; number <= this.head; number++) {
			if (this.unknown.has(number)) continue;
			for (const [at, { store, key, values }] of entries.entries()) {
				let place = places[at] as number;
				while ((values[place + 1]?.number ?? Number.POSITIVE_INFINITY) <= number) place++;
				places[at] = place;
				const expected = values[place]?.value;
				if (expected === undefined) continue;
				const got = this.target.readAt(number, store, key);
				compared++;
				for (const found of compareEntry(store, key, expected, got, movesTokens)) {
					if (!isRewriting(found)) differences.push({ ...found, number });
				}
			}
		}
		return { compared, differences };
	}
}

/** Final account records have this mark, which the network sets as it flushes them (protocol/tokens §8.3). */
const isRewriting = ({ difference: { path, expected, got } }: EntryDifference): boolean =>
	path === "asset_optimized" && expected === undefined && got === true;
