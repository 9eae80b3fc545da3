/** A device's key for a signer: opened for each signature, and closed again. */

import { expect, test } from "vitest";
import { contractType } from "../../../src/protocol/contract-types.js";
import { TransferContract } from "../../../src/protocol/messages.js";
import { buildTransaction } from "../../../src/protocol/transaction.js";
import { servedDevice } from "../../../src/terminal/keys/devices.js";
import { Failure } from "../../../src/wallet/failure.js";
import type { DeviceSigner } from "../../../src/wallet/signers/signer.js";

const ADDRESS = new Uint8Array(21).fill(0x41);
const SIGNATURE = new Uint8Array(65).fill(1);
const { rawBytes } = buildTransaction(
	contractType("TransferContract"),
	TransferContract.create({ owner_address: ADDRESS, to_address: ADDRESS, amount: 1n }),
	{ refBlockBytes: new Uint8Array(2), refBlockHash: new Uint8Array(8), expirationMs: 2n, timestampMs: 1n },
);

class Fake {
	readonly seen: string[] = [];
	address = ADDRESS;
	failure: Failure | undefined;

	readonly open = async (): Promise<DeviceSigner> => {
		this.seen.push("open");
		const sign = (what: string) => async () => {
			this.seen.push(what);
			if (this.failure) throw this.failure;
			return SIGNATURE;
		};
		return {
			...{ kind: "device", name: "ledger:1", address: this.address, base58: "T1", shows: () => [] },
			signTransaction: async (transaction) => {
				expect(transaction.rawBytes).toEqual(rawBytes);
				return sign("transaction")();
			},
			signMessage: sign("message"),
			confirmAddress: async () => undefined,
			close: async () => {
				this.seen.push("close");
				if (this.failure) throw new Error("it is gone");
			},
		};
	};
}

test("is open only while somebody is asked", async () => {
	const fake = new Fake();
	const key = await servedDevice(fake.open, 5);
	expect(key).toMatchObject({ name: "ledger:1", base58: "T1", address: ADDRESS, confirmMs: 5 });
	expect(await key.confirm("transaction", rawBytes)).toBe(SIGNATURE);
	expect(await key.confirm("message", rawBytes)).toBe(SIGNATURE);
	expect(fake.seen.join(" ")).toBe("open close open transaction close open message close");
});

test("tells a person's refusal from what fails, with what helps, and asks no other device", async () => {
	const fake = new Fake();
	const key = await servedDevice(fake.open, 5);
	fake.failure = new Failure("confirmation_refused", "refused on the device");
	expect(await key.confirm("message", rawBytes)).toBeUndefined();
	fake.failure = new Failure("signer_unavailable", "it is locked", { hint: "unlock it" });
	await expect(key.confirm("message", rawBytes)).rejects.toThrow("it is locked: unlock it");
	fake.failure = undefined;
	fake.address = new Uint8Array(21);
	fake.seen.length = 0;
	await expect(key.confirm("message", rawBytes)).rejects.toThrow("the device has another key than T1");
	expect(fake.seen.join(" ")).toBe("open close");
});
