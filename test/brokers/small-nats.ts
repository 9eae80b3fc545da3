/** As much of a NATS server with JetStream as a publisher needs, in this process: what it has stored outlives its connections. */

import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import type { Broker, Held } from "./broker.js";

interface StoredMessage {
	readonly subject: string;
	readonly id: string;
	readonly text: string;
}

const CRLF = "\r\n";
const MAX_PAYLOAD = 4_096;

export class SmallNats {
	readonly stored: StoredMessage[] = [];
	/** The configuration of the stream that was made. */
	stream: Readonly<Record<string, unknown>> | undefined;
	/** User and password that have to be given, or none. */
	login: readonly [user: string, password: string] | undefined;
	private readonly sockets = new Set<Socket>();
	private server: Server | undefined;
	private port = 0;

	get url(): string {
		return `127.0.0.1:${this.port}`;
	}

	async start(): Promise<void> {
		const server = createServer((socket) => this.connected(socket));
		this.server = server;
		server.listen(this.port, "127.0.0.1");
		await once(server, "listening");
		const address = server.address();
		this.port = typeof address === "object" && address ? address.port : 0;
	}

	/** Ends every connection at once. */
	async kill(): Promise<void> {
		const { server } = this;
		if (!server) return;
		this.server = undefined;
		for (const socket of this.sockets) socket.destroy();
		server.close();
		await once(server, "close");
	}

	private connected(socket: Socket): void {
		this.sockets.add(socket);
		socket.on("close", () => this.sockets.delete(socket));
		socket.on("error", () => socket.destroy());
		const info = { server_id: "small", version: "2.11.0", proto: 1, headers: true, max_payload: MAX_PAYLOAD };
		socket.write(`INFO ${JSON.stringify({ ...info, auth_required: this.login !== undefined })}${CRLF}`);
		/** Subjects by subscription. */
		const subscriptions = new Map<string, string>();
		let bytes = Buffer.alloc(0);
		socket.on("data", (more) => {
			bytes = Buffer.concat([bytes, more]);
			for (;;) {
				const end = bytes.indexOf(CRLF);
				if (end < 0) return;
				const words = bytes.subarray(0, end).toString("latin1").split(" ");
				const length = /^H?PUB$/.test(words[0] ?? "") ? Number(words.at(-1)) : 0;
				const start = end + CRLF.length;
				if (length > 0 && bytes.length < start + length + CRLF.length) return;
				const body = bytes.subarray(start, start + length);
				bytes = bytes.subarray(length > 0 ? start + length + CRLF.length : start);
				this.heard(socket, words, body, subscriptions);
			}
		});
	}

	private heard(
		socket: Socket,
		words: readonly string[],
		body: Buffer,
		subscriptions: Map<string, string>,
	): void {
		const [verb, subject = ""] = words;
		if (verb === "CONNECT" && this.login) {
			const { user, pass } = JSON.parse(words.slice(1).join(" ")) as { user?: string; pass?: string };
			if (user !== this.login[0] || pass !== this.login[1]) {
				socket.end(`-ERR 'Authorization Violation'${CRLF}`);
			}
		}
		if (verb === "PING") socket.write(`PONG${CRLF}`);
		if (verb === "SUB") subscriptions.set(words.at(-1) ?? "", subject.replace("*", ""));
		if (verb !== "PUB" && verb !== "HPUB") return;
		const headerLength = verb === "HPUB" ? Number(words.at(-2)) : 0;
		const header = body.subarray(0, headerLength).toString();
		const text = body.subarray(headerLength).toString();
		const answer = JSON.stringify(this.answer(subject, header, text));
		const reply = words[2] ?? "";
		for (const [id, inbox] of subscriptions) {
			if (!reply.startsWith(inbox)) continue;
			socket.write(`MSG ${reply} ${id} ${Buffer.byteLength(answer)}${CRLF}${answer}${CRLF}`);
		}
	}

	private answer(subject: string, header: string, text: string): object {
		const state = { messages: this.stored.length, bytes: 0, first_seq: 1, last_seq: this.stored.length };
		if (subject === "$JS.API.INFO") {
			return { type: "io.nats.jetstream.api.v1.account_info_response", streams: 0, limits: {}, api: {} };
		}
		if (subject.startsWith("$JS.API.STREAM.INFO")) {
			if (this.stream)
				return { type: "io.nats.jetstream.api.v1.stream_info_response", config: this.stream, state };
			return { error: { code: 404, err_code: 10_059, description: "stream not found" } };
		}
		if (subject.startsWith("$JS.API.STREAM.CREATE")) {
			this.stream = JSON.parse(text) as Record<string, unknown>;
			return { type: "io.nats.jetstream.api.v1.stream_create_response", config: this.stream, state };
		}
		const id = /Nats-Msg-Id: ?([^\r\n]*)/i.exec(header)?.[1] ?? "";
		const known = this.stored.findIndex((stored) => stored.id === id);
		if (known >= 0) return { stream: "COIN", seq: known + 1, duplicate: true };
		this.stored.push({ subject, id, text });
		return { stream: "COIN", seq: this.stored.length };
	}
}

/** The same as what nodes and brokers are killed with. */
export async function startSmallNats(): Promise<Broker> {
	const server = new SmallNats();
	await server.start();
	return {
		url: server.url,
		settings: () => `nats { server = "${server.url}" }`,
		kill: () => server.kill(),
		restart: () => server.start(),
		stop: () => server.kill(),
		read: async () => server.stored.map(({ subject, text }) => ({ ...(JSON.parse(text) as Held), subject })),
	};
}
