import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../../src/node/api/endpoint-table.js";
import { openApiDocument } from "../../../src/node/api/openapi.js";
import { openApiText } from "../../../src/node/api/openapi-page.js";
import { GENESIS_MS, type HttpNode, startHttpNode } from "./http-node.js";

interface Document {
	readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
	readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

const neutral = openApiDocument("neutral") as unknown as Document;

describe("the OpenAPI document", () => {
	it("is the one in docs/, which npm run document writes", () => {
		expect(JSON.parse(readFileSync("docs/openapi.json", "utf8"))).toEqual(neutral);
	});

	it("has every endpoint, with the methods that answer", () => {
		for (const { name, servers, get, post } of endpoints) {
			const [path = ""] = servers.map((server) => `/wallet${server === "full" ? "" : server}/${name}`);
			const methods = Object.entries({ get, post }).filter(([, mode]) => !/empty|refused/.test(mode));
			expect(Object.keys(neutral.paths[path] ?? {})).toEqual([
				"servers",
				...methods.map(([method]) => method),
			]);
		}
	});

	it.each(["neutral", "deployed"] as const)("is valid in the %s spelling", async (dialect) => {
		const validator = new Validator();
		const document = JSON.parse(JSON.stringify(openApiDocument(dialect))) as Parameters<
			Validator["validate"]
		>[0];
		expect(await validator.validate(document)).toEqual({ valid: true });
		expect(validator.version).toBe("3.1");
	});

	it("has the paths of the history, in the spelling of the node", () => {
		const deployed = openApiDocument("deployed") as unknown as Document;
		expect(neutral.paths).toHaveProperty(["/v1/accounts/{account}/transactions/orc20"]);
		expect(deployed.paths).toHaveProperty(["/v1/accounts/{account}/transactions/trc20"]);
		expect(neutral.paths["/v1/orc20/info"]).toHaveProperty(["get", "responses", "503"]);
	});

	it("allows the empty object that block 0 is answered with", () => {
		const { anyOf } = neutral.components.schemas["TransactionInfos"] as { anyOf: readonly object[] };
		expect(anyOf).toMatchObject([{ type: "array" }, { type: "object", maxProperties: 0 }]);
	});

	it("points to nothing that it doesn't have", () => {
		for (const [reference] of JSON.stringify(neutral).matchAll(/#\/components\/schemas\/[^"]+/g)) {
			expect(Object.keys(neutral.components.schemas)).toContain(reference.split("/").at(-1));
		}
	});

	it("names things as the deployed network does where the node speaks so", () => {
		const { paths, components } = openApiDocument("deployed") as unknown as Document;
		expect(paths).toHaveProperty(["/wallet/getburntrx"]);
		expect(paths).not.toHaveProperty(["/wallet/getburncoin"]);
		expect(JSON.stringify(components.schemas["AccountResourceMessage"])).toContain('"tronPowerUsed"');
		expect(neutral.paths).toHaveProperty(["/wallet/getburncoin"]);
		expect(neutral.paths).not.toHaveProperty(["/wallet/getburntrx"]);
	});
});

describe("the document as text", () => {
	const text = (full: string, solidity: string, pbft: string) =>
		openApiText("neutral", { full, solidity, pbft });

	it.each([
		["http://a:1", "http://a:2", "http://a:3"],
		["http://b:1", "http://b:1", "http://b:1"],
		["http://c:1", "http://c:2", "http://c:1"],
	])("has the addresses %s, %s, %s", async (full, solidity, pbft) => {
		expect(JSON.parse(await text(full, solidity, pbft))).toEqual(
			JSON.parse(JSON.stringify(openApiDocument("neutral", { full, solidity, pbft }))),
		);
	});
});

describe("a node's own pages", () => {
	let node: HttpNode;
	beforeAll(async () => {
		node = await startHttpNode();
	});
	afterAll(() => node.close());

	it.each(["full", "solidity"] as const)("are on the %s server", async (server) => {
		const document = await node.ask("/openapi.json", { server });
		expect([document.status, document.type]).toEqual([200, "application/json"]);
		expect(document.json["openapi"]).toBe("3.1.0");
		expect((await node.ask("/health", { server })).json).toEqual({ status: "ok" });
	});

	it("are not on the PBFT server, which has one folder", async () => {
		expect((await node.ask("/health", { server: "pbft" })).status).toBe(404);
	});

	it("show the API without anything from elsewhere", async () => {
		const page = await node.ask("/openapi");
		expect(page.type).toBe("text/html;charset=utf-8");
		for (const { name } of endpoints) expect(page.text).toContain(`id="${name}"`);
		expect(page.text).not.toMatch(/https?:\/\//);
	});

	it("say that a node whose head is new is ready", async () => {
		const answer = await node.ask("/ready");
		expect([answer.status, answer.json]).toEqual([200, { ready: true, head: 0 }]);
	});

	it("say why a node is not ready", async () => {
		const late = await startHttpNode("", () => GENESIS_MS + 200_000n);
		const answer = await late.ask("/ready");
		expect([answer.status, answer.json]).toEqual([
			503,
			{ ready: false, head: 0, reason: "the head block is 200 s old" },
		]);
		expect((await late.ask("/readyz?lag=300")).status).toBe(200);
		expect((await late.ask("/readyz?lag=199")).json).toMatchObject({ reason: "the head block is 200 s old" });
		expect((await late.ask("/readyz?lag=soon")).status).toBe(400);
		expect((await late.ask("/healthz")).json).toEqual({ status: "ok" });
		await late.close();
	});

	it("wait for a block that a request names, or refuse it", async () => {
		const headers = { "x-coin-min-block": "0" };
		expect((await node.ask("/wallet/getnowblock", { headers })).status).toBe(200);
		const later = { "x-coin-min-block": "x" };
		expect(
			(await node.ask("/walletsolidity/getnowblock", { server: "solidity", headers: later })).status,
		).toBe(400);
	});

	it("refuse to be posted to", async () => {
		expect((await node.post("/health", {})).status).toBe(405);
	});
});
