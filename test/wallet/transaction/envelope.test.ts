import { describe, expect, test } from "vitest";
import { concatBytes, fromHex, toHex } from "../../../src/protocol/bytes.js";
import type { ContractType } from "../../../src/protocol/contract-types.js";
import { contractTypeByName } from "../../../src/protocol/contract-types.js";
import {
	AccountPermissionUpdateContract,
	Key,
	Permission,
	Transaction,
	TransactionRaw,
	TransferContract,
} from "../../../src/protocol/messages.js";
import { buildTransaction, SignedTransaction } from "../../../src/protocol/transaction.js";
import { type JsonRecord, readJson, writeWireJson } from "../../../src/wallet/json.js";
import { readEnvelope, writeEnvelope } from "../../../src/wallet/transaction/envelope.js";
import { summaryLines } from "../../../src/wallet/transaction/envelope-note.js";
import { refuseUnsigned } from "../../../src/wallet/transaction/unsigned-members.js";

const [ANN, BOB] = ["11", "22"].map((byte) => fromHex(`41${byte.repeat(20)}`)) as [Uint8Array, Uint8Array];
const HEADER = { refBlockBytes: new Uint8Array(2), refBlockHash: new Uint8Array(8), timestampMs: 1n };

const transfer = (expirationMs = 60_000n): SignedTransaction =>
	buildTransaction(
		contractTypeByName("TransferContract") as ContractType,
		TransferContract.create({ owner_address: ANN, to_address: BOB, amount: 1n }),
		{ ...HEADER, expirationMs },
	);

/** Raw data in hexadecimal, after a change of its contract. */
const rawWith = (change: (raw: TransactionRaw) => void): string => {
	const raw = TransactionRaw.decode(transfer().rawBytes);
	change(raw);
	return toHex(TransactionRaw.encode(raw));
};

describe("nothing is read as a transaction that can't be shown in full", () => {
	/** Field 15, of one byte. */
	const unknown = fromHex("7a0107");

	test("an unknown field in a key of a permission", () => {
		const key = concatBytes(Key.encode(Key.create({ address: BOB, weight: 1n })), unknown);
		const keys = [Key.decode(key)];
		const owner = Permission.create({ permission_name: "owner", threshold: 1n, keys });
		const update = AccountPermissionUpdateContract.create({ owner_address: ANN, owner });
		const type = contractTypeByName("AccountPermissionUpdateContract") as ContractType;
		const built = buildTransaction(type, update, { ...HEADER, expirationMs: 60_000n });
		expect(() => readEnvelope(toHex(built.rawBytes), true)).toThrow(
			"fields that this program doesn't know (AccountPermissionUpdateContract.owner.keys)",
		);
	});

	test.each<[string, (raw: TransactionRaw) => void]>([
		["a provider", ({ contract: [only] }) => only && Object.assign(only, { provider: BOB })],
		["a name of the contract", ({ contract: [only] }) => only && Object.assign(only, { ContractName: BOB })],
		["scripts", (raw) => Object.assign(raw, { scripts: BOB })],
	])("%s", (said, change) => {
		expect(() => readEnvelope(rawWith(change), true)).toThrow(`the transaction holds ${said}`);
	});

	const text = writeEnvelope(readEnvelope(toHex(transfer().bytes)), undefined);

	test.each<[string, string]>([
		["provider", text.replace(/^\{/, '{"provider":"x",')],
		["extra", text.replace(/^\{/, '{"extra":0,')],
		["raw_data.note", text.replace('"raw_data":{', '"raw_data":{"note":"only a loan",')],
		["raw_data.contract.memo", text.replace('"type":"Transfer', '"memo":"x","type":"Transfer')],
		["raw_data.contract.parameter.value.amount_out", text.replace('"amount":1', '"amount":1,"amount_out":5')],
	])("a member of the JSON that isn't signed: %s", (name, changed) => {
		expect(() => readEnvelope(changed)).toThrow(
			`the JSON has the member ${name}, which is no part of the transaction`,
		);
	});

	test("a member twice, of which one isn't signed", () => {
		expect(() => readEnvelope(text.replace('"amount":1', '"amount":5,"amount":1'))).toThrow(
			'the member "amount" is there twice',
		);
	});

	test("but what nodes and clients write beside a transaction's members is taken", () => {
		const json = readJson(text) as JsonRecord;
		const found = [
			{ ...json, ret: [{ contractRet: "SUCCESS" }], contract_address: "41", coin: { v: 1n, own: "kept" } },
			{ transaction: json, result: { result: true }, energy_used: 5n, constant_result: ["00"], more: "x" },
		];
		for (const value of found)
			expect(readEnvelope(writeWireJson(value)).transaction.idHex).toBe(transfer().idHex);
		const abi = [
			{ name: "f", type: "Function", inputs: [{ name: "a", type: "uint8", internalType: "enum" }] },
		];
		const deployment = {
			raw_data: {
				contract: [
					{
						type: "CreateSmartContract",
						parameter: { value: { new_contract: { abi: { entrys: abi } } }, type_url: "" },
					},
				],
			},
		};
		expect(() => refuseUnsigned(deployment)).not.toThrow();
	});

	test("but what the network uses is", () => {
		expect(
			readEnvelope(
				rawWith(() => undefined),
				true,
			).owner,
		).toEqual(ANN);
		expect(readEnvelope(toHex(transfer().bytes)).type.name).toBe("TransferContract");
	});
});

test("an expiry beyond all dates is told in words", () => {
	const transaction = new SignedTransaction(Transaction.decode(transfer(2n ** 62n).bytes));
	const lines = summaryLines(readEnvelope(toHex(transaction.bytes)), {
		chain: undefined,
		permission: undefined,
		approval: undefined,
	});
	expect(lines.at(-1)).toContain("beyond all dates");
});
