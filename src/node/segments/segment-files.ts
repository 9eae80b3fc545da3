/** The file system as segments use it: the disk, or one that a test stops at any step. */

import {
	closeSync,
	existsSync,
	fstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	readSync,
	statSync,
} from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { syncDirectory } from "../state/inventory.js";

/** Every call may throw an error with the operating system's `code`. */
export interface SegmentFiles {
	/** Creates a directory in an existing one, unless it exists. */
	makeDirectory(path: string): void;
	/** Names in a directory, in any order; none if it doesn't exist. */
	list(directory: string): readonly string[];
	/** Size of a file in bytes; undefined if it doesn't exist. */
	size(path: string): number | undefined;
	openForReading(path: string): ReadableFile;
	/** Creates a file, replacing any existing one. */
	create(path: string): Promise<WritableFile>;
	/** Renames a file, replacing any existing one. */
	rename(from: string, to: string): Promise<void>;
	remove(path: string): Promise<void>;
	/** Syncs the entries of a directory. */
	syncDirectory(directory: string): Promise<void>;
}

export interface ReadableFile {
	readonly size: number;
	/** Reads this many bytes at an offset; fewer at the end of the file. */
	read(at: number, bytes: number): Buffer;
	close(): void;
}

export interface WritableFile {
	/** Appends bytes. */
	write(bytes: Uint8Array): Promise<void>;
	/** Syncs what was written. */
	sync(): Promise<void>;
	close(): Promise<void>;
}

export const segmentFilesOnDisk: SegmentFiles = {
	makeDirectory: (path) => {
		mkdirSync(path, { recursive: true });
	},
	list: (directory) => (existsSync(directory) ? readdirSync(directory) : []),
	size: (path) => statSync(path, { throwIfNoEntry: false })?.size,
	openForReading: (path) => {
		const file = openSync(path, "r");
		return {
			size: fstatSync(file).size,
			read: (at, bytes) => {
				const buffer = Buffer.allocUnsafeSlow(bytes);
				let done = 0;
				while (done < bytes) {
					const count = readSync(file, buffer, done, bytes - done, at + done);
					if (count === 0) break;
					done += count;
				}
				return buffer.subarray(0, done);
			},
			close: () => closeSync(file),
		};
	},
	create: async (path) => {
		const file = await open(path, "w", 0o644);
		return {
			write: async (bytes) => {
				await file.writeFile(bytes);
			},
			sync: () => file.datasync(),
			close: () => file.close(),
		};
	},
	rename: (from, to) => rename(from, to),
	remove: (path) => rm(path, { force: true }),
	syncDirectory,
};
