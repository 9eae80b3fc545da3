import { describe, expect, test } from "vitest";
import { toBase58Check } from "../../../src/protocol/address.js";
import { fromHex, utf8 } from "../../../src/protocol/bytes.js";
import { Account, Key, Permission, type TransferContract } from "../../../src/protocol/messages.js";
import { buildTransaction, type SignedTransaction } from "../../../src/protocol/transaction.js";
import { judgePayments, type ReadPayment } from "../../../src/wallet/actions/payment-batch.js";
import type { Actor, TransactionPlan } from "../../../src/wallet/actions/plan.js";
import { Failure, linesText } from "../../../src/wallet/failure.js";
import { envelopeOf } from "../../../src/wallet/transaction/envelope.js";
import { readPayments } from "../../../src/wallet/transaction/payment-list.js";
import { answering } from "../answering-client.js";

const [ANN, BOB, EVE] = ["11", "22", "33"].map((byte) => `41${byte.repeat(20)}`) as [string, string, string];

const actor = (
	balance: bigint,
	resource: object = {},
	answers: Parameters<typeof answering>[0] = {},
): Actor =>
	({
		settings: {
			tokens: {},
			contactsFile: "/nowhere/contacts",
			keystoreDirectory: "/nowhere",
			profile: "test",
		},
		client: answering(
			{
				getaccount: ({ address }) => (address === BOB ? { address: BOB } : {}),
				getassetissuebyid: { id: "1000001", precision: 2n, abbr: "474c44", name: "476f6c64" },
				getaccountresource: { ...resource },
				getchainparameters: {
					chainParameter: [
						{ key: "getTransactionFee", value: 1_000n },
						{ key: "getEnergyFee", value: 100n },
						{ key: "getMultiSignFee", value: 1_000_000n },
						{ key: "getCreateNewAccountFeeInSystemContract", value: 1_000_000n },
					],
				},
				...answers,
			},
			{ tokens: {}, feeLimit: "7coin" },
		).client,
		owner: fromHex(ANN),
		account: Account.create({ address: fromHex(ANN), balance, assetV2: new Map([["1000001", 250n]]) }),
	}) as unknown as Actor;

const check = async ({ type, parameter }: TransactionPlan, memo: string | undefined) =>
	envelopeOf(
		buildTransaction(type, parameter, {
			refBlockBytes: new Uint8Array(2),
			refBlockHash: new Uint8Array(8),
			expirationMs: 1n,
			timestampMs: 1n,
			...(memo === undefined ? {} : { data: utf8(memo) }),
		}),
	);

const checkWithLimit = async ({ type, parameter }: TransactionPlan) =>
	envelopeOf(
		buildTransaction(type, parameter, {
			refBlockBytes: new Uint8Array(2),
			refBlockHash: new Uint8Array(8),
			expirationMs: 1n,
			timestampMs: 1n,
			...(type.name === "TriggerSmartContract" ? { feeLimitSun: 7_000_000n } : {}),
		}),
	);

const judge = (text: string, payer: Actor, more: object = {}) =>
	judgePayments(payer, readPayments(text), { check, ...more });

