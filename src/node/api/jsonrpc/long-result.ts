/** Results that may be very long: sized up front, only a few made at a time, time-sliced. */

import { SLICE_MS, TimeSlice } from "../../scheduling/time-slice.js";
import type { HttpAnswer } from "../http-answer.js";
import type { UnreadAnswers } from "../long-answer.js";
import {
	type AnswerText,
	JsonParts,
	JsonText,
	type RpcContext,
	type RpcResult,
	type RpcValue,
} from "./method.js";
import { ResponseTooLong } from "./rpc-error.js";

/** Characters collected before they are encoded to bytes. */
const PART_CHARACTERS = 64 << 10;

/**
 * Growing text, encoded to bytes once it is long. Keeping many small strings until the end takes several
 * times their length, and joining them blocks the event loop.
 */
class GrowingText {
	private readonly made: Buffer[] = [];
	private part = "";
	/** Encoded bytes; the latest characters aren't included. */
	length = 0;

	get isEmpty(): boolean {
		return this.made.length === 0 && this.part === "";
	}

	add(piece: string): void {
		this.part += piece;
		if (this.part.length >= PART_CHARACTERS) this.keepPart();
	}

	addParts({ parts, length }: JsonParts): void {
		this.keepPart();
		for (const part of parts) this.made.push(part);
		this.length += length;
	}

	private keepPart(): void {
		const bytes = Buffer.from(this.part);
		this.part = "";
		this.made.push(bytes);
		this.length += bytes.length;
	}

	get text(): AnswerText {
		if (this.made.length === 0) return this.part;
		return new JsonParts([...this.made, Buffer.from(this.part)]);
	}
}

/** The answers of a batch, comma-separated. */
export class BatchText {
	private readonly grown = new GrowingText();

	get isEmpty(): boolean {
		return this.grown.isEmpty;
	}

	add(answer: AnswerText): void {
		this.grown.add(this.isEmpty ? "[" : ",");
		if (answer instanceof JsonParts) this.grown.addParts(answer);
		else this.grown.add(answer);
	}

	/** The text of the whole batch; empty if no call has an answer. */
	end(): AnswerText {
		if (!this.isEmpty) this.grown.add("]");
		return this.grown.text;
	}
}

/** An answer being assembled, and what its long results hold until it has been sent. */
export class PendingAnswer {
	private readonly held: (() => void)[] = [];
	private whenBrokenOff = (): void => {};

	/** Whether one of its results already holds a slot: a batch needs only one. */
	get holds(): boolean {
		return this.held.length > 0;
	}

	/** Holds a slot until {@link release}. @param brokenOff called if the answer is broken off later */
	hold(leave: () => void, brokenOff: () => void): void {
		this.held.push(leave);
		this.whenBrokenOff = brokenOff;
	}

	/** The answer is complete: frees the slot, and counts it as an unread answer. */
	leaveTo(unread: UnreadAnswers, answer: Pick<HttpAnswer, "whenSent" | "breakOff">, bytes: number): void {
		this.release();
		const breakOff = (): void => {
			this.whenBrokenOff();
			answer.breakOff();
		};
		answer.whenSent(unread.wait(bytes, breakOff));
	}

	release(): void {
		for (const leave of this.held.splice(0)) leave();
	}
}

type LongContext = Pick<RpcContext, "node" | "client" | "pending">;

/** A JSON list built item by item: as objects while short, as bytes once admitted as a long result. */
export class ListResult {
	private items: RpcValue[] = [];
	private written = new GrowingText();
	private isLong = false;
	/** Frees the slot if nothing tracks when the answer is sent. */
	leave: () => void = () => {};

	constructor(private readonly context: LongContext) {}

	/** Waits until there is room for a long list. */
	admit(): Promise<void> | undefined {
		return this.isLong ? undefined : this.enter();
	}

	add(item: RpcValue): void {
		if (this.isLong) this.write(item);
		else this.items.push(item);
	}

	/** Discards the items. */
	drop(): void {
		this.items = [];
		this.written = new GrowingText();
	}

	private async enter(): Promise<void> {
		this.leave = (await enterLong(this.context)) ?? this.leave;
		this.isLong = true;
		for (const item of this.items.splice(0)) this.write(item);
	}

	end(): RpcResult {
		if (!this.isLong) return this.items;
		this.written.add(this.written.isEmpty ? "[]" : "]");
		const { text } = this.written;
		return text instanceof JsonParts ? text : new JsonText(text);
	}

	private write(item: RpcValue): void {
		this.written.add(`${this.written.isEmpty ? "[" : ","}${JSON.stringify(item)}`);
	}
}

/** Waits for a slot for long results, unless the answer already has one. It is freed once the answer is complete. */
async function enterLong({ node, client, pending }: LongContext): Promise<(() => void) | undefined> {
	const { longResults } = node.limiter;
	const leave = pending?.holds ? undefined : await longResults.enter(client ?? "");
	if (leave) pending?.hold(leave, () => longResults.pause(client ?? ""));
	return leave;
}

/**
 * The text of a result.
 * @param pieces what they take is taken when the first is asked for
 * @param least bytes that it has at least
 * @throws {ResponseTooLong}
 */
export async function longResult(
	{ node, client, pending }: LongContext,
	pieces: Iterable<string>,
	least: number,
): Promise<JsonText | JsonParts> {
	const { maxResponseSize } = node.config.node.jsonrpc;
	const most = maxResponseSize > 0 ? maxResponseSize : Number.POSITIVE_INFINITY;
	if (least > most) throw new ResponseTooLong(maxResponseSize);
	const leave = await enterLong({ node, client, pending });
	try {
		const turns = new TimeSlice(SLICE_MS);
		const grown = new GrowingText();
		for (const piece of pieces) {
			if (turns.over) await turns.yield();
			grown.add(piece);
			if (grown.length > most) throw new ResponseTooLong(maxResponseSize);
		}
		const { text } = grown;
		return text instanceof JsonParts ? text : new JsonText(text);
	} finally {
		if (!pending) leave?.();
	}
}
