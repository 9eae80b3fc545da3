/** Two ends of an in-memory connection, for tests of a state machine: data only moves in `deliver`. */

import type { ByteStream, NodeAddress, StreamListener } from "../../src/node/network/environment.js";

export class MemoryStream implements ByteStream {
	backlog = 0;
	isPaused = false;
	isClosed = false;
	/** Data not yet delivered to the other end. */
	readonly written: Uint8Array[] = [];
	private listener: StreamListener | undefined;
	private isEnded = false;
	private isTold = false;
	other!: MemoryStream;

	constructor(readonly remote: NodeAddress) {}

	listen(listener: StreamListener): void {
		this.listener = listener;
	}

	write(bytes: Uint8Array): void {
		if (this.isEnded || bytes.length === 0) return;
		this.written.push(bytes);
		this.backlog += bytes.length;
	}

	end(): void {
		this.isEnded = true;
	}

	destroy(): void {
		this.isEnded = true;
		this.isClosed = true;
	}

	pause(): void {
		this.isPaused = true;
	}

	resume(): void {
		this.isPaused = false;
	}

	/** Delivers what the other end wrote. @returns whether anything happened */
	receive(): boolean {
		const { other } = this;
		if (this.isClosed) {
			if (this.isTold) return false;
			this.isTold = true;
			this.listener?.closed();
			return true;
		}
		if (this.isPaused) return false;
		const bytes = other.written.shift();
		if (bytes !== undefined) {
			other.backlog -= bytes.length;
			this.listener?.data(bytes);
			return true;
		}
		if (!other.isEnded) return false;
		this.destroy();
		return true;
	}
}

export interface StreamPair {
	/** The dialing end. */
	readonly dialer: MemoryStream;
	readonly acceptor: MemoryStream;
	/** Delivers everything until both ends are quiet. */
	deliver(): void;
}

export function streamPair(
	dialer: NodeAddress = { host: "10.0.0.1", port: 40_000 },
	acceptor: NodeAddress = { host: "10.0.0.2", port: 18_888 },
): StreamPair {
	const near = new MemoryStream(acceptor);
	const far = new MemoryStream(dialer);
	near.other = far;
	far.other = near;
	return {
		dialer: near,
		acceptor: far,
		deliver() {
			while ([near.receive(), far.receive()].some(Boolean));
		},
	};
}
