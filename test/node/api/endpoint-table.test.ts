import { describe, expect, it } from "vitest";
import { endpoints, routesOf } from "../../../src/node/api/endpoint-table.js";

describe("the endpoint table", () => {
	it("names each endpoint once and says what it answers", () => {
		const names = endpoints.map((endpoint) => endpoint.name);
		expect(new Set(names).size).toBe(names.length);
		for (const endpoint of endpoints) expect(endpoint.about).toMatch(/^[A-Z].*\.$/);
	});

	it("serves on the solidity and PBFT servers nothing that the full node lacks", () => {
		const full = new Set([...routesOf("full").keys()].map((path) => path.split("/").at(-1)));
		for (const server of ["solidity", "pbft"] as const) {
			for (const path of routesOf(server).keys()) expect(full).toContain(path.split("/").at(-1));
		}
	});

	it("has the paths outside of a server's own folder", () => {
		expect([...routesOf("full").keys()]).toEqual(
			expect.arrayContaining([
				"/net/listnodes",
				"/monitor/getstatsinfo",
				"/monitor/getnodeinfo",
				"/wallet/getburntrx",
			]),
		);
		expect(routesOf("solidity").has("/wallet/getnodeinfo")).toBe(true);
		expect(routesOf("pbft").has("/wallet/getnodeinfo")).toBe(false);
	});
});
