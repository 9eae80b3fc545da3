/** The environment with guarded callbacks: a bug of this program is reported and doesn't end the node. */

import type { ByteStream, NetworkEnvironment, StreamListener } from "./environment.js";
import { ForwardingStream } from "./metered-environment.js";

type Report = (error: unknown, where: string) => void;

/** @param report notified of what a task, a stream's listener or a receiver throws */
export function guardedEnvironment(environment: NetworkEnvironment, report: Report): NetworkEnvironment {
	const guarded =
		<A extends unknown[]>(task: (...values: A) => void) =>
		(...values: A): void => {
			try {
				task(...values);
			} catch (error) {
				report(error, "peer network");
			}
		};
	const guardedStream = (stream: ByteStream): ByteStream => new GuardedStream(stream, report);
	return {
		...environment,
		after: (delayMs, task) => environment.after(delayMs, guarded(task)),
		every: (periodMs, task, firstMs) => environment.every(periodMs, guarded(task), firstMs),
		soon: (task) => environment.soon(guarded(task)),
		listen: (options, accept) =>
			environment.listen(
				options,
				guarded((stream: ByteStream) => accept(guardedStream(stream))),
			),
		dial: async (address, timeoutMs, from) => guardedStream(await environment.dial(address, timeoutMs, from)),
		bindDatagrams: (options, receive) => environment.bindDatagrams(options, guarded(receive)),
	};
}

/** After a bug in its listener, a stream is in an unknown state, so it is closed. */
class GuardedStream extends ForwardingStream {
	constructor(
		stream: ByteStream,
		private readonly report: Report,
	) {
		super(stream);
	}

	override listen(listener: StreamListener): void {
		super.listen({
			data: (bytes) => this.guard(() => listener.data(bytes)),
			closed: () => this.guard(() => listener.closed()),
		});
	}

	private guard(task: () => void): void {
		try {
			task();
		} catch (error) {
			this.report(error, "peer network");
			this.stream.destroy();
		}
	}
}
