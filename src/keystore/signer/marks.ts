/**
 * Records what a signer last signed with each key, synced to disk before a signature is released, to prevent a second block for a slot
 * and a second vote. Only one process at a time can have the marks open.
 *
 * Contract: the timestamps of a key's blocks increase and their heights don't decrease, and the heights of its votes of a kind increase.
 * A height may recur in a later slot, once its block has arrived or is lost ({@link ARRIVAL_MS}): it can be lost along with the node that
 * requested it, and a chain whose witnesses all use one signer would otherwise halt. The same bytes may be signed again, since that reveals nothing new.
 */

import { cpSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Level } from "level";
import { OperatorError } from "../../protocol/operator-error.js";
import { SLOT_MS } from "../../protocol/timing.js";

/** The last position that a key has signed, for one kind of object. */
interface Mark {
	/** The last element increases with each signature; the others don't decrease. */
	readonly places: readonly bigint[];
	/** SHA-256 of what was signed, in hexadecimal. */
	readonly hash: string;
}

/** An object to sign, with the position by which it must follow the last one signed. */
export interface MarkedStep extends Mark {
	/** Address of the key, and kind of object. */
	readonly subject: string;
	/** Minimum increase of the last element: for blocks one slot, since slot times may have any offset. */
	readonly gap: bigint;
}

/**
 * A block has reached the other nodes of its signer after this time, or is lost: longer than a node waits for a signature, and half a slot,
 * as the next one may need its height.
 */
const ARRIVAL_MS = Number(SLOT_MS) / 2;

/** The result of checking a step; if neither refused nor a repetition, it can be signed and advances the mark. */
interface StepJudgement {
	readonly refused?: string;
	/** Whether it is refused because its slot or height was already used, rather than because an earlier element decreases. */
	readonly isTaken?: boolean;
	readonly isAgain?: boolean;
}

const LOG_END = "log";
const PLACE = "place";

/** The end of the decision log: the number of decisions, and the hash of the last one. */
export interface LogEnd {
	readonly count: number;
	readonly hash: string;
}

export class SigningMarks {
	/** A write failed: the database's log may contain a partial record, which would hide all later ones from the next start. */
	private isCut = false;

	/** When each mark was last judged to advance, by the monotonic clock. */
	private readonly judgedMs = new Map<string, number>();
	private readonly openedMs: number;

	private constructor(
		private readonly database: Level<string, string>,
		private readonly monotonic: () => number,
	) {
		this.openedMs = monotonic();
	}

	/**
	 * Opens the marks.
	 * @param monotonic milliseconds of a monotonic clock
	 * @throws {OperatorError} if another process has the directory open, or it can't be used
	 */
	static async open(directory: string, monotonic = () => performance.now()): Promise<SigningMarks> {
		const database = new Level<string, string>(directory);
		await SigningMarks.openFiles(database);
		return new SigningMarks(database, monotonic);
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

	/** Checks whether a step can be signed, and whether it repeats the last one. What can be is expected to be signed at once. */
	async judge(step: MarkedStep): Promise<StepJudgement> {
		const atMs = this.monotonic();
		const judged = await this.judgeAt(step, atMs);
		if (judged.refused === undefined) this.judgedMs.set(step.subject, atMs);
		return judged;
	}

	private async judgeAt({ subject, places, gap, hash }: MarkedStep, atMs: number): Promise<StepJudgement> {
		const last = await this.last(subject);
		if (last === undefined) return {};
		if (last.hash === hash) return { isAgain: true };
		const final = places.length - 1;
		const isBack = (place: bigint, at: number): boolean =>
			place < (last.places[at] as bigint) + (at === final ? gap : 0n);
		const back = places.findIndex(isBack);
		if (back < 0) {
			// Nodes whose clocks are whole slots apart ask at the same instant for blocks of one height. Each would stay on its own for good
			// where the witness is the only one, as its blocks are final at once.
			const isRecurring = final > 0 && places[0] === last.places[0];
			const lastMs = this.judgedMs.get(subject);
			if (!isRecurring || atMs - (lastMs ?? this.openedMs) >= ARRIVAL_MS) return {};
			const when =
				lastMs === undefined ? "may have been signed just before this start" : "was signed a moment ago";
			return { refused: `${places[0]} ${when}`, isTaken: true };
		}
		const refused = `${places[back]} doesn't follow ${last.places[back]}, which was signed`;
		return { refused, isTaken: isBack(places[final] as bigint, final) };
	}

	/** Whether a step that was signed somewhere can't have been signed with these marks: they are behind it, or at its place with other bytes. */
	async isElsewhere({ subject, places, hash }: MarkedStep): Promise<boolean> {
		const last = await this.last(subject);
		return last === undefined || (last.hash !== hash && (places.at(-1) ?? 0n) >= (last.places.at(-1) ?? 0n));
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

	/** Advances the mark to a step; synced to disk when this resolves. */
	async advance({ subject, places, hash }: MarkedStep): Promise<void> {
		await this.put(subject, { places: places.map(String), hash }, true);
	}

	/**
	 * Advances marks that were lost, or restored from an older copy, to what was signed according to the log.
	 * @param signed the last step of each subject
	 * @param end of that log, recorded so that it can't be shortened unnoticed before the next decision
	 */
	async raise(signed: Iterable<MarkedStep>, end: LogEnd): Promise<void> {
		for (const step of signed) {
			const last = await this.last(step.subject);
			const isBehind = step.places.some((place, at) => place > (last?.places[at] ?? -1n));
			if (isBehind) await this.advance(step);
		}
		if (end.count > 0 && (await this.logEnd())?.hash !== end.hash) await this.setLogEnd(end);
	}

	/**
	 * Refuses marks that are a copy, since the signer with the original may be further on. A copy is a directory other than the one that
	 * was claimed: file systems tell them apart by inode and time of creation, also after a renaming. They don't see a cloned disk, nor
	 * files that were restored into the same directory.
	 * @param isMoved claims a copy, or a restored directory
	 * @throws {OperatorError}
	 */
	async claim(isMoved: boolean): Promise<void> {
		await this.mend();
		const { location } = this.database;
		const { ino, birthtimeNs, ctimeNs } = statSync(location, { bigint: true });
		// Where the time of creation isn't known, the system gives zero, or that of the last change.
		const born = birthtimeNs === ctimeNs ? 0n : birthtimeNs;
		const text = await this.database.get(PLACE);
		const claimed =
			text === undefined ? undefined : (JSON.parse(text) as { readonly ino: string; readonly born: string });
		const isSameAge = born === 0n || claimed?.born === "0" || claimed?.born === String(born);
		const isOriginal = claimed?.ino === String(ino) && isSameAge;
		if (isOriginal && (born === 0n || claimed.born !== "0")) return;
		if (claimed && !isOriginal && !isMoved)
			throw new OperatorError(
				`the marks in ${location} are a copy: a signer with the original may have signed since; if it never will again, start once with --moved`,
			);
		await this.put(PLACE, { ino: String(ino), born: String(born) }, true);
	}

	/** The recorded end of the decision log; undefined before the first decision. */
	async logEnd(): Promise<LogEnd | undefined> {
		const text = await this.database.get(LOG_END);
		return text === undefined ? undefined : (JSON.parse(text) as LogEnd);
	}

	/**
	 * The recorded end of the log in marks that a signer may have open and that this user may not write: reads a copy of them.
	 * @returns undefined if there are no marks @throws {OperatorError} if they can't be read
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

	/** Reopens the database after a failed write: it recovers its log up to the partial record, and starts a new one. */
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
