/** Connections of plain requests answer what those of node:http answer, and become theirs in time. */

import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HttpAnswer } from "../../../src/node/api/http-answer.js";
import { HttpListener } from "../../../src/node/api/http-listener.js";
import { PlainRequest } from "../../../src/node/api/plain-request.js";
import { collectBody } from "../../../src/node/api/request-body.js";

let listener: HttpListener;
let port: number;
let plain: boolean[] = [];
let reported: unknown[] = [];
let finishSlow: (() => void) | undefined;
const sockets: Socket[] = [];

const [KEPT, OTHER] = [Buffer.alloc(5_000, "k"), Buffer.alloc(5_000, "o")];

const answers: Readonly<Record<string, (answer: HttpAnswer) => Promise<void> | void>> = {
	"/text": (answer) => answer.send(200, "application/json;charset=utf-8", '{"ä":"€"}\n'),
	"/bytes": (answer) => answer.send(200, "text/plain", Buffer.alloc(70_000, "b")),
	"/kept": (answer) => answer.send(200, "text/plain", KEPT),
	"/other": (answer) => answer.send(200, "text/plain", OTHER),
	"/empty": (answer) => answer.send(200, "text/plain", ""),
	"/page": (answer) => answer.page(404),
	"/bare": (answer) => answer.empty(405),
	"/redirect": (answer) => answer.redirect("/elsewhere"),
	"/headers": (answer) => {
		answer.header("Vary", "Origin");
		answer.header("Access-Control-Allow-Origin", "*");
		answer.send(200, "text/plain", "x");
	},
	"/pieces": async (answer) => {
		answer.begin("text/plain");
		for (const piece of ["one", "", "two", "x".repeat(40_000)]) await answer.piece(Buffer.from(piece));
		answer.end();
	},
	"/nothing": (answer) => {
		answer.begin("text/plain");
		answer.end();
	},
	"/slow": (answer) =>
		new Promise((resolve) => {
			finishSlow = () => {
				answer.send(200, "text/plain", "slow");
				resolve();
			};
		}),
	"/broken": () => {
		throw new Error("broken");
	},
	"/broken-later": async () => {
		await undefined;
		throw new Error("broken later");
	},
};

beforeEach(async () => {
	[plain, reported, finishSlow] = [[], [], undefined];
	listener = new HttpListener({
		maxConnections: 0,
		idleMs: 5_000,
		handle: (request, answer) => {
			plain.push(request instanceof PlainRequest);
			const made = answers[request.url ?? ""];
			if (made) return made(answer);
			const body = collectBody(request, 1_000);
			const echo = (bytes: Awaited<typeof body>): void =>
				answer.send(200, "text/plain", `${request.url} ${String(bytes)}`);
			return body instanceof Promise ? body.then(echo) : echo(body);
		},
		report: (error) => reported.push(error),
	});
	port = await listener.listen(0, "127.0.0.1");
});
afterEach(async () => {
	for (const socket of sockets.splice(0)) socket.destroy();
	await listener.close();
});

