import { expect, test } from "vitest";
import { fromHex } from "../../../src/protocol/bytes.js";
import type { JsonRecord } from "../../../src/wallet/json.js";
import type { ContractCall } from "../../../src/wallet/node/constant-call.js";
import type { NodeClient } from "../../../src/wallet/node/node-client.js";
import { feeLimitOf } from "../../../src/wallet/values/fee-limit.js";
import { answering } from "../answering-client.js";

const CALL: ContractCall = {
	owner: new Uint8Array(21),
	contract: new Uint8Array(21),
	data: new Uint8Array(4),
};

const RICH = 1_000_000_000n;

/** Who deployed the contract. */
const ORIGIN = `41${"22".repeat(20)}`;

interface Means {
	readonly balance?: bigint;
	readonly staked?: bigint;
	readonly originStaked?: bigint;
}

const node = (
	energy: bigint,
	settings: object,
	record: JsonRecord = {},
	{ balance = RICH, staked = 0n, originStaked = RICH }: Means = {},
) =>
	answering(
		{
			getaccount: ({ address }) => ({ address: String(address), balance }),
			getaccountresource: ({ address }) => ({ EnergyLimit: address === ORIGIN ? originStaked : staked }),
			triggerconstantcontract: { energy_used: energy },
			getchainparameters: { chainParameter: [{ key: "getEnergyFee", value: 100n }] },
			getcontract: record,
		},
		{ feeLimit: "auto", maxFeeLimitSun: 1_000_000n, ...settings },
	).client;

test("a fee limit is an amount, or the estimate and a quarter more, rounded up, at most the configured one", async () => {
	const limit = async (feeLimit: string | undefined, client: NodeClient) =>
		(await feeLimitOf({ feeLimit }, client, CALL)).feeLimitSun;
	expect(await limit("2coin", node(7n, {}))).toBe(2_000_000n);
	expect(await limit(undefined, node(0n, { feeLimit: "3sun" }))).toBe(3n);
	expect(await limit(undefined, node(1_000n, {}))).toBe(125_000n);
	expect(await limit("auto", node(7n, {}))).toBe(900n);
	expect(await limit("auto", node(100_000n, {}))).toBe(1_000_000n);
	await expect(feeLimitOf({ feeLimit: "auto" }, node(7n, {}), undefined)).rejects.toMatchObject({
		code: "usage",
	});
});

/** A node that estimates and simulates: a call needs so much energy. @param needed undefined: it simulates nothing */
function estimating(used: bigint, estimate: bigint, needed?: bigint, means: Means = {}): NodeClient {
	const { balance = RICH } = means;
	const { client } = answering(
		{
			getaccount: ({ address }) => ({ address: String(address), balance }),
			getaccountresource: {},
			triggerconstantcontract: { energy_used: used },
			estimateenergy: { energy_required: estimate },
			getchainparameters: { chainParameter: [{ key: "getEnergyFee", value: 100n }] },
			getcontract: { origin_address: "41".padEnd(42, "0") },
		},
		{ feeLimit: "auto", maxFeeLimitSun: 1_000_000n, http: "http://127.0.0.1:9090" },
	);
	const send = async ({ body }: { readonly body: string }) => {
		const [, limit] = /"fee_limit":"?(\d+)/.exec(body) ?? [];
		const covered = BigInt(limit ?? 0) < balance ? BigInt(limit ?? 0) : balance;
		const status = needed !== undefined && covered >= needed * 100n ? "success" : "failed";
		const result = [{ transactions: [{ status }] }];
		const answer = needed === undefined ? { error: { code: -32601, message: "" } } : { result };
		return { status: 200, body: Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, ...answer })) };
	};
	return Object.assign(client, { send });
}

test("a limit between what a call used and the node's estimate is judged by a trial under it", async () => {
	const limited = (client: NodeClient, feeLimit = "60000sun") => feeLimitOf({ feeLimit }, client, CALL);
	expect(await limited(estimating(579n, 1_158n, 579n))).toEqual({ feeLimitSun: 60_000n, energy: 579n });
	const tooLow = { code: "fee_limit_too_low", message: expect.stringContaining("needs up to 1158 energy") };
	await expect(limited(estimating(579n, 1_158n, 1_000n))).rejects.toMatchObject(tooLow);
	await expect(limited(estimating(579n, 1_158n, 579n), "57899sun")).rejects.toMatchObject({
		message: expect.stringContaining("needs about 579 energy"),
	});
	// Without a simulation: the estimate counts only where the node has seen twice the energy fail.
	expect(await limited(estimating(579n, 1_158n))).toEqual({ feeLimitSun: 60_000n, energy: 579n });
	await expect(limited(estimating(579n, 1_159n))).rejects.toMatchObject({ code: "fee_limit_too_low" });
});

test("a balance between what a call used and the node's estimate is judged by a trial, too", async () => {
	const paid = (needed: bigint) =>
		feeLimitOf({ feeLimit: "1coin" }, estimating(579n, 1_158n, needed, { balance: 60_000n }), CALL);
	expect(await paid(579n)).toEqual({ feeLimitSun: 1_000_000n, energy: 579n });
	await expect(paid(1_000n)).rejects.toMatchObject({ code: "insufficient_funds" });
});

test("auto is a quarter more than what a call used where a trial succeeds with that, else than the node's estimate", async () => {
	const limit = async (client: NodeClient) =>
		(await feeLimitOf({ feeLimit: "auto" }, client, CALL)).feeLimitSun;
	expect(await limit(estimating(800n, 1_600n, 800n))).toBe(100_000n);
	expect(await limit(estimating(800n, 1_600n, 1_100n))).toBe(200_000n);
	expect(await limit(estimating(800n, 1_600n))).toBe(200_000n);
	expect(await limit(estimating(800n, 1_000n))).toBe(100_000n);
});

