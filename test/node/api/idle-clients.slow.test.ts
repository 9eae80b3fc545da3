/** Clients that keep connections and ask for nothing, on more of them than there are places. */

import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpListener } from "../../../src/node/api/http-listener.js";
import { collectBody } from "../../../src/node/api/request-body.js";

const PLACES = 10;
/** Nothing gets a place here by waiting for another's time to end. */
const FOR_EVER_MS = 86_400_000;
const sockets: Socket[] = [];
let listener: HttpListener;
let port: number;
/** Requests for /slow that wait for {@link release}. */
let slowBegun: number;
let release: () => void;

beforeEach(async () => {
	slowBegun = 0;
	const released = new Promise<void>((resolve) => {
		release = resolve;
	});
	listener = new HttpListener({
		maxConnections: PLACES,
		idleMs: FOR_EVER_MS,
		handle: async (request, answer) => {
			await collectBody(request, 1_000);
			if (request.url === "/slow") {
				slowBegun++;
				await released;
			}
			answer.send(200, "text/plain", "done");
		},
		report: (error) => {
			throw error;
		},
	});
	port = await listener.listen(0, "0.0.0.0");
});
afterEach(async () => {
	release();
	for (const socket of sockets.splice(0)) socket.destroy();
	await listener.close();
});

function open(from: string): Socket {
	const socket = connect({ port, host: "127.0.0.1", localAddress: from });
	socket.on("error", () => undefined);
	sockets.push(socket);
	return socket;
}

/** Asks on a connection; resolves with what came once it contains the answer, or the connection has closed. */
function ask(socket: Socket, path = "/"): Promise<string> {
	socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
	return new Promise((resolve) => {
		let received = "";
		socket.on("data", (data) => {
			received += String(data);
			if (received.endsWith("done")) resolve(received);
		});
		socket.once("close", () => resolve(received));
	});
}

const connected = (socket: Socket): Promise<void> =>
	new Promise((resolve) => {
		socket.once("connect", resolve);
		socket.once("close", () => resolve());
	});

describe("a listener with more idle connections than places", () => {
	it.each([
		["one address", 1, "127.0.0.99"],
		["one address, which is the client's own", 1, "127.0.0.1"],
		["several addresses", 7, "127.0.0.99"],
	])("answers at once where they come from %s", async (_name, addresses, honest) => {
		const idle = Array.from({ length: 60 }, (_, i) => open(`127.0.0.${1 + (i % addresses)}`));
		await Promise.all(idle.map(connected));
		await ask(idle.at(-1) as Socket);
		for (let i = 0; i < 5; i++) {
			expect(await ask(open(honest))).toContain("done");
		}
	});

	it("closes no connection on which something is asked, and the one that is idle longest first", async () => {
		const slow = Array.from({ length: 6 }, () => ask(open("127.0.0.1"), "/slow"));
		await expect.poll(() => slowBegun).toBe(6);
		const [older, newer] = [open("127.0.0.1"), open("127.0.0.1")];
		await ask(older);
		await ask(newer);
		// Eight of ten places: the address has its share.
		expect(await ask(open("127.0.0.1"))).toContain("done");
		expect(older.destroyed).toBe(true);
		expect(await ask(newer)).toContain("done");
		release();
		for (const answer of await Promise.all(slow)) expect(answer).toContain("done");
	});

	it("keeps places for other addresses while one has requests under way on all of its own", async () => {
		const slow = Array.from({ length: 30 }, () => ask(open("127.0.0.1"), "/slow"));
		await expect.poll(() => slowBegun).toBe(8);
		expect(await ask(open("127.0.0.2"))).toContain("done");
		release();
		for (const answer of await Promise.all(slow)) expect(answer).toContain("done");
	});
});
