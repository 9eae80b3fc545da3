import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/node/config/config.js";
import type { PortName } from "../../../src/node/node.js";
import { type Answer, type HttpNode, startHttpNode } from "./http-node.js";

const WALLET = "https://wallet.example";
const JSONRPC = "node.jsonrpc { httpFullNodeEnable = true, httpFullNodePort = 0 }";
const ALLOW = "access-control-allow-origin";

let open: HttpNode;
let silent: HttpNode;
let everybody: HttpNode;
beforeAll(async () => {
	open = await startHttpNode(`${JSONRPC}\nnode.http.cors = ["${WALLET}", "http://localhost:3000"]`);
	silent = await startHttpNode(JSONRPC);
	everybody = await startHttpNode('node.http.cors = ["*"]');
});
afterAll(() => Promise.all([open.close(), silent.close(), everybody.close()]));

const PLACES: readonly (readonly [PortName, string])[] = [
	["full", "/wallet/getnowblock"],
	["solidity", "/walletsolidity/getnowblock"],
	["jsonrpc", "/jsonrpc"],
];

const BODY = '{"id":1,"method":"eth_chainId"}';
const from = (
	node: HttpNode,
	[server, path]: readonly [PortName, string],
	origin: string,
	more: Readonly<Record<string, string>> = {},
	method = "POST",
): Promise<Answer> =>
	node.ask(path, {
		server,
		method,
		headers: { origin, ...more },
		...(method === "POST" ? { body: BODY } : {}),
	});

describe("pages of other origins", () => {
	it.each(PLACES)("may read %s%s if the operator names them", async (...place) => {
		const answer = await from(open, place, WALLET);
		expect([answer.status, answer.headers[ALLOW], answer.headers["vary"]]).toEqual([200, WALLET, "Origin"]);
		expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
	});

	it.each(PLACES)("are answered before a request to %s%s", async (...place) => {
		const ask = { "access-control-request-method": "POST", "access-control-request-headers": "content-type" };
		const answer = await from(open, place, WALLET, ask, "OPTIONS");
		expect(answer.status).toBe(204);
		expect(answer.headers).toMatchObject({
			[ALLOW]: WALLET,
			"access-control-allow-methods": "GET, POST",
			"access-control-allow-headers": "Content-Type, X-Coin-Min-Block",
		});
	});

	it.each(PLACES)("are told nothing by %s%s otherwise", async (...place) => {
		const foreign = await from(open, place, "https://other.example");
		expect([foreign.status, foreign.headers[ALLOW]]).toEqual([200, undefined]);
		const unasked = await from(silent, place, WALLET);
		expect([unasked.headers[ALLOW], unasked.headers["vary"]]).toEqual([undefined, undefined]);
		const ask = { "access-control-request-method": "POST" };
		const before = await from(silent, place, WALLET, ask, "OPTIONS");
		expect([before.status, before.headers[ALLOW]]).toEqual([200, undefined]);
	});

	it("may all read where the operator says so, without credentials", async () => {
		const answer = await from(everybody, ["full", "/wallet/getnowblock"], "https://any.example");
		expect(answer.headers[ALLOW]).toBe("*");
		expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
	});
});

describe("node.http.cors", () => {
	it.each(["wallet.example", "https://wallet.example/", "https://wallet.example/path", "null"])(
		"refuses %s, which no browser sends",
		(origin) => {
			const text = `node.http.cors = ["${origin}"]\nstorage {}`;
			expect(() => parseConfig(text, "test")).toThrow(`must be a list of origins`);
		},
	);
});
