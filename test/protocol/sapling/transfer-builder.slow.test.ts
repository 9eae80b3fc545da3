import { expect, test } from "vitest";
import { concatBytes, toHex } from "../../../src/protocol/bytes.js";
import { contractType } from "../../../src/protocol/contract-types.js";
import { ShieldedTransferContract, SpendDescription } from "../../../src/protocol/messages.js";
import {
	decodePoint,
	encodePoint,
	type Point,
	reduceScalar,
	spendGenerator,
	valueRandomnessGenerator,
} from "../../../src/protocol/sapling/jubjub.js";
import { nullifier } from "../../../src/protocol/sapling/note.js";
import { openNote, openSentNote } from "../../../src/protocol/sapling/note-encryption.js";
import { ProvingError } from "../../../src/protocol/sapling/prover.js";
import { shieldedSignHash, verifyRedJubjub } from "../../../src/protocol/sapling/redjubjub.js";
import { authorizeSpend } from "../../../src/protocol/sapling/spend-authorization.js";
import { buildShieldedTransfer, type TransferPlan } from "../../../src/protocol/sapling/transfer-builder.js";
import { bindingKey, valueCommitment } from "../../../src/protocol/sapling/value-commitment.js";
import { buildTransaction, type SignedTransaction } from "../../../src/protocol/transaction.js";
import { counted, keysOf, ListeningProver, sendTo, spendOf, toolsWith } from "./building.js";

const TOKEN = "1000001";
const sender = keysOf(1);
const receiver = keysOf(2);
const header = {
	refBlockBytes: Uint8Array.of(1, 2),
	refBlockHash: new Uint8Array(8),
	expirationMs: 5_000n,
	timestampMs: 1_000n,
};
const plan: TransferPlan = {
	keys: sender,
	ovk: sender.ovk,
	spends: [spendOf(sender, 100n)],
	outputs: [sendTo(receiver, 60n, "thanks"), sendTo(sender, 30n)],
};

/** The transaction of {@link header} with its one spend signed. */
function withSpendSignature(transaction: SignedTransaction, signature: Uint8Array): SignedTransaction {
	const contract = ShieldedTransferContract.copy(contractOf(transaction));
	contract.spend_description = contract.spend_description.map((spend) =>
		SpendDescription.create({ ...spend, spend_authority_signature: signature }),
	);
	return buildTransaction(contractType("ShieldedTransferContract"), contract, header);
}

const contractOf = (transaction: SignedTransaction) => transaction.parameter as ShieldedTransferContract;
const point = (bytes: Uint8Array): Point => decodePoint(bytes) as Point;

function bindingHolds(transaction: SignedTransaction, balance: bigint): boolean {
	const { spend_description, receive_description, binding_signature } = contractOf(transaction);
	const values = (list: readonly { readonly value_commitment: Uint8Array }[]) =>
		list.map(({ value_commitment }) => point(value_commitment));
	const key = bindingKey(values(spend_description), values(receive_description), balance) as Point;
	const message = concatBytes(encodePoint(key), shieldedSignHash(transaction, TOKEN));
	return verifyRedJubjub(key, valueRandomnessGenerator(), message, binding_signature);
}

test("a transfer is signed for its spends and its balance, and its notes can be read", async () => {
	const prover = new ListeningProver();
	const transaction = await buildShieldedTransfer(plan, header, TOKEN, toolsWith(prover));
	const contract = contractOf(transaction);
	const spend = contract.spend_description[0];
	const output = contract.receive_description[0];
	if (!spend || !output) throw new Error("parts are missing");
	const signHash = shieldedSignHash(transaction, TOKEN);
	const message = concatBytes(spend.rk, signHash);
	expect(verifyRedJubjub(point(spend.rk), spendGenerator(), message, spend.spend_authority_signature)).toBe(
		true,
	);
	expect(bindingHolds(transaction, 10n)).toBe(true);
	expect(bindingHolds(transaction, 9n)).toBe(false);
	expect(toHex(spend.nullifier)).toBe(
		toHex(nullifier(plan.spends[0]?.note as never, sender.ak, sender.nk, 0n) as Uint8Array),
	);
	const rcv = reduceScalar(prover.spends[0]?.rcv as Uint8Array);
	expect(toHex(encodePoint(valueCommitment(100n, rcv)))).toBe(toHex(spend.value_commitment));
	expect(openNote(receiver.ivk, output.epk, output.c_enc, output.note_commitment)?.note.value).toBe(60n);
	const sent = {
		cv: output.value_commitment,
		cm: output.note_commitment,
		epk: output.epk,
		forReceiver: output.c_enc,
		forSender: output.c_out,
	};
	expect(Buffer.from(openSentNote(sender.ovk, sent)?.memo ?? []).toString("utf8")).toMatch(/^thanks\0+$/);
	expect(prover.outputs.map(({ value }) => value)).toEqual([60n, 30n]);
});

