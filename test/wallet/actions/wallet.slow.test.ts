/** Wallet with keys of post-quantum schemes, at development chains that take their signatures and that don't. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addKey, unlockKeyFile } from "../../../src/keystore/keystore.js";
import { newPostQuantumKey, type PostQuantumKey } from "../../../src/keystore/post-quantum-key.js";
import { addressOfKey, type PrivateKey } from "../../../src/keystore/private-key.js";
import { type RunningDevelopmentChain, startDevelopmentChain } from "../../../src/library/node.js";
import { toBase58Check } from "../../../src/protocol/address.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import {
	AccountPermissionUpdateContract,
	Key,
	Permission,
	TransferContract,
} from "../../../src/protocol/messages.js";
import { isPostQuantumSignature } from "../../../src/protocol/post-quantum/algorithms.js";
import { FN_DSA_512, ML_DSA_44, postQuantumSchemes } from "../../../src/protocol/post-quantum/schemes.js";
import { prepare } from "../../../src/wallet/actions/prepare.js";
import { signatureBy, signWith } from "../../../src/wallet/actions/sign.js";
import { Wallet } from "../../../src/wallet/actions/wallet.js";
import type { JsonRecord } from "../../../src/wallet/json.js";
import { broadcast } from "../../../src/wallet/node/broadcast.js";
import { contractOf } from "../../../src/wallet/transaction/contract.js";
import { readSignedEnvelope } from "../../../src/wallet/transaction/envelope.js";
import { transactionFrom } from "../../../src/wallet/transaction/transaction-view.js";

let directory: string;
let nile: RunningDevelopmentChain;
let falcon: PostQuantumKey;
let dilithium: PostQuantumKey;
beforeAll(async () => {
	directory = mkdtempSync(join(tmpdir(), "coin-wallet-"));
	nile = await startDevelopmentChain({ network: "nile", accounts: 3 });
	falcon = await newPostQuantumKey(FN_DSA_512, fromHex("07".repeat(48)));
	const made = await newPostQuantumKey(ML_DSA_44, fromHex("09".repeat(32)));
	const { file } = await addKey(directory, made, "correct horse", { strength: "light" });
	dilithium = (await unlockKeyFile(file, "correct horse")) as PostQuantumKey;
	const ann = walletOf(nile, nile.accounts[0]?.privateKey as string);
	for (const key of [falcon, dilithium]) {
		const sent = await ann.transfer({ to: base58Of(key), amount: "300coin" });
		await sent.wait("solid");
	}
});
afterAll(async () => {
	await nile.stop();
	rmSync(directory, { recursive: true });
});

const base58Of = (key: PrivateKey): string => toBase58Check(addressOfKey(key));
const walletOf = (
	{ url }: RunningDevelopmentChain,
	privateKey: PrivateKey | string,
	account?: string,
): Wallet =>
	new Wallet({ node: url, dialect: "deployed", privateKey, ...(account === undefined ? {} : { account }) });
const bobOf = ({ accounts }: RunningDevelopmentChain): string => accounts[1]?.address as string;

/** A transaction as the chain has it. */
async function stored({ client }: Wallet, txID: string) {
	return transactionFrom((await client.call("gettransactionbyid", { value: txID })) as JsonRecord);
}

