/** Compares the state after every block, read from the history, with the recorded writes. */

import { INDEX_STORES } from "../../src/node/state/store-kinds.js";
import { toHex } from "../../src/protocol/bytes.js";
import { compareEntry, type EntryDifference } from "./compare-state.js";
import type { RecordedState, RecordedWrites } from "./recording.js";
import type { ReplayTarget } from "./target.js";

/** Interval of flushes in blocks: reads thus come from the database and from memory. */
const FLUSH_BLOCKS = 37;
/** Token balances, which are compared with account records, and the log index, which later blocks extend. */
const ELSEWHERE: ReadonlySet<string> = new Set(["account-asset", "section-bloom"]);

/** An entry's value from a block on. */
interface Since {
	readonly number: number;
	/** Undefined if not recorded. */
	readonly value: string | null | undefined;
}

interface Entry {
	readonly store: string;
	readonly key: string;
	/** Ascending by number. */
	readonly values: Since[];
}

/** A difference, with the block after which it was found. */
interface HistoryDifference extends EntryDifference {
	readonly number: number;
}

export class HistoryCheck {
	private readonly entries = new Map<string, Entry>();
	/** Heights without a recorded state: the chain switched branches, and the new one's writes are unknown. */
	private readonly unknown = new Set<number>();
	private head = 0;
	/** The last block with unrecorded writes. */
	private jumped: number | undefined;
	private sinceFlush = 0;

	constructor(private readonly target: ReplayTarget) {}

	/** The state before block 1. */
	begin(state: RecordedState): void {
		this.note(0, state);
	}

	/**
	 * Adds the writes of a new head.
	 * @param writes undefined if not recorded
	 * @param isNext whether its parent was the head; otherwise the chain switched to its branch
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

	/** Initial values of an entry not written so far, except perhaps by blocks whose writes aren't recorded. */
	private before(number: number): Since[] {
		if (number === 0) return [];
		const none: Since = { number: 0, value: null };
		return this.jumped === undefined ? [none] : [none, { number: this.jumped, value: undefined }];
	}

	/** After a switch to another branch, known entries restart with the target's values at its tip. */
	private jump(number: number): void {
		for (let height = this.target.settled() + 1; height < number; height++) this.unknown.add(height);
		this.unknown.delete(number);
		this.jumped = number;
		for (const { store, key } of [...this.entries.values()]) {
			const value = this.target.read(store, key);
			this.put(number, store, key, value === null ? null : toHex(value));
		}
	}

	/** @returns number of compared values, and the differing ones */
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

/** Final account records have this flag, which the network sets on flush (protocol/tokens §8.3). */
const isRewriting = ({ difference: { path, expected, got } }: EntryDifference): boolean =>
	path === "asset_optimized" && expected === undefined && got === true;
