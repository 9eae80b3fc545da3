import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ExplorerFiles } from "../../../src/node/api/explorer-files.js";
import { type HttpNode, startHttpNode } from "./http-node.js";

let on: HttpNode;
let off: HttpNode;
beforeAll(async () => {
	on = await startHttpNode("node.http.explorer = true");
	off = await startHttpNode();
});
afterAll(() => Promise.all([on.close(), off.close()]));

describe("the explorer's path", () => {
	it("is a page's where the operator asks for it, and unknown elsewhere", async () => {
		const site = await on.ask("/explorer/site.json");
		expect([site.status, site.json]).toEqual([200, { kind: "network" }]);
		for (const path of ["/explorer", "/explorer/", "/explorer/site.json"]) {
			expect((await off.ask(path)).status, path).toBe(404);
		}
		expect((await on.ask("/explorer/site.json", { server: "solidity" })).status).toBe(404);
	});

	it("tells the page what the program knows of parameters and types of transactions", async () => {
		const { json } = await on.ask("/explorer/facts.json");
		const { parameters, types } = json as { parameters: object[]; types: object[] };
		expect(parameters).toContainEqual({
			id: "11",
			name: "ENERGY_FEE",
			getter: "getEnergyFee",
			about: expect.stringContaining("energy"),
		});
		expect(types).toContainEqual({ id: 1, name: "Transfer" });
	});

	it("leads to the folder, from which the page's own names count", async () => {
		const answer = await on.ask("/explorer");
		expect([answer.status, answer.headers["location"]]).toEqual([302, "/explorer/"]);
	});

	it("lets no page frame it, no other script run, no other host be asked", async () => {
		const { headers } = await on.ask("/explorer/site.json");
		const policy = String(headers["content-security-policy"]);
		expect(policy).toContain("default-src 'none'");
		expect(policy).toContain("connect-src 'self';");
		expect(policy).toContain("frame-ancestors 'none'");
		expect(policy).not.toContain("unsafe");
		expect(headers["x-content-type-options"]).toBe("nosniff");
	});

	it("is not sent again to whoever has it", async () => {
		const { headers } = await on.ask("/explorer/site.json");
		const etag = String(headers["etag"]);
		const known = { "if-none-match": `"other", ${etag}` };
		const again = await on.ask("/explorer/site.json", { headers: known });
		expect([again.status, again.text, again.headers["etag"]]).toEqual([304, "", etag]);
		const head = await on.ask("/explorer/site.json", { method: "HEAD" });
		expect([head.status, head.text, head.headers["content-length"]]).toEqual([200, "", "19"]);
	});

	it("is compressed for whoever takes that, and of some size", async () => {
		const lengthAs = async (path: string, accepted: string) => {
			const { headers } = await on.ask(path, { headers: { "accept-encoding": accepted } });
			expect(headers["vary"]).toBe("Accept-Encoding");
			return [headers["content-encoding"], Number(headers["content-length"])] as const;
		};
		const facts = "/explorer/facts.json";
		const [none, plain] = await lengthAs(facts, "br, gzip;q=0");
		expect(none).toBeUndefined();
		const [gzip, packed] = await lengthAs(facts, "deflate, gzip;q=0.5");
		expect(gzip).toBe("gzip");
		expect(packed).toBeLessThan(plain / 2);
		expect(await lengthAs("/explorer/site.json", "gzip")).toEqual([undefined, 19]);
	});

	it("takes nothing but GET and HEAD", async () => {
		expect((await on.ask("/explorer/", { method: "POST", body: "{}" })).status).toBe(405);
		expect((await on.ask("/explorer/", { method: "PUT" })).status).toBe(405);
	});

	it.each([
		"/explorer/..%2fpackage.json",
		"/explorer/%2e%2e/main.js",
		"/explorer/explorer.js.map",
		"/explorer/a/b",
	])("%s is not a file of it", async (path) => {
		expect((await on.ask(path)).status).toBe(404);
	});
});

describe("the explorer's files", () => {
	it("are those of the page and no others of its folder", async () => {
		const folder = mkdtempSync(join(tmpdir(), "coin-explorer-"));
		for (const name of ["index.html", "explorer.js", "qr-path.js", "style.css", "secret.txt"]) {
			writeFileSync(join(folder, name), name);
		}
		const files = new ExplorerFiles(folder);
		expect((await files.find("", false))?.body.toString()).toBe("index.html");
		const script = await files.find("explorer.js", false);
		expect([script?.type, script?.body.toString()]).toEqual(["text/javascript;charset=utf-8", "explorer.js"]);
		expect(await files.find("secret.txt", false)).toBeUndefined();
		expect(await files.find("../secret.txt", false)).toBeUndefined();
		rmSync(folder, { recursive: true });
		expect(await files.find("explorer.js", false)).toBe(script);
	});

	it("are missing where they aren't installed, but for what says which chain it is", async () => {
		const files = new ExplorerFiles(undefined);
		expect(await files.find("", true)).toBeUndefined();
		expect((await files.find("site.json", true))?.body.toString()).toBe('{"kind":"development"}\n');
	});
});
