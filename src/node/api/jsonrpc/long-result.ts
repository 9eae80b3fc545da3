/** Results that may be very long: counted before they are made, a few made at a time, each in turns. */

import { SLICE_MS, TimeSlice } from "../../scheduling/time-slice.js";
import type { HttpAnswer } from "../http-answer.js";
import { SENDING_MS } from "../long-answer.js";
import { JsonText, type RpcContext } from "./method.js";
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

/**
 * The text of a result.
 * @param least bytes that it has at least
 * @throws {ResponseTooLong}
 */
export async function longResult(
	{ node, client, pending }: Pick<RpcContext, "node" | "client" | "pending">,
	pieces: Iterable<string>,
	least: number,
): Promise<JsonText> {
	const { maxResponseSize } = node.config.node.jsonrpc;
	if (maxResponseSize > 0 && least > maxResponseSize) throw new ResponseTooLong(maxResponseSize);
	// It is held whole, as the long messages of gRPC are.
	const leave = pending?.holds ? undefined : await node.limiter.longMessages.enter(client ?? "");
	if (leave) pending?.hold(leave);
	try {
		const turns = new TimeSlice(SLICE_MS);
		// Small texts that live until they are joined take several times their length.
		const made: Buffer[] = [];
		let part = "";
		for (const piece of pieces) {
			if (turns.over) await turns.yield();
			part += piece;
			if (part.length < PART_CHARACTERS) continue;
			made.push(Buffer.from(part));
			part = "";
		}
		if (made.length === 0) return new JsonText(part);
		made.push(Buffer.from(part));
		return new JsonText(Buffer.concat(made).toString());
	} finally {
		if (!pending) leave?.();
	}
}
