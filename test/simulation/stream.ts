/** Simulated TCP: ordered and delayed; held back by a paused reader, stalled by a broken link. */

import type { ByteStream, NodeAddress, StreamListener } from "../../src/node/network/environment.js";
import type { SimulatedWorld } from "./world.js";

/** Receive window: bytes that the system buffers for a reader that doesn't read. */
const RECEIVE_WINDOW = 256 * 1024;
/** How long a sender retries over a broken link before it closes the connection. */
const GIVE_UP_MS = 20_000;

const FIN = Symbol("fin");

interface Segment {
	readonly content: Uint8Array | typeof FIN;
	readonly arrivesMs: number;
}

/** One direction of a connection: data in flight. */
class Pipe {
	private segments: Segment[] = [];
	private lastArrivalMs = 0;
	private stalledSinceMs: number | undefined;
	private isRetrying = false;
	backlog = 0;

	constructor(
		private readonly world: SimulatedWorld,
		private readonly from: SimulatedStream,
		private readonly to: SimulatedStream,
	) {}

	send(content: Uint8Array | typeof FIN): void {
		const size = content === FIN ? 0 : content.length;
		this.lastArrivalMs = this.world.arrivalMs(this.from.host, this.to.host, size, this.lastArrivalMs);
		this.segments.push({ content, arrivesMs: this.lastArrivalMs });
		this.backlog += size;
		this.world.at(this.lastArrivalMs, () => this.arrive());
	}

	/** Delivers arrived data to the other system. */
	arrive(): void {
		const first = this.segments[0];
		if (first === undefined || first.arrivesMs > this.world.now) return;
		if (!this.world.isReachable(this.from.host, this.to.host)) {
			this.stall();
			return;
		}
		this.stalledSinceMs = undefined;
		if (this.to.isGone) {
			this.segments = [];
			this.backlog = 0;
			// The other system doesn't know the connection, and sends a reset.
			this.world.at(this.world.now + this.world.latency(this.to.host, this.from.host), () =>
				this.from.reset(),
			);
			return;
		}
		let count = 0;
		for (const segment of this.segments) {
			if (segment.arrivesMs > this.world.now || !this.to.hasRoom) break;
			count++;
			if (segment.content === FIN) this.to.takeEnd();
			else {
				this.backlog -= segment.content.length;
				this.to.take(segment.content);
			}
		}
		this.segments.splice(0, count);
		if (count === 0) return;
		this.to.deliver();
		// The reader has made room for more.
		if (this.to.hasRoom && this.segments.length > 0) this.world.soon(() => this.arrive());
	}

	private stall(): void {
		this.stalledSinceMs ??= this.world.now;
		if (this.world.now - this.stalledSinceMs >= GIVE_UP_MS) {
			this.segments = [];
			this.backlog = 0;
			this.from.reset();
			return;
		}
		if (this.isRetrying) return;
		this.isRetrying = true;
		// Exponential backoff, like TCP.
		const waitMs = Math.max(200, (this.world.now - this.stalledSinceMs) / 2);
		this.world.at(this.world.now + waitMs, () => {
			this.isRetrying = false;
			this.arrive();
		});
	}
}

/** One end of a connection. */
export class SimulatedStream implements ByteStream {
	private out: Pipe | undefined;
	private incoming: Pipe | undefined;
	private listener: StreamListener | undefined;
	private inbox: Uint8Array[] = [];
	private inboxBytes = 0;
	private hasEnd = false;
	private isPaused = false;
	private isDelivering = false;
	private isEnded = false;
	/** Closed here, or the host died: no more events. */
	isGone = false;
	/** Lets the owner remove the stream from its lists. */
	onGone: (() => void) | undefined;

	constructor(
		private readonly world: SimulatedWorld,
		/** Address of its host. */
		readonly host: string,
		readonly remote: NodeAddress,
	) {}

	static connect(world: SimulatedWorld, left: SimulatedStream, right: SimulatedStream): void {
		const there = new Pipe(world, left, right);
		const back = new Pipe(world, right, left);
		left.out = there;
		left.incoming = back;
		right.out = back;
		right.incoming = there;
	}

	get backlog(): number {
		return this.out?.backlog ?? 0;
	}

	get hasRoom(): boolean {
		return this.inboxBytes < RECEIVE_WINDOW;
	}

	listen(listener: StreamListener): void {
		this.listener = listener;
		this.world.soon(() => this.deliver());
	}

	write(bytes: Uint8Array): void {
		if (this.isEnded || this.isGone || bytes.length === 0) return;
		this.out?.send(bytes);
	}

	end(): void {
		if (this.isEnded || this.isGone) return;
		this.isEnded = true;
		this.out?.send(FIN);
	}

	destroy(): void {
		if (this.isGone) return;
		this.end();
		this.leave();
	}

	pause(): void {
		this.isPaused = true;
	}

	resume(): void {
		if (!this.isPaused) return;
		this.isPaused = false;
		this.world.soon(() => {
			this.deliver();
			this.incoming?.arrive();
		});
	}

	/** Loses the connection without sending anything. */
	reset(): void {
		if (!this.isGone) this.leave();
	}

	/** The host died: its process gets no events. With `silent`, nothing is sent either. */
	vanish(silent: boolean): void {
		if (this.isGone) return;
		if (!silent && !this.isEnded) this.out?.send(FIN);
		this.isGone = true;
		this.inbox = [];
	}

	take(bytes: Uint8Array): void {
		this.inbox.push(bytes);
		this.inboxBytes += bytes.length;
	}

	takeEnd(): void {
		this.hasEnd = true;
	}

	deliver(): void {
		if (this.isDelivering) return;
		this.isDelivering = true;
		try {
			while (this.listener !== undefined && !this.isGone && !this.isPaused && this.inbox.length > 0) {
				const [now, later] = this.world.cut(this.inbox);
				this.inbox = later.length > 0 ? [later] : [];
				this.inboxBytes = later.length;
				this.world.logBytes("stream", `${this.remote.host}:${this.remote.port}`, this.host, now);
				this.listener.data(now);
			}
		} finally {
			this.isDelivering = false;
		}
		if (
			this.hasEnd &&
			this.inbox.length === 0 &&
			!this.isPaused &&
			this.listener !== undefined &&
			!this.isGone
		) {
			// Like real sockets with `allowHalfOpen` off: the other side's end closes ours.
			this.end();
			this.leave();
		}
	}

	private leave(): void {
		this.isGone = true;
		this.isEnded = true;
		this.inbox = [];
		this.inboxBytes = 0;
		this.onGone?.();
		this.world.soon(() => this.listener?.closed());
	}
}
