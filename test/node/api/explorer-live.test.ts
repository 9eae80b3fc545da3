/** The WebSocket of the explorer's page: at a network's node and at a development chain's gateway. */

import { once } from "node:events";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import { DevelopmentNode } from "./development/development-node.js";
import { type HttpNode, startHttpNode } from "./http-node.js";

let node: HttpNode;
let withRpc: HttpNode;
let chain: DevelopmentNode;
const opened: WebSocket[] = [];
beforeAll(async () => {
	[node, withRpc, chain] = await Promise.all([
		startHttpNode("node.http.explorer = true"),
		startHttpNode(
			"node.http.explorer = true, node.jsonrpc { httpFullNodeEnable = true, httpFullNodePort = 0 }",
		),
		DevelopmentNode.start({ "http-port": "0" }),
	]);
});
afterEach(() => {
	for (const socket of opened.splice(0)) socket.terminate();
});
afterAll(() => Promise.all([node.close(), withRpc.close(), chain.stop()]));

function dial(port: number | undefined, path = "/explorer/live", options: ClientOptions = {}): WebSocket {
	const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, options);
	opened.push(socket);
	return socket;
}

async function connected(port: number | undefined, path?: string, options?: ClientOptions) {
	const socket = dial(port, path, options);
	await once(socket, "open");
	const next = async (): Promise<Record<string, unknown>> => {
		const [bytes] = await once(socket, "message");
		return JSON.parse(String(bytes));
	};
	const call = (method: string, params: readonly unknown[] = []) => {
		socket.send(JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }));
		return next();
	};
	return { socket, next, call };
}

async function refusal(socket: WebSocket): Promise<string> {
	const [error] = await once(socket, "error");
	return (error as Error).message;
}

test("a page of the node may subscribe, and nothing else where JSON-RPC is off", async () => {
	const port = node.ports.full;
	const origin = `http://127.0.0.1:${port}`;
	const { call } = await connected(port, undefined, { origin });
	expect(await call("eth_subscribe", ["newHeads"])).toMatchObject({ id: 7, result: expect.any(String) });
	expect(await call("eth_chainId")).toMatchObject({ error: { code: -32601 } });
	const storage = [`0x${"1".repeat(40)}`, "0x0", "latest"];
	expect(await call("eth_getStorageAt", storage)).toMatchObject({ error: { code: -32601 } });
	const other = await connected(withRpc.ports.full);
	expect(await other.call("eth_getStorageAt", storage)).toMatchObject({ result: expect.any(String) });
	for (const method of ["eth_chainId", "debug_traceTransaction", "eth_sendRawTransaction"])
		expect(await other.call(method, [])).toMatchObject({ error: { code: -32601 } });
});

test("pages of other origins, and other paths, are refused", async () => {
	const port = node.ports.full;
	expect(await refusal(dial(port, undefined, { origin: "http://evil.example" }))).toContain("403");
	expect(await refusal(dial(port, "/jsonrpc"))).toContain("404");
	expect(await refusal(dial(node.ports.solidity))).not.toContain("101");
	const gateway = chain.ports.gateway;
	expect(await refusal(dial(gateway, "/jsonrpc", { origin: "http://evil.example" }))).toContain("403");
});

test("a development chain's gateway tells of heads and takes the owner's calls", async () => {
	const port = chain.ports.gateway;
	for (const path of ["/explorer/live", "/jsonrpc", "/"]) {
		const { socket, next, call } = await connected(port, path, { origin: `http://127.0.0.1:${port}` });
		const { result } = await call("eth_subscribe", ["newHeads"]);
		await call("dev_info");
		const told = next();
		await chain.result("dev_mine", [{ blocks: 1 }]);
		expect(await told).toMatchObject({ method: "eth_subscription", params: { subscription: result } });
		socket.terminate();
	}
});
