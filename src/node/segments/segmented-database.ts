/**
 * A data directory's database combined with its segments: readers don't see which of the two holds an entry.
 * Blocks, their ids by height and their receipts may be in either; everything else is in the database.
 * Segments are never written through this.
 */

import { be64, equalBytes, readBe64 } from "../../protocol/bytes.js";
import {
	type BatchChange,
	beginBatch,
	type DatabaseLevel,
	type KeyValueDatabase,
	type WriteBatch,
} from "../state/database.js";
import { stores } from "../state/definition.js";
import type { Segments } from "./segments.js";

const BLOCK = stores.block.index;
const BLOCK_INDEX = stores.blockIndex.index;
const RECEIPTS = stores.transactionResult.index;

export class SegmentedDatabase implements KeyValueDatabase {
	readonly compared: Promise<void>;
	readonly getMany?: NonNullable<KeyValueDatabase["getMany"]>;
	/** Without the contents of segments. */
	readonly moment?: NonNullable<KeyValueDatabase["moment"]>;

	constructor(
		private readonly database: KeyValueDatabase,
		private readonly segments: Segments,
	) {
		this.compared = Promise.all([database.compared, segments.compareRest()]).then(() => {});
		// Callers that need the outcome await it.
		this.compared.catch(() => {});
		if (database.moment) this.moment = () => (database.moment as NonNullable<typeof database.moment>)();
		if (database.getMany) {
			this.getMany = async (keys) => {
				const found = (await database.getMany?.(keys)) ?? [];
				return keys.map((key, at) => this.inSegments(key) ?? found[at]);
			};
		}
	}

	get(key: Uint8Array): Uint8Array | undefined {
		return this.inSegments(key) ?? this.database.get(key);
	}

	private inSegments(key: Uint8Array): Uint8Array | undefined {
		const store = key[0];
		if (store !== BLOCK && store !== BLOCK_INDEX && store !== RECEIPTS) return undefined;
		if (key.length !== (store === BLOCK ? 33 : 9) || this.segments.list.length === 0) return undefined;
		const number = readBe64(key.subarray(1, 9));
		if (store === RECEIPTS) return this.segments.row(number, "receipts");
		const id = this.segments.id(number);
		if (store === BLOCK_INDEX || !id) return id;
		// The id contains the height, so any id may be asked for at a height that a segment holds.
		return equalBytes(id, key.subarray(1)) ? this.segments.row(number, "blocks") : undefined;
	}

	write(changes: readonly BatchChange[], sync: boolean): Promise<void> {
		return this.database.write(changes, sync);
	}

	batch(): WriteBatch {
		return beginBatch(this.database);
	}

	/** PERF: decompresses every group if a whole store is read that is partly in segments. */
	async *entries(prefix: Uint8Array): AsyncGenerator<readonly [Uint8Array, Uint8Array]> {
		const store = prefix[0];
		const { list } = this.segments;
		const [first, last] = [list[0]?.first, list.at(-1)?.last];
		const isMerged = prefix.length === 1 && (store === BLOCK || store === BLOCK_INDEX || store === RECEIPTS);
		if (!isMerged || first === undefined || last === undefined) return yield* this.database.entries(prefix);
		let isDue = true;
		for await (const entry of this.database.entries(prefix)) {
			const number = readBe64(entry[0].subarray(1, 9));
			if (isDue && number >= first) {
				yield* this.segmentEntries(store, first, last);
				isDue = false;
			}
			if (number < first || number > last) yield entry;
		}
		if (isDue) yield* this.segmentEntries(store, first, last);
	}

	private *segmentEntries(
		store: number,
		first: bigint,
		last: bigint,
	): Generator<readonly [Uint8Array, Uint8Array]> {
		for (let number = first; number <= last; number++) {
			const id = this.segments.id(number) as Uint8Array;
			const key = Buffer.concat([Uint8Array.of(store), store === BLOCK ? id : be64(number)]);
			const value =
				store === BLOCK_INDEX ? id : this.segments.row(number, store === BLOCK ? "blocks" : "receipts");
			if (value) yield [key, value];
		}
	}

	/** Ids by height are also looked up in segments; other stores aren't there, or aren't read like this. */
	async firstKey(from: Uint8Array, end: Uint8Array): Promise<Uint8Array | undefined> {
		const stored = await this.database.firstKey(from, end);
		const { list } = this.segments;
		const [first, last] = [list[0]?.first, list.at(-1)?.last];
		if (from[0] !== BLOCK_INDEX || from.length !== 9 || first === undefined || last === undefined)
			return stored;
		const least = readBe64(from.subarray(1));
		const number = least > first ? least : first;
		const key = Buffer.concat([Uint8Array.of(BLOCK_INDEX), be64(number)]);
		const isIn = number <= last && Buffer.compare(key, end) < 0;
		return isIn && (!stored || Buffer.compare(key, stored) < 0) ? key : stored;
	}

	levels(): readonly DatabaseLevel[] {
		return this.database.levels?.() ?? [];
	}

	async close(): Promise<void> {
		this.segments.close();
		await this.database.close();
	}
}
