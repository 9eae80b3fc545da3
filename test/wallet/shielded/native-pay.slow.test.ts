/** The way of an amount through the chain's own pool, with a node that checks every proof. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toBase58Check } from "../../../src/protocol/address.js";
import { utf8 } from "../../../src/protocol/bytes.js";
import { AssetIssueContract } from "../../../src/protocol/messages.js";
import { addressOfKeys, type ShieldedKeys } from "../../../src/protocol/sapling/key-set.js";
import type { TransactionPlan } from "../../../src/wallet/actions/plan.js";
import { broadcast } from "../../../src/wallet/node/broadcast.js";
import { fetchAccount } from "../../../src/wallet/node/chain-query.js";
import type { NodeClient } from "../../../src/wallet/node/node-client.js";
import { waitFor } from "../../../src/wallet/node/wait.js";
import { provedHere } from "../../../src/wallet/shielded/contract-payment.js";
import { nativeFee, nativeProvedHere } from "../../../src/wallet/shielded/native-payment.js";
import { judgeNotes, sumIn } from "../../../src/wallet/shielded/note-state.js";
import { type PayRequest, payPlan } from "../../../src/wallet/shielded/pay.js";
import type { Pool } from "../../../src/wallet/shielded/pool.js";
import { memoryStore, type ScanResult, type ScanStore, scanPool } from "../../../src/wallet/shielded/scan.js";
import { senderlessEnvelope } from "../../../src/wallet/shielded/senderless.js";
import { contractOf } from "../../../src/wallet/transaction/contract.js";
import { writeEnvelope } from "../../../src/wallet/transaction/envelope.js";
import { noteFor, summaryLines } from "../../../src/wallet/transaction/envelope-note.js";
import { keysNumbered } from "./keys.js";
import { POOL_TOKEN, type ShieldedChain, startShieldedChain } from "./shielded-chain.js";
import { SimulatedProver, seededRandom } from "./simulated-prover.js";

let chain: ShieldedChain;
const pool: Pool = { kind: "native", tokenId: POOL_TOKEN };
beforeAll(async () => {
	chain = await startShieldedChain();
	const { owner } = await chain.people[0].actor();
	const soon = BigInt(Date.now()) + 60_000n;
	const issued = await chain.people[0].perform(
		contractOf(AssetIssueContract, {
			owner_address: owner,
			name: utf8("Veil"),
			abbr: utf8("VL"),
			total_supply: 1_000_000_000n,
			coin_num: 1,
			num: 1,
			precision: 6,
			start_time: soon,
			end_time: soon + 60_000n,
			url: utf8("http://localhost"),
		}),
	);
	expect(await issued.wait()).toMatchObject({ tokenId: POOL_TOKEN });
});
afterAll(() => chain.stop());

const random = seededRandom("native pay");
const prover = new SimulatedProver();
const provers = { contract: provedHere({ prover, random }), native: nativeProvedHere({ prover, random }) };
const [ann, bob] = [keysNumbered(1), keysNumbered(2)];
const stores = new Map<ShieldedKeys, ScanStore>([
	[ann, memoryStore()],
	[bob, memoryStore()],
]);
const scan = (keys: ShieldedKeys): Promise<ScanResult> =>
	scanPool({ client: chain.people[0].client, pool, keys, store: stores.get(keys) as ScanStore });
const balance = async (keys: ShieldedKeys): Promise<bigint> =>
	sumIn(judgeNotes(await scan(keys)), "unspent", "unconfirmed");
const tokens = async (account: Uint8Array): Promise<bigint> =>
	(await fetchAccount(chain.people[0].client, account))?.assetV2.get(POOL_TOKEN) ?? 0n;

async function plan(
	wanted: Pick<PayRequest, "target" | "amount"> & Partial<PayRequest>,
): Promise<TransactionPlan> {
	const { keys, mint = false } = wanted;
	return await payPlan(
		await chain.people[0].actor(),
		{ pool, mint, ...wanted },
		{
			provers,
			random,
			...(keys && !mint ? { scan: () => scan(keys), store: stores.get(keys) as ScanStore } : {}),
		},
	);
}

/** Sends a transaction that nobody signs, and waits for it. */
async function send(made: TransactionPlan): Promise<string> {
	const { client } = chain.people[0];
	const envelope = await senderlessEnvelope(client, made);
	await broadcast(client, envelope.transaction);
	const { state } = await waitFor(client, envelope.transaction.id, { until: "solid", timeoutMs: 20_000 });
	return state;
}