/** A connection, and all that has come over it. */
function open() {
	const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
	sockets.push(socket);
	const received = { text: "", ended: false };
	socket.setEncoding("latin1");
	socket.on("data", (part: string) => {
		received.text += part;
	});
	socket.on("error", () => undefined);
	socket.on("end", () => {
		received.ended = true;
	});
	return { socket, received };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const withoutDate = (text: string): string => text.replace(/Date: [^\r]*/g, "Date: …");
const isWhole = (text: string): boolean =>
	/transfer-encoding: chunked/i.test(text)
		? text.endsWith("0\r\n\r\n")
		: text.length >=
			text.indexOf("\r\n\r\n") + 4 + Number(/Content-Length: (\d+)/.exec(text)?.[1] ?? Number.NaN);

/** The answer to a request that is sent as it is, or after an empty line: those are node:http's. */
async function ask(path: string, by: "plain" | "node:http"): Promise<string> {
	const { socket, received } = open();
	socket.write(by === "plain" ? get(path) : `\r\n${get(path)}`);
	await expect.poll(() => isWhole(received.text)).toBe(true);
	return withoutDate(received.text);
}

describe("an answer to a plain request", () => {
	it.each(["/text", "/bytes", "/empty", "/page", "/bare", "/redirect", "/headers", "/pieces", "/nothing"])(
		"%s has the bytes that node:http sends",
		async (path) => {
			const own = await ask(path, "plain");
			expect(own).toBe(await ask(path, "node:http"));
			expect(plain).toEqual([true, false]);
		},
	);

	it("says when it was made", async () => {
		const { socket, received } = open();
		const before = Date.now();
		socket.write(get("/text"));
		await expect.poll(() => isWhole(received.text)).toBe(true);
		const date = Date.parse(/Date: ([^\r]*)/.exec(received.text)?.[1] ?? "");
		// In whole seconds
		expect(date).toBeGreaterThan(before - 1_000);
		expect(date).toBeLessThanOrEqual(Date.now());
	});
});

describe("a connection of plain requests", () => {
	it("answers with the bytes of this moment, however often and whatever was sent before", async () => {
		const { socket, received } = open();
		const paths = ["/kept", "/kept", "/kept", "/other", "/kept", "/other", "/other", "/kept"];
		for (const path of paths) {
			const before = received.text.length;
			socket.write(get(path));
			await expect.poll(() => isWhole(received.text.slice(before)) || undefined).toBe(true);
			const [, body] = received.text.slice(before).split("\r\n\r\n");
			expect(body).toBe((path === "/kept" ? "k" : "o").repeat(5_000));
		}
		expect(plain).toEqual(paths.map(() => true));
	});

	it("answers one after the other", async () => {
		const { socket, received } = open();
		for (const path of ["/a", "/b", "/c"]) {
			socket.write(get(path));
			await expect.poll(() => received.text.includes(`${path} `)).toBe(true);
		}
		expect(plain).toEqual([true, true, true]);
	});

	it("becomes one of node:http with requests that came together, and stays it", async () => {
		const { socket, received } = open();
		socket.write(get("/first"));
		await expect.poll(() => received.text.includes("/first ")).toBe(true);
		socket.write(get("/a") + get("/b"));
		await expect.poll(() => received.text.includes("/b ")).toBe(true);
		socket.write(get("/last"));
		await expect.poll(() => received.text.includes("/last ")).toBe(true);
		expect(plain).toEqual([true, false, false, false]);
		expect(received.text.match(/\/[a-z]+ /g)).toEqual(["/first ", "/a ", "/b ", "/last "]);
	});

	it("keeps what comes before an answer has left, in its order", async () => {
		const { socket, received } = open();
		socket.write(get("/slow"));
		await expect.poll(() => finishSlow).toBeDefined();
		const body = "POST /later HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc";
		socket.write(body);
		await new Promise((resolve) => setTimeout(resolve, 20));
		socket.write("def");
		await new Promise((resolve) => setTimeout(resolve, 20));
		expect(plain).toHaveLength(1);
		finishSlow?.();
		await expect.poll(() => received.text.includes("/later abcdef")).toBe(true);
		expect(received.text.indexOf("slow")).toBeLessThan(received.text.indexOf("/later"));
	});

	it("takes no further bytes from a client that doesn't wait for an answer", async () => {
		const { socket } = open();
		socket.write(get("/slow"));
		await expect.poll(() => finishSlow).toBeDefined();
		// Much more than the system keeps for both ends, whether this end is told to wait or not.
		const piece = Buffer.alloc(1 << 20, "x");
		for (let sent = 0; sent < 64; sent++) socket.write(piece);
		await new Promise((resolve) => setTimeout(resolve, 300));
		// What it keeps is all that can leave.
		expect(socket.bytesWritten - socket.writableLength).toBeLessThan(32 << 20);
		expect(socket.writableLength).toBeGreaterThan(0);
	});

	it("still answers a client that has said everything", async () => {
		const { socket, received } = open();
		socket.write(get("/slow"));
		await expect.poll(() => finishSlow).toBeDefined();
		socket.end();
		await new Promise((resolve) => setTimeout(resolve, 20));
		expect(received.ended).toBe(false);
		finishSlow?.();
		await expect.poll(() => received.ended).toBe(true);
		expect(received.text).toContain("slow");
	});

	it("ends with a client that says nothing any more", async () => {
		const { socket, received } = open();
		socket.write(get("/a"));
		await expect.poll(() => received.text.includes("/a ")).toBe(true);
		socket.end();
		await expect.poll(() => received.ended).toBe(true);
	});

	it.each(["/broken", "/broken-later"])("is closed and reported where %s an answer fails", async (path) => {
		const { socket } = open();
		const closed = new Promise((resolve) => socket.once("close", resolve));
		socket.end(get(path));
		await closed;
		expect(reported).toHaveLength(1);
	});

	it("lets an answer under way leave when the listener closes", async () => {
		const { socket, received } = open();
		socket.write(get("/slow"));
		await expect.poll(() => finishSlow).toBeDefined();
		const closing = listener.close();
		finishSlow?.();
		await expect.poll(() => received.ended).toBe(true);
		expect(received.text).toContain("slow");
		socket.end();
		await closing;
	});
});
