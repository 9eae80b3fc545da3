import { describe, expect, test } from "vitest";
import { toBase58Check } from "../../../src/protocol/address.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { contractType } from "../../../src/protocol/contract-types.js";
import { Account, Key, Permission, TransferContract } from "../../../src/protocol/messages.js";
import { buildTransaction } from "../../../src/protocol/transaction.js";
import type { Actor } from "../../../src/wallet/actions/plan.js";
import {
	type ResolvedTransfer,
	type TransferOptions,
	transferPlan,
} from "../../../src/wallet/actions/transfer.js";
import { answering } from "../answering-client.js";

const [ANN, BOB] = ["11", "22"].map((byte) => fromHex(`41${byte.repeat(20)}`)) as [Uint8Array, Uint8Array];

const HEADER = {
	refBlockBytes: new Uint8Array(2),
	refBlockHash: new Uint8Array(8),
	expirationMs: 1n,
	timestampMs: 1n,
};

const settings = { tokens: {}, contactsFile: "/nowhere/contacts", profile: "test" };
const { client } = answering(
	{ getassetissuebyid: { id: "1000001", precision: 2n, name: "476f6c64" } },
	settings,
);
const actor = {
	settings,
	client,
	owner: ANN,
	account: Account.create({ address: ANN, balance: 7_000_000n, assetV2: new Map([["1000001", 250n]]) }),
} as unknown as Actor;

const plan = (transfer: Partial<ResolvedTransfer>, options?: TransferOptions) =>
	transferPlan(
		actor,
		{ to: "bob", amount: "2coin", recipient: BOB, creates: false, isContract: false, ...transfer },
		options,
	);

describe("the plan of a payment", () => {
	test("is a transfer of coins, with what a person confirms", async () => {
		expect(await plan({ creates: true })).toMatchObject({
			type: { name: "TransferContract" },
			parameter: { owner_address: ANN, to_address: BOB, amount: 2_000_000n },
			creates: true,
			details: ["  amount      2coin"],
		});
	});

	test.each([undefined, "1000001"])("takes no number of a program without types, token %s", async (token) => {
		for (const amount of [5n, 5])
			await expect(plan({ amount: amount as unknown as string, token })).rejects.toMatchObject({
				code: "amount_unit",
				message: '5 has no unit: an amount is a text, such as "5coin"',
			});
	});

	test("of everything leaves the fee for signatures that others make", async () => {
		const builder = ({ to_address, amount }: Readonly<Record<string, unknown>>) => {
			const parameter = TransferContract.create({
				owner_address: ANN,
				to_address: fromHex(String(to_address)),
				amount: amount as bigint,
			});
			const built = buildTransaction(contractType("TransferContract"), parameter, HEADER);
			return { raw_data_hex: toHex(built.rawBytes) };
		};
		const everything = { to: "bob", amount: "max", recipient: BOB, creates: false, isContract: false };
		const parameters = [{ key: "getMultiSignFee", value: 1_000_000n }];
		const { client } = answering(
			{
				createtransaction: builder,
				getnowblock: { block_header: { raw_data: { timestamp: HEADER.timestampMs } } },
				getblockbynum: {},
				getaccountresource: { freeNetLimit: 5_000n },
				getchainparameters: { chainParameter: parameters },
			},
			settings,
		);
		const amount = async (threshold: bigint) => {
			const keys = [ANN, BOB].map((address) => Key.create({ address, weight: 1n }));
			const owner_permission = Permission.create({ threshold, keys });
			const account = Account.create({ ...actor.account, owner_permission });
			const { parameter } = await transferPlan({ ...actor, client, account }, everything);
			return (parameter as TransferContract).amount;
		};
		expect(await amount(1n)).toBe(7_000_000n);
		expect(await amount(2n)).toBe(6_000_000n);
	});

	test("goes to a contract only if that is forced", async () => {
		expect(await plan({ isContract: true }, { force: true })).toMatchObject({
			parameter: { to_address: BOB },
			details: [expect.stringContaining("amount"), expect.stringContaining("recipient   a contract")],
		});
	});

	test("has a remark where tokens go to a contract, which may have no way to pay them out", async () => {
		const word = `${"0".repeat(62)}12`;
		const { client } = answering({
			triggerconstantcontract: { result: { result: true }, constant_result: [word] },
		});
		const orc20 = async (isContract: boolean, force = false) => {
			const transfer = { to: "bob", amount: "5raw", token: toBase58Check(fromHex(`41${"33".repeat(20)}`)) };
			const to = { ...transfer, recipient: BOB, creates: false, isContract };
			return await transferPlan({ ...actor, client }, to, { isUntried: true, force });
		};
		expect(await orc20(true)).toMatchObject({
			doubt: `goes to the contract ${toBase58Check(BOB)}: unless its code pays them out, the tokens stay there for good`,
		});
		expect(await orc20(false)).not.toHaveProperty("doubt");
		expect(await orc20(true, true)).not.toHaveProperty("doubt");
	});

	test("is a transfer of a token in its decimals, or of all that the account has of it", async () => {
		const token = "1000001";
		expect(await plan({ token, amount: "1.5" })).toMatchObject({
			type: { name: "TransferAssetContract" },
			parameter: { amount: 150n },
		});
		// How many smallest units 1.5 is, is the node's word, unless it is stated.
		const trusting = [{ token, decimals: 2, text: "1.5", units: 150n }];
		expect(await plan({ token, amount: "1.5" })).toMatchObject({ nodesWord: trusting });
		expect(await plan({ token, amount: "1.5" }, { decimals: 2 })).toMatchObject({ nodesWord: [] });
		expect(await plan({ token, amount: "150raw" })).toMatchObject({ nodesWord: [] });
		await expect(plan({ token, amount: "1.5" }, { decimals: 1 })).rejects.toThrow("has 2 decimals, not 1");
		expect(await plan({ token, amount: "max" })).toMatchObject({ parameter: { amount: 250n } });
	});

	test.each<[what: string, transfer: Partial<ResolvedTransfer>, options: TransferOptions, code: string]>([
		["to oneself", { recipient: ANN }, {}, "bad_value"],
		["of nothing", { amount: "0coin" }, {}, "bad_value"],
		["without a unit", { amount: "5" }, {}, "amount_unit"],
		["of everything without a node", { amount: "max" }, { offline: true }, "conflicting_flags"],
		["of a token to its own contract", { token: toBase58Check(BOB) }, {}, "bad_value"],
		["of coins to a contract", { isContract: true }, {}, "bad_value"],
		["of a token to a contract", { token: "1000001", amount: "1", isContract: true }, {}, "bad_value"],
		["of a name without a node", { token: "GOLD" }, { offline: true }, "usage"],
	])("is refused: %s", async (_, transfer, options, code) => {
		await expect(plan(transfer, options)).rejects.toMatchObject({ code });
	});
});
