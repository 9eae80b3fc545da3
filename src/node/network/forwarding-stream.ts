/** A byte stream that hands everything on to another one: what watches or guards streams overrides what it needs. */

import type { ByteStream, NodeAddress, StreamListener } from "./environment.js";

export class ForwardingStream implements ByteStream {
	constructor(protected readonly stream: ByteStream) {}

	get remote(): NodeAddress {
		return this.stream.remote;
	}

	get backlog(): number {
		return this.stream.backlog;
	}

	listen(listener: StreamListener): void {
		this.stream.listen(listener);
	}

	write(bytes: Uint8Array): void {
		this.stream.write(bytes);
	}

	end(): void {
		this.stream.end();
	}

	destroy(): void {
		this.stream.destroy();
	}

	pause(): void {
		this.stream.pause();
	}

	resume(): void {
		this.stream.resume();
	}
}
