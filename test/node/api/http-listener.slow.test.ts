import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpListener } from "../../../src/node/api/http-listener.js";
import { collectBody } from "../../../src/node/api/request-body.js";

/** Longer than a starved process sleeps between two of its turns. */
const IDLE_MS = 1_000;
const SLOW_ANSWER_MS = 1_500;
/** More than the sockets on both ends take. */
const LONG = 16 << 20;

let listener: HttpListener;
let port: number;
let begun: string[] = [];
const FAULT = new Error("meant to happen");
let reported: string[] = [];
const sockets: Socket[] = [];

beforeEach(async () => {
	begun = [];
	reported = [];
	listener = new HttpListener({
		maxConnections: 2,
		idleMs: IDLE_MS,
		handle: async (request, answer) => {
			begun.push(request.url ?? "");
			await collectBody(request, 1_000);
			if (request.url?.startsWith("/fault")) throw FAULT;
			if (request.url === "/slow") await new Promise((resolve) => setTimeout(resolve, SLOW_ANSWER_MS));
			answer.send(200, "text/plain", request.url === "/long" ? Buffer.alloc(LONG) : `done ${request.url}`);
		},
		report: (error, where) => {
			if (error !== FAULT) throw error;
			reported.push(where);
		},
	});
	port = await listener.listen(0, "127.0.0.1");
});
afterEach(async () => {
	for (const socket of sockets.splice(0)) socket.destroy();
	await listener.close();
});

/** Sends text over a new connection; resolves with all that came back when the server closes it. */
function exchange(text: string): Promise<string> {
	const socket = connect(port, "127.0.0.1");
	sockets.push(socket);
	let received = "";
	socket.setEncoding("utf8").on("data", (part: string) => {
		received += part;
	});
	socket.write(text);
	return new Promise((resolve) => {
		socket.once("close", () => resolve(received));
		socket.on("error", () => undefined);
	});
}

const whole = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;

describe("a listener of HTTP requests", () => {
	it("reports a fault with the path alone: a query may carry keys", async () => {
		expect(await exchange(whole("/fault/of?value=0bfc211444fa877b#more"))).toBe("");
		expect(await exchange("POST /fault HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")).toBe("");
		expect(reported).toEqual(["HTTP GET /fault/of", "HTTP POST /fault"]);
	});

	it("serves others again after clients that stop in the middle of a request hold every place", async () => {
		const stuck = [
			exchange("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{"),
			exchange("POST / HTTP/1.1\r\nHo"),
		];
		expect(await exchange(whole("/"))).toContain("done");
		for (const answer of await Promise.all(stuck)) expect(answer).not.toContain("done");
	});

	it("waits for an answer that takes longer than a client may be silent", async () => {
		expect(await exchange(whole("/slow"))).toContain("done");
	});

	it("answers requests that came together one after the other, in their order", async () => {
		const together = ["/a", "/slow", "/b", "/c"].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
		const post = "POST /d HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc";
		const text = await exchange(together.join("") + post + whole("/e"));
		expect(text.match(/done \/[a-z]+/g)).toEqual(
			["/a", "/slow", "/b", "/c", "/d", "/e"].map((path) => `done ${path}`),
		);
	});

	it("begins no answer before the client has taken the one before", async () => {
		const socket = connect(port, "127.0.0.1").pause();
		sockets.push(socket);
		socket.write("GET /long HTTP/1.1\r\nHost: x\r\n\r\n".repeat(5));
		await new Promise((resolve) => setTimeout(resolve, 150));
		expect(begun).toEqual(["/long"]);
	});

	it("closes the connection of a client that sends hundreds of requests without waiting", async () => {
		await exchange("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1000));
		expect(begun).toEqual(["/slow"]);
	});
});
