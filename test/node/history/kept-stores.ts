/** The stores that an index can have, each with a way to stop it at any write. */

import type { HistoryStore } from "../../../src/node/history/history-store.js";

/** What outlives an index: a directory, a schema. */
export class KeptStore {
	/** Writes that still succeed; the process "dies" at the next one. */
	writesLeft = Number.POSITIVE_INFINITY;

	private last: HistoryStore | undefined;

	/** @param connect opens it anew, with what was written before */
	constructor(private readonly connect: () => Promise<HistoryStore>) {}

	async open(): Promise<HistoryStore> {
		const store = await this.connect();
		this.last = store;
		return {
			position: () => store.position(),
			write: async (...given) => {
				if (this.writesLeft-- <= 0) throw new Error("killed");
				await store.write(...given);
			},
			rows: (...given) => store.rows(...given),
			clear: () => store.clear(),
			get bytes() {
				return store.bytes;
			},
			keepsOthers: store.keepsOthers,
			close: () => store.close(),
		};
	}

	/** What the death of a process does to what it has open; the next one can write. */
	async kill(): Promise<void> {
		await this.last?.close();
		this.writesLeft = Number.POSITIVE_INFINITY;
	}

	/** Removes everything. */
	async clear(): Promise<void> {
		const store = await this.open();
		await store.position();
		await store.clear();
		await store.close();
	}
}
