import { expect, test } from "vitest";
import {
	amountOfToken,
	amountParts,
	NamedAmounts,
	paymentInParts,
} from "../../../src/wallet/token/named-amount.js";
import { answering } from "../answering-client.js";

test.each([
	["5@gold", { amount: "5", token: "gold" }],
	["1_000.5@1000001", { amount: "1_000.5", token: "1000001" }],
	["500raw@a@b", { amount: "500raw", token: "a@b" }],
	["max@gold", { amount: "max", token: "gold" }],
	["5coin", undefined],
	["@gold", undefined],
	["5@", undefined],
])("%s", (text, parts) => {
	expect(amountParts(text)).toEqual(parts);
});

test("a payment names its token once", () => {
	expect(paymentInParts({ to: "bob", amount: "5@gold" })).toEqual({ to: "bob", amount: "5", token: "gold" });
	expect(() => paymentInParts({ amount: "5@gold", token: "gold" })).toThrow("name it once");
});

test("how many smallest units it is rests on the node alone, unless the user says the decimals", async () => {
	const settings = { tokens: { gold: "1000001" }, contactsFile: "/nowhere/contacts" };
	const { client } = answering({ getassetissuebyid: { id: "1000001", precision: 2n } }, settings);
	const read = async (text: string, stated?: number) => {
		const amounts = new NamedAmounts(client, false, stated);
		return [await amounts.read({ amount: text, token: "gold" }), amounts.nodesWord];
	};
	expect(await read("5")).toEqual([500n, [{ token: "1000001", decimals: 2, text: "5", units: 500n }]]);
	expect(await read("5", 2)).toEqual([500n, []]);
	expect(await read("5raw")).toEqual([5n, []]);
	await expect(read("5", 3)).rejects.toThrow("has 2 decimals, not 3");
	await expect(read("max")).rejects.toMatchObject({ code: "bad_value" });
});

test("where one token is meant, an amount may name it and no other", async () => {
	const settings = { tokens: { gold: "1000001" }, contactsFile: "/nowhere/contacts" };
	const { client } = answering({ getassetissuebyid: { id: "1000001", precision: 2n } }, settings);
	const read = (token: string, text: string) => amountOfToken(client.settings, client, token, text);
	expect(await read("1000001", "5")).toBe("5");
	expect(await read("1000001", "5@gold")).toBe("5");
	await expect(read("1000002", "5@gold")).rejects.toThrow("not of the token 1000002");
	await expect(amountOfToken(client.settings, undefined, "1000001", "5@gold")).rejects.toThrow(
		"not of the token",
	);
});
