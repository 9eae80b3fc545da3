/**
 * Servers that only send as many bytes as the path names: one of node:http, and one of node:net that treats
 * each packet as a request. They show the share of runtime and system in an answer's cost.
 */

import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tellParent } from "./reports.js";

export interface BarePorts {
	readonly http: number;
	readonly net: number;
}

const TYPE = "application/json;charset=utf-8";

/** Bodies and complete responses by length. */
const bodies = new Map<number, Buffer>();
const answers = new Map<number, Buffer>();

function bodyOf(length: number): Buffer {
	const body = bodies.get(length) ?? Buffer.alloc(length, "0");
	bodies.set(length, body);
	return body;
}

/** The bytes that node:http would write. */
function answerOf(length: number): Buffer {
	const head = `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\nContent-Type: ${TYPE}\r\nDate: ${new Date().toUTCString()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=30\r\n\r\n`;
	const answer = answers.get(length) ?? Buffer.concat([Buffer.from(head), bodyOf(length)]);
	answers.set(length, answer);
	return answer;
}

async function bound(server: Server): Promise<number> {
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return (server.address() as AddressInfo).port;
}

/** Runs until the parent disconnects. */
export async function serveBare(): Promise<void> {
	const http = createHttpServer((request, response) => {
		request.resume();
		const body = bodyOf(Number((request.url ?? "").slice(1)));
		response.writeHead(200, { "Content-Length": body.length, "Content-Type": TYPE });
		response.end(body);
	});
	const net = createServer({ noDelay: true }, (socket) => {
		// All requests of a connection have the same path.
		let answer: Buffer | undefined;
		socket.on("data", (bytes) => {
			answer ??= answerOf(Number.parseInt(bytes.toString("latin1", "POST /".length, 32), 10));
			socket.write(answer);
		});
		socket.on("error", () => socket.destroy());
	});
	const ports: BarePorts = { http: await bound(http), net: await bound(net) };
	tellParent(ports);
}
