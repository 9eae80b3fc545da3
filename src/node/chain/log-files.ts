/** The file system as the block log uses it: the disk's, or one that a simulation makes fail. */

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
	/** Makes a directory and those above it, unless it is there. */
	makeDirectory(path: string): void;
	/** Whether there is a file or directory of a name. */
	exists(path: string): boolean;
	/** Names in a directory, in any order. */
	list(directory: string): readonly string[];
	read(path: string): Buffer;
	/** Creates a file for writing; one of that name must not be there. */
	create(path: string): LogFile;
	remove(path: string): void;
	/** Brings what an earlier process wrote to a file to the disk. */
	syncFile(path: string): void;
	/** Brings the names in a directory to the disk. */
	syncDirectory(directory: string): void;
}

export interface LogFile {
	/** Adds bytes at the end. @returns how many of them, at least one */
	write(bytes: Uint8Array): number;
	/** Brings what was written to the disk. */
	sync(): void;
	/** The same, without blocking the caller. */
	syncAhead(): Promise<void>;
	/** Cuts the file to its first bytes; what is written next follows them. */
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
