/**
 * What a signer signed last with each key, on the disk before a signature leaves: no second block for a slot, no second vote. One
 * process at a time has the marks open.
 *
 * Contract: the time of a key's blocks rises and their height doesn't fall, and the heights of its votes of a kind rise. A height
 * may come again in a later slot: its block can be lost with the node that asked for it, and a chain whose witnesses all stand
 * behind one signer would never go on. The same bytes are signed again, since that tells nobody anything new.
 */

import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Level } from "level";
import { OperatorError } from "../../protocol/operator-error.js";

/** How far a key has come in one of the things that it signs. */
interface Mark {
	/** The last one rises with each signature, those before it don't fall. */
	readonly places: readonly bigint[];
	/** SHA-256 of what was signed, in hexadecimal. */
	readonly hash: string;
}

/** What is to be signed, and by which place it follows what was signed before. */
export interface MarkedStep extends Mark {
	/** Address of the key and kind of the thing. */
	readonly subject: string;
	/** By how much the last place rises at least: a slot, whose times may begin anywhere. */
	readonly gap: bigint;
}

/** Nothing of both: it can be signed, and moves the mark. */
interface Judgement {
	readonly refused?: string;
	/** Refused because its last place was used; else the step goes back behind what was signed for an earlier one. */
	readonly isTaken?: boolean;
	readonly isAgain?: boolean;
}

const LOG_END = "log";

/** The end of the log of decisions: how many there are, and the hash of the last one. */
export interface LogEnd {
	readonly count: number;
	readonly hash: string;
}

export class SigningMarks {
	/** A write failed: part of its record may stand in the database's log, and hide all behind it from the next start. */
	private isCut = false;

	private constructor(private readonly database: Level<string, string>) {}

	/** @throws {OperatorError} if another process has the directory open, or it can't be used */
	static async open(directory: string): Promise<SigningMarks> {
		const database = new Level<string, string>(directory);
		await SigningMarks.openFiles(database);
		return new SigningMarks(database);
	}

	private static async openFiles(database: Level<string, string>): Promise<void> {
		try {
			await database.open();
		} catch (error) {
			const { cause } = error as { readonly cause?: { readonly code?: string; readonly message?: string } };
			if (cause?.code === "LEVEL_LOCKED")
				throw new OperatorError(
					`another signer has the marks in ${database.location} open: two must never sign at once`,
				);
			throw new OperatorError(
				`the marks in ${database.location} can't be read: ${cause?.message ?? String(error)}`,
			);
		}
	}

	/** Whether a step can be signed: why not, and whether it is the one that was signed last. */
	async judge({ subject, places, gap, hash }: MarkedStep): Promise<Judgement> {
		const last = await this.last(subject);
		if (last === undefined) return {};
		if (last.hash === hash) return { isAgain: true };
		const final = places.length - 1;
		const isBack = (place: bigint, at: number): boolean =>
			place < (last.places[at] as bigint) + (at === final ? gap : 0n);
		const back = places.findIndex(isBack);
		if (back < 0) return {};
		const refused = `${places[back]} doesn't follow ${last.places[back]}, which was signed`;
		return { refused, isTaken: isBack(places[final] as bigint, final) };
	}

	private async last(subject: string): Promise<Mark | undefined> {
		await this.mend();
		const text = await this.database.get(subject);
		if (text === undefined) return undefined;
		const { places, hash } = JSON.parse(text) as {
			readonly places: readonly string[];
			readonly hash: string;
		};
		return { places: places.map(BigInt), hash };
	}

	/** Writes the mark of a step; on the disk when it resolves. */
	async advance({ subject, places, hash }: MarkedStep): Promise<void> {
		await this.put(subject, { places: places.map(String), hash }, true);
	}

	/**
	 * Brings marks that an older copy or nothing is left of up to what the log says was signed.
	 * @param signed the last of each subject
	 */
	async raise(signed: Iterable<MarkedStep>): Promise<void> {
		for (const step of signed) {
			const last = await this.last(step.subject);
			const isBehind = step.places.some((place, at) => place > (last?.places[at] ?? -1n));
			if (isBehind) await this.advance(step);
		}
	}

	/** Where the log of decisions ended; undefined before the first one. */
	async logEnd(): Promise<LogEnd | undefined> {
		const text = await this.database.get(LOG_END);
		return text === undefined ? undefined : (JSON.parse(text) as LogEnd);
	}

	/**
	 * The same of marks that a signer may have open, and that aren't this user's to write: read from a copy.
	 * @returns undefined where there are none @throws {OperatorError} if they can't be read
	 */
	static async logEndIn(directory: string): Promise<LogEnd | undefined> {
		if (!existsSync(directory)) return undefined;
		const copy = mkdtempSync(join(tmpdir(), "coin-marks-"));
		try {
			cpSync(directory, copy, { recursive: true });
			const marks = await SigningMarks.open(copy);
			return await marks.logEnd().finally(() => marks.close());
		} finally {
			rmSync(copy, { recursive: true, force: true });
		}
	}

	async setLogEnd(end: LogEnd): Promise<void> {
		await this.mend();
		await this.put(LOG_END, end, false);
	}

	/** A log that is opened again is read up to the cut, and another one begun. */
	private async mend(): Promise<void> {
		if (!this.isCut) return;
		await this.database.close();
		await SigningMarks.openFiles(this.database);
		this.isCut = false;
	}

	private async put(key: string, value: object, sync: boolean): Promise<void> {
		try {
			await this.database.put(key, JSON.stringify(value), { sync });
		} catch (error) {
			this.isCut = true;
			throw error;
		}
	}

	close(): Promise<void> {
		return this.database.close();
	}
}
