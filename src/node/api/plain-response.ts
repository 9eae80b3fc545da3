/** Answers to plain requests, byte for byte what node:http writes on a keep-alive connection. */

import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

/** Headers of an answer, in order. */
type Headers = Readonly<Record<string, string | number>>;

/** Longer answers are not cached. */
const MAX_REPEATED = 256 << 10;

/** The longest an answer is held for others, unless the computation behind it takes longer. */
const LONGEST_MS = 1;

/**
 * Answers of one event loop round, sent together.
 *
 * PERF: the first bytes for a sleeping client make the kernel wake it on the sender's time, which costs more
 * than the answer itself. A client with many connections is awake after the first of a batch: contract calls
 * over sixteen connections reach 1.8 times the throughput.
 */
export class AnswerBatch {
	private waiting: (() => void)[] = [];
	private firstAtMs = 0;

	/**
	 * @param nowMs milliseconds on a clock that nobody sets
	 * @param atEndOfRound runs a function when this round of the event loop has read everything
	 */
	constructor(
		private readonly nowMs: () => number = () => performance.now(),
		private readonly atEndOfRound: (run: () => void) => void = setImmediate,
	) {}

	/** Sends soon, in order. @param send must not throw */
	add(send: () => void): void {
		this.waiting.push(send);
		if (this.waiting.length === 1) {
			this.firstAtMs = this.nowMs();
			this.atEndOfRound(this.leave);
		} else if (this.nowMs() - this.firstAtMs > LONGEST_MS) this.leave();
	}

	private readonly leave = (): void => {
		const { waiting } = this;
		this.waiting = [];
		for (const send of waiting) send();
	};
}

/** Shared by the answers of a listener. */
export class CommonBytes {
	readonly batch = new AnswerBatch();
	private headEnd = "";
	private second = -1;
	/** The last body sent as bytes, with its head; and both in one piece if they were sent again. */
	private body: Buffer | undefined;
	private head = "";
	private whole: Buffer | undefined;
	private isClosing = false;

	/**
	 * @param idleMs how long a connection may be idle, as clients are told
	 * @param nowMs milliseconds since 1970
	 */
	constructor(
		private readonly idleMs: number,
		private readonly nowMs: () => number = Date.now,
	) {}

	/** The headers node:http adds, without the final empty line. The date is cached for a second. */
	get endOfHead(): string {
		const nowMs = this.nowMs();
		const second = Math.floor(nowMs / 1000);
		if (second !== this.second) {
			this.second = second;
			const timeout = Math.floor(this.idleMs / 1000);
			const date = new Date(nowMs).toUTCString();
			const connection = this.isClosing ? "close" : `keep-alive\r\nKeep-Alive: timeout=${timeout}`;
			this.headEnd = `Date: ${date}\r\nConnection: ${connection}\r\n`;
		}
		return this.headEnd;
	}

	/** Answers from now on announce that their connection will close. */
	close(): void {
		this.isClosing = true;
		this.second = -1;
	}

	/** The answer in one piece if it repeats the previous one, since many clients request the same block. */
	repeated(head: string, body: Buffer): Buffer | undefined {
		if (body.length > MAX_REPEATED) return undefined;
		if (body === this.body && head === this.head) {
			this.whole ??= Buffer.concat([Buffer.from(head, "latin1"), body]);
		} else {
			this.whole = undefined;
			this.body = body;
			this.head = head;
		}
		return this.whole;
	}
}

export class PlainResponse {
	headersSent = false;
	writableEnded = false;
	private added: Record<string, string> | undefined;
	/** The head, until the first bytes of the body are available. */
	private head = "";
	private isChunked = false;
	private readonly finished: () => void;
	private readonly waiting: (() => void)[] = [];

	/**
	 * @param common to all answers of the listener
	 * @param finished called once everything has been given to the system, or can't be any more
	 */
	constructor(
		private readonly socket: Socket,
		private readonly common: CommonBytes,
		finished: () => void,
	) {
		this.finished = () => {
			finished();
			for (const done of this.waiting.splice(0)) done();
		};
	}

	/** Also called once everything has been handed to the kernel, or can't be any more. */
	whenFinished(done: () => void): void {
		this.waiting.push(done);
	}

	get destroyed(): boolean {
		return this.socket.destroyed;
	}

	setHeader(name: string, value: string): void {
		this.added = { ...this.added, [name]: value };
	}

	/** Without a length, the body is sent in chunks. */
	writeHead(status: number, own: Headers): void {
		const headers: Headers = this.added ? { ...this.added, ...own } : own;
		let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
		for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
		head += this.common.endOfHead;
		// "Not modified" has neither a body nor a length.
		this.isChunked = status !== 304 && !("Content-Length" in own);
		this.head = this.isChunked ? `${head}Transfer-Encoding: chunked\r\n\r\n` : `${head}\r\n`;
		this.headersSent = true;
	}

	/**
	 * Sends a piece of the body, chunked if there is no Content-Length.
	 * @returns whether the client keeps up
	 */
	write(bytes: Buffer): boolean {
		if (bytes.length === 0) return true;
		const { socket, head } = this;
		this.head = "";
		socket.cork();
		if (!this.isChunked) {
			if (head !== "") socket.write(head, "latin1");
			const keepsUp = socket.write(bytes);
			socket.uncork();
			return keepsUp;
		}
		socket.write(`${head}${bytes.length.toString(16)}\r\n`, "latin1");
		socket.write(bytes);
		const keepsUp = socket.write("\r\n", "latin1");
		socket.uncork();
		return keepsUp;
	}

	/** Ends the answer, with its whole body unless it is chunked. */
	end(body?: string | Buffer): void {
		const { socket, head, finished } = this;
		this.head = "";
		this.writableEnded = true;
		if (this.isChunked) socket.write(`${head}0\r\n\r\n`, "latin1", finished);
		else if (body === undefined) socket.write(head, "latin1", finished);
		else if (typeof body === "string") {
			this.common.batch.add(() => socket.write(head + body, "utf8", finished));
		} else this.common.batch.add(() => this.sendWithBytes(head, body));
	}

	private sendWithBytes(head: string, body: Buffer): void {
		const { socket, finished } = this;
		const whole = this.common.repeated(head, body);
		if (whole) {
			socket.write(whole, finished);
			return;
		}
		socket.cork();
		socket.write(head, "latin1");
		socket.write(body, finished);
		socket.uncork();
	}

	destroy(): void {
		this.socket.destroy();
	}

	once(event: "drain" | "close", listener: () => void): void {
		this.socket.once(event, listener);
	}

	off(event: "drain" | "close", listener: () => void): void {
		this.socket.off(event, listener);
	}
}
