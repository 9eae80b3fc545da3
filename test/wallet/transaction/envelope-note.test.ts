import { expect, test } from "vitest";
import { fromHex } from "../../../src/protocol/bytes.js";
import { Key, Permission, TransferContract } from "../../../src/protocol/messages.js";
import { weigh } from "../../../src/wallet/permission/permission.js";
import { buildOffline } from "../../../src/wallet/transaction/build.js";
import { contractOf } from "../../../src/wallet/transaction/contract.js";
import { envelopeOf } from "../../../src/wallet/transaction/envelope.js";
import { summaryLines } from "../../../src/wallet/transaction/envelope-note.js";

const [ann, bob] = ["11", "22"].map((byte) => fromHex(`41${byte.repeat(20)}`)) as [Uint8Array, Uint8Array];
const permission = Permission.create({
	id: 2,
	permission_name: "shared",
	threshold: 3n,
	keys: [Key.create({ address: ann, weight: 1n }), Key.create({ address: bob, weight: 2n })],
});
const envelope = envelopeOf(
	buildOffline(
		{
			...contractOf(TransferContract, { owner_address: ann, to_address: bob, amount: 5n }),
			reference: { number: 1n, id: new Uint8Array(32) },
			expiry: { atMs: 90_000n },
			permissionId: 2,
		},
		0,
	),
);
const facts = { chain: undefined, permission };
const permissionLine = (more: object): string | undefined =>
	summaryLines(envelope, { ...facts, approval: weigh(permission, [ann, bob]), ...more }).find((line) =>
		line.startsWith("  permission"),
	);

test("the summary of a transaction says how much its signatures weigh", () => {
	expect(permissionLine({})).toBe("  permission  shared (2), weight 3 of 3");
});

test("before signing it says what they weigh now, and what they will", () => {
	const weightBefore = weigh(permission, [ann]).weight;
	expect(permissionLine({ weightBefore })).toBe(
		"  permission  shared (2), weight 1 now, 3 of 3 after signing",
	);
});
