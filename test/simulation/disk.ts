/**
 * A simulated disk with the files of a block log, and a database; unsynced parts are only in memory. A
 * process may crash during any write, the machine may lose power, and space may run out.
 */

import type { LogFile, LogFiles } from "../../src/node/chain/log-files.js";
import {
	type BatchChange,
	createMemoryDatabase,
	DatabaseError,
	type KeyValueDatabase,
} from "../../src/node/state/database.js";
import type { Randomness } from "./randomness.js";

/** The process is dead; code still running for it gets this error. */
export class ProcessDiedError extends Error {
	override readonly name = "ProcessDiedError";
}

interface DiskFile {
	bytes: Buffer;
	/** Bytes that are on the disk. */
	synced: number;
	/** Whether its name is on the disk. */
	isNamed: boolean;
}

interface Batch {
	readonly changes: readonly BatchChange[];
	isSynced: boolean;
}

export class SimulatedDisk {
	/** Bytes that may still be written; infinite unless the disk is full. */
	space = Number.POSITIVE_INFINITY;
	/** Writes until the process crashes. */
	writesLeft = Number.POSITIVE_INFINITY;
	private readonly files_ = new Map<string, DiskFile>();
	/** Removed files whose names are still on the disk. */
	private readonly removed = new Map<string, DiskFile>();
	private readonly batches: Batch[] = [];
	/** Number of the current process; actions of earlier ones have no effect. */
	private epoch = 0;

	constructor(private readonly random: Randomness) {}

	/** The process crashes; the system keeps data that was written. */
	kill(): void {
		this.epoch++;
		this.writesLeft = Number.POSITIVE_INFINITY;
	}

	/** Power loss: of unsynced data any prefix remains, and unsynced names may or may not exist. */
	losePower(): void {
		this.kill();
		for (const [path, file] of [...this.files_]) {
			if (!file.isNamed && this.random.chance(0.5)) this.files_.delete(path);
			const kept = this.random.between(file.synced, file.bytes.length);
			file.bytes = file.bytes.subarray(0, kept);
			file.synced = kept;
			file.isNamed = true;
		}
		for (const [path, file] of this.removed) if (this.random.chance(0.5)) this.files_.set(path, file);
		this.removed.clear();
		const last = this.batches.findLastIndex(({ isSynced }) => isSynced) + 1;
		this.batches.splice(this.random.between(last, this.batches.length));
	}

	/** Total bytes of all files. */
	get bytes(): number {
		return [...this.files_.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
	}

	private attempt(epoch: number, size: number): number {
		if (epoch !== this.epoch) throw new ProcessDiedError("the process is gone");
		const room = Math.min(size, this.space);
		if (room === 0 && size > 0) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
		this.space -= room;
		return room;
	}

	/** @param write performs part of the write */
	private die(write: (share: number) => void): void {
		if (--this.writesLeft >= 0) return;
		write(this.random.fraction());
		this.kill();
		throw new ProcessDiedError("the process dies in a write");
	}

	/** The files as seen by the current process. */
	files(): LogFiles {
		const { epoch } = this;
		const alive = (): void => {
			this.attempt(epoch, 0);
		};
		return {
			makeDirectory: alive,
			exists: (path) => {
				alive();
				return [...this.files_.keys()].some((each) => each === path || each.startsWith(`${path}/`));
			},
			list: (directory) => {
				alive();
				const prefix = `${directory}/`;
				return [...this.files_.keys()]
					.filter((path) => path.startsWith(prefix))
					.map((path) => path.slice(prefix.length));
			},
			read: (path) => {
				alive();
				const file = this.files_.get(path);
				if (!file) throw Object.assign(new Error(path), { code: "ENOENT" });
				return Buffer.from(file.bytes);
			},
			create: (path) => {
				alive();
				if (this.files_.has(path)) throw Object.assign(new Error(path), { code: "EEXIST" });
				this.die(() => {});
				const file: DiskFile = { bytes: Buffer.alloc(0), synced: 0, isNamed: false };
				this.files_.set(path, file);
				return this.open(epoch, file);
			},
			remove: (path) => {
				alive();
				this.die(() => {});
				const file = this.files_.get(path);
				if (!file) return;
				this.files_.delete(path);
				if (file.isNamed) this.removed.set(path, file);
			},
			syncFile: (path) => {
				alive();
				this.die(() => {});
				const file = this.files_.get(path);
				if (file) file.synced = file.bytes.length;
			},
			syncDirectory: () => {
				alive();
				this.die(() => {});
				for (const file of this.files_.values()) file.isNamed = true;
				this.removed.clear();
			},
		};
	}

	private open(epoch: number, file: DiskFile): LogFile {
		const add = (bytes: Uint8Array): void => {
			file.bytes = Buffer.concat([file.bytes, bytes]);
		};
		return {
			write: (bytes) => {
				const count = this.attempt(epoch, bytes.length);
				this.die((share) => add(bytes.subarray(0, Math.floor(share * count))));
				// Systems may write only part of the data.
				const taken = this.random.chance(0.1) ? this.random.between(1, count) : count;
				add(bytes.subarray(0, taken));
				return taken;
			},
			sync: () => {
				this.attempt(epoch, 0);
				this.die(() => {});
				file.synced = file.bytes.length;
			},
			syncAhead: async () => {
				const { length } = file.bytes;
				await undefined;
				this.attempt(epoch, 0);
				file.synced = Math.max(file.synced, length);
			},
			truncate: (size) => {
				this.attempt(epoch, 0);
				file.bytes = file.bytes.subarray(0, size);
				file.synced = Math.min(file.synced, size);
			},
			close: () => {},
		};
	}

	/** The database as seen by the current process. */
	async database(): Promise<KeyValueDatabase> {
		const { epoch } = this;
		const memory = createMemoryDatabase();
		for (const { changes } of this.batches) await memory.write(changes, false);
		return {
			...memory,
			write: async (changes, sync) => {
				if (changes.length === 0) return;
				const size = changes.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0);
				// LevelDB drops incomplete batches.
				if (this.attempt(epoch, size) < size)
					throw new DatabaseError("the database can't be written: no space");
				this.die(() => {});
				// Writes are asynchronous: other things may happen meanwhile.
				await undefined;
				this.attempt(epoch, 0);
				this.batches.push({ changes, isSynced: false });
				if (sync) for (const batch of this.batches) batch.isSynced = true;
				await memory.write(changes, sync);
			},
		};
	}
}
