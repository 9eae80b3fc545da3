/** A read-only file whose errors name it. */

import { closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { OperatorError } from "../../../protocol/operator-error.js";

/** Why a reference node's store can't be read: names the file, the fault and its position. */
export class ForeignStoreError extends OperatorError {
	override readonly name: string = "ForeignStoreError";

	constructor(
		/** The damaged or missing file, or the store's directory. */
		readonly path: string,
		/** The fault, to be read after the path. */
		readonly fault: string,
	) {
		super(`${path}: ${fault}`);
	}
}

/** Runs a file operation, turning system errors into ones that name the file. @throws {ForeignStoreError} */
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
