/**
 * A listener that serves only so many connections at a time. Further ones wait, connected but unread, until one
 * closes; nothing is refused.
 */

import { createServer, type Server, type Socket } from "node:net";

export class ConnectionGate {
	private readonly listener: Server;
	private readonly open = new Set<Socket>();
	private readonly waiting: Socket[] = [];

	/**
	 * @param limit connections served at a time; 0 or less: no limit
	 * @param serve takes over a connection
	 * @param allowHalfOpen whether a client that has said everything still gets answers; else the connection ends
	 */
	constructor(
		private readonly limit: number,
		private readonly serve: (socket: Socket) => void,
		allowHalfOpen = true,
	) {
		this.listener = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen }, (socket) => {
			socket.on("error", () => socket.destroy());
			if (this.limit > 0 && this.open.size >= this.limit) this.waiting.push(socket);
			else this.admit(socket);
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
		socket.once("close", () => {
			this.open.delete(socket);
			this.admitNext();
		});
		this.serve(socket);
		socket.resume();
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
