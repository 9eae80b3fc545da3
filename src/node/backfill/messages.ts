/** What a node and the thread that replays its blocks say to each other. The thread asks, the node answers. */

import type { MessagePort } from "node:worker_threads";

/** The part of a data directory in which the thread's chain lies. */
export const REPLAY_FOLDER = "backfill";

/** Rows of the history as the thread's database has them, with keys of the thread's generation. */
export type HistoryRows = readonly (readonly [Uint8Array, Uint8Array])[];

export type FromReplay =
	/** Wants blocks from a number on. */
	| { readonly kind: "blocks"; readonly from: number }
	/** Rows to be kept; wants to hear that they are. */
	| { readonly kind: "rows"; readonly rows: HistoryRows }
	/** All rows were given. @property first block whose state they tell */
	| { readonly kind: "end"; readonly first: number }
	| { readonly kind: "failed"; readonly message: string };

export type ToReplay =
	/** Encoded, in their order. */
	{ readonly kind: "blocks"; readonly blocks: readonly Uint8Array[] } | { readonly kind: "kept" };

/** Where messages go and come from: a port of a thread, seen from one of its ends. */
export interface BackfillChannel<In, Out> {
	send(message: Out): void;
	/** Resolves with the next message, in their order. @throws {Error} once the other end is gone */
	next(): Promise<In>;
}

/** The other end is gone. */
export class ChannelClosed extends Error {
	override readonly name = "ChannelClosed";
}

export function channelOf<In, Out>(port: MessagePort): BackfillChannel<In, Out> & { close(): void } {
	const received: In[] = [];
	const waiting: { done: (message: In) => void; fail: (error: Error) => void }[] = [];
	let isClosed = false;
	port.on("message", (message: In) => {
		const first = waiting.shift();
		if (first) first.done(message);
		else received.push(message);
	});
	const end = (): void => {
		isClosed = true;
		for (const { fail } of waiting.splice(0)) fail(new ChannelClosed("the thread has ended"));
	};
	port.on("close", end);
	return {
		send: (message) => port.postMessage(message),
		next: () =>
			new Promise((done, fail) => {
				const first = received.shift();
				if (first !== undefined) done(first);
				else if (isClosed) fail(new ChannelClosed("the thread has ended"));
				else waiting.push({ done, fail });
			}),
		close: () => {
			end();
			port.close();
		},
	};
}
