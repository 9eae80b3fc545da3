import { describe, expect, it } from "vitest";
import { appendPrice, priceAt } from "../../../src/node/consensus/parameter-effects.js";
import { openState } from "./chain-state.js";

describe("price histories", () => {
	it.each([
		[0n, undefined],
		[1n, 100n],
		[5000n, 100n],
		[5001n, 140n],
		[9001n, -3n],
	])("at %i give %s", (time, price) => {
		expect(priceAt("0:100,5000:140,9000:-3", time)).toBe(price);
	});

	it("have an entry out of order where a maintenance decided on two proposals", () => {
		expect(priceAt("0:100,9000:140,5000:170", 6000n)).toBe(170n);
		expect(priceAt("0:100,9000:140,5000:170", 9001n)).toBe(170n);
	});

	it("grow by one entry a proposal", async () => {
		const state = await openState(1);
		appendPrice(state, "BANDWIDTH_PRICE_HISTORY", 77n, 40n);
		expect(state.properties.get("BANDWIDTH_PRICE_HISTORY")).toBe("0:10,77:40");
	});
});