const shielded = (keys: ShieldedKeys): PayRequest["target"] => ({
	kind: "shielded",
	address: addressOfKeys(keys),
});

describe.sequential("paying with notes of the chain's own pool", () => {
	it("refuses to take more than an account has, before proofs are made", async () => {
		const { owner } = await chain.people[0].actor();
		const held = await tokens(owner);
		await expect(plan({ target: shielded(ann), amount: `${held}raw`, mint: true })).rejects.toMatchObject({
			code: "insufficient_funds",
			message: expect.stringMatching(/^the account has .*, and .* are needed, the fee with them$/),
		});
	});

	it("takes tokens of an account into a note, and the fee with them", async () => {
		const { owner } = await chain.people[0].actor();
		const made = await plan({ target: shielded(ann), amount: "20", mint: true, memo: utf8("rent") });
		const sent = await chain.people[0].perform(made);
		expect(await sent.wait()).toMatchObject({ result: "SUCCESS", from: toBase58Check(owner) });
		expect(await tokens(owner)).toBe(1_000_000_000n - 20_000_000n - 100_000n);
		expect((await scan(ann)).holdings.received).toMatchObject([
			{ note: { value: 20_000_000n }, position: 0n, memo: utf8("rent") },
		]);
	});

	it("pays another key with nobody's signature", async () => {
		const made = await plan({ target: shielded(bob), amount: "5", keys: ann });
		const envelope = await senderlessEnvelope(chain.people[0].client, made);
		const facts = { chain: undefined, permission: undefined, approval: undefined };
		expect(summaryLines(envelope, facts)[0]).toBe(
			"ShieldedTransfer: shielded transfer: 1 spent note into 2 new notes",
		);
		expect(JSON.parse(writeEnvelope(envelope, noteFor(envelope, facts)))).toMatchObject({
			coin: { account: "notes" },
		});
		expect(await send(made)).toBe("solid");
		expect(await balance(ann)).toBe(14_900_000n);
		expect(await balance(bob)).toBe(5_000_000n);
	});

	it("pays out to an account, with change and without", async () => {
		const { owner: account } = await chain.people[1].actor();
		expect(await send(await plan({ target: { kind: "account", account }, amount: "4", keys: ann }))).toBe(
			"solid",
		);
		expect(await tokens(account)).toBe(4_000_000n);
		expect(await balance(ann)).toBe(10_800_000n);
		expect(await send(await plan({ target: { kind: "account", account }, amount: "max", keys: ann }))).toBe(
			"solid",
		);
		expect(await tokens(account)).toBe(14_700_000n);
		expect(await balance(ann)).toBe(0n);
		expect((await scan(ann)).holdings.burnt.map(({ amount }) => amount)).toEqual([4_000_000n, 10_700_000n]);
	});

	it("refuses what a single note doesn't hold together with the fee", async () => {
		await expect(plan({ target: shielded(ann), amount: "5", keys: bob })).rejects.toMatchObject({
			code: "insufficient_funds",
		});
		await expect(plan({ target: shielded(ann), amount: "max", keys: bob, fee: 5_000_000n })).rejects.toThrow(
			"the fee of 5 VL is all that the note of 5 VL holds",
		);
	});

	it("follows the tree from a late block on without telling the node whose notes it looks for", async () => {
		const { client } = chain.people[0];
		const { holdings } = await scan(bob);
		const since = (holdings.received[0]?.block ?? 0n) + 1n;
		await chain.people[0]
			.perform(await plan({ target: shielded(bob), amount: "1", mint: true }))
			.then((sent) => sent.wait());
		const late = await scanPool({ client, pool, keys: bob, store: memoryStore(), since });
		const whole = await scan(bob);
		expect(late.holdings.received.at(-1)?.position).toBe(whole.holdings.received.at(-1)?.position);
		expect(late.holdings.tree).toEqual(whole.holdings.tree);
	});
});

describe("the fee of the chain's own pool", () => {
	it("is what the node tells, for a recipient that is there and for one that isn't", async () => {
		const other = await startShieldedChain([
			"shieldedTransactionFee=7",
			"shieldedTransactionCreateAccountFee=11",
		]);
		try {
			const [{ client }] = other.people;
			expect(await nativeFee(client, false)).toBe(7n);
			expect(await nativeFee(client, true)).toBe(11n);
		} finally {
			await other.stop();
		}
	});

	it("is the network's, where the node tells none", async () => {
		const client = { call: async () => ({}) } as unknown as NodeClient;
		expect([await nativeFee(client, false), await nativeFee(client, true)]).toEqual([100_000n, 1_000_000n]);
	});
});
