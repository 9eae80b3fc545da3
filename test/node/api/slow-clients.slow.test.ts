/** Clients that send a byte now and then, and never to an end, on more connections than there are places. */

import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { HttpListener } from "../../../src/node/api/http-listener.js";
import { collectBody } from "../../../src/node/api/request-body.js";
import type { PortName } from "../../../src/node/node.js";
import { type GrpcNode, startGrpcNode } from "./grpc/grpc-node.js";

const timers: NodeJS.Timeout[] = [];
const sockets: Socket[] = [];
afterEach(() => {
	for (const timer of timers.splice(0)) clearInterval(timer);
	for (const socket of sockets.splice(0)) socket.destroy();
});

/** Sends `start`, and `drop` again and again. Resolves when the server has closed the connection. */
function sendSlowly(
	port: number,
	start: string | Buffer,
	drop: string | Buffer,
	everyMs: number,
): Promise<void> {
	const socket = connect(port, "127.0.0.1");
	sockets.push(socket);
	socket.on("error", () => undefined).resume();
	socket.write(start);
	const timer = setInterval(() => socket.writable && socket.write(drop), everyMs);
	timers.push(timer);
	return new Promise((resolve) =>
		socket.once("close", () => {
			clearInterval(timer);
			resolve();
		}),
	);
}

const ENDLESS_HEAD = "POST /wallet/getnowblock HTTP/1.1\r\nHost: x\r\nX: ";
const ENDLESS_BODY = "POST /wallet/getnowblock HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n";

describe("a listener of HTTP requests", () => {
	const listening = async (requestMs: number, crowdedMs: number) => {
		const listener = new HttpListener({
			maxConnections: 2,
			times: { requestMs, crowdedMs },
			handle: async (request, answer) => {
				await collectBody(request, 1_000);
				answer.send(200, "text/plain", "done");
			},
			report: (error) => {
				throw error;
			},
		});
		return { listener, port: await listener.listen(0, "127.0.0.1") };
	};

	it("closes connections whose request takes too long, although bytes keep coming", async () => {
		const { listener, port } = await listening(300, 300);
		await Promise.all([sendSlowly(port, ENDLESS_HEAD, "x", 50), sendSlowly(port, ENDLESS_BODY, "x", 50)]);
		await listener.close();
	});

	it("waits for less time while others wait for a place", async () => {
		const { listener, port } = await listening(86_400_000, 200);
		void sendSlowly(port, ENDLESS_HEAD, "x", 50);
		void sendSlowly(port, ENDLESS_BODY, "x", 50);
		await new Promise((resolve) => setTimeout(resolve, 100));
		const answer = await fetch(`http://127.0.0.1:${port}/`);
		expect(await answer.text()).toBe("done");
		await listener.close();
	});

	it("keeps a connection whose requests come in time for longer than one of them may take", async () => {
		const { listener, port } = await listening(300, 300);
		const socket = connect(port, "127.0.0.1");
		sockets.push(socket);
		let answers = 0;
		socket.on("data", (data) => {
			answers += String(data).split("done").length - 1;
		});
		for (let i = 0; i < 6; i++) {
			socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
			await new Promise((resolve) => setTimeout(resolve, 150));
		}
		await expect.poll(() => answers).toBe(6);
		await listener.close();
	});
});

describe("a node whose places are all taken by slow clients", () => {
	const PREFACE = Buffer.concat([
		Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
		Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
	]);
	/** Begins a frame of headers that never ends. */
	const HEADERS = Buffer.concat([PREFACE, Buffer.from([0, 0x20, 0, 1, 4, 0, 0, 0, 1])]);

	let node: GrpcNode;
	beforeAll(async () => {
		node = await startGrpcNode("node.jsonrpc { httpFullNodeEnable = true, httpFullNodePort = 0 }");
	});
	afterAll(() => node.close());

	it("answers others all the same, over HTTP, JSON-RPC and gRPC", async () => {
		const taken: readonly (readonly [PortName, number, string | Buffer])[] = [
			["full", 60, ENDLESS_HEAD],
			["jsonrpc", 60, ENDLESS_BODY],
			["grpc", 510, PREFACE.subarray(0, 20)],
			["grpc", 510, HEADERS],
		];
		for (const [server, count, start] of taken) {
			for (let i = 0; i < count; i++) void sendSlowly(node.ports[server] ?? 0, start, "\0", 1_000);
		}
		await new Promise((resolve) => setTimeout(resolve, 500));
		const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
		const [block, number, account] = await Promise.all([
			node.post("/wallet/getnowblock", {}),
			node.ask("/jsonrpc", { server: "jsonrpc", body }),
			node.send("/protocol.Wallet/GetNowBlock"),
		]);
		expect(block.json).toHaveProperty("blockID");
		expect(number.json["result"]).toBe("0x0");
		expect(account).toHaveProperty("answer");
	});
});
