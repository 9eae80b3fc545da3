/**
 * The log of a signer: a line of JSON a decision, each with the hash of the one before, so that no line can be changed or taken
 * out without all later ones.
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

/** What was decided: `signed`, `signed again` for the bytes of the last time, or the reason of a refusal. */
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
	/** Of the lines that are whole. */
	readonly bytes: number;
}

/**
 * Reads a log and checks the hash of every line; an unfinished last line is left out.
 * @param known a place that it must have passed
 * @throws {OperatorError} naming the first line that doesn't follow the one before, or the place that it lacks
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
 * Visits the lines of a log after checking each.
 * @param known where it ended at least
 * @returns their number
 * @throws {OperatorError} for one that was changed or shortened
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
		/** Of the whole lines. */
		private bytes: number,
	) {}

	/**
	 * Opens a log, or begins one.
	 * @param known where it ended at least
	 * @param visit called with each line
	 * @throws {OperatorError} for a log that was changed or shortened
	 */
	static async open(
		path: string,
		known: LogEnd | undefined,
		visit: (line: string) => void,
	): Promise<DecisionLog> {
		const file = await open(path, "a", 0o600);
		try {
			const { end, bytes } = await readLog(path, known, visit);
			// What a crash left of a line that never counted.
			await file.truncate(bytes);
			// A crash must not take a new file's name with all sums.
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

	/** On the disk when it resolves. What a full disk took of a line is taken back before the next one. */
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