test("a call is tried also where the limit is given, unless it is forced", async () => {
	const { client } = answering(
		{
			triggerconstantcontract: {
				result: { code: "CONTRACT_EXE_ERROR", message: "524556455254206f70636f6465" },
			},
		},
		{ feeLimit: "auto" },
	);
	await expect(feeLimitOf({ feeLimit: "2coin" }, client, CALL)).rejects.toMatchObject({
		facts: { hint: expect.stringContaining("--force") },
	});
	expect(await feeLimitOf({ feeLimit: "2coin", force: true }, client, CALL)).toEqual({
		feeLimitSun: 2_000_000n,
	});
	await expect(feeLimitOf({ force: true }, client, CALL)).rejects.toMatchObject({ code: "usage" });
	const mute = answering({}, { feeLimit: "auto" }).client;
	expect(await feeLimitOf({ feeLimit: "2coin" }, mute, CALL)).toEqual({ feeLimitSun: 2_000_000n });
});

test("a limit below what the caller pays is refused; what the contract's owner pays doesn't count", async () => {
	const record = (percent: bigint) => ({
		origin_address: ORIGIN,
		consume_user_resource_percent: percent,
	});
	const limited = (percent: bigint, owner = CALL.owner) =>
		feeLimitOf({ feeLimit: "50000sun" }, node(1_000n, {}, record(percent)), { ...CALL, owner });
	await expect(limited(100n)).rejects.toMatchObject({ code: "fee_limit_too_low" });
	await expect(limited(51n)).rejects.toMatchObject({ code: "fee_limit_too_low" });
	expect(await limited(50n)).toEqual({ feeLimitSun: 50_000n, energy: 1_000n });
	await expect(limited(50n, fromHex(ORIGIN))).rejects.toMatchObject({
		code: "fee_limit_too_low",
	});
});

test("a limit is judged by what the call uses, also where the node's estimate is more", async () => {
	const served = (feeLimit: string | undefined, balance = RICH) => {
		const { client } = answering(
			{
				getaccount: ({ address }) => ({ address: String(address), balance }),
				getaccountresource: { EnergyLimit: 0n },
				triggerconstantcontract: { energy_used: 5_790n },
				estimateenergy: { energy_required: 11_580n },
				getchainparameters: { chainParameter: [{ key: "getEnergyFee", value: 100n }] },
				getcontract: { origin_address: ORIGIN, consume_user_resource_percent: 100n },
			},
			{ feeLimit: "auto", maxFeeLimitSun: 10_000_000n },
		);
		return feeLimitOf({ feeLimit }, client, CALL);
	};
	expect(await served("0.579coin")).toEqual({ feeLimitSun: 579_000n, energy: 5_790n });
	await expect(served("0.5789coin")).rejects.toMatchObject({ code: "fee_limit_too_low" });
	expect(await served(undefined, 579_000n)).toEqual({ feeLimitSun: 1_447_500n, energy: 5_790n });
	await expect(served(undefined, 578_999n)).rejects.toMatchObject({ code: "insufficient_funds" });
});

test("a call that the account can't pay for is refused: stake and what the contract's owner pays count", async () => {
	const record = { origin_address: ORIGIN, consume_user_resource_percent: 50n };
	const paid = (balance: bigint, staked = 0n, valueSun = 0n) =>
		feeLimitOf({ feeLimit: "1coin" }, node(1_000n, {}, record, { balance, staked }), { ...CALL, valueSun });
	const refused = {
		code: "insufficient_funds",
		message: expect.stringContaining("needs about 500 energy beyond what stake covers, which costs 0.05coin"),
		facts: { hint: expect.stringContaining("--force") },
	};
	await expect(paid(49_999n)).rejects.toMatchObject(refused);
	await expect(paid(50_009n, 0n, 10n)).rejects.toMatchObject(refused);
	expect(await paid(50_000n)).toEqual({ feeLimitSun: 1_000_000n, energy: 1_000n });
	expect(await paid(40_000n, 100n)).toEqual({ feeLimitSun: 1_000_000n, energy: 1_000n });
	expect(await paid(0n, 500n)).toEqual({ feeLimitSun: 1_000_000n, energy: 1_000n });
});

test("what the contract's owner has no energy for, or doesn't allow, is the caller's", async () => {
	const record = (limit?: bigint) => ({
		origin_address: ORIGIN,
		consume_user_resource_percent: 0n,
		...(limit === undefined ? {} : { origin_energy_limit: limit }),
	});
	const limited = (feeLimit: string, originStaked: bigint, limit?: bigint) =>
		feeLimitOf({ feeLimit }, node(1_000n, {}, record(limit), { originStaked }), CALL);
	expect(await limited("0sun", 1_000n)).toEqual({ feeLimitSun: 0n, energy: 1_000n });
	await expect(limited("0sun", 999n)).rejects.toMatchObject({ code: "fee_limit_too_low" });
	expect(await limited("100sun", 999n)).toEqual({ feeLimitSun: 100n, energy: 1_000n });
	await expect(limited("59900sun", 1_000n, 400n)).rejects.toMatchObject({
		code: "fee_limit_too_low",
		message: expect.stringContaining("1000 energy, 0.06coin of it from the caller"),
	});
	const poor = node(1_000n, {}, record(), { balance: 99_999n, originStaked: 0n });
	await expect(feeLimitOf({ feeLimit: "1coin" }, poor, CALL)).rejects.toMatchObject({
		code: "insufficient_funds",
	});
});
