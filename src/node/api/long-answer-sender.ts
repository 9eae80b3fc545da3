/** Sends a long answer over HTTP: time-sliced, and only as fast as its client reads. */

import { SLICE_MS, TimeSlice } from "../scheduling/time-slice.js";
import type { HttpAnswer } from "./http-answer.js";
import type { LongAnswer, UnreadAnswers } from "./long-answer.js";

/** Shorter answers are sent in one piece, with a Content-Length. */
export const ONE_PIECE_BYTES = 512 << 10;

interface LongAnswerOptions {
	readonly contentType: string;
	/** Waits for a slot for another long answer. @returns frees the slot @param cost that is known of it */
	readonly enter: (cost?: number) => Promise<() => void>;
	readonly unread: UnreadAnswers;
	readonly isAbandoned: () => boolean;
	/** The answer to an error thrown before anything was sent. */
	readonly failed: (error: Error) => string;
	/** The status of that answer; 200 if absent, as the network's APIs answer errors. */
	readonly failedStatus?: number;
}

/** Bytes produced before they are offered to the client. */
const PIECE_BYTES = 16 << 10;
/** How long a client may take to read a chunk before the answer gives up its slot. */
const PLACE_MS = 10;

/** Sends the pieces and a newline. Never rejects because of an error in a piece. */
export async function sendLong(
	answer: HttpAnswer,
	{ pieces, cost, held }: LongAnswer,
	options: LongAnswerOptions,
): Promise<void> {
	const { contentType, isAbandoned } = options;
	let leave: (() => void) | undefined;
	try {
		if (cost !== undefined) leave = await options.enter(cost);
		if (isAbandoned()) return;
		const source = new PieceReader(pieces);
		const first = await source.take(ONE_PIECE_BYTES, isAbandoned);
		if (isAbandoned()) return;
		if (source.ended) return answer.send(200, contentType, Buffer.concat([...first, LINE_END]));
		leave ??= await options.enter();
		if (isAbandoned()) return;
		if (answer.isHeadOnly && !answer.rewrite) {
			// Counted, not kept.
			let length = first.reduce((sum, bytes) => sum + bytes.length, LINE_END.length);
			first.length = 0;
			while (!source.ended && !isAbandoned()) {
				for (const bytes of await source.take(1, isAbandoned)) length += bytes.length;
			}
			return answer.sendHead(contentType, length);
		}
		if (answer.rewrite) {
			const rest = await source.take(Number.POSITIVE_INFINITY, isAbandoned);
			return answer.send(200, contentType, Buffer.concat([...first, ...rest, LINE_END]));
		}
		/** Hands bytes to the client; frees the slot while the client isn't reading. */
		const given = async (bytes: Buffer): Promise<boolean> => {
			let read: (() => void) | undefined;
			const unsent = first.reduce((sum, { length }) => sum + length, bytes.length);
			const timer = setTimeout(() => {
				leave?.();
				read = options.unread.wait(held + unsent, () => answer.breakOff());
			}, PLACE_MS);
			const goesOn = await answer.piece(bytes);
			clearTimeout(timer);
			if (!read) return goesOn;
			read();
			if (goesOn) leave = await options.enter(cost);
			return goesOn && !isAbandoned();
		};
		answer.begin(contentType);
		for (let bytes = first.shift(); bytes; bytes = first.shift()) if (!(await given(bytes))) return;
		while (!source.ended) {
			const taken = await source.take(PIECE_BYTES, isAbandoned);
			if (taken.length > 0 && !(await given(Buffer.concat(taken)))) return;
			if (isAbandoned()) return;
		}
		// Everything has been produced.
		leave?.();
		if (await answer.piece(LINE_END)) answer.end();
	} catch (error) {
		const text = options.failed(error instanceof Error ? error : new Error(String(error)));
		if (answer.status === 0) answer.send(options.failedStatus ?? 200, contentType, `${text}\n`);
		else answer.breakOff();
	} finally {
		leave?.();
	}
}

const LINE_END = Buffer.from("\n");

/** Produces pieces, time-sliced. */
class PieceReader {
	private readonly pieces: Iterator<string>;
	private readonly turns = new TimeSlice(SLICE_MS);
	ended = false;

	constructor(pieces: Iterable<string>) {
		this.pieces = pieces[Symbol.iterator]();
	}

	/** The next pieces, with at least this many bytes in total. */
	async take(size: number, isAbandoned: () => boolean): Promise<Buffer[]> {
		const taken: Buffer[] = [];
		let length = 0;
		while (!this.ended && length < size && !isAbandoned()) {
			if (this.turns.over) await this.turns.yield();
			const { value, done } = this.pieces.next();
			if (done) {
				this.ended = true;
				break;
			}
			const bytes = Buffer.from(value);
			if (bytes.length === 0) continue;
			length += bytes.length;
			taken.push(bytes);
		}
		return taken;
	}
}
