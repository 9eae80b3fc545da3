import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPlainRequest } from "../../../src/node/api/plain-request.js";

const post = (headers: string, body = "{}") =>
	`POST /wallet/getaccount HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
const get = (target: string, headers = "") => `GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

const read = (text: string, last?: string) => {
	const socket = new Socket();
	const before =
		last === undefined ? undefined : readPlainRequest(Buffer.from(last, "latin1"), socket, undefined);
	return readPlainRequest(Buffer.from(text, "latin1"), socket, before?.head);
};

describe("a plain request", () => {
	let server: Server;
	let seen: { request: IncomingMessage; body: string } | undefined;

	beforeAll(async () => {
		server = createServer(async (request, response) => {
			let body = "";
			for await (const chunk of request) body += chunk;
			seen = { request, body };
			response.end();
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	});
	afterAll(() => server.close());

	/** What node:http makes of the same bytes. */
	async function parsed(text: string) {
		const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
		socket.write(text, "latin1");
		await new Promise((resolve) => socket.once("data", resolve));
		socket.destroy();
		if (!seen) throw new Error("node:http has refused it");
		return seen;
	}

	it.each([
		["with a body", post("")],
		["with an empty body", post("", "")],
		["without a length", "POST /x HTTP/1.1\r\nHost: x\r\n\r\n"],
		["that asks for parameters", get("/wallet/getaccount?address=41ab&visible=true&a=%20b+c")],
		["whose connection stays open", get("/a", "Connection: Keep-Alive\r\n")],
		["with headers of any case and empty ones", post("X-Empty:\r\nx-Blank: \r\nACCEPT: */*\r\n")],
		["with blanks within a value", post("User-Agent: some client  1.0 (x; y)\r\n")],
		["with a media type", post("Content-Type: application/json; charset=utf-8\r\n")],
	])("%s is what node:http makes of it", async (_, text) => {
		const { request, body } = await parsed(text);
		const plain = read(text);
		expect(plain?.method).toBe(request.method);
		expect(plain?.url).toBe(request.url);
		expect(plain?.httpVersion).toBe(request.httpVersion);
		expect(plain?.headers).toEqual({ ...request.headers });
		expect(plain?.rawHeaders).toEqual(request.rawHeaders);
		expect(Buffer.from(plain?.body ?? []).toString("latin1")).toBe(body);
	});

	it.each([
		["HTTP/1.0", "GET / HTTP/1.0\r\nHost: x\r\n\r\n"],
		["another method", "PUT / HTTP/1.1\r\nHost: x\r\n\r\n"],
		["HEAD", "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"],
		["a method in small letters", "get / HTTP/1.1\r\nHost: x\r\n\r\n"],
		["a whole URL", get("http://x/wallet/getnowblock")],
		["odd characters in the path", get("/a[b]")],
		["bytes beyond ASCII in the path", get("/\xe9")],
		["no host", "GET / HTTP/1.1\r\nAccept: */*\r\n\r\n"],
		["no headers", "GET / HTTP/1.1\r\n\r\n"],
		["two hosts", get("/", "Host: y\r\n")],
		["a header twice", get("/", "Accept: a\r\naccept: b\r\n")],
		["two lengths", post("Content-Length: 2\r\n")],
		["a signed length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +2\r\n\r\n{}"],
		["a hexadecimal length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x2\r\n\r\n{}"],
		["a list of lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2,2\r\n\r\n{}"],
		["chunks", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
		["chunks and a length", post("Transfer-Encoding: chunked\r\n")],
		["an expectation", post("Expect: 100-continue\r\n")],
		["an upgrade", get("/", "Connection: Upgrade\r\nUpgrade: websocket\r\n")],
		["a connection that ends", get("/", "Connection: close\r\n")],
		["a list of connection options", get("/", "Connection: keep-alive, x\r\n")],
		["a folded header", get("/", "X: a\r\n b\r\n")],
		["a blank before the colon", get("/", "X : a\r\n")],
		["a tab in a header", get("/", "X:\ta\r\n")],
		["a blank at the end of a header", get("/", "X: a \r\n")],
		["a line feed alone", "GET / HTTP/1.1\nHost: x\n\n"],
		["a carriage return alone", get("/", "X: a\rb\r\n")],
		["a zero byte", get("/", "X: a\0b\r\n")],
		["bytes beyond ASCII in a header", get("/", "X: \xe9\r\n")],
		["a header without a name", get("/", ": a\r\n")],
		["a body of a GET", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"],
		["a body that isn't whole", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n{}"],
		["something behind the body", `${post("")}G`],
		["a second request", get("/a") + get("/b")],
		["half a head", "GET / HTTP/1.1\r\nHost: x\r\n"],
		["an empty line before it", `\r\n${get("/")}`],
		["a long head", get("/", `X: ${"a".repeat(5_000)}\r\n`)],
		["a long body", post("", "a".repeat(20_000))],
	])("has not %s", (_, text) => {
		expect(read(text)).toBeUndefined();
	});

	it("is read anew where its head differs from that of the one before", () => {
		const again = read(post("", '{"a":1}'), post("", '{"b":2}'));
		expect(String(Buffer.from(again?.body ?? []))).toBe('{"a":1}');
		expect(read(get("/b"), get("/a"))?.url).toBe("/b");
		expect(read(post("", "{}x").replace("Length: 3", "Length: 2"), post(""))).toBeUndefined();
	});

	it("keeps its address for itself when the one that answers changes it", () => {
		const socket = new Socket();
		const bytes = Buffer.from(get("/a"));
		const first = readPlainRequest(bytes, socket, undefined);
		if (first) first.url = "/changed";
		expect(readPlainRequest(bytes, socket, first?.head)?.url).toBe("/a");
	});
});