describe("a list of payments is judged whole", () => {
	test("with its count, its sums, its fees, and the accounts that it creates", async () => {
		const text = `to,amount,token\n${BOB},1coin,\n${EVE},2.5coin,\n${EVE},1,1000001\n`;
		const { summary, refused, amountSun, risks, totals } = await judge(text, actor(10_000_000n));
		expect(refused).toEqual([]);
		expect(risks).toEqual([]);
		expect(amountSun).toBe(3_500_000n);
		expect(summary[0]).toBe(
			"3 payments, 3.5coin and 1 GLD (1000001), to 2 accounts; 1 of them doesn't exist yet",
		);
		expect(summary.slice(-2)).toEqual([
			expect.stringMatching(/^ {2}fees +1\.\d+coin: bandwidth 0\.\d+coin, new accounts 1coin$/),
			`  new         ${toBase58Check(fromHex(EVE))}`,
		]);
		expect(totals).toMatchObject({
			payments: 3,
			accounts: 2,
			amounts: [
				{ asset: "coin", amount: 3_500_000n },
				{ asset: "1000001", amount: 100n },
			],
			fees: { creationSun: 1_000_000n, energySun: 0n },
			contracts: [],
			firstPayments: [],
		});
	});

	test("with every line that can't be paid, before any is", async () => {
		const text = `to,amount,token\n${BOB},1coin,\nbobb,2coin,\n${BOB},5,\n${ANN},1coin,\n${BOB},max,\n${BOB},3,1000001\n`;
		const { refused, payments } = await judge(text, actor(10_000_000n));
		expect(payments.map(({ line }) => line)).toEqual([2]);
		expect(refused.map(({ line, failure }) => [line, failure.code])).toEqual([
			[3, "wallet_not_found"],
			[4, "amount_unit"],
			[5, "bad_value"],
			[6, "bad_value"],
			[7, "insufficient_funds"],
		]);
	});

	test("by the sum of amounts and fees, and not line by line", async () => {
		const text = `to,amount\n${BOB},1coin\n${BOB},2coin\n`;
		const free = { freeNetLimit: 5_000n };
		expect((await judge(text, actor(3_000_000n, free))).refused).toEqual([]);
		const { refused } = await judge(text, actor(2_999_999n, free));
		expect(refused[0]?.failure.message).toContain("come to 3coin and 0coin of fees, 0.000001coin more");
		// The free allowance is enough for the first payment alone.
		expect((await judge(text, actor(3_000_000n, { freeNetLimit: 400n }))).refused).toHaveLength(1);
	});

	test("with the fee for several signatures where one key isn't enough, whoever is named as signer", async () => {
		const keys = [ANN, BOB].map((address) => Key.create({ address: fromHex(address), weight: 1n }));
		const alone = actor(10_000_000n);
		const owner_permission = Permission.create({ threshold: 2n, keys });
		const shared = { ...alone, account: Account.create({ ...alone.account, owner_permission }) };
		const signaturesSun = async (payer: Actor, signers?: number) =>
			(await judge(`to,amount\n${BOB},1coin\n`, payer, { signers })).totals.fees?.signaturesSun;
		expect(await signaturesSun(alone)).toBe(0n);
		expect(await signaturesSun(alone, 2)).toBe(1_000_000n);
		expect(await signaturesSun(shared)).toBe(1_000_000n);
		expect(await signaturesSun(shared, 1)).toBe(1_000_000n);
	});

	test("names lines that say the same, in whatever words", async () => {
		const text = `to,amount,memo\n${BOB},1coin,\n${BOB},1000000sun,\n${BOB},1coin,x\n`;
		const { risks, payments } = await judge(text, actor(10_000_000n));
		expect(risks).toEqual(["line 3 says the same as a line before"]);
		expect(new Set(payments.map(({ key }) => key)).size).toBe(3);
	});

	test("without what an earlier run has paid: neither checked, nor held against what the account has now", async () => {
		const text = `to,amount,token\n${EVE},9coin,\n${BOB},2,1000001\n${EVE},1coin,\n${BOB},0.5,1000001\n${EVE},1coin,\n`;
		const checked: bigint[] = [];
		const resumed = (balance: bigint, waiting?: SignedTransaction) =>
			judge(text, actor(balance, { freeNetLimit: 5_000n }), {
				check: async (plan: TransactionPlan, memo: string | undefined) => {
					checked.push((plan.parameter as TransferContract).amount);
					return check(plan, memo);
				},
				paidBefore: async (payments: readonly ReadPayment[]) =>
					new Map(payments.filter(({ line }) => line < 4).map(({ key }) => [key, waiting])),
			});
		const { refused, totals, payments, summary, risks } = await resumed(3_000_000n);
		expect(refused).toEqual([]);
		expect(checked).toEqual([1_000_000n, 50n, 1_000_000n]);
		expect(payments.map(({ line }) => line)).toEqual([4, 5, 6]);
		expect(payments[2]?.key).toMatch(/#2$/);
		expect(risks).toEqual(["line 6 says the same as a line before"]);
		expect(summary[0]).toMatch(/^3 payments, 2coin and 0.5 GLD \(1000001\), to 2 accounts/);
		expect(totals.fees?.creationSun).toBe(1_000_000n);
		expect((await resumed(2_999_999n)).refused.map(({ line }) => line)).toEqual([6]);
		// What waits for a block is still in the account, and makes the account that it pays.
		const { transaction } = await check(payments[0]?.plan as TransactionPlan, undefined);
		expect((await resumed(12_000_000n, transaction)).totals).toMatchObject({
			amounts: [{ amount: 2_000_000n }, { amount: 50n }],
			fees: { creationSun: 0n },
		});
		expect((await resumed(11_999_999n, transaction)).refused.map(({ line }) => line)).toEqual([6]);
	});

	test("with a remark on tokens that go to a contract, which needs no agreement", async () => {
		const token = toBase58Check(fromHex(`41${"44".repeat(20)}`));
		const constant = {
			result: { result: true },
			constant_result: ["09".padStart(64, "0")],
			energy_used: 60_000n,
		};
		const payer = actor(
			80_000_000n,
			{},
			{
				triggerconstantcontract: constant,
				getaccount: ({ address }) => (address === BOB ? { address: BOB, type: "Contract" } : {}),
			},
		);
		const judged = await judge(`to,amount,token\n${EVE},5raw,${token}\n${BOB},2raw,${token}\n`, payer);
		const bob = toBase58Check(fromHex(BOB));
		expect(judged.totals.contracts).toEqual([bob]);
		expect(judged.risks).toEqual([]);
		expect(judged.summary.filter((line) => line.includes("look twice"))).toEqual([
			expect.stringContaining(`line 3 goes to the contract ${bob}: `),
		]);
	});

	test("less the energy of a call that an earlier run printed, as tried, or else its fee limit", async () => {
		const token = toBase58Check(fromHex(`41${"44".repeat(20)}`));
		const text = `to,amount,token\n${EVE},5raw,${token}\n${BOB},2coin,\n`;
		const resumed = (balance: bigint, isTried: boolean) => {
			const constant: Parameters<typeof answering>[0][string] = ({ data }) =>
				isTried || !String(data).startsWith("a9059cbb")
					? { result: { result: true }, constant_result: ["09".padStart(64, "0")], energy_used: 60_000n }
					: new Failure("not_served", "no trials");
			const payer = actor(balance, { freeNetLimit: 5_000n }, { triggerconstantcontract: constant });
			return judge(text, payer, {
				paidBefore: async ([first]: readonly (ReadPayment & { readonly plan: TransactionPlan })[]) =>
					new Map(first ? [[first.key, await printed(first.plan)]] : []),
			});
		};
		const printed = async (plan: TransactionPlan): Promise<SignedTransaction> =>
			buildTransaction(plan.type, plan.parameter, {
				refBlockBytes: new Uint8Array(2),
				refBlockHash: new Uint8Array(8),
				expirationMs: 1n,
				timestampMs: 1n,
				feeLimitSun: 7_000_000n,
			});
		expect((await resumed(8_000_000n, true)).refused).toEqual([]);
		expect((await resumed(9_000_000n, false)).refused).toEqual([]);
		for (const [balance, isTried, kept] of [
			[7_999_999n, true, "6coin"],
			[8_999_999n, false, "7coin"],
			// What takes everything leaves nothing.
			[5_000_000n, false, "7coin"],
		] as const)
			expect((await resumed(balance, isTried)).refused).toMatchObject([
				{
					line: 3,
					failure: {
						code: "insufficient_funds",
						message: expect.stringContaining(
							`more than the account has besides ${kept} that payments of an earlier run may still take`,
						),
						facts: { hint: expect.stringContaining("run it again with --resume once it does") },
					},
				},
			]);
	});

	test("with a call that couldn't be tried at its fee limit, and all staked energy behind it", async () => {
		const token = toBase58Check(fromHex(`41${"44".repeat(20)}`));
		const text = `to,amount,token\n${EVE},4raw,${token}\n${BOB},2coin,\n${EVE},4raw,${token}\n`;
		const untried: Parameters<typeof answering>[0][string] = ({ data }) =>
			String(data).startsWith("a9059cbb")
				? new Failure("not_served", "no trials")
				: { result: { result: true }, constant_result: ["09".padStart(64, "0")] };
		const payer = (balance: bigint): Actor =>
			actor(balance, { freeNetLimit: 5_000n }, { triggerconstantcontract: untried });
		const more = { check: checkWithLimit };
		expect((await judge(text, payer(16_000_000n), more)).totals.fees?.energySun).toBe(14_000_000n);
		expect((await judge(text, payer(15_999_999n), more)).refused).toMatchObject([
			{ line: 4, failure: { code: "insufficient_funds" } },
		]);
	});

	test("less what a waiting payment of coins takes, which is no energy", async () => {
		const token = toBase58Check(fromHex(`41${"44".repeat(20)}`));
		const constant = {
			result: { result: true },
			constant_result: ["09".padStart(64, "0")],
			energy_used: 60_000n,
		};
		const payer = actor(
			9_000_000n,
			{ freeNetLimit: 5_000n, EnergyLimit: 60_000n },
			{ triggerconstantcontract: constant },
		);
		const { totals } = await judge(`to,amount,token\n${BOB},1coin,\n${BOB},5raw,${token}\n`, payer, {
			paidBefore: async ([first]: readonly (ReadPayment & { readonly plan: TransactionPlan })[]) =>
				new Map(first ? [[first.key, (await check(first.plan, undefined)).transaction]] : []),
		});
		expect(totals.fees?.energySun).toBe(0n);
	});

	test("without the fee of an account that an earlier run's payment has made by now", async () => {
		let isMade = false;
		const getaccount: Parameters<typeof answering>[0][string] = ({ address }) =>
			address === ANN ? { address, balance: 1_000_000n } : isMade ? { address: String(address) } : {};
		const { refused, totals } = await judge(
			`to,amount\n${EVE},9coin\n${EVE},1coin\n`,
			actor(1_000_000n, { freeNetLimit: 5_000n }, { getaccount }),
			{
				paidBefore: async ([first]: readonly ReadPayment[]) => {
					isMade = true;
					return new Map([[first?.key, undefined]]);
				},
			},
		);
		expect({ refused, fees: totals.fees?.totalSun, made: totals.newAccounts }).toEqual({
			refused: [],
			fees: 0n,
			made: [],
		});
	});

	test("of which an earlier run has paid a line whose recipient is a contract by now", async () => {
		const getaccount: Parameters<typeof answering>[0][string] = ({ address }) => ({
			address: String(address),
			balance: 9_000_000n,
			type: address === EVE ? "Contract" : "Normal",
		});
		const paying = (paid: number) =>
			judge(`to,amount\n${EVE},1coin\n${EVE},2coin\n`, actor(9_000_000n, {}, { getaccount }), {
				paidBefore: async (read: readonly ReadPayment[], unread: readonly unknown[]) => {
					expect(unread).toEqual([]);
					return new Map(read.slice(0, paid).map(({ key }) => [key, undefined]));
				},
			});
		expect((await paying(2)).refused).toEqual([]);
		expect((await paying(1)).refused).toMatchObject([
			{ line: 3, failure: { message: expect.stringContaining("the recipient is a contract") } },
		]);
	});

	test("with the fee of a new account where the line that would have made it can't be paid", async () => {
		const { refused, totals } = await judge(`to,amount\n${EVE},99coin\n${EVE},1coin\n`, actor(5_000_000n));
		expect(refused.map(({ line }) => line)).toEqual([2]);
		expect(totals.fees?.creationSun).toBe(1_000_000n);
	});

	test("is given up where the node doesn't answer", async () => {
		const broken = async () => {
			throw new Failure("timeout", "no answer");
		};
		await expect(
			judge(`to,amount\n${BOB},1coin\n`, actor(10_000_000n), { check: broken }),
		).rejects.toMatchObject({
			code: "timeout",
		});
	});
});

test("lines are named by their runs", () => {
	expect(linesText([2])).toBe("line 2");
	expect(linesText([2, 3, 4])).toBe("lines 2-4");
	expect(linesText([2, 4, 5, 9])).toBe("lines 2, 4-5 and 9");
});
