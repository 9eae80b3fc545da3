/**
 * The node's side of backfilling state history from before it was enabled (`node.history.state`): sends its
 * blocks to a thread that re-executes them, stores the resulting changes, and enables reading older states
 * once all are there. The thread's chain has its own directory, so a crash loses only rows already handed
 * over.
 *
 * Invariant: older states become readable all at once or not at all; the next start erases partial data.
 */

import type { ChangeHistory } from "../state/change-history.js";
import type { BatchChange, KeyValueDatabase } from "../state/database.js";
import type { StoreDefinition } from "../state/definition.js";
import { storeAt } from "../state/entry.js";
import { entryOfNewestKey, HISTORY_PREFIX, KINDS } from "../state/history-format.js";
import type { BackfillChannel, FromReplay, HistoryRows, ToReplay } from "./messages.js";

/** Blocks per message: they are read in one turn of the event loop. */
const BLOCKS = 64;
const BLOCK_BYTES = 1 << 20;
/** Bound on keys of ordered stores; a network has some hundred thousand. */
const MAX_GONE = 4_000_000;

/** The node's data that is read and filled in. */
interface BackfillSubject {
	readonly history: Pick<ChangeHistory, "first" | "reserve" | "fillIn">;
	readonly database: Pick<KeyValueDatabase, "write">;
	/** An encoded block of the chain. */
	block(number: bigint): Uint8Array | undefined;
	/** Whether the base has an entry. */
	has(store: StoreDefinition<unknown>, key: string): boolean;
}

export interface BackfillProgress {
	/** The last requested block. */
	readonly block: number;
	readonly target: number;
}

export class Backfill {
	private block = 0;
	private generation: number | undefined;
	private readonly gone = new Map<number, Set<string>>();
	private goneCount = 0;

	/** @param target first block of the existing history */
	constructor(
		private readonly subject: BackfillSubject,
		private readonly channel: BackfillChannel<FromReplay, ToReplay>,
		private readonly target: number,
	) {}

	get progress(): BackfillProgress {
		return { block: this.block, target: this.target };
	}

	/**
	 * Serves the thread until everything is filled in.
	 * @returns false if states that old aren't kept any more
	 * @throws {DatabaseError | ChannelClosed} @throws {Error} why the thread failed
	 */
	async run(): Promise<boolean> {
		for (;;) {
			const message = await this.channel.next();
			// Enough new blocks arrived meanwhile to prune the history's start.
			if (this.subject.history.first !== this.target) return false;
			switch (message.kind) {
				case "blocks":
					this.channel.send({ kind: "blocks", blocks: this.blocksFrom(message.from) });
					break;
				case "rows":
					await this.keep(message.rows);
					this.channel.send({ kind: "kept" });
					break;
				case "end":
					await this.end(message.first);
					return true;
				case "failed":
					throw new Error(message.message);
			}
		}
	}

	private blocksFrom(from: number): Uint8Array[] {
		const blocks: Uint8Array[] = [];
		let bytes = 0;
		for (
			let number = from;
			number <= this.target && blocks.length < BLOCKS && bytes < BLOCK_BYTES;
			number++
		) {
			const block = this.subject.block(BigInt(number));
			if (!block) break;
			blocks.push(block);
			bytes += block.length;
		}
		this.block = from + blocks.length - 1;
		return blocks;
	}

	private async keep(rows: HistoryRows): Promise<void> {
		this.generation ??= await this.subject.history.reserve();
		const changes: BatchChange[] = [];
		for (const [key, value] of rows) {
			if (key[0] !== HISTORY_PREFIX) throw new Error("the thread gives rows that are no history's");
			changes.push({ key: ofGeneration(key, this.generation), value });
			if (key[2] === KINDS.newest) this.noteKey(key[3] as number, entryOfNewestKey(key));
		}
		await this.subject.database.write(changes, false);
	}

	private noteKey(index: number, key: string): void {
		const store = storeAt(index);
		if (!store?.ordered) return;
		const keys = this.gone.get(index) ?? new Set();
		this.gone.set(index, keys.add(key));
		if (++this.goneCount > MAX_GONE) throw new Error("the history names more keys than are kept in memory");
	}

	private async end(first: number): Promise<void> {
		const { history, has } = this.subject;
		this.generation ??= await history.reserve();
		const gone = new Map(
			[...this.gone].map(([index, keys]) => [index, [...keys].filter((key) => !has(storeAt(index), key))]),
		);
		await history.fillIn({ generation: this.generation, first, last: this.target }, gone);
	}
}

function ofGeneration(key: Uint8Array, generation: number): Uint8Array {
	const copy = Uint8Array.from(key);
	copy[1] = generation;
	return copy;
}
