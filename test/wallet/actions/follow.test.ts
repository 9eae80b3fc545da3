import { describe, expect, test } from "vitest";
import { fromHex } from "../../../src/protocol/bytes.js";
import { contractType } from "../../../src/protocol/contract-types.js";
import { TransferContract } from "../../../src/protocol/messages.js";
import { outcomeFailure, withFate } from "../../../src/wallet/actions/follow.js";
import { Failure, type FailureCode } from "../../../src/wallet/failure.js";
import type { JsonRecord } from "../../../src/wallet/json.js";
import { buildOffline } from "../../../src/wallet/transaction/build.js";
import { envelopeOf } from "../../../src/wallet/transaction/envelope.js";
import { answering } from "../answering-client.js";

const [ann, bob] = ["11", "22"].map((byte) => fromHex(`41${byte.repeat(20)}`)) as [Uint8Array, Uint8Array];
const envelope = envelopeOf(
	buildOffline(
		{
			type: contractType("TransferContract"),
			parameter: TransferContract.create({ owner_address: ann, to_address: bob, amount: 5n }),
			permissionId: 0,
			expiry: { atMs: 60_000n },
			reference: { number: 0n, id: new Uint8Array(32) },
		},
		1_000,
	),
);

test("a transaction that only the node's clock lets expire isn't to be made anew yet", () => {
	const expired = { state: "expired", receipt: undefined } as const;
	expect(outcomeFailure(envelope, expired, {}, 59_000)?.facts.hint).toContain("until 1970-01-01T00:01:00");
	expect(outcomeFailure(envelope, expired, {}, 61_000)?.facts.hint).toBeUndefined();
});

describe("a transaction that is refused before it is sent", () => {
	const fateOf = async (
		code: FailureCode,
		answers: Parameters<typeof answering>[0],
		nowMs = 61_000,
		signers: readonly Uint8Array[] = [],
	): Promise<Failure> =>
		(await withFate(
			answering(answers, { solidity: "" }).client,
			{ ...envelope, signers },
			new Failure(code, "", { hint: "build it again" }),
			nowMs,
		)) as Failure;
	const block = (number: bigint, timestamp: bigint): JsonRecord => ({
		block_header: { raw_data: { number, timestamp } },
	});
	const unrecorded = { gettransactioninfobyid: {}, gettransactionbyid: {} };
	const over = { ...unrecorded, getnowblock: block(1n, 70_000n), getblockbynum: block(0n, 1n) };

	test("was sent before where the node has it, if only waiting", async () => {
		const waiting = {
			...unrecorded,
			getnowblock: block(1n, 59_000n),
			gettransactionfrompending: { txID: "00" },
		};
		for (const code of ["tx_expired", "not_authorized", "threshold_not_reached"] as const)
			expect(await fateOf(code, waiting)).toMatchObject({ code: "duplicate", facts: { sent: true } });
	});

	test("was never sent where it is over by both clocks and in no block", async () => {
		const facts = { sent: false, hint: expect.stringContaining("build it again; --expires") };
		expect(await fateOf("tx_expired", over)).toMatchObject({ code: "tx_expired", facts });
		expect((await fateOf("tx_expired", over, 59_000)).facts).toMatchObject({
			sent: "unknown",
			hint: expect.stringContaining("don't make it anew before"),
		});
	});

	test("may have been sent where the node can't tell, but for one that lacks signatures", async () => {
		const untold = { ...over, getblockbynum: {} };
		const { idHex: txID } = envelope.transaction;
		expect((await fateOf("tx_expired", untold)).facts).toMatchObject({ sent: "unknown", txID });
		expect((await fateOf("not_authorized", untold, 61_000, [ann])).facts).toMatchObject({ sent: "unknown" });
		for (const code of ["not_authorized", "threshold_not_reached"] as const)
			expect((await fateOf(code, untold)).facts.sent).toBeUndefined();
	});
});
