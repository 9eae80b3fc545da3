/**
 * A connection as long as its client sends nothing but plain requests, each after the answer to the one before. With the
 * first bytes that are anything else it is node:http's for good.
 */

import type { Socket } from "node:net";
import { type PlainRequest, readPlainRequest } from "./plain-request.js";
import { type CommonBytes, PlainResponse } from "./plain-response.js";

/** A plain request and its answer. */
interface PlainCall {
	readonly request: PlainRequest;
	readonly response: PlainResponse;
}

interface PlainConnectionOptions {
	/** How long a client may keep the connection without sending, or without reading an answer. */
	readonly idleMs: number;
	readonly common: CommonBytes;
	/** Whether requests are taken; else node:http gets them. */
	readonly takes: () => boolean;
	readonly begin: (call: PlainCall) => void;
	/** The answer has left, or can't any more. */
	readonly ended: (socket: Socket) => void;
	/** Makes it a connection of node:http. */
	readonly handOver: (socket: Socket) => void;
}

/** Serves a connection, which is paused, until it is handed over. */
export function servePlain(socket: Socket, options: PlainConnectionOptions): void {
	new PlainConnection(socket, options);
}

class PlainConnection {
	private last: PlainRequest["head"] | undefined;
	private call: PlainCall | undefined;
	/** What came before the answer had left. */
	private readonly held: Buffer[] = [];
	/** Whether the client has said everything. */
	private isHalf = false;

	constructor(
		private readonly socket: Socket,
		private readonly options: PlainConnectionOptions,
	) {
		socket.setTimeout(options.idleMs);
		socket
			.on("data", this.read)
			.on("end", this.finishHalf)
			.on("timeout", this.expire)
			.on("close", this.finish);
	}

	private readonly read = (bytes: Buffer): void => {
		if (this.call || this.held.length > 0) {
			this.socket.pause();
			this.held.push(bytes);
			return;
		}
		const { options, socket } = this;
		const request = options.takes() ? readPlainRequest(bytes, socket, this.last) : undefined;
		if (!request) {
			this.held.push(bytes);
			this.handOver();
			return;
		}
		this.last = request.head;
		this.call = { request, response: new PlainResponse(socket, options.common, this.finish) };
		options.begin(this.call);
	};

	/** The answer has left, or the connection is closed. */
	private readonly finish = (): void => {
		if (!this.call) return;
		this.call = undefined;
		this.options.ended(this.socket);
		if (this.isHalf) this.socket.end();
		else if (this.held.length > 0 && this.options.takes()) this.handOver();
	};

	private readonly finishHalf = (): void => {
		this.isHalf = true;
		if (!this.call) this.socket.end();
	};

	/** A client that doesn't read an answer that has begun keeps it in memory, and a place. An answer in the making is waited for. */
	private readonly expire = (): void => {
		if (!this.call || this.call.response.headersSent) this.socket.destroy();
	};

	private handOver(): void {
		const { socket, held } = this;
		socket
			.off("data", this.read)
			.off("end", this.finishHalf)
			.off("timeout", this.expire)
			.off("close", this.finish);
		socket.pause();
		this.options.handOver(socket);
		for (const bytes of held.reverse()) socket.unshift(bytes);
		socket.resume();
	}
}
