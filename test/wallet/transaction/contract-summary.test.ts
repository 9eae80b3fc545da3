import { describe, expect, test } from "vitest";
import { addressFromHash, toBase58Check } from "../../../src/protocol/address.js";
import { fromHex, utf8 } from "../../../src/protocol/bytes.js";
import {
	AccountPermissionUpdateContract,
	ExchangeCreateContract,
	FreezeBalanceContract,
	Key,
	Permission,
	TransferAssetContract,
	TriggerSmartContract,
} from "../../../src/protocol/messages.js";
import { DEFAULT_OPERATIONS, operationsOf } from "../../../src/wallet/permission/operations.js";
import { contractOf } from "../../../src/wallet/transaction/contract.js";
import { contractSummary } from "../../../src/wallet/transaction/contract-summary.js";

const account = (byte: number): Uint8Array => addressFromHash(new Uint8Array(20).fill(byte));
const shown = (byte: number): string => toBase58Check(account(byte));
const OWNER = account(1);
const word = (hex: string): string => hex.padStart(64, "0");

describe("the summary of an update of permissions", () => {
	test("names every key with its weight, the thresholds and the operations", () => {
		const keys = (...bytes: number[]): Key[] =>
			bytes.map((byte) => Key.create({ address: account(byte), weight: BigInt(byte) }));
		const contract = contractOf(AccountPermissionUpdateContract, {
			owner_address: OWNER,
			owner: Permission.create({ permission_name: "owner", threshold: 3n, keys: keys(2, 3) }),
			witness: Permission.create({ permission_name: "witness", threshold: 1n, keys: keys(4) }),
			actives: [
				Permission.create({
					permission_name: "a",
					threshold: 1n,
					keys: keys(5),
					operations: operationsOf([1, 46]),
				}),
				Permission.create({ threshold: 1n, keys: keys(6), operations: DEFAULT_OPERATIONS }),
			],
		});
		expect(contractSummary(contract, OWNER)).toBe(
			`new permissions for ${shown(1)}: ` +
				`owner (threshold 3: ${shown(2)} weight 2, ${shown(3)} weight 3); ` +
				`witness (threshold 1: ${shown(4)} weight 4); ` +
				`active "a" (threshold 1: ${shown(5)} weight 5; may Transfer, AccountPermissionUpdate); ` +
				`active (threshold 1: ${shown(6)} weight 6; may do everything but change permissions)`,
		);
	});
});

test("the summary of a stake of version 1 says to whom its resource goes", () => {
	const contract = contractOf(FreezeBalanceContract, {
		owner_address: OWNER,
		frozen_balance: 5_000_000n,
		frozen_duration: 3n,
		receiver_address: account(2),
	});
	expect(contractSummary(contract, OWNER)).toContain(`(version 1, 3 days), delegated to ${shown(2)}`);
});

describe("the summary of a call of a token", () => {
	const call = (data: string): string =>
		contractSummary(
			contractOf(TriggerSmartContract, {
				owner_address: OWNER,
				contract_address: account(9),
				data: fromHex(data),
			}),
			OWNER,
		);
	const to = word("02".repeat(20));

	test.each<[string, string]>([
		[`a9059cbb${to}${word("5f5e100")}`, `transfer of 100000000 smallest units to ${shown(2)}`],
		[`095ea7b3${to}${"f".repeat(64)}`, `approve: ${shown(2)} may move everything`],
		[
			`23b872dd${to}${word("03".repeat(20))}${word("7")}`,
			`transferFrom of 7 smallest units from ${shown(2)} to ${shown(3)}`,
		],
	])("%s says who gets what", (data, text) => {
		expect(call(data)).toBe(`${shown(1)} calls 0x${data.slice(0, 8)} (${text}) of the contract ${shown(9)}`);
	});

	test.each(["a9059cbb", `a9059cbb${to}`, `a9059cbb${to}${to}00`, `12345678${to}${to}`])(
		"%s says no more than its selector",
		(data) => {
			expect(call(data)).toBe(`${shown(1)} calls 0x${data.slice(0, 8)} of the contract ${shown(9)}`);
		},
	);
});

test("ids of tokens that are not numbers are quoted", () => {
	const id = utf8('1000001 to me"\u001b[31m');
	const transfer = contractOf(TransferAssetContract, {
		owner_address: OWNER,
		to_address: account(2),
		asset_name: id,
		amount: 5n,
	});
	const quoted = '"1000001 to me\\"\\u001b[31m"';
	expect(contractSummary(transfer, OWNER)).toBe(`5 units of token ${quoted} from ${shown(1)} to ${shown(2)}`);
	const exchange = contractOf(ExchangeCreateContract, {
		owner_address: OWNER,
		first_token_id: id,
		first_token_balance: 1n,
		second_token_id: utf8("1000002"),
		second_token_balance: 2n,
	});
	expect(contractSummary(exchange, OWNER)).toBe(
		`${shown(1)} opens an exchange of 1 units of token ${quoted} and 2 units of token 1000002`,
	);
});
