/** What pages in a browser may do to a development chain: requests as browsers send them. */

import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isForeignPage } from "../../../../src/node/api/development/web-origin.js";
import { DevelopmentNode, type Json } from "./development-node.js";

const ALLOWED = "http://localhost:5173";

let chain: DevelopmentNode;
beforeAll(async () => {
	chain = await DevelopmentNode.start({ "http-port": "0", "unlock-all": "true", "allow-origin": ALLOWED });
});
afterAll(() => chain.stop());

interface Answer {
	readonly status: number;
	readonly readable: string | undefined;
	readonly text: string;
}

/** A request as a page of an origin sends it. */
function fromPage(
	path: string,
	origin: string | undefined,
	{ body, port = chain.ports.gateway, headers = {}, method }: PageRequest = {},
): Promise<Answer> {
	return new Promise((resolve, reject) => {
		const options = {
			port,
			path,
			method: method ?? (body === undefined ? "GET" : "POST"),
			agent: false,
			headers: {
				...(origin === undefined
					? {}
					: { Origin: origin, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors" }),
				...(body === undefined ? {} : { "Content-Type": "text/plain;charset=UTF-8" }),
				...headers,
			},
		};
		const asked = request(options, (answer) => {
			let text = "";
			answer.setEncoding("utf8").on("data", (part: string) => {
				text += part;
			});
			answer.on("end", () =>
				resolve({
					status: answer.statusCode ?? 0,
					readable: answer.headers["access-control-allow-origin"],
					text,
				}),
			);
		});
		asked.on("error", reject);
		asked.end(body === undefined ? undefined : JSON.stringify(body));
	});
}

interface PageRequest {
	readonly body?: object;
	readonly port?: number | undefined;
	readonly headers?: Record<string, string>;
	readonly method?: string;
}

const EVIL = "https://evil.example";

describe("a page of another origin", () => {
	it.each(["/admin/accounts-json", "/admin/accounts", "//admin/accounts-json", "/admin", "/admin?x=1"])(
		"reads no keys at %s",
		async (path) => {
			const answer = await fromPage(path, EVIL);
			expect(answer.status).toBe(403);
			expect(answer.readable).toBeUndefined();
			expect(answer.text).not.toMatch(/[0-9a-f]{64}|test test/);
			expect(answer.text).toContain("--allow-origin");
		},
	);

	it("is told so before it asks", async () => {
		const headers = { "Access-Control-Request-Method": "GET" };
		const preflight = await fromPage("/admin/accounts-json", EVIL, { method: "OPTIONS", headers });
		expect(preflight).toMatchObject({ status: 403, readable: undefined });
	});

	it("makes no accounts with an image or a link", async () => {
		const before = await (await chain.get("/admin/accounts-json")).json();
		const headers = {
			"Sec-Fetch-Site": "cross-site",
			"Sec-Fetch-Mode": "no-cors",
			"Sec-Fetch-Dest": "image",
		};
		const image = await fromPage("/admin/temporary-accounts-generation", undefined, { headers });
		expect(image.status).toBe(403);
		const sameSite = { "Sec-Fetch-Site": "same-site" };
		expect((await fromPage("/admin/accounts-json", undefined, { headers: sameSite })).status).toBe(403);
		expect(await (await chain.get("/admin/accounts-json")).json()).toEqual(before);
	});

	it.each(["/dev", "/tre", "/jsonrpc", "/"])("changes nothing with a text/plain POST to %s", async (path) => {
		const { hex } = chain.account(1);
		const params = [`0x${hex.slice(2)}`, "0x1"];
		for (const method of [
			"tre_setAccountBalance",
			"evm_mine",
			"dev_reset",
			"dev_accounts",
			"dev_dumpState",
		]) {
			const { text } = await fromPage(path, EVIL, { body: { id: 1, method, params } });
			expect(JSON.parse(text)).toMatchObject({ id: 1, error: { code: -32600 } });
			expect(text).toContain("--allow-origin");
		}
		const batch = await fromPage(path, EVIL, { body: [{ id: 1, method: "dev_accounts" }] });
		expect(batch.text).not.toContain("privateKey");
		expect(await chain.post("/wallet/getaccount", { address: hex })).toMatchObject({
			balance: 10_000_000_000,
		});
	});

	it("sends no transaction that isn't signed, through the gateway or beside it", async () => {
		const [from, to] = [chain.account(1), chain.account(2)];
		const unsigned = await chain.post("/wallet/createtransaction", {
			owner_address: from.hex,
			to_address: to.hex,
			amount: 5,
		});
		for (const port of [chain.ports.gateway, chain.ports.full]) {
			const { text } = await fromPage("/wallet/broadcasttransaction", EVIL, { body: unsigned, port });
			expect(JSON.parse(text)).toMatchObject({ code: "SIGERROR" });
		}
		expect(await chain.post("/wallet/broadcasttransaction", unsigned)).toMatchObject({ result: true });
	});

	it("still reads the chain, and its answers may be read", async () => {
		const block = await fromPage("/wallet/getnowblock", EVIL, { body: {} });
		expect(block).toMatchObject({ status: 200, readable: "*" });
		expect(JSON.parse(block.text)).toHaveProperty("blockID");
		const number = await fromPage("/jsonrpc", EVIL, { body: { id: 1, method: "eth_blockNumber" } });
		expect(JSON.parse(number.text)).toMatchObject({ result: expect.stringMatching(/^0x/) });
		const version = await fromPage("/tre", EVIL, { body: { id: 1, method: "tre_version" } });
		expect(JSON.parse(version.text)).toMatchObject({ result: expect.stringMatching(/^\d/) });
		expect((await fromPage("/dev", EVIL, { method: "OPTIONS" })).status).toBe(204);
	});

	it("reaches this machine under a name of its own, which changes nothing", async () => {
		const headers = { Host: `evil.example:${chain.ports.gateway}`, "Sec-Fetch-Site": "same-origin" };
		const origin = `http://evil.example:${chain.ports.gateway}`;
		expect((await fromPage("/admin/accounts-json", undefined, { headers })).text).not.toContain(
			"privateKeys",
		);
		expect((await fromPage("/admin/accounts-json", origin, { headers })).text).not.toContain("privateKeys");
		const rebound = { Host: headers.Host };
		expect((await fromPage("/admin/accounts-json", undefined, { headers: rebound })).status).toBe(404);
		const mined = await fromPage("/dev", origin, { headers, body: { id: 1, method: "dev_mine" } });
		expect(JSON.parse(mined.text)).toHaveProperty("error");
	});
});

describe("everybody else", () => {
	it("a page that was allowed by name does everything", async () => {
		const keys = await fromPage("/admin/accounts-json", ALLOWED);
		expect(keys).toMatchObject({ status: 200, readable: "*" });
		expect((JSON.parse(keys.text) as Json)["privateKeys"]).toHaveLength(10);
		const mined = await fromPage("/dev", ALLOWED, { body: { id: 1, method: "dev_mine" } });
		expect(JSON.parse(mined.text)).not.toHaveProperty("error");
		expect((await fromPage("/admin/accounts-json", "http://localhost:5174")).status).toBe(403);
	});

	it("a program that says no origin does everything, as does the address bar", async () => {
		expect((await chain.get("/admin/accounts-json")).status).toBe(200);
		const typed = { "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate" };
		expect((await fromPage("/admin/accounts", undefined, { headers: typed })).status).toBe(200);
		expect(await chain.rpc("dev_mine")).not.toHaveProperty("error");
	});
});

describe("a listener on every interface", () => {
	const rule = { allowed: new Set<string>(), host: undefined };
	it.each<[Record<string, string>, boolean]>([
		[{ host: "chain:9090" }, false],
		[{ host: "chain:9090", origin: "http://chain:9090" }, true],
		[{ host: "chain:9090", "sec-fetch-site": "same-origin" }, true],
		[{ host: "10.0.0.5:9090", origin: "http://10.0.0.5:9090" }, false],
		[{ host: "10.0.0.5:9090", origin: "http://10.0.0.5:3000" }, true],
		[{ host: "localhost:9090", origin: "null" }, true],
	])("%j comes from a foreign page: %s", (headers, expected) => {
		expect(isForeignPage(headers, rule)).toBe(expected);
	});
});

it("takes only origins as browsers write them", async () => {
	for (const text of ["localhost:3000", "http://localhost:3000/", "evil"]) {
		await expect(DevelopmentNode.start({ "allow-origin": text })).rejects.toThrow("is not an origin");
	}
});
