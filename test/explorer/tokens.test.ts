/** Amounts of tokens in their own decimals: in calls, events, results and rows of the history. */

import { describe, expect, test } from "vitest";
import { decodeCall, decodeEvent, itemsOfList } from "../../src/explorer/abi.js";
import type { Decoded } from "../../src/explorer/abi-values.js";
import { addressText } from "../../src/explorer/address-text.js";
import { knownEvent } from "../../src/explorer/history-rows.js";
import { NodeClient } from "../../src/explorer/node-client.js";
import { TRANSFER } from "../../src/explorer/token-moves.js";
import { priceText, TokenUnits, unitText } from "../../src/explorer/tokens.js";

const address = (digit: string): string => addressText(`41${digit.repeat(40)}`) ?? "";
const [GOLD, THINGS, OTHER] = [address("1"), address("2"), address("3")];
const word = (value: bigint | string): string =>
	(typeof value === "string" ? value : value.toString(16)).padStart(64, "0");
const PARTY = word("7".repeat(40));

const INFOS = [
	{ contract_address: GOLD, symbol: "GLD", decimals: "18", type: "trc20" },
	{ contract_address: THINGS, symbol: "THG", decimals: "0", type: "trc721" },
];
const APPLE = { id: "1000001", name: "Apple", abbr: "APL", precision: 2 };

function units() {
	const asked: string[] = [];
	const client = new NodeClient(async (path) => {
		asked.push(path);
		const answer = path.startsWith("/v1/orc20/info")
			? { data: INFOS.filter((info) => path.endsWith(info.contract_address)) }
			: path === "/wallet/getassetissuebyid"
				? APPLE
				: {};
		return { status: 200, text: async () => JSON.stringify(answer) };
	});
	return { units: new TokenUnits(client), asked };
}

const amounts = (values: readonly Decoded[]) =>
	values.map(({ value }) => (value.kind === "text" ? value.amount : undefined));
const paid = (value: bigint) => decodeCall([], `a9059cbb${PARTY}${word(value)}`);

describe("amounts of a contract's own token", () => {
	test.each([
		[GOLD, 1_250_000_000_000_000_000n, "1.25 GLD"],
		[GOLD, 2n ** 256n - 1n, "GLD without limit"],
		[THINGS, 5n, undefined],
		[OTHER, 5n, undefined],
	])("of %s in a call", async (contract, value, shown) => {
		const call = paid(value);
		const { values } = await units().units.counted(contract, call ?? expect.fail());
		expect(amounts(values)).toEqual([undefined, shown]);
		expect(values[1]?.value).toMatchObject({ text: String(value) });
	});

	test("in events, but for the number of a single thing", async () => {
		const { units: known } = units();
		const moved = decodeEvent([], [TRANSFER, PARTY, PARTY], word(10n ** 18n)) ?? expect.fail();
		expect(amounts((await known.counted(GOLD, moved)).values).at(-1)).toBe("1 GLD");
		const thing = decodeEvent([], [TRANSFER, PARTY, PARTY, word(7n)], "") ?? expect.fail();
		expect(await known.counted(GOLD, thing)).toBe(thing);
	});

	test("in what reading functions give back, each token asked once", async () => {
		const { units: known, asked } = units();
		const [balance, owner] = itemsOfList([
			{ type: "function", name: "balanceOf", inputs: [{ type: "address" }] },
			{ type: "function", name: "ownerOf", inputs: [{ type: "uint256" }] },
		]);
		const values: Decoded[] = [{ name: "", type: "uint256", value: { kind: "text", text: "5" } }];
		if (!balance || !owner) expect.fail();
		expect(amounts(await known.countedResult(GOLD, balance, values))).toEqual(["0.000000000000000005 GLD"]);
		expect(await known.countedResult(GOLD, owner, values)).toBe(values);
		await known.counted(GOLD, paid(1n) ?? expect.fail());
		expect(asked).toHaveLength(1);
	});
});

test("tokens of the chain have their own decimals, and what nobody knows is in smallest units", async () => {
	const { units: known } = units();
	expect(unitText(await known.unitOf("1000001"), 1250n)).toBe("12.5 APL");
	expect(unitText(await known.unitOf(OTHER), 1250n)).toBe("1,250 smallest units");
});

test("events of the history are read whether the node had an interface for them or not", () => {
	const items = itemsOfList([
		{
			type: "event",
			name: "Transfer",
			inputs: ["address", "address", "uint256"].map((type) => ({
				type,
				name: type,
				indexed: type === "address",
			})),
		},
	]);
	const party = `0x${"7".repeat(40)}`;
	const decoded = { event_name: "Transfer", result: { 0: party, 1: party, 2: "5", uint256: "5" } };
	const plain = { event_name: "", result: { 0: TRANSFER, 1: PARTY, 2: PARTY, 3: word(5n) } };
	for (const event of [decoded, plain])
		expect(knownEvent(items, event)?.values.map(({ value }) => value)).toMatchObject([
			{ text: address("7") },
			{ text: address("7") },
			{ text: "5" },
		]);
	expect(knownEvent(items, { event_name: "Stored", result: { 0: "5" } })).toBeUndefined();
});

test.each<[sun: bigint, units: bigint, decimals: number, text: string]>([
	[1n, 1n, 6, "1 coin for 1 VEIL"],
	[100n, 1n, 2, "0.01 coin for 1 VEIL"],
	[1_000_000n, 3n, 0, "1 coin for 3 VEIL"],
	[1n, 3_000_000n, 0, "0.000001 coin for 3,000,000 VEIL"],
	[2n, 4n, 6, "0.5 coin for 1 VEIL"],
	[5n, 1n, -1, "0.000005 coin for 1 VEIL"],
	[0n, 0n, 0, "0 coin for 0 VEIL"],
])("a price of %s sun for %s smallest units, %s decimals: %s", (sun, units, decimals, text) => {
	expect(priceText(sun, units, { decimals, symbol: "VEIL", name: "Veil" })).toBe(text);
});
