/**
 * A listener that serves only so many connections at a time. Further ones wait, connected but unread, until one
 * closes; only those beyond {@link MAX_WAITING} are refused. Connections that have become stale are closed.
 */

import { createServer, type Server, type Socket } from "node:net";

const MAX_WAITING = 1_000;

export interface StaleRule {
	/** @param crowded whether others wait for a place */
	readonly isStale: (socket: Socket, crowded: boolean) => boolean;
	/** How often connections are looked at. */
	readonly everyMs: number;
}

export class ConnectionGate {
	private readonly listener: Server;
	private readonly open = new Set<Socket>();
	private readonly waiting: Socket[] = [];
	private sweeping: NodeJS.Timeout | undefined;

	/**
	 * @param limit connections served at a time; 0 or less: no limit
	 * @param serve takes over a connection
	 * @param allowHalfOpen whether a client that has said everything still gets answers; else the connection ends
	 */
	constructor(
		private readonly limit: number,
		private readonly serve: (socket: Socket) => void,
		allowHalfOpen = true,
		private readonly stale?: StaleRule,
	) {
		this.listener = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen }, (socket) => {
			socket.on("error", () => socket.destroy());
			if (this.limit <= 0 || this.open.size < this.limit) this.admit(socket);
			else if (this.waiting.length < MAX_WAITING) this.waiting.push(socket);
			else socket.destroy();
		});
	}

	/** Binds the port; rejects with the system's error. @returns the bound port */
	listen(port: number, host: string | undefined): Promise<number> {
		return new Promise((resolve, reject) => {
			this.listener.once("error", reject);
			this.listener.listen(port, host, () => {
				this.listener.off("error", reject);
				const address = this.listener.address();
				resolve(typeof address === "object" && address ? address.port : port);
			});
		});
	}

	private admit(socket: Socket): void {
		this.open.add(socket);
		this.sweepRegularly();
		socket.once("close", () => {
			this.open.delete(socket);
			this.admitNext();
		});
		this.serve(socket);
		socket.resume();
	}

	private sweepRegularly(): void {
		const { stale } = this;
		if (!stale || this.sweeping) return;
		this.sweeping = setInterval(() => {
			const crowded = this.waiting.length > 0;
			for (const socket of this.open) if (stale.isStale(socket, crowded)) socket.destroy();
			if (this.open.size > 0) return;
			clearInterval(this.sweeping);
			this.sweeping = undefined;
		}, stale.everyMs).unref();
	}

	private admitNext(): void {
		let next = this.waiting.shift();
		while (next?.destroyed) next = this.waiting.shift();
		if (next) this.admit(next);
	}

	/** Stops listening and closes every connection that `isIdle`; the others get `graceMs` to finish. */
	async close(isIdle: (socket: Socket) => boolean, graceMs: number): Promise<void> {
		const closed = new Promise<void>((resolve) => this.listener.close(() => resolve()));
		for (const socket of this.waiting.splice(0)) socket.destroy();
		for (const socket of this.open) if (isIdle(socket)) socket.destroy();
		const deadline = setTimeout(() => {
			for (const socket of this.open) socket.destroy();
		}, graceMs);
		await closed;
		clearTimeout(deadline);
	}
}
