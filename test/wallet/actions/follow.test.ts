import { expect, test } from "vitest";
import { fromHex } from "../../../src/protocol/bytes.js";
import { contractType } from "../../../src/protocol/contract-types.js";
import { TransferContract } from "../../../src/protocol/messages.js";
import { outcomeFailure } from "../../../src/wallet/actions/follow.js";
import { buildOffline } from "../../../src/wallet/transaction/build.js";
import { envelopeOf } from "../../../src/wallet/transaction/envelope.js";

test("a transaction that only the node's clock lets expire isn't to be made anew yet", () => {
	const [ann, bob] = ["11", "22"].map((byte) => fromHex(`41${byte.repeat(20)}`)) as [Uint8Array, Uint8Array];
	const envelope = envelopeOf(
		buildOffline(
			{
				type: contractType("TransferContract"),
				parameter: TransferContract.create({ owner_address: ann, to_address: bob, amount: 5n }),
				permissionId: 0,
				expiry: { atMs: 60_000n },
				reference: { number: 7n, id: new Uint8Array(32) },
			},
			1_000,
		),
	);
	const expired = { state: "expired", receipt: undefined } as const;
	expect(outcomeFailure(envelope, expired, {}, 59_000)?.facts.hint).toContain("until 1970-01-01T00:01:00");
	expect(outcomeFailure(envelope, expired, {}, 61_000)?.facts.hint).toBeUndefined();
});
