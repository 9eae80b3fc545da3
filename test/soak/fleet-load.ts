/**
 * Many keep-alive connections that send sequential requests through a proxy at a given rate. Every answer is
 * compared with the expected one; heads are requested with the newest block seen by anybody.
 */

import { connect, type Socket } from "node:net";

/** A query with an immutable answer. */
export interface FixedQuery {
	readonly server: "http" | "jsonrpc";
	/** The raw request, and the body of the answer. */
	readonly request: Buffer;
	readonly body: Buffer;
}

/** A query of the head: a header with the newest known block is inserted between its parts. */
export interface HeadQuery {
	readonly server: "http" | "jsonrpc";
	readonly head: string;
	readonly body: string;
	/** @returns undefined for any other answer */
	readonly number: (body: string) => number | undefined;
}

export interface LoadOptions {
	readonly ports: { readonly http: number; readonly jsonrpc: number };
	readonly connections: number;
	/** Requests per second over all connections. */
	readonly rate: number;
	readonly fixed: readonly FixedQuery[];
	readonly heads: readonly HeadQuery[];
	/** One in so many queries is of the head. */
	readonly headEvery: number;
}

export interface LoadResult {
	readonly seconds: number;
	readonly answered: number;
	/** Percentiles of latency in milliseconds. */
	readonly ms: { readonly p50: number; readonly p99: number; readonly p999: number; readonly max: number };
	/** Connections closed without an answer. */
	readonly broken: number;
	/** Answers by status, except 200. */
	readonly refused: Readonly<Record<string, number>>;
	readonly wrong: number;
	readonly stale: number;
	/** The first few failures, with their times. */
	readonly examples: readonly string[];
}

const RELEASE_MS = 4;
const MAX_EXAMPLES = 12;
/** Buckets of 0.1 ms. */
const BUCKETS = 200_000;

export function plainRequest(method: "GET" | "POST", path: string, body = "", more = ""): Buffer {
	return Buffer.from(`${requestHead(method, path, body)}${more}\r\n${body}`);
}

export function requestHead(method: "GET" | "POST", path: string, body: string): string {
	const content =
		method === "POST" ? `content-type: application/json\r\ncontent-length: ${body.length}\r\n` : "";
	return `${method} ${path} HTTP/1.1\r\nhost: fleet\r\n${content}`;
}

/** Sends queries until ended. */
export class Load {
	private readonly startMs = performance.now();
	private readonly times = new Uint32Array(BUCKETS);
	private readonly parked: Connection[] = [];
	private readonly timer: NodeJS.Timeout;
	private issued = 0;
	private answered = 0;
	private broken = 0;
	private wrong = 0;
	private stale = 0;
	private open = 0;
	private readonly refused: Record<string, number> = {};
	private readonly examples: string[] = [];
	/** The newest block seen by anybody. */
	newest = 0;
	isOver = false;
	private ended: () => void = () => {};

	constructor(readonly options: LoadOptions) {
		for (let i = 0; i < options.connections; i++) this.connect(i);
		this.timer = setInterval(() => this.release(), RELEASE_MS);
	}

	private connect(seed: number): void {
		const server = seed % 2 === 0 ? "http" : "jsonrpc";
		this.open++;
		new Connection(this, server, seed, (asked) => {
			this.open--;
			if (this.isOver && !asked) {
				if (this.open === 0) this.ended();
				return;
			}
			this.broken++;
			this.note(`a connection closed ${asked ? "without an answer" : "between requests"}`);
			if (!this.isOver) this.connect(seed);
			else if (this.open === 0) this.ended();
		});
	}

	/** Whether a connection may send now; otherwise it is notified later. */
	mayAsk(connection: Connection): boolean {
		const due = ((performance.now() - this.startMs) * this.options.rate) / 1000;
		if (this.issued < due) {
			this.issued++;
			return true;
		}
		this.parked.push(connection);
		return false;
	}

	private release(): void {
		const due = ((performance.now() - this.startMs) * this.options.rate) / 1000;
		for (let free = Math.min(due - this.issued, this.parked.length); free >= 1; free--) {
			this.issued++;
			this.parked.shift()?.ask();
		}
		// Doesn't catch up after slow moments.
		this.issued = Math.max(this.issued, due - this.options.rate / 10);
	}

	took(ms: number): void {
		this.answered++;
		const bucket = Math.min(BUCKETS - 1, Math.trunc(ms * 10));
		this.times[bucket] = (this.times[bucket] as number) + 1;
	}

	failed(kind: "wrong" | "stale" | number, what: string): void {
		if (kind === "wrong") this.wrong++;
		else if (kind === "stale") this.stale++;
		else this.refused[kind] = (this.refused[kind] ?? 0) + 1;
		this.note(`${kind}: ${what}`);
	}

