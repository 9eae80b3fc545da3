import { afterAll, beforeAll, expect, test } from "vitest";
import { KEYS } from "../../protocol/sapling/vectors.js";
import { type HttpNode, startHttpNode } from "./http-node.js";

let node: HttpNode;
let closed: HttpNode;

beforeAll(async () => {
	node = await startHttpNode("node.allowShieldedTransactionApi = true");
	closed = await startHttpNode();
});
afterAll(async () => {
	await node.close();
	await closed.close();
});

test.each(KEYS)("keys follow from a spending key, by body and query", async (keys) => {
	const { spendingKey, ask, nsk, ovk, ak, nk, ivk } = keys;
	const expanded = await node.post("/wallet/getexpandedspendingkey", { value: spendingKey });
	expect(expanded.json).toEqual({ ask, nsk, ovk });
	expect((await node.ask(`/wallet/getexpandedspendingkey?value=${spendingKey}`)).text).toBe(expanded.text);
	expect((await node.post("/wallet/getakfromask", { value: ask })).json).toEqual({ value: ak });
	expect((await node.post("/wallet/getnkfromnsk", { value: nsk })).json).toEqual({ value: nk });
	expect((await node.post("/wallet/getincomingviewingkey", { ak, nk })).json).toEqual({ ivk });
});

test.each([
	[
		"getexpandedspendingkey",
		{ value: "00" },
		"BadItemException : the length of spendingKey's hexString should be 64",
	],
	["getakfromask", {}, "BadItemException : the length of ask's hexString should be 64"],
	["getnkfromnsk", { value: "" }, "BadItemException : the length of nsk's hexString should be 64"],
	["getincomingviewingkey", { nk: "00".repeat(32) }, "ZksnarkException : param is null"],
	["getincomingviewingkey", { ak: "00", nk: "00".repeat(32) }, "ZksnarkException : param length must be 32"],
])("%s refuses %j", async (name, body, message) => {
	const { json } = await node.post(`/wallet/${name}`, body);
	expect(json["Error"]).toMatch(message);
});

test("a node that doesn't serve them says so before it looks at the key", async () => {
	const { json } = await closed.post("/wallet/getakfromask", { value: "00" });
	expect(json["Error"]).toContain("Shielded transaction API is disabled");
});
