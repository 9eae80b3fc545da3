import { afterAll, beforeAll, expect, test } from "vitest";
import { answersOf } from "../../../src/node/api/answers.js";
import { orc20KindOf } from "../../../src/node/api/shielded/token-building.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { writePaymentAddress } from "../../../src/protocol/sapling/payment-address.js";
import { counted, keysOf, ListeningProver } from "../../protocol/sapling/building.js";
import { type HttpNode, POOR_HEX, RICH_HEX, startHttpNode } from "./http-node.js";

let node: HttpNode;
let proving: HttpNode;
beforeAll(async () => {
	node = await startHttpNode("node.allowShieldedTransactionApi = true");
	const shieldedWork = { random: counted(), prover: async () => new ListeningProver() };
	proving = await startHttpNode("node.allowShieldedTransactionApi = true", undefined, { shieldedWork });
});
afterAll(() => Promise.all([node.close(), proving.close()]));

const keys = keysOf(1);
const [ask, nsk, ovk] = [keys.ask, keys.nsk, keys.ovk].map(toHex);
const note = { value: 5, payment_address: writePaymentAddress(keys, "deployed"), rcm: "01".padEnd(64, "0") };
const receive = { note };

test("a new address has keys that follow from each other, another one each time", async () => {
	const [first, second] = [0, 1].map(() => node.post("/wallet/getnewshieldedaddress", {}));
	const { json } = await (first as Promise<{ json: Record<string, string> }>);
	const expanded = await node.post("/wallet/getexpandedspendingkey", { value: json["sk"] });
	expect(expanded.json).toEqual({ ask: json["ask"], nsk: json["nsk"], ovk: json["ovk"] });
	const address = await node.post("/wallet/getzenpaymentaddress", { ivk: json["ivk"], d: json["d"] });
	expect(address.json["payment_address"]).toBe(json["payment_address"]);
	expect((await second)?.json["sk"]).not.toBe(json["sk"]);
});

test("a spend may have the name of the interface document or that of the schema", async () => {
	const common = { ask, nsk, ovk, shielded_receives: [receive] };
	for (const name of ["shieldedSpends", "shielded_spends"]) {
		const { json } = await node.post("/wallet/createshieldedtransaction", { ...common, [name]: [receive] });
		expect(json["Error"], name).toMatch(/Position should be non-negative\.$/);
	}
	const { json } = await node.post("/wallet/createshieldedtransaction", common);
	expect(json["Error"]).toMatch(/ContractValidateException : No input note$/);
});

test.each([
	[{ shielded_spends: [{ note: { ...note, rcm: "" } }] }, "param is null"],
	[{ shielded_spends: [{ note: { ...note, rcm: "" } }], ask: "01" }, "param is null"],
	[{ ask: "01" }, "param length must be 32"],
	[{ nsk: "01" }, "param length must be 32"],
])("a note, then the keys are looked at before a spend's place: %j", async (wrong, message) => {
	const request = { ask, nsk, ovk, shielded_receives: [receive], shielded_spends: [receive], ...wrong };
	const { json } = await node.post("/wallet/createshieldedtransaction", request);
	expect(String(json["Error"]).endsWith(`: ${message}`)).toBe(true);
});

test("a transaction whose spends are yet to be signed has no id", async () => {
	const request = { transparent_from_address: RICH_HEX, from_amount: 10, ovk, shielded_receives: [receive] };
	const shown = ["raw_data", "raw_data_hex", "txID", "visible"];
	const whole = await proving.post("/wallet/createshieldedtransaction", request);
	expect(Object.keys(whole.json).sort()).toEqual(shown);
	const unsigned = await proving.post("/wallet/createshieldedtransactionwithoutspendauthsig", request);
	expect(Object.keys(unsigned.json).sort()).toEqual(shown.filter((name) => name !== "txID"));
});

test("a nullifier's note has a memo of text whatever `visible` says", async () => {
	const request = { note: { ...note, memo: "rent" }, ak: ask, nk: nsk };
	for (const visible of [false, true]) {
		const { json } = await node.post("/wallet/createshieldnullifier", { ...request, visible });
		expect(json["Error"]).toMatch(/Position should be non-negative\.$/);
	}
});

