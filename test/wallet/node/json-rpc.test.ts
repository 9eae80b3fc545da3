import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseConfiguration } from "../../../src/wallet/configuration/configuration.js";
import { loadSettings } from "../../../src/wallet/configuration/settings.js";
import { callJsonRpc, developmentUrl } from "../../../src/wallet/node/json-rpc.js";
import { NodeClient } from "../../../src/wallet/node/node-client.js";

/** Two servers, of a profile and of somebody else, and the headers that arrive. */
let servers: readonly Server[];
let urls: readonly string[];
let arrived: readonly IncomingHttpHeaders[][];
beforeEach(async () => {
	arrived = [[], []];
	servers = arrived.map((seen) =>
		createServer((request, response) => {
			seen.push(request.headers);
			response.end('{"result":true}');
		}),
	);
	for (const server of servers) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(() => {
	for (const server of servers) server.close();
});

test("a profile's headers arrive at its own servers and at no others", async () => {
	const [own, foreign] = urls as [string, string];
	const text = `gateway = "${foreign}"\njsonrpc = "${foreign}"
profiles.main { http = "${own}", headers { "x-key" = secret } }`;
	const settings = await loadSettings({ profile: "main" }, {}, await parseConfiguration(text, "a test"));
	const client = new NodeClient(settings);
	await callJsonRpc(client, "dev_info", [], developmentUrl(settings));
	await callJsonRpc(client, "eth_blockNumber", []);
	await callJsonRpc(client, "coin_getStateHash", [], `${foreign}/jsonrpc`);
	expect(arrived.map((seen) => seen.map((headers) => headers["x-key"]))).toEqual([
		["secret", "secret"],
		[undefined],
	]);
});
