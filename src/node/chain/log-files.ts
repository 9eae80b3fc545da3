/** The file system as the block log uses it: the disk, or one in which a simulation injects faults. */

import {
	closeSync,
	existsSync,
	fdatasync,
	fdatasyncSync,
	fsyncSync,
	ftruncateSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeSync,
} from "node:fs";
import { promisify } from "node:util";

/** Every call may throw an error with the operating system's `code`. */
export interface LogFiles {
	/** Creates a directory and its parents, unless it exists. */
	makeDirectory(path: string): void;
	/** Whether a file or directory exists. */
	exists(path: string): boolean;
	/** Names in a directory, in any order. */
	list(directory: string): readonly string[];
	read(path: string): Buffer;
	/** Creates a file for writing; it must not exist. */
	create(path: string): LogFile;
	remove(path: string): void;
	/** Syncs what an earlier process wrote to a file. */
	syncFile(path: string): void;
	/** Syncs the entries of a directory. */
	syncDirectory(directory: string): void;
}

export interface LogFile {
	/** Appends bytes. @returns how many of them, at least one */
	write(bytes: Uint8Array): number;
	/** Syncs what was written. */
	sync(): void;
	/** The same, without blocking the caller. */
	syncAhead(): Promise<void>;
	/** Truncates the file; later writes follow its new end. */
	truncate(size: number): void;
	close(): void;
}

export const diskFiles: LogFiles = {
	makeDirectory: (path) => {
		mkdirSync(path, { recursive: true });
	},
	exists: (path) => existsSync(path),
	list: (directory) => readdirSync(directory),
	read: (path) => readFileSync(path),
	create: (path) => {
		const file = openSync(path, "wx", 0o644);
		let at = 0;
		return {
			write: (bytes) => {
				const count = writeSync(file, bytes, 0, bytes.length, at);
				at += count;
				return count;
			},
			sync: () => fdatasyncSync(file),
			syncAhead: () => promisify(fdatasync)(file),
			truncate: (size) => {
				ftruncateSync(file, size);
				at = size;
			},
			close: () => closeSync(file),
		};
	},
	remove: (path) => rmSync(path),
	syncFile: (path) => {
		const file = openSync(path, "r+");
		try {
			fdatasyncSync(file);
		} finally {
			closeSync(file);
		}
	},
	syncDirectory: (directory) => {
		const opened = openSync(directory, "r");
		try {
			fsyncSync(opened);
		} finally {
			closeSync(opened);
		}
	},
};
