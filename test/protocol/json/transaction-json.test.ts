import { describe, expect, it } from "vitest";
import { SignedBlock } from "../../../src/protocol/block.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import { hashedLibrary } from "../../../src/protocol/json/older/hashed-library.js";
import { blockJson, transactionJson } from "../../../src/protocol/json/transaction-json.js";
import { packTransaction } from "../../../src/protocol/json/transaction-packing.js";
import {
	Any,
	Block,
	Transaction,
	TransactionContract,
	TransactionRaw,
} from "../../../src/protocol/messages.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";

const style = { visible: false, dialect: "deployed", library: hashedLibrary } as const;
const visible = { visible: true, dialect: "deployed", library: hashedLibrary } as const;

/** protocol/http §6.1. */
const RAW =
	"0a02267e22089a447d222e8de9f240c0aed982c72c5a66080112620a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412310a1541d1e7a6bc354106cb410e65ff8b181c600ff14292121541e552f6487585c2b58bc2c9bb4492bc1f17132cd018e8077099ebd582c72c";
const JSON_FORM =
	'{"visible":false,"txID":"7ee8e5e2637683519314b119bf844306c4bce0963631ec3ae8c3115748cb6099","raw_data":{"contract":[{"parameter":{"value":{"amount":1000,"owner_address":"41d1e7a6bc354106cb410e65ff8b181c600ff14292","to_address":"41e552f6487585c2b58bc2c9bb4492bc1f17132cd0"},"type_url":"type.googleapis.com/protocol.TransferContract"},"type":"TransferContract"}],"ref_block_bytes":"267e","ref_block_hash":"9a447d222e8de9f2","expiration":1530893064000,"timestamp":1530893006233},"raw_data_hex":"' +
	`${RAW}"}`;

const unsigned = (raw: string) =>
	new SignedTransaction(Transaction.create({ raw_data: TransactionRaw.decode(fromHex(raw)) }));

describe("a transaction as JSON", () => {
	it("has its id, bytes and decoded parameter", () => {
		expect(transactionJson(unsigned(RAW), style, { visible: true })).toBe(JSON_FORM);
	});

	it("has no id where none is to be shown", () => {
		const shown = JSON.parse(JSON_FORM);
		delete shown.txID;
		expect(JSON.parse(transactionJson(unsigned(RAW), style, { visible: true, id: false }))).toEqual(shown);
	});

	it("shows addresses in Base58Check when visible", () => {
		const json = transactionJson(unsigned(RAW), visible);
		expect(json).toContain('"owner_address":"TV75jZpdmP2juMe1dRwGrwpV6AMU6mr1EU"');
		expect(json).not.toContain('"visible"');
	});

	it("leaves out a contract whose parameter is of another type, and the value of a type without a message", () => {
		const wrong = TransactionContract.create({
			type: 1,
			parameter: Any.create({ type_url: "x/protocol.VoteContract" }),
		});
		const bare = TransactionContract.create({ type: 20, parameter: Any.create({ type_url: "u" }) });
		const unknown = TransactionContract.create({ type: 99 });
		const raw = TransactionRaw.create({ contract: [wrong, bare, unknown] });
		const json = transactionJson(new SignedTransaction(Transaction.create({ raw_data: raw })), style);
		expect(JSON.parse(json).raw_data.contract).toEqual([
			{ parameter: { type_url: "u" }, type: "CustomContract" },
			{ parameter: { type_url: "" }, type: "UNRECOGNIZED" },
		]);
	});

	it("fails without raw data", () => {
		expect(() => transactionJson(new SignedTransaction(new Transaction()), style)).toThrow(
			expect.objectContaining({ name: "NullPointerException" }),
		);
	});
});

describe("a block as JSON", () => {
	it("leaves out the member transactions when there are none or no detail is wanted", () => {
		const block = (transactions: Transaction[]) => new SignedBlock(Block.create({ transactions }));
		const full = block([Transaction.create({ raw_data: TransactionRaw.decode(fromHex(RAW)) })]);
		expect(Object.keys(JSON.parse(blockJson(block([]), style)))).toEqual(["blockID"]);
		expect(Object.keys(JSON.parse(blockJson(full, style)))).toEqual(["blockID", "transactions"]);
		expect(Object.keys(JSON.parse(blockJson(full, style, false)))).toEqual(["blockID"]);
	});
});

describe("a transaction packed from JSON", () => {
	const id = "7ee8e5e2637683519314b119bf844306c4bce0963631ec3ae8c3115748cb6099";

	it("has the bytes of its raw data, whatever else is sent along", () => {
		const sent = JSON.parse(JSON_FORM);
		expect(packTransaction(JSON_FORM, false).idHex).toBe(id);
		expect(
			packTransaction(JSON.stringify({ ...sent, txID: "00", raw_data_hex: "ff", note: null }), false).idHex,
		).toBe(id);
		expect(
			packTransaction(JSON.stringify({ ...sent, raw_data: JSON.stringify(sent.raw_data) }), false).idHex,
		).toBe(id);
	});

	it("takes visible addresses and one signature without a list", () => {
		const sent = JSON.parse(transactionJson(unsigned(RAW), visible));
		const packed = packTransaction(JSON.stringify({ ...sent, signature: "abcd" }), true);
		expect(packed.idHex).toBe(id);
		expect(packed.message.signature).toHaveLength(1);
	});

	it("drops a contract that doesn't decode", () => {
		const sent = JSON.parse(JSON_FORM);
		sent.raw_data.contract[0].parameter.value.amount = "1000";
		expect(packTransaction(JSON.stringify(sent), false).message.raw_data?.contract).toEqual([]);
	});

	it.each([
		["{}", "NullPointerException"],
		['{"raw_data":{}}', "NullPointerException"],
		['{"raw_data":[]}', "ClassCastException"],
		['{"raw_data":{"contract":{}}}', "ClassCastException"],
		['{"raw_data":{"contract":[]},"foo":{}}', "NullPointerException"],
		["[]", "org.coin.json.JSONException"],
	])("refuses %s", (text, name) => {
		expect(() => packTransaction(text, false)).toThrow(expect.objectContaining({ name }));
	});
});