	private note(what: string): void {
		const at = ((performance.now() - this.startMs) / 1000).toFixed(2);
		const line = what.replace(/\s+/g, " ").slice(0, 300);
		if (this.examples.length < MAX_EXAMPLES && !this.examples.some((each) => each.endsWith(line)))
			this.examples.push(`${at} s ${line}`);
	}

	private timeOf(part: number): number {
		let left = this.answered * part;
		const at = this.times.findIndex((count) => {
			left -= count;
			return left <= 0;
		});
		return at / 10;
	}

	/** Stops sending, and waits for pending answers. */
	async end(): Promise<LoadResult> {
		const seconds = (performance.now() - this.startMs) / 1000;
		const { answered } = this;
		this.isOver = true;
		const ended = new Promise<void>((resolve) => {
			this.ended = resolve;
		});
		for (const connection of this.parked.splice(0)) connection.close();
		await ended;
		clearInterval(this.timer);
		const max = this.times.findLastIndex((count) => count > 0) / 10;
		return {
			...{ seconds, answered, broken: this.broken, refused: this.refused },
			...{ wrong: this.wrong, stale: this.stale, examples: this.examples },
			ms: { p50: this.timeOf(0.5), p99: this.timeOf(0.99), p999: this.timeOf(0.999), max },
		};
	}
}

class Connection {
	private readonly socket: Socket;
	private buffer: Buffer = Buffer.alloc(0);
	private askedMs = 0;
	private isAsking = false;
	private fixed: FixedQuery | undefined;
	private head: HeadQuery | undefined;
	private floor = 0;
	private readonly own: { readonly fixed: readonly FixedQuery[]; readonly heads: readonly HeadQuery[] };

	constructor(
		private readonly load: Load,
		server: "http" | "jsonrpc",
		private turn: number,
		closed: (asked: boolean) => void,
	) {
		const { fixed, heads, ports } = load.options;
		this.own = {
			fixed: fixed.filter((query) => query.server === server),
			heads: heads.filter((query) => query.server === server),
		};
		this.socket = connect(ports[server], "127.0.0.1");
		this.socket
			.setNoDelay(true)
			.on("connect", () => this.next())
			.on("data", (bytes) => this.read(bytes))
			.on("error", () => this.socket.destroy())
			.on("close", () => closed(this.isAsking));
	}

	close(): void {
		this.socket.end();
	}

	private next(): void {
		if (this.load.isOver) this.close();
		else if (this.load.mayAsk(this)) this.ask();
	}

	ask(): void {
		const { fixed, heads } = this.own;
		const { headEvery } = this.load.options;
		this.isAsking = true;
		this.askedMs = performance.now();
		const turn = this.turn++;
		if (heads.length > 0 && turn % headEvery === 0) {
			this.head = heads[turn % heads.length] as HeadQuery;
			this.floor = this.load.newest;
			this.socket.write(`${this.head.head}x-coin-min-block: ${this.floor}\r\n\r\n${this.head.body}`);
			return;
		}
		this.head = undefined;
		this.fixed = fixed[(turn * 7) % fixed.length] as FixedQuery;
		this.socket.write(this.fixed.request);
	}

	private read(bytes: Buffer): void {
		this.buffer = this.buffer.length === 0 ? bytes : Buffer.concat([this.buffer, bytes]);
		const end = this.buffer.indexOf("\r\n\r\n");
		if (end < 0) return;
		const head = this.buffer.toString("latin1", 0, end).toLowerCase();
		const length = /\r\ncontent-length: ?(\d+)/.exec(head)?.[1];
		if (length === undefined) {
			this.load.failed("wrong", `an answer without a length: ${head}`);
			this.socket.destroy();
			return;
		}
		const whole = end + 4 + Number(length);
		if (this.buffer.length < whole) return;
		const body = this.buffer.subarray(end + 4, whole);
		this.isAsking = false;
		this.load.took(performance.now() - this.askedMs);
		const status = Number(head.slice(9, 12));
		if (status !== 200) this.load.failed(status, body.toString());
		else if (this.head) this.checkHead(this.head, body.toString());
		else if (this.fixed && !body.equals(this.fixed.body))
			this.load.failed("wrong", `${this.fixed.request} was answered with ${body}`);
		this.buffer = this.buffer.subarray(whole);
		if (/\r\nconnection: close/.test(head)) this.socket.end();
		else this.next();
	}

	private checkHead(query: HeadQuery, body: string): void {
		const number = query.number(body);
		if (number === undefined) {
			this.load.failed("wrong", `a head was answered with ${body}`);
			return;
		}
		if (number < this.floor) this.load.failed("stale", `block ${number} after ${this.floor}`);
		this.load.newest = Math.max(this.load.newest, number);
	}
}
