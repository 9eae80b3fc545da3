import { describe, expect, it } from "vitest";
import { blackHoleAddress } from "../../../src/node/chain/genesis.js";
import { address } from "../consensus/chain-state.js";

describe("the account that receives fees", () => {
	const asset = (accountName: string, i: number) => ({ accountName, address: address(i), balance: 0n });

	it.each([
		[["Zion", "Blackhole", "Sun"], address(1)],
		[["Blackhole", "Sun", "Blackhole"], address(2)],
		[["blackhole"], new Uint8Array(0)],
	])("is the last one of its name among %o", (names, found) => {
		expect(blackHoleAddress({ assets: names.map(asset) })).toEqual(found);
	});
});
