import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ApiContext } from "../../../src/node/api/context.js";
import { approvedList, signWeight } from "../../../src/node/api/queries/signatures.js";
import { authorize } from "../../../src/node/chain/authorization.js";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { verifySent } from "../../../src/node/chain/work-ahead.js";
import { scheduledWitness, slotTimeMs } from "../../../src/node/consensus/slots.js";
import { NodeChain } from "../../../src/node/network/node-chain.js";
import {
	Key,
	Permission,
	PermissionPermissionType,
	PQAuthSig,
	PQScheme,
	Transaction,
} from "../../../src/protocol/messages.js";
import { loadPostQuantum } from "../../../src/protocol/post-quantum/algorithms.js";
import { transactionFieldsOf } from "../../../src/protocol/post-quantum/fields.js";
import { addressOfPostQuantumKey } from "../../../src/protocol/post-quantum/schemes.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";
import { forge, keyOfWitness, openSmall, produce, smallConfig, transfer, users } from "./small-chain.js";

let open: OpenChain;
beforeAll(loadPostQuantum);
afterEach(() => open.close());

/** A signature that has the form of one, by a key of its own. */
const entry = (number: number): PQAuthSig =>
	PQAuthSig.create({
		scheme: PQScheme.FN_DSA_512,
		public_key: new Uint8Array(896).fill(number),
		signature: new Uint8Array(650).fill(0x39),
	});

/** The first user's account gets the keys of two of them. */
async function openWithKeys(): Promise<void> {
	const committee = "allowMultiSign = 1, allowFnDsa512 = 1";
	open = await openSmall({ config: smallConfig(committee, "node.network = nile") });
	produce(open);
	const { account } = open.chain.state;
	const own = account.get(users[0] as Uint8Array);
	if (!own) throw new Error("there is no such account");
	const keys = [1, 2].map((number) =>
		Key.create({ address: addressOfPostQuantumKey(entry(number).public_key), weight: 1n }),
	);
	const owner_permission = Permission.create({ type: PermissionPermissionType.Owner, threshold: 2n, keys });
	account.put(users[0] as Uint8Array, { ...own, owner_permission });
}

function signed(...entries: readonly PQAuthSig[]): SignedTransaction {
	const { message } = transfer(open, 0, users[1] as Uint8Array, 1n);
	const copy = Transaction.create({ ...message, signature: [] });
	copy.$unknown = transactionFieldsOf(entries);
	return new SignedTransaction(copy);
}

describe("the post-quantum signatures of a transaction that was sent", () => {
	it.each([
		["two keys of the permission", [1, 2], true],
		["one key of it before a stranger's", [1, 9], true],
		["a stranger's key before one of it", [9, 1], false],
		["more than it has keys", [1, 2, 1], false],
	])("are verified elsewhere where the chain would verify one: %s", async (_, numbers, isAhead) => {
		await openWithKeys();
		const transaction = signed(...numbers.map(entry));
		let asked = 0;
		const verify = async (): Promise<void> => {
			asked++;
		};
		await verifySent(open, verify, transaction, "client");
		expect(asked === 1).toBe(isAhead);
		// What the chain verifies by itself shows in the transaction.
		expect(() => authorize(open.chain.environment, transaction)).toThrow();
		expect(transaction.postQuantumVerdicts !== undefined).toBe(isAhead);
	});

	it("are verified once, also for the copy that the pool keeps", async () => {
		await openWithKeys();
		const transaction = signed(entry(1), entry(2));
		expect(() => authorize(open.chain.environment, transaction)).toThrow("pq sig invalid");
		expect(transaction.withResults([]).postQuantumVerdicts).toEqual([false]);
	});
});

it("the signatures of a query are verified elsewhere, those that are cut, too", async () => {
	await openWithKeys();
	const { message } = signed(entry(1), entry(2));
	const copy = Transaction.copy(message);
	copy.signature = [new Uint8Array(66)];
	const asked: SignedTransaction[] = [];
	const context = {
		state: open.chain.state,
		client: "client",
		style: { dialect: "neutral" },
		node: {
			rules: open.rules,
			config: smallConfig(),
			forks: () => open.forks,
			verifySignatures: async (transaction: SignedTransaction) => void asked.push(transaction),
		},
	} as unknown as ApiContext;
	const { shown } = await signWeight(context, new SignedTransaction(copy));
	expect(shown?.message.signature[0]).toHaveLength(65);
	await approvedList(context, signed(entry(1), entry(2)));
	expect(asked).toHaveLength(2);
	expect(asked[0]).toBe(shown);
});

it("a block's post-quantum signatures are verified ahead if one of the witnesses has signed it", async () => {
	open = await openSmall({ config: smallConfig("", "node.network = nile") });
	produce(open);
	const asked: boolean[] = [];
	const pool = { digest: async (_: unknown, isOfWitness: boolean) => void asked.push(isOfWitness) };
	const chain = new NodeChain({ open, pool, report: () => {} });
	const witness = scheduledWitness(open.chain.state, 1n);
	const key = keyOfWitness(witness);
	const timestampMs = slotTimeMs(open.chain.state, 1n);
	for (const [signer, transactions] of [
		[key, [signed(entry(1))]],
		[Buffer.alloc(32, 7), [signed(entry(1))]],
		[key, [transfer(open, 0, users[1] as Uint8Array, 1n)]],
	] as const) {
		await chain.prepare(forge(open.chain.head, timestampMs, { key: signer, witness, transactions }));
	}
	expect(asked).toEqual([true, false, false]);
	chain.close();
});
