import { describe, expect, it } from "vitest";
import { filterMessage } from "../../../../src/node/network/peers/proto-filter.js";
import { fromHex } from "../../../../src/protocol/bytes.js";
import { Block, Transactions } from "../../../../src/protocol/messages.js";

const nested = (tag: string, content: string): string =>
	tag + (content.length / 2).toString(16).padStart(2, "0") + content;

/** Scheme 1 and a key of two bytes. */
const SIGNATURE = "080112020102";
const OF_TRANSACTION = nested("32", SIGNATURE);
const OF_HEADER = nested("1a", SIGNATURE);
const RAW = "0a0370f101";

describe("the filter of unknown fields", () => {
	it.each([
		["nothing unknown", RAW, true, true],
		["a post-quantum signature", RAW + OF_TRANSACTION, true, false],
		["two of them", RAW + OF_TRANSACTION + OF_TRANSACTION, true, false],
		["one before the raw data", OF_TRANSACTION + RAW, true, false],
		["one and another field", `${RAW + OF_TRANSACTION}3801`, false, false],
		["the field of a header", RAW + OF_HEADER, false, false],
		["one with a field that nobody knows", RAW + nested("32", `${SIGNATURE}2001`), false, false],
	])("judges a transaction with %s", (_, content, onNile, onMain) => {
		const bytes = fromHex(nested("0a", content));
		const filter = (network: "main" | "nile") => () =>
			filterMessage(Transactions, Transactions.decode(bytes), bytes.length, network);
		for (const [network, passes] of [
			["nile", onNile],
			["main", onMain],
		] as const) {
			if (passes) expect(filter(network), network).not.toThrow();
			else expect(filter(network), network).toThrow("canonical form");
		}
	});

	it("judges a block with a post-quantum signature in its header and in a transaction", () => {
		const inner = nested("0a", RAW + OF_TRANSACTION) + nested("12", nested("0a", "3807") + OF_HEADER);
		const bytes = fromHex(inner);
		expect(() => filterMessage(Block, Block.decode(bytes), bytes.length, "nile")).not.toThrow();
		expect(() => filterMessage(Block, Block.decode(bytes), bytes.length)).toThrow("canonical form");
		const longer = fromHex(
			nested("0a", RAW + nested("32", SIGNATURE)) + nested("12", nested("0a", "388700")),
		);
		expect(() => filterMessage(Block, Block.decode(longer), longer.length, "nile")).toThrow("canonical form");
	});
});
