/**
 * The outbox file of a receiver: its position (the last published block) and every published step that may
 * still have to be retracted. A non-final step is written with its block and receipts before it is published,
 * so that after a crash the same messages are published again, and those of a block that a reorg reverted
 * meanwhile can be retracted (protocol/events §7.1).
 *
 * One JSON object per line: first the start of the file, then steps and acknowledgement marks (`told`).
 */

import {
	closeSync,
	existsSync,
	fsyncSync,
	mkdirSync,
	openSync,
	readFileSync,
	renameSync,
	writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { SignedBlock } from "../../protocol/block.js";
import { TransactionInfo } from "../../protocol/messages.js";
import { OperatorError } from "../../protocol/operator-error.js";

const OUTBOX_FORMAT = 1;
/** The file is compacted once it is longer than this and twice as long as its live content. */
const LONG_BYTES = 256 << 10;
const MAX_BYTES = 1 << 30;

/** The whole webhook file of earlier versions of this program: number and id of the last block. */
const FORMER_POSITION = /^(\d{1,15}) ([0-9a-f]{64})\n$/;

export interface OutboxPosition {
	readonly number: number;
	/** Hexadecimal; empty if not known yet. */
	readonly id: string;
}

/** A block that was applied or reverted, as published. */
export interface Step {
	readonly is: "applied" | "erased";
	readonly block: SignedBlock;
	readonly infos: readonly Readonly<TransactionInfo>[];
	/** The solidified number at that time. */
	readonly solid: number;
}

/** The state before the first kept step. */
export interface Start {
	/** The solidified number. */
	readonly solid: number;
	/** Whether nothing was published yet. */
	readonly isFresh: boolean;
}

/** The receiver's file is damaged or belongs to another program; one sentence. */
class OutboxError extends OperatorError {
	override readonly name = "OutboxError";
}

export class Outbox {
	/** The last published block; on a fresh outbox the one after which publishing starts. */
	at: OutboxPosition = { number: 0, id: "" };
	start: Start = { solid: 0, isFresh: true };
	/** Published steps in order, from the first whose block isn't final. */
	kept: readonly Step[] = [];
	/** A step that may or may not have been published. */
	intended: Step | undefined;
	private handle: number | undefined;
	private length = 0;
	/** The last line may be incomplete: the file is rewritten before anything is appended. */
	private isTorn = false;
	private keptLength = 0;

	/** @param file undefined for an in-memory chain: nothing is stored */
	private constructor(private readonly file: string | undefined) {}

	/**
	 * @param formerFile file name in earlier versions of this program; it is renamed
	 * @param begin start of a receiver without a file
	 * @throws {OutboxError}
	 */
	static open(
		file: string | undefined,
		formerFile: string | undefined,
		begin: () => { readonly at: OutboxPosition; readonly start: Start },
	): Outbox {
		const outbox = new Outbox(file);
		if (file && formerFile && !existsSync(file) && existsSync(formerFile)) renameSync(formerFile, file);
		const text = file === undefined ? undefined : readText(file);
		if (text === undefined) {
			const { at, start } = begin();
			outbox.restart(at, start);
		} else {
			outbox.read(text);
			outbox.rewrite();
		}
		return outbox;
	}

	/** Forgets what was published; the next step follows `at`. */
	restart(at: OutboxPosition, start: Start): void {
		this.at = at;
		this.start = start;
		this.kept = [];
		this.intended = undefined;
		this.rewrite();
	}

	/** Records a step about to be published. Synced to disk on return. */
	intend(step: Step): void {
		this.append(stepLine(step), true);
		this.intended = step;
	}

	/** Records that the receiver stored these steps; the last may be the intended one. */
	acknowledge(steps: readonly Step[]): void {
		const last = steps.at(-1);
		if (!last) return;
		this.apply(steps);
		if (this.intended) {
			this.intended = undefined;
			this.append('{"told":true}\n', false);
		} else {
			// Final blocks can be published again from the chain, so their messages need not be kept.
			this.append(placeLine(this.at, this.start), false);
		}
		if (this.length > LONG_BYTES && this.length > 2 * this.keptLength) this.rewrite();
	}

	/** Blocks below the solidified number were reverted, which only a development chain does. */
	rewound(at: OutboxPosition): void {
		this.restart(at, { solid: Math.min(this.start.solid, at.number), isFresh: false });
	}

	close(): void {
		if (this.handle !== undefined) closeSync(this.handle);
		this.handle = undefined;
	}

	/** The solidified number after everything published so far. */
	get solid(): number {
		return this.kept.at(-1)?.solid ?? this.start.solid;
	}

	private apply(steps: readonly Step[]): void {
		const kept = [...this.kept, ...steps];
		const last = kept.at(-1) as Step;
		const { block, is, solid } = last;
		const number = Number(block.number);
		this.at =
			is === "applied"
				? { number, id: block.idHex }
				: { number: number - 1, id: Buffer.from(block.parentId).toString("hex") };
		const first = kept.findIndex((step) => Number(step.block.number) > solid);
		const final = first < 0 ? kept.length : first;
		this.start = { solid: kept[final - 1]?.solid ?? this.start.solid, isFresh: false };
		this.kept = kept.slice(final);
		this.keptLength = this.kept.reduce((sum, step) => sum + sizeOf(step), 0);
	}

	private read(text: string): void {
		const former = FORMER_POSITION.exec(text);
		if (former) {
			this.at = { number: Number(former[1]), id: former[2] as string };
			this.start = { solid: this.at.number, isFresh: false };
			return;
		}
		// A line without a line feed was not fully written, so its step was not published.
		const lines = text.slice(0, text.lastIndexOf("\n")).split("\n");
		const [head = ""] = lines;
		for (const line of lines) {
			const value = this.parse(line);
			if (line === head && value["format"] !== OUTBOX_FORMAT) throw this.damaged();
			if (value["told"] === true) {
				if (!this.intended) throw this.damaged();
				this.apply([this.intended]);
				this.intended = undefined;
			} else if (value["at"] !== undefined) {
				const { number, id } = value["at"] as OutboxPosition;
				const { solid, isFresh } = value["start"] as Start;
				if (!Number.isSafeInteger(number) || !Number.isSafeInteger(solid)) throw this.damaged();
				this.at = { number, id };
				this.start = { solid, isFresh };
				this.kept = [];
			} else if (value["is"] !== undefined) {
				this.intended = this.readStep(value);
			} else throw this.damaged();
		}
	}

	private parse(line: string): Record<string, unknown> {
		try {
			return JSON.parse(line) as Record<string, unknown>;
		} catch {
			throw this.damaged();
		}
	}

	private readStep({ is, solid, block, infos }: Record<string, unknown>): Step {
		try {
			return {
				is: is === "erased" ? "erased" : "applied",
				solid: Number(solid),
				block: SignedBlock.decode(Buffer.from(String(block), "base64")),
				infos: (infos as string[]).map((text) => TransactionInfo.decode(Buffer.from(text, "base64"))),
			};
		} catch {
			throw this.damaged();
		}
	}

	private damaged(): OutboxError {
		return new OutboxError(`${this.file} is damaged: its receiver's position is not in it`);
	}

	/** Writes the live content to a new file that replaces the old one. */
	private rewrite(): void {
		const { file } = this;
		if (file === undefined) return;
		this.isTorn = true;
		this.close();
		const next = `${file}.new`;
		mkdirSync(dirname(file), { recursive: true });
		const handle = openSync(next, "w");
		this.handle = handle;
		this.length = 0;
		const head = placeLine(this.keptStart(), this.start).replace("{", `{"format":${OUTBOX_FORMAT},`);
		const lines = this.kept.map((step) => `${stepLine(step)}{"told":true}\n`);
		this.write(handle, `${head}${lines.join("")}${this.intended ? stepLine(this.intended) : ""}`, true);
		renameSync(next, file);
		this.isTorn = false;
	}

	/** The position before the first kept step; later positions follow from the steps. */
	private keptStart(): OutboxPosition {
		const first = this.kept[0]?.block;
		return first
			? { number: Number(first.number) - 1, id: Buffer.from(first.parentId).toString("hex") }
			: this.at;
	}

	private append(text: string, isSynced: boolean): void {
		// Lines after a torn one would not be read.
		if (this.isTorn) this.rewrite();
		if (this.handle === undefined) return;
		this.isTorn = true;
		this.write(this.handle, text, isSynced);
		this.isTorn = false;
	}

	private write(handle: number, text: string, isSynced: boolean): void {
		const written = writeSync(handle, text);
		if (written < text.length) throw new Error(`${this.file} can't be written: the disk is full`);
		this.length += written;
		if (isSynced) fsyncSync(handle);
	}
}

const placeLine = (at: OutboxPosition, start: Start): string => `${JSON.stringify({ at, start })}\n`;

const stepLine = ({ is, solid, block, infos }: Step): string =>
	`${JSON.stringify({
		is,
		solid,
		block: Buffer.from(block.bytes).toString("base64"),
		infos: infos.map((info) => Buffer.from(TransactionInfo.encode(info)).toString("base64")),
	})}\n`;

/** Approximate length of its line. */
const sizeOf = ({ block, infos }: Step): number => 2 * block.bytes.length + 1_000 * infos.length;

function readText(file: string): string | undefined {
	try {
		const bytes = readFileSync(file);
		if (bytes.length > MAX_BYTES) throw new OutboxError(`${file} is too long to be read`);
		return bytes.toString("latin1");
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT") return undefined;
		if (error instanceof OutboxError) throw error;
		throw new OutboxError(`${file} can't be read (${code})`);
	}
}