describe("a wallet with a post-quantum key", () => {
	test.each(postQuantumSchemes)("of $name pays with its signature, and all that it has", async (scheme) => {
		const key = scheme === FN_DSA_512 ? falcon : dilithium;
		const wallet = walletOf(nile, key);
		expect(wallet.address).toBe(base58Of(key));
		const before = await wallet.balanceSun(bobOf(nile));
		const sent = await wallet.transfer({ to: bobOf(nile), amount: "2coin" });
		expect(await sent.wait("solid")).toMatchObject({ state: "solid", result: "SUCCESS" });
		expect((await wallet.balanceSun(bobOf(nile))) - before).toBe(2_000_000n);
		const { id, postQuantum, message } = await stored(wallet, sent.txID);
		expect(message.signature).toEqual([]);
		expect(postQuantum.map((entry) => toHex(entry.public_key))).toEqual([toHex(key.publicKey)]);
		for (const entry of postQuantum) {
			expect(isPostQuantumSignature(id, entry)).toBe(true);
			expect(isPostQuantumSignature(new Uint8Array(32), entry)).toBe(false);
		}
		await (await wallet.transfer({ to: bobOf(nile), amount: "max" })).wait("solid");
		// Falcon signatures differ in length, and the longest was reckoned with.
		expect(await wallet.balanceSun()).toBeLessThan(1_000_000n);
	});

	test("acts for another account that has given it a permission, where its weight is enough", async () => {
		const [, , carol] = nile.accounts as [unknown, unknown, { address: string; privateKey: string }];
		const secp = fromHex(carol.privateKey);
		const keys = [secp, falcon, dilithium].map((key) =>
			Key.create({ address: addressOfKey(key), weight: 1n }),
		);
		const permission = (fields: Partial<Permission>): Permission => Permission.create({ keys, ...fields });
		const plan = contractOf(AccountPermissionUpdateContract, {
			owner_address: addressOfKey(secp),
			owner: permission({ type: 0, permission_name: "owner", threshold: 3n }),
			actives: [
				permission({
					type: 2,
					permission_name: "active",
					threshold: 1n,
					operations: Uint8Array.of(2, ...new Uint8Array(31)),
				}),
			],
		});
		await (await walletOf(nile, secp).perform(plan)).wait("solid");

		const wallet = walletOf(nile, falcon, carol.address);
		expect(wallet.address).toBe(carol.address);
		const payment = { to: bobOf(nile), amount: "1coin" };
		expect(await (await wallet.transfer(payment, { permission: "2" })).wait("solid")).toMatchObject({
			result: "SUCCESS",
		});
		await expect(wallet.transfer(payment)).rejects.toMatchObject({
			code: "threshold_not_reached",
			facts: { sent: false },
		});

		// All three together, in steps: the keys are of both kinds and of both schemes.
		const actor = await wallet.actor();
		const transfer = contractOf(TransferContract, {
			owner_address: actor.owner,
			to_address: addressOfKey(fromHex(nile.accounts[1]?.privateKey as string)),
			amount: 1n,
		});
		const { envelope } = await prepare(actor, transfer, {
			signers: [dilithium, secp, falcon].map(addressOfKey),
		});
		const signed = await signWith(envelope, [dilithium, secp, falcon], async (so, key) =>
			signatureBy(so, key),
		);
		expect(signed.signers.map(toBase58Check)).toEqual([secp, dilithium, falcon].map(base58Of));
		const read = await readSignedEnvelope(toHex(signed.transaction.bytes));
		expect(read.signers).toHaveLength(3);
		await broadcast(wallet.client, signed.transaction);
		expect((await stored(wallet, signed.transaction.idHex)).postQuantum).toHaveLength(2);
	});

	test("is refused before anything is built where the chain doesn't take its signatures", async () => {
		const main = await startDevelopmentChain({ accounts: 2 });
		try {
			const ann = walletOf(main, main.accounts[0]?.privateKey as string);
			for (const key of [falcon, dilithium]) {
				await (await ann.transfer({ to: base58Of(key), amount: "300coin" })).wait("solid");
				const wallet = walletOf(main, key);
				const refused = {
					code: "not_authorized",
					message: expect.stringContaining(`this chain takes no signatures of ${key.scheme.name}`),
					facts: { sent: false },
				};
				await expect(wallet.transfer({ to: bobOf(main), amount: "1coin" })).rejects.toMatchObject(refused);
				const plan = contractOf(TransferContract, { owner_address: addressOfKey(key), amount: 1n });
				await expect(wallet.perform(plan)).rejects.toMatchObject(refused);
				expect(await wallet.balanceSun()).toBe(300_000_000n);
			}
		} finally {
			await main.stop();
		}
	});

	test("sends nothing if the halves of its key don't belong together", async () => {
		const other = await newPostQuantumKey(ML_DSA_44, fromHex("0a".repeat(32)));
		const mixed = { ...dilithium, privateKey: other.privateKey };
		const wallet = walletOf(nile, mixed);
		await expect(
			(async () => {
				const ann = walletOf(nile, nile.accounts[0]?.privateKey as string);
				await (await ann.transfer({ to: wallet.address, amount: "5coin" })).wait("solid");
				return wallet.transfer({ to: bobOf(nile), amount: "1coin" });
			})(),
		).rejects.toMatchObject({ code: "transaction_invalid", facts: { sent: false } });
	});

	test.each<[string, (key: PostQuantumKey) => Partial<PostQuantumKey>, string]>([
		["a short private key", ({ privateKey }) => ({ privateKey: privateKey.subarray(1) }), "a private key of"],
		[
			"a long public key",
			({ publicKey }) => ({ publicKey: fromHex(`${toHex(publicKey)}00`) }),
			"a public key of",
		],
		[
			"the other scheme",
			() => ({ scheme: FN_DSA_512 }),
			"a private key of FN_DSA_512 has 1280 bytes, not 2560",
		],
	])("isn't made with %s", (_, change, said) => {
		const make = () => walletOf(nile, { ...dilithium, ...change(dilithium) });
		expect(make).toThrow(
			expect.objectContaining({ code: "bad_value", message: expect.stringContaining(said) }),
		);
	});
});
