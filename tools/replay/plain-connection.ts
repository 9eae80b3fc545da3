/**
 * A keep-alive connection for plain requests.
 *
 * PERF: node:http's client takes longer per request than the node, and recordings have thousands of them.
 */

import { connect, type Socket } from "node:net";
import type { HttpAnswer, HttpRequest } from "./target.js";

const HEAD_END = Buffer.from("\r\n\r\n");
const LINE_END = HEAD_END.subarray(2);

/** A response head. */
interface Head {
	readonly status: number;
	/** By lower-case name. */
	readonly headers: ReadonlyMap<string, string>;
	/** Offset of the body. */
	readonly end: number;
}

interface Waiting {
	readonly resolve: (answer: HttpAnswer) => void;
	readonly reject: (error: Error) => void;
}

export class PlainConnection {
	private socket: Socket | undefined;
	private received: Buffer = Buffer.alloc(0);
	private waiting: Waiting | undefined;

	constructor(private readonly port: number) {}

	/**
	 * Sends a GET or POST, after the previous answer has been read.
	 * @throws the system's error if the connection fails
	 */
	send({ verb, path, headers }: HttpRequest, body: Buffer | undefined): Promise<HttpAnswer> {
		const lines = [`${verb} ${path} HTTP/1.1`];
		for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
		if (body !== undefined || verb === "POST") lines.push(`content-length: ${body?.length ?? 0}`);
		lines.push(`Host: 127.0.0.1:${this.port}`, "Connection: keep-alive", "", "");
		const head = Buffer.from(lines.join("\r\n"), "latin1");
		return new Promise((resolve, reject) => {
			this.waiting = { resolve, reject };
			this.open().write(body === undefined ? head : Buffer.concat([head, body]));
		});
	}

	close(): void {
		this.socket?.destroy();
	}

	private open(): Socket {
		if (this.socket) return this.socket;
		const socket = connect({ host: "127.0.0.1", port: this.port, noDelay: true });
		this.socket = socket;
		this.received = Buffer.alloc(0);
		let failure: Error | undefined;
		socket.on("error", (error) => {
			failure = error;
		});
		socket.on("data", (bytes) => {
			this.received = this.received.length === 0 ? bytes : Buffer.concat([this.received, bytes]);
			this.read();
		});
		socket.on("close", () => {
			if (this.socket !== socket) return;
			this.socket = undefined;
			this.waiting?.reject(failure ?? new Error("the connection ended within an answer"));
			this.waiting = undefined;
		});
		return socket;
	}

	/** Resolves the waiting request once its answer is complete. */
	private read(): void {
		const head = readHead(this.received);
		const body = head && readBody(this.received, head);
		if (!head || !body) return;
		const { waiting } = this;
		this.waiting = undefined;
		this.received = Buffer.alloc(0);
		if (head.headers.get("connection")?.toLowerCase() === "close") {
			this.socket?.destroy();
			this.socket = undefined;
		}
		waiting?.resolve({
			status: head.status,
			type: head.headers.get("content-type") ?? null,
			allow: head.headers.get("allow"),
			body: body.toString("utf8"),
		});
	}
}

function readHead(received: Buffer): Head | undefined {
	const at = received.indexOf(HEAD_END);
	if (at < 0) return undefined;
	const [first = "", ...lines] = received.toString("latin1", 0, at).split("\r\n");
	const headers = new Map<string, string>();
	for (const line of lines) {
		const colon = line.indexOf(":");
		headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
	}
	return { status: Number(first.split(" ")[1]), headers, end: at + HEAD_END.length };
}

/** @returns undefined until the body is complete */
function readBody(received: Buffer, { status, headers, end }: Head): Buffer | undefined {
	if (headers.get("transfer-encoding") === "chunked") return readChunks(received, end);
	if (status === 204 || status === 304) return Buffer.alloc(0);
	const length = Number(headers.get("content-length"));
	if (!Number.isSafeInteger(length)) throw new Error("an answer has no length");
	return received.length < end + length ? undefined : received.subarray(end, end + length);
}

function readChunks(received: Buffer, start: number): Buffer | undefined {
	const chunks: Buffer[] = [];
	for (let at = start; ; ) {
		const lineEnd = received.indexOf(LINE_END, at);
		if (lineEnd < 0) return undefined;
		const length = Number.parseInt(received.toString("latin1", at, lineEnd), 16);
		const from = lineEnd + LINE_END.length;
		at = from + length + LINE_END.length;
		if (received.length < at) return undefined;
		if (length === 0) return Buffer.concat(chunks);
		chunks.push(received.subarray(from, from + length));
	}
}