test("without parameters no proof is made, and the reason names the key of the configuration", async () => {
	const request = { transparent_from_address: RICH_HEX, from_amount: 10, ovk, shielded_receives: [receive] };
	const { json } = await node.post("/wallet/createshieldedtransaction", request);
	expect(json["Error"]).toMatch(
		/this node makes no proofs: node\.shielded\.params is not set; set it to a folder with /,
	);
});

test.each([
	["createshieldedtransaction", {}, "No input address"],
	["createshieldedtransaction", { timeout: -1 }, "Timeout must >= 0"],
	["createshieldedtransaction", { transparent_from_address: POOR_HEX }, "Input amount must > 0"],
	["createshieldedtransaction", { transparent_from_address: POOR_HEX, from_amount: 1 }, "No output address"],
	[
		"createshieldedtransactionwithoutspendauthsig",
		{ transparent_from_address: POOR_HEX, from_amount: 1, shielded_receives: [receive, receive, receive] },
		"The number of receive note must <= 2",
	],
	["createshieldnullifier", { note, ak: ask, nk: nsk }, "Position should be non-negative."],
	["createshieldnullifier", { note }, "param is null"],
	["createshieldnullifier", {}, "paymentAddress format is wrong"],
	["getshieldtransactionhash", { raw_data: { contract: [] } }, "Contract is null"],
	["isspend", { note, txid: "11".repeat(32) }, `tx is not found:${"11".repeat(32)}`],
	[
		"gettriggerinputforshieldedorc20contract",
		{ shielded_ORC20_Parameters: { parameter_type: "mint" }, amount: "5" },
		"Index: 0",
	],
	...(
		[
			["1.5", 'For input string: "1.5"'],
			["1000000000x", 'For input string: "00000000x"'],
			["5-", "Illegal embedded sign character"],
			["-+5", "Illegal embedded sign character"],
			["+", "Zero length BigInteger"],
			[" -1 ", "public amount must be non-negative"],
			["9".repeat(100), "public amount must be no more than 256 bits"],
		] as const
	).map(([amount, text]) => ["gettriggerinputforshieldedorc20contract", { amount }, text] as const),
	["getmerkletreevoucherinfo", {}, "request.OutPointsCount must be speccified with range in [1, 10]"],
] as const)("%s %j is refused: %s", async (name, request, message) => {
	const { json } = await node.post(`/wallet/${name}`, request);
	const text = String(json["Error"]);
	expect(text.slice(text.indexOf(" : ") + 3)).toBe(message);
});

test("blanks inside an amount cost no more than other characters", async () => {
	const { json } = await node.post("/wallet/gettriggerinputforshieldedorc20contract", {
		amount: ` 1${" ".repeat(2_000_000)}1 `,
	});
	expect(String(json["Error"])).toMatch(/NumberFormatException : For input string: "1 {3}"$/);
});

test.each([
	["4.8.2", "shielded amount overflow"],
	["4.8.1", "Unbalanced burn!"],
] as const)("release %s says of a burn with more than 64 bits: %s", (release, text) => {
	const values = { from: 0n, to: 1n, spends: [1n], receives: [2n ** 63n - 1n] };
	expect(() => orc20KindOf(values, answersOf({ release }).amountOverflow)).toThrow(text);
});

test("the input of a burn is made with a record of 96 bytes from release 4.8.2 on", async () => {
	for (const [length, message] of [
		[80, "contract parameters for burn trigger input"],
		[96, "the value must be positive"],
	] as const) {
		const { json } = await node.post("/wallet/gettriggerinputforshieldedorc20contract", {
			shielded_ORC20_Parameters: { parameter_type: "burn", trigger_contract_input: "00".repeat(length) },
		});
		expect(String(json["Error"])).toMatch(new RegExp(`${message}$`));
	}
});

test("a scan of no blocks is refused, one of a chain without notes finds none", async () => {
	const scan = (start: number, end: number) =>
		node.post("/wallet/scannotebyivk", {
			start_block_index: start,
			end_block_index: end,
			ivk: toHex(keys.ivk),
		});
	expect((await scan(1, 1)).json["Error"]).toMatch(
		/BadItemException : request requires start_block_index >= 0/,
	);
	expect((await scan(0, 1000)).json).toEqual({});
});
