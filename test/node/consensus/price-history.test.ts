import { describe, expect, it } from "vitest";
import { appendPrice, priceAt, rebuildPriceHistories } from "../../../src/node/consensus/price-history.js";
import { be64 } from "../../../src/protocol/bytes.js";
import { Proposal, ProposalState } from "../../../src/protocol/messages.js";
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

	it("grow by one entry a proposal", async () => {
		const state = await openState(1);
		appendPrice(state, "BANDWIDTH_PRICE_HISTORY", 77n, 40n);
		expect(state.properties.get("BANDWIDTH_PRICE_HISTORY")).toBe("0:10,77:40");
	});

	it("are rebuilt once from the approved proposals, by their expiration", async () => {
		const state = await openState(1);
		const rows: [bigint, bigint, bigint, number][] = [
			[1n, 900n, 140n, ProposalState.APPROVED],
			[2n, 300n, 280n, ProposalState.APPROVED],
			[3n, 500n, 420n, ProposalState.DISAPPROVED],
		];
		for (const [id, expires, price, decided] of rows) {
			state.proposal.put(
				be64(id),
				Proposal.create({
					proposal_id: id,
					expiration_time: expires,
					parameters: new Map([[11n, price]]),
					state: decided,
				}),
			);
		}
		state.properties.set("LATEST_PROPOSAL_NUM", 3n);
		rebuildPriceHistories(state);
		expect(state.properties.get("ENERGY_PRICE_HISTORY")).toBe("0:100,300:280,900:140");
		appendPrice(state, "ENERGY_PRICE_HISTORY", 1000n, 1n);
		rebuildPriceHistories(state);
		expect(state.properties.get("ENERGY_PRICE_HISTORY")).toBe("0:100,300:280,900:140,1000:1");
		expect(state.properties.get("BANDWIDTH_PRICE_HISTORY")).toBe("0:10");
	});
});