test("the sign hash covers everything but the signatures, and fields that the schema doesn't know", async () => {
	const transaction = await buildShieldedTransfer(plan, header, TOKEN, toolsWith(new ListeningProver()));
	const hash = toHex(shieldedSignHash(transaction, TOKEN));
	const resigned = withSpendSignature(transaction, new Uint8Array(64).fill(1));
	expect(toHex(resigned.id)).not.toBe(toHex(transaction.id));
	expect(toHex(shieldedSignHash(resigned, TOKEN))).toBe(hash);
	expect(toHex(shieldedSignHash(transaction, "1000002"))).not.toBe(hash);
	const later = await buildShieldedTransfer(
		plan,
		{ ...header, timestampMs: 1_001n },
		TOKEN,
		toolsWith(new ListeningProver()),
	);
	expect(toHex(shieldedSignHash(later, TOKEN))).not.toBe(hash);
});

test("without ask spends wait for their signatures", async () => {
	const { ask, ...keys } = sender;
	const tools = toolsWith(new ListeningProver());
	const unsigned = await buildShieldedTransfer({ ...plan, keys }, header, TOKEN, tools);
	expect(contractOf(unsigned).spend_description[0]?.spend_authority_signature).toHaveLength(0);
	const hash = shieldedSignHash(unsigned, TOKEN);
	const { alpha } = plan.spends[0] as (typeof plan.spends)[number];
	const signed = withSpendSignature(unsigned, authorizeSpend(ask, alpha, hash, counted()));
	const rk = contractOf(signed).spend_description[0]?.rk as Uint8Array;
	const signature = contractOf(signed).spend_description[0]?.spend_authority_signature as Uint8Array;
	expect(verifyRedJubjub(point(rk), spendGenerator(), concatBytes(rk, hash), signature)).toBe(true);
});

test("scalars that are not reduced sign nothing", () => {
	const high = new Uint8Array(32).fill(0xff);
	const hash = new Uint8Array(32);
	expect(toHex(authorizeSpend(high, sender.ask, hash, counted()))).toBe("00".repeat(64));
	expect(toHex(authorizeSpend(sender.ask, high, hash, counted()))).toBe("00".repeat(64));
});

test("what no proof can be made of is refused in the network's words, other failures are told as they are", async () => {
	const refuse = (failure: "witness" | "busy") => async (): Promise<Uint8Array> => {
		throw new ProvingError(failure, "not now");
	};
	const failing = (failure: "witness" | "busy") => {
		const prover = new ListeningProver();
		prover.spend = refuse(failure);
		return toolsWith(prover);
	};
	await expect(buildShieldedTransfer(plan, header, TOKEN, failing("witness"))).rejects.toThrow(
		"Spend proof failed",
	);
	await expect(buildShieldedTransfer(plan, header, TOKEN, failing("busy"))).rejects.toThrow("not now");
});

test.each([
	[{ randomness: new Uint8Array(32).fill(0xff) }, "Output is invalid"],
	[{ randomness: new Uint8Array(0) }, "param is null"],
	[{ randomness: new Uint8Array(31) }, "param length must be 32"],
	[{ value: -1n }, "Value should be non-negative."],
])("a note with wrong parts is refused", async (parts, message) => {
	const output = sendTo(receiver, 60n);
	const outputs = [{ ...output, note: { ...output.note, ...parts } }];
	const tools = toolsWith(new ListeningProver());
	await expect(buildShieldedTransfer({ ...plan, outputs }, header, TOKEN, tools)).rejects.toThrow(message);
});

test("an outgoing viewing key is always needed", async () => {
	const tools = toolsWith(new ListeningProver());
	const without = { ...plan, ovk: new Uint8Array(0) };
	await expect(buildShieldedTransfer(without, header, TOKEN, tools)).rejects.toThrow(
		"ovk is null or invalid and ovk should be 32 bytes (256 bit)",
	);
});
