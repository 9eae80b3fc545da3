/** The way of an amount: into notes, from one key to another, and out to an account, as a program walks it. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromHex, utf8 } from "../../../src/protocol/bytes.js";
import { addressOfKeys, narrowed, type ShieldedKeys } from "../../../src/protocol/sapling/key-set.js";
import type { TransactionPlan } from "../../../src/wallet/actions/plan.js";
import type { SentResult, Wallet } from "../../../src/wallet/actions/wallet.js";
import type { Failure } from "../../../src/wallet/failure.js";
import { provedHere } from "../../../src/wallet/shielded/contract-payment.js";
import { nativeProvedHere } from "../../../src/wallet/shielded/native-payment.js";
import { judgeNotes, sumIn } from "../../../src/wallet/shielded/note-state.js";
import { type PayRequest, payPlan } from "../../../src/wallet/shielded/pay.js";
import type { Pool } from "../../../src/wallet/shielded/pool.js";
import { memoView } from "../../../src/wallet/shielded/pool-reading.js";
import { memoryStore, type ScanResult, type ScanStore, scanPool } from "../../../src/wallet/shielded/scan.js";
import { Orc20 } from "../../../src/wallet/token/orc20.js";
import { keysNumbered } from "./keys.js";
import { addressWord, type ShieldedChain, startShieldedChain, word } from "./shielded-chain.js";
import { SimulatedProver, seededRandom } from "./simulated-prover.js";

let chain: ShieldedChain;
let pool: Pool;
beforeAll(async () => {
	chain = await startShieldedChain();
	pool = { kind: "contract", contract: chain.contract };
});
afterAll(() => chain.stop());

const random = seededRandom("pay");
const prover = new SimulatedProver();
const provers = { contract: provedHere({ prover, random }), native: nativeProvedHere({ prover, random }) };
const [ann, bob] = [keysNumbered(1), keysNumbered(2)];
const stores = new Map<ShieldedKeys, ScanStore>([
	[ann, memoryStore()],
	[bob, memoryStore()],
]);
const storeOf = (keys: ShieldedKeys): ScanStore => stores.get(keys) as ScanStore;

const scan = (keys: ShieldedKeys, wallet = chain.people[0]): Promise<ScanResult> =>
	scanPool({ client: wallet.client, pool, keys, store: storeOf(keys) });

const balance = async (keys: ShieldedKeys): Promise<bigint> =>
	sumIn(judgeNotes(await scan(keys)), "unspent", "unconfirmed");

type Wanted = Pick<PayRequest, "target" | "amount"> & Partial<PayRequest>;

async function plan(by: Wallet, wanted: Wanted): Promise<TransactionPlan> {
	const request = { pool, mint: false, ...wanted };
	const { keys } = request;
	return await payPlan(await by.actor(), request, {
		provers,
		random,
		...(keys && !request.mint ? { scan: () => scan(keys), store: storeOf(keys) } : {}),
	});
}

async function pay(by: Wallet, wanted: Wanted): Promise<SentResult> {
	return await (await by.perform(await plan(by, wanted))).wait();
}

const shielded = (keys: ShieldedKeys): PayRequest["target"] => ({
	kind: "shielded",
	address: addressOfKeys(keys),
});

describe.sequential("paying with notes of a contract", () => {
	it("says which allowance a mint needs", async () => {
		const failed = plan(chain.people[0], { target: shielded(ann), amount: "25", mint: true });
		await expect(failed).rejects.toMatchObject({
			code: "insufficient_funds",
			facts: { hint: expect.stringMatching(/^coin token allow T\w+ T\w+ 25000000raw --from T\w+$/) },
		});
		const approve = fromHex(`095ea7b3${addressWord(chain.contract)}${word(10n ** 12n)}`);
		await chain.call(chain.people[0], chain.token, approve);
	});

	it("takes tokens into a note with a memo that only its receiver reads", async () => {
		const made = await plan(chain.people[0], {
			target: shielded(ann),
			amount: "25",
			mint: true,
			memo: utf8("for rent"),
			keys: bob,
		});
		expect(made.details?.join("\n")).toMatch(/takes {7}the public balance of T\w+\n/);
		await (await chain.people[0].perform(made)).wait();
		const { holdings } = await scan(ann);
		expect(holdings.received).toMatchObject([{ note: { value: 250_000n }, position: 0n, spent: undefined }]);
		expect(memoView(holdings.received[0]?.memo ?? fromHex("00"))).toBe("for rent");
		const seen = await scan(bob);
		expect(seen.holdings).toMatchObject({ received: [], sent: [{ note: { value: 250_000n } }] });
	});

	it("pays another key, and what is left comes back", async () => {
		const result = await pay(chain.people[1], {
			target: shielded(bob),
			amount: "10",
			keys: ann,
			memo: utf8("thanks"),
		});
		expect(result).toMatchObject({ result: "SUCCESS" });
		expect(await balance(ann)).toBe(150_000n);
		expect(await balance(bob)).toBe(100_000n);
		const { holdings } = await scan(ann);
		expect(holdings.received.map(({ spent }) => spent !== undefined)).toEqual([true, false]);
		expect(holdings.sent).toMatchObject([{ note: { value: 100_000n }, memo: utf8("thanks") }]);
	});

	it("joins two notes where one isn't enough, and pays everything with max", async () => {
		await pay(chain.people[0], { target: shielded(bob), amount: "5", mint: true });
		expect(await balance(bob)).toBe(150_000n);
		await pay(chain.people[0], { target: shielded(ann), amount: "12", keys: bob });
		expect(await balance(bob)).toBe(30_000n);
		await pay(chain.people[0], { target: shielded(ann), amount: "max", keys: bob });
		expect(await balance(bob)).toBe(0n);
		expect(await balance(ann)).toBe(300_000n);
	});

	it("pays out to an account, whose burn text another burn of the key doesn't share", async () => {
		const { owner: account } = await chain.people[1].actor();
		const token = new Orc20(chain.people[0].client, chain.token);
		const target = { kind: "account" as const, account };
		const data: string[] = [];
		for (const amount of ["4", "4"]) {
			const made = await plan(chain.people[0], { target, amount, keys: ann });
			const { data: call } = made.parameter as unknown as { data: Uint8Array };
			data.push(Buffer.from(call.subarray(516, 580)).toString("hex"));
			await (await chain.people[0].perform(made)).wait();
		}
		expect(await token.balanceOf(account)).toBe(8_000_000n);
		expect(await balance(ann)).toBe(220_000n);
		expect(data[0]).not.toBe(data[1]);
		const { holdings } = await scan(ann);
		expect(holdings.burnt).toMatchObject([{ amount: 4_000_000n, to: account }, { amount: 4_000_000n }]);
	});

	it("refuses what the notes don't hold, what no note can hold, and what makes no sense", async () => {
		const refused = async (wanted: Wanted): Promise<unknown> =>
			await plan(chain.people[0], wanted).then(
				() => undefined,
				(error: Failure) => [error.code, error.message],
			);
		const { owner: account } = await chain.people[1].actor();
		expect(await refused({ target: shielded(bob), amount: "23", keys: ann })).toEqual([
			"insufficient_funds",
			"the notes hold 22 PLN",
		]);
		expect(await refused({ target: { kind: "account", account }, amount: "21", keys: ann })).toEqual([
			"insufficient_funds",
			expect.stringContaining("one transaction spends one note"),
		]);
		expect(await refused({ target: shielded(bob), amount: "0.00001", keys: ann })).toEqual([
			"bad_value",
			expect.stringContaining("multiples of 0.0001 PLN (scaling factor 100)"),
		]);
		expect(await refused({ target: { kind: "account", account }, amount: "1", mint: true })).toEqual([
			"bad_value",
			expect.stringContaining("wallet send pays accounts"),
		]);
		const memo = utf8("no");
		expect(await refused({ target: { kind: "account", account }, amount: "1", keys: ann, memo })).toEqual([
			"bad_value",
			expect.stringContaining("a memo goes with a note"),
		]);
		expect(await refused({ target: shielded(bob), amount: "1", keys: narrowed(ann, "viewing") })).toEqual([
			"watch_only",
			expect.anything(),
		]);
	});

	it("counts notes as pending until their transaction is in a block, and chooses others", async () => {
		const made = await plan(chain.people[0], { target: shielded(bob), amount: "1", keys: ann });
		const expirationMs = BigInt(Date.now()) + 3_600_000n;
		const transaction = { idHex: "00".repeat(32), raw: { expiration: expirationMs } };
		await made.afterSending?.({ transaction } as never);
		const states = judgeNotes(await scan(ann)).map(({ state }) => state);
		expect(states.filter((state) => state === "pending")).toHaveLength(1);
		await pay(chain.people[0], { target: shielded(bob), amount: "1", keys: ann });
		expect(await balance(bob)).toBe(10_000n);
	});

	it("shows everything to a viewing key, and only what comes to an incoming one", async () => {
		const see = async (reach: "viewing" | "incoming"): Promise<ScanResult> =>
			await scanPool({
				client: chain.people[0].client,
				pool,
				keys: narrowed(ann, reach),
				store: memoryStore(),
			});
		const all = (await scan(ann)).holdings;
		const viewed = (await see("viewing")).holdings;
		expect(viewed.received.map(({ spent }) => spent?.txID)).toEqual(
			all.received.map(({ spent }) => spent?.txID),
		);
		const incoming = await see("incoming");
		expect(incoming.holdings.received).toHaveLength(all.received.length);
		expect(new Set(judgeNotes(incoming).map(({ state }) => state))).toEqual(new Set(["unknown"]));
	});

	it("goes on where it stopped, and asks the contract for paths where it began late", async () => {
		const { client } = chain.people[0];
		const store = memoryStore();
		const { state } = await scan(ann);
		const last = state.holdings.received.at(-1);
		const since = (last?.block ?? 0n) - 1n;
		const late = { client, pool, keys: ann, store, since };
		const { holdings } = await scanPool(late);
		expect(holdings.tree).toBeUndefined();
		expect(holdings.received.at(-1)).toMatchObject({ position: last?.position, voucher: undefined });
		const warnings: string[] = [];
		const made = await payPlan(
			await chain.people[0].actor(),
			{ pool, target: shielded(bob), amount: "1", mint: false, keys: ann },
			{ provers, random, scan: () => scanPool(late), store, onWarning: (text) => warnings.push(text) },
		);
		expect(warnings).toEqual([expect.stringContaining("the node sees which are to be spent")]);
		expect(await (await chain.people[0].perform(made)).wait()).toMatchObject({ result: "SUCCESS" });
		expect(await store.load()).toMatchObject({ pending: [{ nullifier: expect.anything() }] });
	});
});
