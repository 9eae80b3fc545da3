/**
 * The log of a signer: one line of JSON per decision, each with the hash of the previous line, so that no line can be changed or
 * removed without changing all later ones.
 */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "../../node/state/inventory.js";
import { linesOf } from "../../protocol/json/modest-json.js";
import { OperatorError } from "../../protocol/operator-error.js";
import type { LogEnd } from "./marks.js";

const START: LogEnd = { count: 0, hash: "0".repeat(64) };
const HASH_FIELD = /,"hash":"([0-9a-f]{64})"\}$/;

/** A decision: `signed`, `signed again` for the same bytes as the last time, or the reason for a refusal. */
export interface Decision {
	readonly at: string;
	readonly asked: string;
	readonly key: string;
	readonly decision: string;
	readonly [fact: string]: string;
}

/** The line of a decision. */
function lineOf(
	decision: Decision,
	{ count, hash }: LogEnd,
): { readonly line: string; readonly end: LogEnd } {
	const body = JSON.stringify({ number: count + 1, ...decision }).slice(0, -1);
	const next = createHash("sha256").update(hash).update(body).digest("hex");
	return { line: `${body},"hash":"${next}"}\n`, end: { count: count + 1, hash: next } };
}

interface ReadLog {
	readonly end: LogEnd;
	/** Length of the complete lines. */
	readonly bytes: number;
}

/**
 * Reads a log and verifies the hash of every line; ignores an incomplete last line.
 * @param known a position that the log must contain
 * @throws {OperatorError} naming the first line that doesn't follow the previous one, or the position that is missing
 */
async function readLog(
	path: string,
	known: LogEnd = START,
	visit?: (line: string) => void,
): Promise<ReadLog> {
	let end = START;
	let bytes = 0;
	let passes = known.count === 0;
	const check = (line: string): void => {
		const [field, hash] = HASH_FIELD.exec(line) ?? [];
		const body = line.slice(0, -(field?.length ?? 0));
		const next = createHash("sha256").update(end.hash).update(body).digest("hex");
		if (hash !== next) throw new OperatorError(`line ${end.count + 1} of ${path} isn't what was written`);
		end = { count: end.count + 1, hash };
		bytes += Buffer.byteLength(line) + 1;
		passes ||= end.count === known.count && end.hash === known.hash;
		visit?.(line);
	};
	for await (const lines of linesOf(createReadStream(path, "utf8"))) lines.forEach(check);
	if (!passes)
		throw new OperatorError(
			`${path} was shortened or replaced: decision ${known.count} isn't in it as it was made`,
		);
	return { end, bytes };
}

/**
 * Visits the lines of a log, verifying each.
 * @param known an earlier end of the log, which it must contain
 * @returns the number of lines
 * @throws {OperatorError} if the log was changed or truncated
 */
export async function checkLog(
	path: string,
	known: LogEnd | undefined,
	visit: (line: string) => void,
): Promise<number> {
	return (await readLog(path, known, visit)).end.count;
}

export class DecisionLog {
	private constructor(
		private readonly file: FileHandle,
		private last: LogEnd,
		/** Length of the complete lines. */
		private bytes: number,
	) {}

	/**
	 * Opens a log, or starts one.
	 * @param known an earlier end of the log, which it must contain
	 * @param visit called with each line
	 * @throws {OperatorError} if the log was changed or truncated
	 */
	static async open(
		path: string,
		known: LogEnd | undefined,
		visit: (line: string) => void,
	): Promise<DecisionLog> {
		const file = await open(path, "a", 0o600);
		try {
			const { end, bytes } = await readLog(path, known, visit);
			// Remove what a crash left of an incomplete line, which never took effect.
			await file.truncate(bytes);
			// A killed process may have left lines unsynced; the marks are about to record the last one.
			await file.datasync();
			// Sync the directory, so that a crash can't lose a new file and with it all sums.
			if (bytes === 0) await syncDirectory(dirname(path));
			return new DecisionLog(file, end, bytes);
		} catch (error) {
			await file.close();
			throw error;
		}
	}

	get end(): LogEnd {
		return this.last;
	}

	/** Appends a line, synced to disk when this resolves. What a full disk took of an incomplete line is removed before the next one. */
	async append(decision: Decision): Promise<void> {
		const { line, end } = lineOf(decision, this.last);
		const bytes = Buffer.from(line);
		if ((await this.file.stat()).size !== this.bytes) await this.file.truncate(this.bytes);
		await this.file.appendFile(bytes);
		await this.file.datasync();
		this.bytes += bytes.length;
		this.last = end;
	}

	close(): Promise<void> {
		return this.file.close();
	}
}
