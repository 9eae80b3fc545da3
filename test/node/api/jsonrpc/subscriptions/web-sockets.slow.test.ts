/** JSON-RPC over WebSocket connections to a whole node. */

import { once } from "node:events";
import { createConnection } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { type HttpNode, startHttpNode } from "../../http-node.js";

const MAX_CONNECTIONS = 4;

let node: HttpNode;
const opened: WebSocket[] = [];

beforeAll(async () => {
	node = await startHttpNode(`node.jsonrpc {
		httpFullNodeEnable = true, httpFullNodePort = 0
		httpSolidityEnable = true, httpSolidityPort = 0
		maxWebSockets = ${MAX_CONNECTIONS}, maxSubscriptions = 2
	}
	node.http.cors = ["https://friend.example"]
	rate.limiter.http = []`);
});
afterAll(async () => {
	for (const socket of opened) socket.terminate();
	await node.close();
});

function dial(
	path = "/jsonrpc",
	options: ClientOptions = {},
	server: "jsonrpc" | "jsonrpcSolidity" = "jsonrpc",
) {
	const socket = new WebSocket(`ws://127.0.0.1:${node.ports[server]}${path}`, options);
	opened.push(socket);
	return socket;
}

async function connect(options: ClientOptions = {}): Promise<WebSocket> {
	const socket = dial("/jsonrpc", options);
	await once(socket, "open");
	return socket;
}

async function leave(socket: WebSocket): Promise<void> {
	socket.close();
	await once(socket, "close");
}

const text = (id: number, method: string, params: readonly unknown[] = []): string =>
	JSON.stringify({ jsonrpc: "2.0", id, method, params });

async function call(socket: WebSocket, method: string, params: readonly unknown[] = []): Promise<unknown> {
	socket.send(text(1, method, params));
	const [bytes] = await once(socket, "message");
	return JSON.parse(String(bytes));
}

/** Why a connection was refused. */
async function refusal(socket: WebSocket): Promise<string> {
	const [error] = await once(socket, "error");
	return (error as Error).message;
}

test("a call is answered as over HTTP", async () => {
	const socket = await connect();
	const overHttp = await node.ask("/jsonrpc", { server: "jsonrpc", body: text(1, "eth_chainId") });
	expect(await call(socket, "eth_chainId")).toEqual(overHttp.json);
	expect(await call(socket, "eth_noSuchMethod")).toMatchObject({ error: { code: -32601 } });
	await leave(socket);
});

test("calls that came together are answered one after the other", async () => {
	const socket = await connect();
	const ids: number[] = [];
	socket.on("message", (bytes) => ids.push(JSON.parse(String(bytes)).id));
	const count = 500;
	for (let id = 1; id <= count; id++) socket.send(text(id, "eth_blockNumber"));
	await expect.poll(() => ids.length).toBe(count);
	expect(ids).toEqual(Array.from({ length: count }, (_, i) => i + 1));
	await leave(socket);
});

/** The code with which a connection is closed. */
async function closeCode(socket: WebSocket): Promise<number> {
	const [code] = await once(socket, "close");
	return code as number;
}

test("more calls at once than say anything end the connection", async () => {
	const socket = await connect();
	const shortest = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x78]);
	const raw = (socket as unknown as { readonly _socket: NodeJS.WritableStream })._socket;
	raw.write(Buffer.concat(Array.from({ length: 9_000 }, () => shortest)));
	expect(await closeCode(socket)).toBe(1008);
});

test("a message of many fragments ends the connection", async () => {
	const socket = await connect();
	for (let i = 0; i < 300; i++) socket.send("x", { fin: false });
	expect(await closeCode(socket)).toBe(1008);
});

