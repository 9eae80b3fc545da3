import { describe, expect, test } from "vitest";
import { fromHex, utf8 } from "../../../src/protocol/bytes.js";
import { contractType } from "../../../src/protocol/contract-types.js";
import { TransferContract, TriggerSmartContract } from "../../../src/protocol/messages.js";
import { FN_DSA_512, ML_DSA_44, type PostQuantumScheme } from "../../../src/protocol/post-quantum/schemes.js";
import type { JsonRecord } from "../../../src/wallet/json.js";
import { buildOffline } from "../../../src/wallet/transaction/build.js";
import { costLines, shortfallOf, transactionCost } from "../../../src/wallet/transaction/transaction-cost.js";
import { answering } from "../answering-client.js";

const [ANN, BOB] = ["11", "22"].map((byte) => fromHex(`41${byte.repeat(20)}`)) as [Uint8Array, Uint8Array];

const transfer = (memo?: Uint8Array) =>
	buildOffline(
		{
			type: contractType("TransferContract"),
			parameter: TransferContract.create({ owner_address: ANN, to_address: BOB, amount: 5n }),
			permissionId: 0,
			memo,
			expiry: { atMs: 60_000n },
			reference: { number: 7n, id: new Uint8Array(32) },
		},
		1_000,
	);

const PRICES = {
	getTransactionFee: 1_000n,
	getCreateAccountFee: 100_000n,
	getCreateNewAccountFeeInSystemContract: 1_000_000n,
	getMemoFee: 2_000_000n,
	getMultiSignFee: 3_000_000n,
};

async function cost(resources: JsonRecord, facts: { signatures?: number; creates?: boolean; memo?: string }) {
	const { client } = answering({
		getchainparameters: { chainParameter: Object.entries(PRICES).map(([key, value]) => ({ key, value })) },
		getaccountresource: resources,
	});
	const transaction = transfer(facts.memo === undefined ? undefined : utf8(facts.memo));
	const { signatures = 1, creates = false } = facts;
	return { transaction, ...(await transactionCost(client, transaction, { signatures, creates })) };
}

describe("the cost of a transfer", () => {
	test("is a price for each byte, the signatures to come among them, where nothing else covers them", async () => {
		const { transaction, bytes, bandwidthSun, totalSun } = await cost({}, {});
		expect(bytes).toBe(transaction.sizeWithoutResults + 67 + 64);
		expect(bandwidthSun).toBe(BigInt(bytes) * 1_000n);
		expect(totalSun).toBe(bandwidthSun);
	});

	test("has no bytes to pay where the stake or the daily allowance covers all of them, not their sum", async () => {
		expect((await cost({ NetLimit: 10_000n }, {})).bandwidthSun).toBe(0n);
		expect((await cost({ freeNetLimit: 600n, freeNetUsed: 10n }, {})).bandwidthSun).toBe(0n);
		expect((await cost({ freeNetLimit: 150n, NetLimit: 150n }, {})).bandwidthSun).toBeGreaterThan(0n);
	});

	test("that creates an account is one for the creation, which the allowance doesn't cover", async () => {
		const created = await cost({ freeNetLimit: 600n }, { creates: true });
		expect(created).toMatchObject({ bandwidthSun: 100_000n, creationSun: 1_000_000n, totalSun: 1_100_000n });
		expect((await cost({ NetLimit: 600n }, { creates: true })).bandwidthSun).toBe(0n);
	});

	test("has the bytes of post-quantum signatures to come, whatever their length will be", async () => {
		const { client } = answering({ getchainparameters: {}, getaccountresource: {} });
		const bytesWith = async (signatures: number, ...postQuantum: readonly PostQuantumScheme[]) =>
			(await transactionCost(client, transfer(), { signatures, postQuantum, creates: false })).bytes -
			transfer().sizeWithoutResults;
		expect(await bytesWith(1, FN_DSA_512)).toBe(1574 + 64);
		expect(await bytesWith(1, ML_DSA_44)).toBe(3743 + 64);
		expect(await bytesWith(3, FN_DSA_512, ML_DSA_44)).toBe(1574 + 3743 + 67 + 64);
	});

	test("has fees for a memo and for a second signature", async () => {
		const one = await cost({ NetLimit: 10_000n }, { memo: "tea", signatures: 1 });
		expect(one).toMatchObject({ memoSun: 2_000_000n, signaturesSun: 0n, totalSun: 2_000_000n });
		const two = await cost({ NetLimit: 10_000n }, { memo: "tea", signatures: 2 });
		expect(two).toMatchObject({ signaturesSun: 3_000_000n, bytes: one.bytes + 67 });
	});

	test("has the energy of the trial that stake doesn't cover in its total, and the limit where nothing was tried", async () => {
		const { client } = answering({
			getchainparameters: { chainParameter: [{ key: "getEnergyFee", value: 420n }] },
			getaccountresource: { EnergyLimit: 1_000n, NetLimit: 10_000n },
		});
		const call = buildOffline(
			{
				type: contractType("TriggerSmartContract"),
				parameter: TriggerSmartContract.create({ owner_address: ANN, contract_address: BOB }),
				permissionId: 0,
				feeLimitSun: 5_000_000n,
				expiry: { atMs: 60_000n },
				reference: { number: 7n, id: new Uint8Array(32) },
			},
			1_000,
		);
		const facts = { signatures: 1, creates: false };
		const tried = await transactionCost(client, call, { ...facts, energy: 3_000n });
		expect(tried).toMatchObject({ energySun: 840_000n, energyLimitSun: 5_000_000n, totalSun: 840_000n });
		expect(costLines(tried, 0n)).toContain("  energy      5coin at most, about 0.84coin");
		expect(shortfallOf(0n, 0n, tried)).toBe(0n);
		expect(await transactionCost(client, call, { ...facts, energy: 900n })).toMatchObject({ totalSun: 0n });
		expect(await transactionCost(client, call, facts)).toMatchObject({ totalSun: 5_000_000n });
	});

	test("is short of what amount and fees are above the balance", async () => {
		const paid = await cost({ NetLimit: 10_000n }, { memo: "tea" });
		expect(shortfallOf(2_000_004n, 5n, paid)).toBe(1n);
		expect(shortfallOf(2_000_005n, 5n, paid)).toBe(0n);
	});
});
