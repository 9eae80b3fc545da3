/** A channel over a port of threads. */

import type { MessagePort } from "node:worker_threads";
import type { BackfillChannel } from "./messages.js";

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
