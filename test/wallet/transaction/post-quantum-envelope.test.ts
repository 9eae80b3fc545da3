import { beforeAll, describe, expect, test } from "vitest";
import { newPostQuantumKey, type PostQuantumKey } from "../../../src/keystore/post-quantum-key.js";
import { concatBytes, fromHex, toHex } from "../../../src/protocol/bytes.js";
import { contractType } from "../../../src/protocol/contract-types.js";
import { TransferContract } from "../../../src/protocol/messages.js";
import { addressOfPostQuantumKey, ML_DSA_44 } from "../../../src/protocol/post-quantum/schemes.js";
import { addressOfPrivateKey } from "../../../src/protocol/signature.js";
import { buildTransaction } from "../../../src/protocol/transaction.js";
import { signatureBy, signWith } from "../../../src/wallet/actions/sign.js";
import { type JsonRecord, readJson, writeWireJson } from "../../../src/wallet/json.js";
import { checkSchemes } from "../../../src/wallet/node/post-quantum.js";
import {
	envelopeOf,
	readSignedEnvelope,
	type TransactionEnvelope,
	writeEnvelope,
} from "../../../src/wallet/transaction/envelope.js";
import { transactionFrom, viewTransaction } from "../../../src/wallet/transaction/transaction-view.js";
import { answering } from "../answering-client.js";

const ANN = fromHex("11".repeat(32));
let mel: PostQuantumKey;
let signed: TransactionEnvelope;
beforeAll(async () => {
	mel = await newPostQuantumKey(ML_DSA_44, fromHex("09".repeat(32)));
	const owner_address = addressOfPostQuantumKey(mel.publicKey);
	const parameter = TransferContract.create({
		owner_address,
		to_address: addressOfPrivateKey(ANN),
		amount: 1n,
	});
	const header = {
		refBlockBytes: new Uint8Array(2),
		refBlockHash: new Uint8Array(8),
		timestampMs: 1n,
		expirationMs: 60_000n,
	};
	const built = envelopeOf(buildTransaction(contractType("TransferContract"), parameter, header));
	signed = await signWith(built, [mel, ANN], async (envelope, key) => signatureBy(envelope, key));
});

const signersOf = ({ signers }: TransactionEnvelope): string[] => signers.map(toHex);
const changed = (change: (entry: Record<string, unknown>) => object[]): string => {
	const json = readJson(writeEnvelope(signed, undefined)) as JsonRecord;
	const [entry] = json["pq_auth_sig"] as unknown as [Record<string, unknown>];
	return writeWireJson({ ...json, pq_auth_sig: change(entry) } as unknown as JsonRecord);
};

describe("an envelope with signatures of both kinds", () => {
	test("is the same after a way as JSON or hexadecimal; secp256k1 counts first, whoever signed first", async () => {
		const signers = [addressOfPrivateKey(ANN), addressOfPostQuantumKey(mel.publicKey)].map(toHex);
		expect(signersOf(signed)).toEqual(signers);
		for (const text of [writeEnvelope(signed, undefined), toHex(signed.transaction.bytes)]) {
			const read = await readSignedEnvelope(text);
			expect(toHex(read.transaction.bytes)).toBe(toHex(signed.transaction.bytes));
			expect(signersOf(read)).toEqual(signers);
		}
	});

	test.each<[string, (entry: Record<string, unknown>) => object[], string]>([
		["twice the same", (entry) => [entry, entry], "repeats a signer"],
		["of another scheme", (entry) => [{ ...entry, scheme: "FN_DSA_512" }], "is not one of its key"],
		[
			"of no scheme",
			(entry) => [{ ...entry, scheme: "X" }],
			"pq_auth_sig is not a list of post-quantum signatures",
		],
		["too short", (entry) => [{ ...entry, signature: "00" }], "is not one of its key"],
		[
			"more than count",
			(entry) => Array.from({ length: 5 }, () => entry),
			"has 6 signatures, at most 5 count",
		],
		[
			"with a member that nobody signs",
			(entry) => [{ ...entry, by: "mel" }],
			"has the member pq_auth_sig.by",
		],
	])("is refused with one %s", async (_, change, said) => {
		await expect(readSignedEnvelope(changed(change))).rejects.toThrow(said);
	});

	test("is refused where a byte of hexadecimal is another, or no member of a signature decodes", async () => {
		const hex = toHex(signed.transaction.bytes);
		await expect(readSignedEnvelope(`${hex.slice(0, -2)}ff`)).rejects.toMatchObject({
			code: "transaction_invalid",
		});
		const broken = concatBytes(signed.transaction.bytes, fromHex("320112"));
		await expect(readSignedEnvelope(toHex(broken))).rejects.toMatchObject({ code: "transaction_invalid" });
	});

	test("is shown with its signers as a node answers it, one whose signature is wrong as such", async () => {
		const shown = await viewTransaction(
			transactionFrom(readJson(writeEnvelope(signed, undefined)) as JsonRecord),
		);
		expect(shown["signers"]).toHaveLength(2);
		const wrong = changed((entry) => [{ ...entry, signature: "00".repeat(2420) }]);
		const { signers } = await viewTransaction(transactionFrom(readJson(wrong) as JsonRecord));
		expect(signers).toEqual([expect.stringMatching(/^T/), "unreadable: pq sig invalid"]);
	});
});

describe("schemes that a chain takes", () => {
	const client = (value: bigint | undefined) =>
		answering({
			getchainparameters: {
				chainParameter: [{ key: "getAllowMlDsa44", ...(value === undefined ? {} : { value }) }],
			},
		}).client;

	test("are those whose parameter is 1", async () => {
		await expect(checkSchemes(client(1n), [ML_DSA_44])).resolves.toBeUndefined();
		for (const none of [client(undefined), answering({ getchainparameters: {} }).client])
			await expect(checkSchemes(none, [ML_DSA_44])).rejects.toThrow("takes no signatures of ML_DSA_44");
	});

	test("aren't asked for without such keys", async () => {
		await expect(checkSchemes(answering({}).client, [])).resolves.toBeUndefined();
	});
});
