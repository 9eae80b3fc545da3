import { describe, expect, it } from "vitest";
import { writeDevelopmentState } from "../../../src/node/development/initial-state.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import { emptyState } from "../vm/machine-fixture.js";

const HISTORY = fromHex("410000f90827f1c53a10cb7a02335b175320002935");

describe("a development chain that starts with #95", () => {
	it.each([
		["1", 1n, true],
		["0", 0n, false],
	])(
		"at %s has the contract of block ids: it is all there is to the parameter",
		async (_, value, installed) => {
			const state = await emptyState();
			writeDevelopmentState(state, "genesis", [{ name: "allowTvmPrague", value }], "main");
			expect(state.properties.get("ALLOW_TVM_PRAGUE")).toBe(value);
			expect(state.code.has(HISTORY)).toBe(installed);
			expect(state.properties.get("BLOCK_HASH_HISTORY_INSTALLED")).toBe(value);
		},
	);

	it("takes parameters of the test network Nile only by its rules", async () => {
		const state = await emptyState();
		const settings = [{ name: "allowMlDsa44", value: 0n }];
		expect(() => writeDevelopmentState(state, "genesis", settings, "main")).toThrow(
			"no chain parameter allowMlDsa44",
		);
		writeDevelopmentState(state, "genesis", [{ name: "1001", value: 1n }, ...settings], "nile");
		expect(state.properties.get("ALLOW_ML_DSA_44")).toBe(0n);
	});
});
