import { expect, it } from "vitest";
import { toBase58Check } from "../../../src/protocol/address.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import { TriggerSmartContract } from "../../../src/protocol/messages.js";
import { actingLines, actingResult } from "../../../src/wallet/transaction/acting-result.js";
import { buildOffline } from "../../../src/wallet/transaction/build.js";
import { contractOf } from "../../../src/wallet/transaction/contract.js";
import { envelopeOf } from "../../../src/wallet/transaction/envelope.js";

const [ann, vault, other] = ["11", "22", "33"].map((byte) => fromHex(`41${byte.repeat(20)}`)) as [
	Uint8Array,
	Uint8Array,
	Uint8Array,
];
const call = envelopeOf(
	buildOffline(
		{
			...contractOf(TriggerSmartContract, { owner_address: ann, contract_address: vault }),
			reference: { number: 1n, id: new Uint8Array(32) },
			expiry: { atMs: 90_000n },
			permissionId: 2,
		},
		0,
	),
);
const lines = (outcome: object): string[] =>
	actingLines(call, { ...actingResult(call, { state: "included", receipt: undefined }), ...outcome }).slice(
		2,
	);

it("shows what a call returned and logged, by name where that is known, and whose log it is", () => {
	const paid = { event: "Paid", signature: "Paid(uint256)", args: { amount: "5" } };
	const logs = [
		{ contract: toBase58Check(vault), ...paid },
		{ contract: toBase58Check(other), topics: ["0x01"], data: "0x02" },
	];
	expect(lines({ returned: ["7", "yes"], logs })).toEqual([
		"  returned    [7,yes]",
		"  event       Paid(amount: 5)",
		`  event       0x01 0x02, of ${toBase58Check(other)}`,
	]);
	expect(lines({})).toEqual([]);
});

it("shows the first of many logs, and where the others are", () => {
	const logs = Array.from({ length: 22 }, () => ({ contract: toBase58Check(vault), topics: [], data: "0x" }));
	expect(lines({ logs }).slice(-2)).toEqual([
		"  event       0x",
		"  event       and 2 more: coin tx receipt shows them",
	]);
	expect(lines({ logs })).toHaveLength(21);
});
