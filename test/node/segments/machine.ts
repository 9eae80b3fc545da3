/**
 * A machine for tests of segments: files and a database in memory, which keep what a kill or a loss of power leaves, and
 * stop at any step.
 */

import type { ReadableFile, SegmentFiles, WritableFile } from "../../../src/node/segments/segment-files.js";
import {
	type BatchChange,
	createMemoryDatabase,
	type KeyValueDatabase,
} from "../../../src/node/state/database.js";

interface StoredFile {
	bytes: Buffer;
	synced: Buffer;
}

export class KilledError extends Error {}

export class Machine {
	/** By path: what a process sees, and what a loss of power leaves. */
	names = new Map<string, StoredFile>();
	private durableNames = new Map<string, StoredFile>();
	entries: [Uint8Array, Uint8Array][] = [];
	private durableEntries: [Uint8Array, Uint8Array][] = [];
	/** Steps until the process is killed. */
	stepsLeft = Number.POSITIVE_INFINITY;
	steps = 0;

	/** Every change of something that outlives the process. */
	private step(): void {
		if (this.stepsLeft <= 0) throw new KilledError("killed");
		this.stepsLeft--;
		this.steps++;
	}

	get files(): SegmentFiles {
		const { names } = this;
		return {
			makeDirectory: () => {},
			list: (directory) =>
				[...names.keys()]
					.filter((path) => path.startsWith(`${directory}/`))
					.map((path) => path.slice(directory.length + 1)),
			size: (path) => names.get(path)?.bytes.length,
			openForReading: (path): ReadableFile => {
				const file = names.get(path);
				if (!file) throw Object.assign(new Error(path), { code: "ENOENT" });
				return {
					size: file.bytes.length,
					read: (at, bytes) => file.bytes.subarray(at, at + bytes),
					close: () => {},
				};
			},
			create: async (path): Promise<WritableFile> => {
				this.step();
				const file = { bytes: Buffer.alloc(0), synced: Buffer.alloc(0) };
				names.set(path, file);
				return {
					write: async (bytes) => {
						this.step();
						file.bytes = Buffer.concat([file.bytes, bytes]);
					},
					sync: async () => {
						this.step();
						file.synced = file.bytes;
					},
					close: async () => {},
				};
			},
			rename: async (from, to) => {
				this.step();
				names.set(to, names.get(from) as StoredFile);
				names.delete(from);
			},
			remove: async (path) => {
				this.step();
				names.delete(path);
			},
			syncDirectory: async () => {
				this.step();
				this.durableNames = new Map(names);
			},
		};
	}

	/** Opens the database with the entries that are there. */
	async database(): Promise<KeyValueDatabase> {
		const memory = createMemoryDatabase();
		await memory.write(
			this.entries.map(([key, value]) => ({ key, value })),
			true,
		);
		return {
			...memory,
			write: async (changes: readonly BatchChange[], sync: boolean) => {
				this.step();
				await memory.write(changes, sync);
				this.entries = await everything(memory);
				if (sync) this.durableEntries = this.entries;
			},
		};
	}

	/** What was never synced is gone. */
	losePower(): void {
		this.entries = this.durableEntries;
		this.names = new Map(
			[...this.durableNames].map(([path, { synced }]) => [path, { bytes: synced, synced }] as const),
		);
	}
}

export async function everything(database: KeyValueDatabase): Promise<[Uint8Array, Uint8Array][]> {
	const entries: [Uint8Array, Uint8Array][] = [];
	for await (const [key, value] of database.entries(new Uint8Array(0))) entries.push([key, value]);
	return entries;
}
