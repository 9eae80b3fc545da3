/** Results that may be very long: counted before they are made, a few made at a time, each in turns. */

import { SLICE_MS, TimeSlice } from "../../scheduling/time-slice.js";
import type { HttpAnswer } from "../http-answer.js";
import { SENDING_MS } from "../long-answer.js";
import { JsonParts, JsonText, type RpcContext, type RpcResult, type RpcValue } from "./method.js";
import { ResponseTooLong } from "./rpc-error.js";

/** Characters of pieces that are kept as bytes together. */
const PART_CHARACTERS = 64 << 10;

/** An answer that is being put together, and what its long results hold until it has left. */
export class PendingAnswer {
	private readonly held: (() => void)[] = [];

	/** Whether one of its results holds a place already: a batch needs no second one. */
	get holds(): boolean {
		return this.held.length > 0;
	}

	/** Keeps a place until {@link release}. */
	hold(leave: () => void): void {
		this.held.push(leave);
	}

	/** A client that reads slowly keeps it for a while. */
	releaseWhenSent(answer: Pick<HttpAnswer, "whenSent">): void {
		const deadline = setTimeout(() => this.release(), SENDING_MS).unref();
		answer.whenSent(() => {
			clearTimeout(deadline);
			this.release();
		});
	}

	release(): void {
		for (const leave of this.held.splice(0)) leave();
	}
}

type LongContext = Pick<RpcContext, "node" | "client" | "pending">;

/** A JSON list that is made item by item: as objects while it is short, as bytes once it was admitted as a long one. */
export class ListResult {
	private readonly items: RpcValue[] = [];
	private readonly made: Buffer[] = [];
	private part = "[";
	private isLong = false;
	/** Gives the place back where nothing tells when the answer has left. */
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

	private async enter(): Promise<void> {
		this.leave = (await enterLong(this.context)) ?? this.leave;
		this.isLong = true;
		for (const item of this.items.splice(0)) this.write(item);
	}

	get result(): RpcResult {
		if (!this.isLong) return this.items;
		return new JsonParts([...this.made, Buffer.from(`${this.part}]`)]);
	}

	private write(item: RpcValue): void {
		const isFirst = this.part === "[" && this.made.length === 0;
		this.part += isFirst ? JSON.stringify(item) : `,${JSON.stringify(item)}`;
		if (this.part.length < PART_CHARACTERS) return;
		this.made.push(Buffer.from(this.part));
		this.part = "";
	}
}

/** Waits for a place among the long results, unless the answer has one already. It is given back once the answer has left. */
async function enterLong({ node, client, pending }: LongContext): Promise<(() => void) | undefined> {
	// It is held whole, as the long messages of gRPC are.
	const leave = pending?.holds ? undefined : await node.limiter.longMessages.enter(client ?? "");
	if (leave) pending?.hold(leave);
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
		// Small texts that live until they are joined take several times their length.
		const made: Buffer[] = [];
		let length = 0;
		let part = "";
		for (const piece of pieces) {
			if (turns.over) await turns.yield();
			part += piece;
			if (part.length < PART_CHARACTERS) continue;
			const bytes = Buffer.from(part);
			part = "";
			made.push(bytes);
			length += bytes.length;
			if (length > most) throw new ResponseTooLong(maxResponseSize);
		}
		if (made.length === 0) return new JsonText(part);
		made.push(Buffer.from(part));
		return new JsonParts(made);
	} finally {
		if (!pending) leave?.();
	}
}
