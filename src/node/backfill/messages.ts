/** Messages between a node and its replay thread: the thread requests, the node responds. */

import type { MessagePort } from "node:worker_threads";

/** Subdirectory of the data directory for the thread's chain. */
export const REPLAY_FOLDER = "backfill";

/** History rows in the thread's database format, with its generation of keys. */
export type HistoryRows = readonly (readonly [Uint8Array, Uint8Array])[];

export type FromReplay =
	/** Requests blocks from a number on. */
	| { readonly kind: "blocks"; readonly from: number }
	/** Rows to store; acknowledged with `kept`. */
	| { readonly kind: "rows"; readonly rows: HistoryRows }
	/** All rows were sent. @property first block whose state they cover */
	| { readonly kind: "end"; readonly first: number }
	| { readonly kind: "failed"; readonly message: string };

export type ToReplay =
	/** Encoded, in order. */
	{ readonly kind: "blocks"; readonly blocks: readonly Uint8Array[] } | { readonly kind: "kept" };

/** One end of a message port. */
export interface BackfillChannel<In, Out> {
	send(message: Out): void;
	/** Resolves with the next message, in order. @throws {Error} once the other end is closed */
	next(): Promise<In>;
}

/** The other end is closed. */
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
