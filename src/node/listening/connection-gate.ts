/**
 * A listener that serves only so many connections at a time. Further ones wait, connected but unread, until one
 * closes; only those beyond {@link MAX_WAITING} are refused. While one waits, connections on which nothing is
 * asked are closed; those that have become stale always are.
 */

import { createServer, type Server, type Socket } from "node:net";
import { type ConnectionFacts, ConnectionPlaces } from "./connection-places.js";

const MAX_WAITING = 1_000;
/** Connections that the system holds until they are taken; of one too many the client hears nothing for a second. */
const BACKLOG = 4_096;
const LOOK_AGAIN_MS = 100;

interface ConnectionRule extends ConnectionFacts {
	/** @param crowded whether others wait for a place */
	readonly isStale: (socket: Socket, crowded: boolean) => boolean;
	/** How often connections are looked at. */
	readonly everyMs: number;
}

interface Waiting {
	readonly socket: Socket;
	readonly address: string;
}

export class ConnectionGate {
	private readonly listener: Server;
	private readonly places: ConnectionPlaces;
	private waiting: Waiting[] = [];
	private sweeping: NodeJS.Timeout | undefined;
	private looking: NodeJS.Timeout | undefined;

	/**
	 * @param limit connections served at a time; 0 or less: no limit
	 * @param serve takes over a connection
	 * @param allowHalfOpen whether a client that has said everything still gets answers; else the connection ends
	 */
	constructor(
		limit: number,
		private readonly serve: (socket: Socket) => void,
		allowHalfOpen = true,
		private readonly rule?: ConnectionRule,
	) {
		this.places = new ConnectionPlaces(limit);
		this.listener = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen }, (socket) => {
			socket.on("error", () => socket.destroy());
			const address = socket.remoteAddress ?? "";
			if (this.waiting.length === 0 && this.places.hasRoom(address)) this.admit(socket, address);
			else this.queue({ socket, address });
		});
	}

	/** Binds the port; rejects with the system's error. @returns the bound port */
	listen(port: number, host: string | undefined): Promise<number> {
		return new Promise((resolve, reject) => {
			this.listener.once("error", reject);
			this.listener.listen({ port, ...(host === undefined ? {} : { host }), backlog: BACKLOG }, () => {
				this.listener.off("error", reject);
				const address = this.listener.address();
				resolve(typeof address === "object" && address ? address.port : port);
			});
		});
	}

	/** A connection that is others' from now on gives its place back, and isn't closed with the gate. */
	letGo(socket: Socket): void {
		this.places.release(socket);
		this.admitWaiting();
	}

	private admit(socket: Socket, address: string): void {
		this.places.take(socket, address);
		this.sweepRegularly();
		socket.once("close", () => this.admitWaiting());
		this.serve(socket);
		socket.resume();
	}

	private queue(newcomer: Waiting): void {
		if (this.waiting.length >= MAX_WAITING && !this.refuseCrowd(newcomer.address)) {
			newcomer.socket.destroy();
			return;
		}
		this.waiting.push(newcomer);
		this.admitWaiting();
	}

	/** Refuses the newest connection of the address of which most wait, if that isn't this one. */
	private refuseCrowd(address: string): boolean {
		const counts = new Map<string, number>();
		for (const waiting of this.waiting) counts.set(waiting.address, (counts.get(waiting.address) ?? 0) + 1);
		const [crowd, most] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0]);
		if (most <= (counts.get(address) ?? 0) + 1) return false;
		const [refused] = this.waiting.splice(
			this.waiting.findLastIndex((waiting) => waiting.address === crowd),
			1,
		);
		refused?.socket.destroy();
		return true;
	}

	private sweepRegularly(): void {
		const { rule } = this;
		if (!rule || this.sweeping) return;
		this.sweeping = setInterval(() => {
			const crowded = this.waiting.length > 0;
			for (const socket of this.places.open.keys()) if (rule.isStale(socket, crowded)) socket.destroy();
			this.admitWaiting();
			if (this.places.open.size > 0) return;
			clearInterval(this.sweeping);
			this.sweeping = undefined;
		}, rule.everyMs).unref();
	}

	/** Admits waiting connections, first those whose address holds the fewest places; closes others where all are taken. */
	private admitWaiting(): void {
		this.waiting = this.waiting.filter(({ socket }) => !socket.destroyed);
		while (this.waiting.length > 0) {
			let best: Waiting | undefined;
			for (const candidate of this.waiting) {
				const isFewer = !best || this.places.heldBy(candidate.address) < this.places.heldBy(best.address);
				if (isFewer) best = candidate;
			}
			if (!best) return;
			if (!this.places.hasRoom(best.address)) {
				if (this.rule && !this.places.makeRoom(best.address, this.rule, this.waiting.length))
					this.lookAgain();
				return;
			}
			this.waiting.splice(this.waiting.indexOf(best), 1);
			this.admit(best.socket, best.address);
		}
	}

	/** A connection that had just come may turn out to be an idle one. */
	private lookAgain(): void {
		this.looking ??= setTimeout(() => {
			this.looking = undefined;
			this.admitWaiting();
		}, LOOK_AGAIN_MS).unref();
	}

	/** Stops listening and closes every connection that `isIdle`; the others get `graceMs` to finish. */
	async close(isIdle: (socket: Socket) => boolean, graceMs: number): Promise<void> {
		const closed = new Promise<void>((resolve) => this.listener.close(() => resolve()));
		for (const { socket } of this.waiting.splice(0)) socket.destroy();
		const open = [...this.places.open.keys()];
		for (const socket of open) if (isIdle(socket)) socket.destroy();
		const deadline = setTimeout(() => {
			for (const socket of this.places.open.keys()) socket.destroy();
		}, graceMs);
		await closed;
		clearTimeout(deadline);
	}
}