test("a connection that is refused ends, whatever is sent on it", async () => {
	const socket = createConnection({
		port: node.ports.jsonrpc as number,
		host: "127.0.0.1",
		allowHalfOpen: true,
	});
	let text = "";
	socket.on("data", (bytes) => {
		text += bytes;
	});
	socket.on("error", () => undefined);
	socket.write("GET /elsewhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
	await expect.poll(() => text).toMatch(/^HTTP\/1.1 404 /);
	const drip = setInterval(() => socket.write("x"), 20);
	await new Promise((resolve) => socket.once("close", resolve));
	clearInterval(drip);
});

test("subscriptions are given and ended, and only so many", async () => {
	const socket = await connect();
	const { result: id } = (await call(socket, "eth_subscribe", ["newHeads"])) as { result: string };
	expect(id).toMatch(/^0x[0-9a-f]{32}$/);
	expect(
		await call(socket, "coin_subscribe", ["accounts", { addresses: [`0x${"11".repeat(20)}`] }]),
	).toMatchObject({
		result: expect.any(String),
	});
	expect(await call(socket, "eth_subscribe", ["newHeads"])).toMatchObject({ error: { code: -32005 } });
	expect(await call(socket, "eth_unsubscribe", [id])).toMatchObject({ result: true });
	expect(await call(socket, "eth_unsubscribe", [id])).toMatchObject({ result: false });
	await leave(socket);
});

test.each([
	["an unknown kind", "eth_subscribe", ["noSuchKind"]],
	["a kind of this network among Ethereum's", "eth_subscribe", ["accounts", { addresses: [] }]],
	["no kind", "eth_subscribe", []],
	["an address that is none", "coin_subscribe", ["accounts", { addresses: ["0x12"] }]],
	["no address", "coin_subscribe", ["accounts", {}]],
	["a topic that is none", "eth_subscribe", ["logs", { topics: ["0x12"] }]],
	["an inherited name", "eth_subscribe", ["constructor"]],
])("%s is refused", async (_, method, params) => {
	const socket = await connect();
	expect(await call(socket, method, params)).toMatchObject({ error: { code: -32602 } });
	await leave(socket);
});

test("over HTTP there are no subscriptions", async () => {
	const body = text(1, "eth_subscribe", ["newHeads"]);
	expect((await node.ask("/jsonrpc", { server: "jsonrpc", body })).json).toMatchObject({
		error: { code: -32601, message: "method not found" },
	});
});

test("pages connect from origins that may read answers, and from no others", async () => {
	await leave(await connect({ origin: "https://friend.example" }));
	expect(await refusal(dial("/jsonrpc", { origin: "https://stranger.example" }))).toContain("403");
});

test("other paths and other servers take no connection", async () => {
	expect(await refusal(dial("/other"))).toContain("404");
	expect(await refusal(dial("/jsonrpc", {}, "jsonrpcSolidity"))).not.toContain("101");
});

test("a message that is too long or binary ends the connection", async () => {
	const long = await connect();
	long.send("x".repeat(128 * 1024 + 1));
	expect((await once(long, "close"))[0]).toBe(1009);
	const binary = await connect();
	binary.send(Buffer.from(text(1, "eth_chainId")), { binary: true });
	expect((await once(binary, "close"))[0]).toBe(1003);
});

test("there are only so many connections; one that leaves makes room", async () => {
	const all: WebSocket[] = [];
	for (let i = 0; i < MAX_CONNECTIONS; i++) all.push(await connect());
	expect(await refusal(dial())).toContain("503");
	await leave(all.pop() as WebSocket);
	await expect
		.poll(async () => {
			const socket = dial();
			return Promise.race([
				once(socket, "open").then(() => socket),
				once(socket, "error").then(() => undefined),
			]);
		})
		.toBeDefined();
	for (const socket of all) await leave(socket);
});

test("a node that stops says so", async () => {
	const other = await startHttpNode("node.jsonrpc { httpFullNodeEnable = true, httpFullNodePort = 0 }");
	const socket = new WebSocket(`ws://127.0.0.1:${other.ports.jsonrpc}/jsonrpc`);
	await once(socket, "open");
	const closed = once(socket, "close");
	await other.close();
	expect((await closed)[0]).toBe(1001);
});
