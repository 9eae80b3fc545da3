/** The file system as segments use it: the disk's, or one that a test stops at any step. */

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
	/** Makes a directory in one that is there, unless it is there itself. */
	makeDirectory(path: string): void;
	/** Names in a directory, in any order; none if there isn't one. */
	list(directory: string): readonly string[];
	/** Bytes of a file; undefined: there is none. */
	size(path: string): number | undefined;
	openForReading(path: string): ReadableFile;
	/** Begins a file; one of that name is replaced. */
	create(path: string): Promise<WritableFile>;
	/** Gives a file another name; one of that name is replaced. */
	rename(from: string, to: string): Promise<void>;
	remove(path: string): Promise<void>;
	/** Brings the names in a directory to the disk. */
	syncDirectory(directory: string): Promise<void>;
}

export interface ReadableFile {
	readonly size: number;
	/** Reads so many bytes from a place; fewer where the file ends. */
	read(at: number, bytes: number): Buffer;
	close(): void;
}

export interface WritableFile {
	/** Adds bytes at the end. */
	write(bytes: Uint8Array): Promise<void>;
	/** Brings what was written to the disk. */
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
