import { describe, expect, test } from "vitest";
import { addressFromHash, toBase58Check } from "../../../src/protocol/address.js";
import { concatBytes, fromHex, toHex } from "../../../src/protocol/bytes.js";
import { contractType } from "../../../src/protocol/contract-types.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { TriggerSmartContract } from "../../../src/protocol/messages.js";
import { buildTransaction } from "../../../src/protocol/transaction.js";
import { approvalLines } from "../../../src/wallet/signers/approval-lines.js";

const [OWNER, EVE, TOKEN] = [1, 2, 3].map((byte) => addressFromHash(new Uint8Array(20).fill(byte))) as [
	Uint8Array,
	Uint8Array,
	Uint8Array,
];
const word = (hex: string): Uint8Array => fromHex(hex.padStart(64, "0"));

/** Lines about a call of the token with one address and a number. */
function linesOf(selector: string, permissionId = 0): Promise<readonly string[]> {
	const raw = buildTransaction(
		contractType("TriggerSmartContract"),
		TriggerSmartContract.create({
			owner_address: OWNER,
			contract_address: TOKEN,
			data: concatBytes(fromHex(selector), word("02".repeat(20)), word("2a")),
		}),
		{
			refBlockBytes: new Uint8Array(2),
			refBlockHash: new Uint8Array(8),
			expirationMs: 1n,
			timestampMs: 1n,
			permissionId,
		},
	).rawBytes;
	const facts = {
		key: toBase58Check(OWNER),
		type: "TriggerSmartContract",
		to: "",
		awaits: "ops",
		expires: "1",
	};
	const waiting = [
		{ ...facts, id: toHex(sha256(raw)), client: "payroll", rule: "large", sum: "42@gold", fees: "7sun" },
		{ ...facts, id: "00".repeat(32), client: "other", rule: "other", sum: "", fees: "" },
	];
	return approvalLines(raw, waiting, "/nonexistent/contacts");
}

describe("before a transaction at a signer is approved", () => {
	test("a call shows its recipient and amount, though no network is asked", async () => {
		expect((await linesOf("a9059cbb")).join("\n")).toContain(`transfer(to=${toBase58Check(EVE)}, value=42)`);
	});

	test("a call that nothing names shows its bytes, and says so", async () => {
		const lines = (await linesOf("12345678")).join("\n");
		expect(lines).toContain(`0x12345678${"0".repeat(24)}${"02".repeat(20)}`);
		expect(lines).toContain("nobody can tell from this what it does");
	});

	test("who asks for which key by which rule stands below, and which permission it uses", async () => {
		const lines = await linesOf("a9059cbb", 5);
		expect(lines).toContain(
			`  asked       by payroll for ${toBase58Check(OWNER)}, rule large, 42@gold, fees up to 7sun`,
		);
		expect(lines).toContain("  permission  5");
		expect(lines.join()).not.toContain("other");
	});
});
