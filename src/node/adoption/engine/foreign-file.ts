/** A file that is only read, and whose faults name it. */

import { closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { OperatorError } from "../../../protocol/operator-error.js";

/** Why a store of a reference node isn't read: names the file, what is wrong and where. */
export class ForeignStoreError extends OperatorError {
	override readonly name: string = "ForeignStoreError";

	constructor(
		/** The file that is damaged or missing, or the directory of the store. */
		readonly path: string,
		/** What is wrong with it, to be read after its path. */
		readonly fault: string,
	) {
		super(`${path}: ${fault}`);
	}
}

/** Carries out something with a file; what the system says against it names the file. @throws {ForeignStoreError} */
export function reading<T>(path: string, read: () => T): T {
	try {
		return read();
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (error instanceof ForeignStoreError || code === undefined) throw error;
		throw new ForeignStoreError(path, code === "ENOENT" ? "is missing" : `can't be read (${code})`);
	}
}

/** Size of a regular file. @throws {ForeignStoreError} if there is none */
export function sizeOf(path: string): number {
	const found = reading(path, () => statSync(path));
	if (!found.isFile()) throw new ForeignStoreError(path, "is not a file");
	return found.size;
}

export class ForeignFile {
	readonly size: number;
	private descriptor: number | undefined;

	/** @param onRead called with how many bytes each reading took from the disk */
	constructor(
		readonly path: string,
		private readonly onRead: (bytes: number) => void = () => {},
	) {
		this.size = sizeOf(path);
		this.descriptor = reading(path, () => openSync(path, constants.O_RDONLY));
	}

	fault(what: string): ForeignStoreError {
		return new ForeignStoreError(this.path, what);
	}

	/** Fills `target` from a position. @throws {ForeignStoreError} if the file ends before */
	read(target: Uint8Array, position: number): void {
		const { descriptor } = this;
		if (descriptor === undefined) throw new Error(`${this.path} is closed`);
		let filled = 0;
		while (filled < target.length) {
			const count = reading(this.path, () =>
				readSync(descriptor, target, filled, target.length - filled, position + filled),
			);
			if (count === 0) throw this.fault(`became shorter than ${this.size} bytes while it was read`);
			filled += count;
		}
		this.onRead(filled);
	}

	close(): void {
		if (this.descriptor !== undefined) closeSync(this.descriptor);
		this.descriptor = undefined;
	}
}
