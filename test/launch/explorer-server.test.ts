import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ExplorerServer, serveExplorer } from "../../src/launch/explorer-server.js";

const asked: string[] = [];
let node: Server;
let explorer: ExplorerServer;
beforeAll(async () => {
	node = createServer((incoming, answer) => {
		asked.push(`${incoming.method} ${incoming.url} ${incoming.headers["x-key"]}`);
		incoming.resume().once("end", () => answer.end("{}"));
	});
	await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
	explorer = await serveExplorer(`http://127.0.0.1:${(node.address() as AddressInfo).port}`, 0, {
		"x-key": "k",
	});
});
afterAll(async () => {
	await explorer.close();
	node.closeAllConnections();
	node.close();
});

function ask(method: string, path: string, headers: Record<string, string> = {}, body = ""): Promise<number> {
	return new Promise((resolve, reject) => {
		request(new URL(path, explorer.url), { method, headers }, (answer) => {
			answer.resume().once("end", () => resolve(answer.statusCode ?? 0));
		})
			.once("error", reject)
			.end(body);
	});
}

test("passes on what the page asks, and nothing that changes the chain", async () => {
	expect(await ask("POST", "/wallet/getnowblock", {}, "{}")).toBe(200);
	expect(await ask("GET", "/v1/accounts/T1/transactions?limit=2")).toBe(200);
	for (const path of [
		"/wallet/broadcasttransaction",
		"/wallet/createtransaction",
		"/jsonrpc",
		"/wallet/../wallet/x",
	]) {
		expect(await ask("POST", path, {}, "{}"), path).toBe(404);
	}
	expect(asked).toEqual(["POST /wallet/getnowblock k", "GET /v1/accounts/T1/transactions?limit=2 k"]);
});

test("answers no page of another site, under whatever name it came", async () => {
	expect(await ask("GET", "/explorer/site.json", { host: "evil.example" })).toBe(403);
	expect(await ask("POST", "/wallet/getnowblock", { origin: "http://evil.example" }, "{}")).toBe(403);
	expect(await ask("GET", "/explorer/site.json")).toBe(200);
	expect(await ask("GET", "/")).toBe(302);
});

test("takes no long questions", async () => {
	expect(await ask("POST", "/wallet/getnowblock", {}, "x".repeat(100_000))).toBe(413);
});
