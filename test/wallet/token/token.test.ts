import { describe, expect, test } from "vitest";
import { toHex, utf8 } from "../../../src/protocol/bytes.js";
import { AssetIssueContract } from "../../../src/protocol/messages.js";
import { tokenNamed, tokenSymbol, viewToken } from "../../../src/wallet/token/token.js";
import { currencyOf } from "../../../src/wallet/token/token-amount.js";
import { answering } from "../answering-client.js";

const hex = (text: string): string => toHex(utf8(text));
const gold = {
	id: "1000001",
	name: hex("Gold"),
	abbr: hex("GLD"),
	owner_address: `41${"11".repeat(20)}`,
	precision: 2n,
};

test("decimals that no token can have are none", () => {
	const decimals = (precision: number) => currencyOf(AssetIssueContract.create({ precision })).decimals;
	expect([-1, 0, 6, 7].map(decimals)).toEqual([undefined, 0, 6, undefined]);
});

describe("a token by what people write", () => {
	const settings = { tokens: { GLD: "1000001", MAIN: "Gold" }, profile: "test" };
	const node = (...assetIssue: object[]) =>
		answering({ getassetissuebyid: gold, getassetissuelistbyname: { assetIssue } as never }, settings);

	test("is looked up by its number, also where a symbol of the profile stands for it", async () => {
		for (const text of ["1000001", "GLD"]) {
			const { client, asked } = node();
			expect((await tokenNamed(client, text)).id).toBe("1000001");
			expect(asked).toMatchObject([{ endpoint: "getassetissuebyid", request: { value: "1000001" } }]);
		}
	});

	test("is looked up by its name else", async () => {
		const { client, asked } = node(gold);
		expect(tokenSymbol(await tokenNamed(client, "MAIN", "solidity"))).toBe("GLD");
		expect(asked).toMatchObject([{ request: { value: hex("Gold") }, view: "solidity" }]);
	});

	test("is refused where there is none, or more than one of the name", async () => {
		await expect(tokenNamed(node().client, "Gold")).rejects.toMatchObject({ code: "not_found" });
		const { client } = answering(
			{ getassetissuelistbyname: {}, getassetissuelist: { assetIssue: [gold] } as never },
			{ tokens: {}, profile: "test" },
		);
		await expect(tokenNamed(client, "GLD")).rejects.toMatchObject({
			facts: { hint: 'GLD is the abbreviation of the token "Gold": use its id, 1000001' },
		});
		const twice = tokenNamed(node(gold, { ...gold, id: "1000002" }).client, "Gold");
		await expect(twice).rejects.toMatchObject({
			code: "ambiguous",
			facts: { details: { candidates: [{ id: "1000001" }, { id: "1000002" }] } },
		});
		const other = answering({ getassetissuebyid: { ...gold, id: "1000002" } }, settings).client;
		await expect(tokenNamed(other, "1000001")).rejects.toThrow("the token 1000002 in place of 1000001");
		await expect(tokenNamed(node({ ...gold, name: hex("Lead") }).client, "Gold")).rejects.toThrow(
			'the token "Lead" in place of Gold',
		);
		const none = answering({ getassetissuebyid: {} }, settings).client;
		await expect(tokenNamed(none, "5")).rejects.toThrow("there is no token with the id 5");
	});
});

test("a token is shown without what it doesn't have, and is called by its name without an abbreviation", async () => {
	const { abbr: _, ...bare } = gold;
	const client = answering({ getassetissuebyid: bare }, { tokens: {} }).client;
	const token = await tokenNamed(client, "1000001");
	expect(viewToken(token)).toMatchObject({ name: "Gold", abbr: undefined, decimals: 2, locked: undefined });
	expect(tokenSymbol(token)).toBe("Gold");
});
