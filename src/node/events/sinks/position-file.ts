/** The position of a receiver: the last block whose events it has acknowledged, in a file that is replaced whole. */

import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { OperatorError } from "../../../protocol/operator-error.js";

export interface SinkPosition {
	readonly number: number;
	/** Hexadecimal. */
	readonly id: string;
}

export interface PositionStore {
	/** @throws {PositionError} */
	read(): SinkPosition | undefined;
	/** On the disk when it returns. */
	write(position: SinkPosition): void;
}

/** A position can't be read; one sentence. */
class PositionError extends OperatorError {
	override readonly name = "PositionError";
}

/** @param file undefined: the chain lives in memory, and so does the position */
export function positionStore(file: string | undefined): PositionStore {
	let held: SinkPosition | undefined;
	if (file === undefined) {
		return {
			read: () => held,
			write: (position) => {
				held = position;
			},
		};
	}
	return { read: () => readPosition(file), write: (position) => writePosition(file, position) };
}

function readPosition(file: string): SinkPosition | undefined {
	let text: string;
	try {
		text = readFileSync(file, "utf8");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		throw new PositionError(`${file} can't be read (${(error as NodeJS.ErrnoException).code})`);
	}
	const match = /^(\d{1,15}) ([0-9a-f]{64})\n$/.exec(text);
	if (!match) throw new PositionError(`${file} is damaged: its receiver's position is not in it`);
	return { number: Number(match[1]), id: match[2] as string };
}

function writePosition(file: string, { number, id }: SinkPosition): void {
	mkdirSync(dirname(file), { recursive: true });
	const next = `${file}.new`;
	const handle = openSync(next, "w");
	try {
		writeSync(handle, `${number} ${id}\n`);
		fsyncSync(handle);
	} finally {
		closeSync(handle);
	}
	renameSync(next, file);
}
