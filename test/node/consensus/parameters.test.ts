import { describe, expect, it } from "vitest";
import {
	chainParameter,
	chainParameters,
	reportChainParameters,
} from "../../../src/node/consensus/parameters.js";
import type { NetworkName } from "../../../src/node/rules/chain-rules.js";
import { ForkGates, forkTable, forkTableOf } from "../../../src/node/rules/fork-gates.js";
import type { Release } from "../../../src/node/rules/release.js";
import type { PropertyName } from "../../../src/node/state/property-table.js";
import type { StateView } from "../../../src/node/state/view.js";
import { GENESIS_MS, openState, rules, setHead } from "./chain-state.js";

function refusal(state: StateView, id: number, value: bigint): string | undefined {
	const parameter = chainParameter(BigInt(id));
	if (!parameter) throw new Error(`no parameter ${id}`);
	const { name, property } = parameter;
	const forks = new ForkGates(state, rules);
	for (const check of parameter.checks) {
		const text = check({ state, forks, name, property, value });
		if (text !== undefined) return text;
	}
	return undefined;
}

function apply(state: StateView, id: number, value: bigint, sinceMs = 0n): void {
	const parameter = chainParameter(BigInt(id));
	const forks = new ForkGates(state, rules);
	parameter?.apply({ state, forks, property: parameter.property, value, sinceMs });
}

/** A state on which every known version above the height gate and up to `last` has passed. */
async function openUpgraded(last = 38): Promise<StateView> {
	const state = await openState(1);
	setHead(state, 5n, GENESIS_MS + 3000n);
	for (const { version } of forkTable)
		if (version <= last) state.properties.setForkStatistics(version, Uint8Array.of(1));
	return state;
}

describe("the table of chain parameters", () => {
	it("has every number once", () => {
		const ids = chainParameters.flatMap(({ id }) => (id === undefined ? [] : [id]));
		expect(new Set(ids).size).toBe(ids.length);
		expect(chainParameters).toHaveLength(83);
	});

	it.each([27, 28, 34, 36, 37, 38, 42, 43, 50, 54, 58, 64, 80, 84, 86, 90, 91, 93, 100, 1000, -1])(
		"has no number %i",
		(id) => {
			expect(chainParameter(BigInt(id))).toBeUndefined();
		},
	);

	it("reports the target ratio in its proposed unit", async () => {
		const report = reportChainParameters(await openState(1), { ...rules, release: "4.8.0" });
		expect(report[0]).toEqual({ key: "getMaintenanceTimeInterval", value: 600_000n });
		expect(report.find(({ key }) => key === "getAdaptiveResourceLimitTargetRatio")?.value).toBe(10n);
		expect(report.at(-1)?.key).toBe("getAllowTvmBlob");
	});

	it("reports what each release knows, and what no release knows once it is set", async () => {
		const state = await openState(1);
		const after = (release: Release, network: NetworkName = "main"): readonly string[] => {
			const keys = reportChainParameters(state, { ...rules, release, network }).map(({ key }) => key);
			return keys.slice(keys.indexOf("getAllowTvmBlob") + 1);
		};
		const first = ["getAllowTvmSelfdestructRestriction", "getProposalExpireTime"];
		const second = [
			"getAllowTvmOsaka",
			"getAllowTvmPrague",
			"getAllowHardenResourceCalculation",
			"getAllowHardenExchangeCalculation",
		];
		expect(after("4.8.0")).toEqual([]);
		expect(after("4.8.1")).toEqual(first);
		expect(after("4.8.2")).toEqual([...first, ...second]);
		for (const name of ["ALLOW_OPTIMIZE_TVM_STORAGE", "ALLOW_ML_DSA_44"] as const)
			state.properties.set(name, 1n);
		expect(after("4.8.2")).toEqual([...first, ...second, "getAllowOptimizeTvmStorage"]);
		expect(after("4.8.2", "nile").slice(-2)).toEqual(["getAllowFnDsa512", "getAllowMlDsa44"]);
	});

	it("reports the fees of a development chain's own shielded pool while it is open", async () => {
		const state = await openState(1);
		const development = { slotMs: 1n } as never;
		const pool = (of: typeof rules = { ...rules, development }) =>
			reportChainParameters(state, of)
				.filter(({ key }) => key.includes("ShieldedTransaction"))
				.map(({ key, value }) => [key, value]);
		expect(pool()).toEqual([]);
		state.properties.set("ALLOW_SHIELDED_TRANSACTION", 1n);
		state.properties.set("SHIELDED_TRANSACTION_FEE", 7n);
		expect(pool()).toEqual([
			["getAllowShieldedTransaction", 1n],
			["getShieldedTransactionFee", 7n],
			["getShieldedTransactionCreateAccountFee", 1_000_000n],
		]);
		expect(pool(rules)).toEqual([]);
	});

	it.each([
		[0n, 259_200_000n],
		[1n, 1n],
		[31_536_002_999n, 31_536_002_999n],
		[31_536_003_000n, 259_200_000n],
	])("reports the life of proposals, stored %i, as %i", async (stored, reported) => {
		const state = await openState(1);
		state.properties.set("PROPOSAL_EXPIRE_TIME", stored);
		const report = reportChainParameters(state, rules);
		expect(report.find(({ key }) => key === "getProposalExpireTime")?.value).toBe(reported);
	});
});

describe("proposed values", () => {
	it.each([
		[17, "Bad chain parameter id"],
		[19, "Bad chain parameter id"],
		[20, "Bad chain parameter id: ALLOW_MULTI_SIGN"],
		[30, "Bad chain parameter id"],
		[39, "Bad chain parameter id [ALLOW_SHIELDED_ORC20_TRANSACTION]"],
		[49, "Bad chain parameter id [ALLOW_REMOVE_BLACKHOLE]"],
		[89, "Bad chain parameter id [ALLOW_TVM_BLOB]"],
	])("of number %i wait for their version", async (id, text) => {
		expect(refusal(await openState(1), id, 1n)).toBe(text);
	});

	it.each<[number, bigint, string | undefined]>([
		[0, 80_999n, "Bad chain parameter value, valid range is [3 * 27 * 1000,24 * 3600 * 1000]"],
		[0, 81_000n, undefined],
		[1, -1n, "Bad chain parameter value, valid range is [0,100000000000000000]"],
		[1, 10n ** 17n, undefined],
		[10, 2n, "This value[REMOVE_THE_POWER_OF_THE_GR] is only allowed to be 1"],
		[11, -(2n ** 63n), undefined],
		[13, 101n, "Bad chain parameter value, valid range is [10,100]"],
		[17, 1n, "Bad chain parameter id"],
		[
			18,
			1n,
			"[ALLOW_SAME_TOKEN_NAME] proposal must be approved before [ALLOW_TVM_TRANSFER_ORC10] can be proposed",
		],
		[24, 2n, "This value[ALLOW_PROTO_FILTER_NUM] is only allowed to be 1 or 0"],
		[45, -1n, "Market Transaction is not activated, can not set Market Sell Fee"],
		[47, -1n, "Bad MAX_FEE_LIMIT parameter value, value must not be negative"],
		[47, 10_000_000_001n, "Bad MAX_FEE_LIMIT parameter value, valid range is [0,10_000_000_000L]"],
		[52, 1n, "[ALLOW_DELEGATE_RESOURCE] proposal must be approved before [ALLOW_TVM_FREEZE] can be proposed"],
		[72, 0n, undefined],
		[
			72,
			1n,
			"[ALLOW_CHANGE_DELEGATION] proposal must be approved before [ALLOW_DYNAMIC_ENERGY] can be opened",
		],
		[
			78,
			86_400n,
			"This value[MAX_DELEGATE_LOCK_PERIOD] is only allowed to be greater than 86400 and less than or equal to 10512000 !",
		],
		[
			78,
			86_401n,
			"[UNFREEZE_DELAY_DAYS] proposal must be approved before [MAX_DELEGATE_LOCK_PERIOD] can be proposed",
		],
		[
			79,
			1n,
			"[ALLOW_NEW_REWARD] or [ALLOW_TVM_VOTE] proposal must be approved before [ALLOW_OLD_REWARD_OPT] can be proposed",
		],
	])("%i = %i is judged at once", async (id, value, text) => {
		expect(refusal(await openUpgraded(), id, value)).toBe(text);
	});

	const LIFE_TEXT =
		"This value[PROPOSAL_EXPIRE_TIME] is only allowed to be greater than 0 and less than 31536003000!";

	it.each<[number, bigint, string | undefined]>([
		[92, 0n, LIFE_TEXT],
		[92, 1n, undefined],
		[92, 31_536_002_999n, undefined],
		[92, 31_536_003_000n, LIFE_TEXT],
		[94, 0n, "This value[ALLOW_TVM_SELFDESTRUCT_RESTRICTION] is only allowed to be 1"],
		[94, 1n, undefined],
		[95, 2n, "[ALLOW_TVM_PRAGUE] requires [ALLOW_TVM_SHANGHAI] to be enacted first"],
		[96, 2n, "This value[ALLOW_TVM_OSAKA] is only allowed to be 1"],
		[97, 0n, "This value[ALLOW_HARDEN_RESOURCE_CALCULATION] is only allowed to be 1"],
		[98, 2n, "This value[ALLOW_HARDEN_EXCHANGE_CALCULATION] is only allowed to be 0 or 1"],
		[98, 0n, "[ALLOW_HARDEN_EXCHANGE_CALCULATION] has been set to 0, no need to propose again"],
		[98, 1n, undefined],
		[99, 3n, "This value[ALLOW_OPTIMIZE_TVM_STORAGE] is only allowed to be 1"],
		[99, 1n, undefined],
	])("%i = %i is judged at once after version 38", async (id, value, text) => {
		expect(refusal(await openUpgraded(), id, value)).toBe(text);
	});

	it.each([
		[92, "PROPOSAL_EXPIRE_TIME", 34],
		[94, "ALLOW_TVM_SELFDESTRUCT_RESTRICTION", 34],
		[95, "ALLOW_TVM_PRAGUE", 36],
		[96, "ALLOW_TVM_OSAKA", 36],
		[97, "ALLOW_HARDEN_RESOURCE_CALCULATION", 36],
		[98, "ALLOW_HARDEN_EXCHANGE_CALCULATION", 36],
		[99, "ALLOW_OPTIMIZE_TVM_STORAGE", 38],
	])("of number %i (%s) wait for version %i, whatever the value", async (id, name, version) => {
		const state = await openUpgraded(version - 1);
		state.properties.set("ALLOW_TVM_SHANGHAI", 1n);
		for (const value of [-1n, 1n]) expect(refusal(state, id, value)).toBe(`Bad chain parameter id [${name}]`);
		const next = await openUpgraded(version);
		next.properties.set("ALLOW_TVM_SHANGHAI", 1n);
		expect(refusal(next, id, 1n)).toBeUndefined();
	});

	it("of the order book's opening end with version 34", async () => {
		expect(refusal(await openUpgraded(33), 44, 1n)).toBeUndefined();
		const text = "Bad chain parameter id [ALLOW_MARKET_TRANSACTION]";
		expect(refusal(await openUpgraded(34), 44, 1n)).toBe(text);
		expect(refusal(await openUpgraded(18), 44, 1n)).toBe(text);
	});

	it.each<[PropertyName, bigint, number, bigint, string | undefined]>([
		[
			"ALLOW_TVM_SELFDESTRUCT_RESTRICTION",
			1n,
			94,
			0n,
			"[ALLOW_TVM_SELFDESTRUCT_RESTRICTION] has been valid, no need to propose again",
		],
		["ALLOW_TVM_PRAGUE", 1n, 95, 0n, "[ALLOW_TVM_PRAGUE] requires [ALLOW_TVM_SHANGHAI] to be enacted first"],
		["ALLOW_TVM_SHANGHAI", 1n, 95, 1n, undefined],
		["ALLOW_TVM_SHANGHAI", 1n, 95, 0n, "This value[ALLOW_TVM_PRAGUE] is only allowed to be 1"],
		["ALLOW_TVM_OSAKA", 1n, 96, 2n, "[ALLOW_TVM_OSAKA] has been valid, no need to propose again"],
		[
			"ALLOW_HARDEN_RESOURCE_CALCULATION",
			1n,
			97,
			0n,
			"[ALLOW_HARDEN_RESOURCE_CALCULATION] has been valid, no need to propose again",
		],
		[
			"ALLOW_HARDEN_EXCHANGE_CALCULATION",
			1n,
			98,
			1n,
			"[ALLOW_HARDEN_EXCHANGE_CALCULATION] has been set to 1, no need to propose again",
		],
		["ALLOW_HARDEN_EXCHANGE_CALCULATION", 1n, 98, 0n, undefined],
		["PROPOSAL_EXPIRE_TIME", 7n, 92, 7n, undefined],
		["ALLOW_HIGHER_LIMIT_FOR_MAX_CPU_TIME_OF_ONE_TX", 1n, 13, 400n, undefined],
		[
			"ALLOW_HIGHER_LIMIT_FOR_MAX_CPU_TIME_OF_ONE_TX",
			1n,
			13,
			401n,
			"Bad chain parameter value, valid range is [10,400]",
		],
		[
			"ALLOW_MARKET_TRANSACTION",
			1n,
			45,
			-1n,
			"Bad MARKET_SELL_FEE parameter value, valid range is [0,10_000_000_000L]",
		],
		["ALLOW_TVM_LONDON", 1n, 47, 10n ** 17n, undefined],
		[
			"ALLOW_TVM_LONDON",
			1n,
			47,
			10n ** 17n + 1n,
			"Bad chain parameter value, valid range is [0,100000000000000000]",
		],
		["ALLOW_NEW_REWARD", 1n, 67, 7n, "New reward has been valid."],
		["ALLOW_TVM_CANCUN", 1n, 83, 7n, "[ALLOW_TVM_CANCUN] has been valid, no need to propose again"],
		["ALLOW_TVM_LONDON", 1n, 63, 1n, undefined],
		[
			"REMOVE_THE_POWER_OF_THE_GR",
			-1n,
			10,
			2n,
			"This proposal has been executed before and is only allowed to be executed once",
		],
	])("with %s = %i, %i = %i is judged by it", async (name, stored, id, value, text) => {
		const state = await openUpgraded();
		state.properties.set(name, stored as never);
		expect(refusal(state, id, value)).toBe(text);
	});
});

describe("on Nile", () => {
	const nile = { ...rules, network: "nile" } as const;

	async function openNile(last: number): Promise<{ state: StateView; forks: ForkGates }> {
		const state = await openState(1);
		setHead(state, 5n, GENESIS_MS + 3000n);
		for (const { version } of forkTableOf(nile)) {
			if (version <= last) state.properties.setForkStatistics(version, Uint8Array.of(1));
		}
		return { state, forks: new ForkGates(state, nile) };
	}

	async function nileRefusal(last: number, id: bigint, value: bigint): Promise<string | undefined> {
		const { name, property, checks } = chainParameter(id, "nile") ?? { checks: [] };
		const { state, forks } = await openNile(last);
		if (name === undefined || property === undefined) return "unknown";
		for (const check of checks) {
			const text = check({ state, forks, name, property, value });
			if (text !== undefined) return text;
		}
		return undefined;
	}

	it.each<[number, bigint, bigint, string | undefined]>([
		[32, 44n, 0n, "This value[ALLOW_MARKET_TRANSACTION] is only allowed to be 1"],
		[18, 44n, 1n, "Bad chain parameter id [ALLOW_MARKET_TRANSACTION]"],
		[33, 44n, 0n, undefined],
		[33, 44n, 1n, undefined],
		[33, 44n, 2n, "This value[ALLOW_MARKET_TRANSACTION] is only allowed to be 1"],
		[32, 94n, 1n, "Bad chain parameter id [ALLOW_TVM_SELFDESTRUCT_RESTRICTION]"],
		[33, 94n, 1n, undefined],
		[36, 1000n, 1n, "Bad chain parameter id [ALLOW_FN_DSA_512]"],
		[37, 1000n, 1n, undefined],
		[37, 1000n, 0n, "[ALLOW_FN_DSA_512] has been set to 0, no need to propose again"],
		[37, 1001n, 1n, undefined],
		[37, 1001n, 2n, "This value[ALLOW_ML_DSA_44] is only allowed to be 0 or 1"],
		[37, 99n, 1n, "unknown"],
	])("after version %i, %i = %i is judged by its own table", async (last, id, value, text) => {
		expect(await nileRefusal(last, id, value)).toBe(text);
	});

	it("the order book stays closed, whatever is approved", async () => {
		const { state, forks } = await openNile(33);
		const parameter = chainParameter(44n, "nile");
		for (const value of [1n, 0n, 1n]) {
			parameter?.apply({ state, forks, property: parameter.property, value, sinceMs: 0n });
			expect(state.properties.get("ALLOW_MARKET_TRANSACTION")).toBe(0n);
		}
	});
});

describe("approved values", () => {
	it("append to their price history from the proposal's expiration on", async () => {
		const state = await openUpgraded();
		apply(state, 11, 420n, 1700n);
		apply(state, 3, 1000n, 1700n);
		apply(state, 68, 5n, 1700n);
		expect(state.properties.get("ENERGY_FEE")).toBe(420n);
		expect(state.properties.get("ENERGY_PRICE_HISTORY")).toBe("0:100,1700:420");
		expect(state.properties.get("BANDWIDTH_PRICE_HISTORY")).toBe("0:10,1700:1000");
		expect(state.properties.get("MEMO_FEE_HISTORY")).toBe("0:0,1700:5");
	});

	it.each([
		[26, 1n, [48]],
		[30, 0n, [49]],
		[44, 1n, [52, 53]],
		[70, 14n, [54, 55, 56, 57, 58]],
		[77, 1n, [59]],
	])("of number %i open their transaction types", async (id, value, bits) => {
		const state = await openUpgraded();
		const before = state.properties.get("ACTIVE_DEFAULT_OPERATIONS");
		apply(state, id, value);
		const after = state.properties.get("ACTIVE_DEFAULT_OPERATIONS");
		const added: number[] = [];
		for (let i = 0; i < 256; i++) {
			const at = (mask: Uint8Array) => ((mask[i >> 3] as number) >> (i & 7)) & 1;
			if (at(after) !== at(before)) added.push(i);
		}
		expect(added).toEqual(bits);
	});

	it("of the total energy limit move the target, and the current limit only while it isn't adaptive", async () => {
		const state = await openUpgraded();
		apply(state, 19, 90_000_000_000n);
		expect(state.properties.get("TOTAL_ENERGY_LIMIT")).toBe(90_000_000_000n);
		expect(state.properties.get("TOTAL_ENERGY_TARGET_LIMIT")).toBe(6_250_000n);
		expect(state.properties.get("TOTAL_ENERGY_CURRENT_LIMIT")).toBe(90_000_000_000n);
		state.properties.set("ALLOW_ADAPTIVE_ENERGY", 1n);
		apply(state, 19, 100_000_000_000n);
		expect(state.properties.get("TOTAL_ENERGY_CURRENT_LIMIT")).toBe(90_000_000_000n);
	});

	it("of the adaptive limit retarget once, and only since version 9", async () => {
		const old = await openState(1);
		apply(old, 21, 1n);
		expect(old.properties.get("ADAPTIVE_RESOURCE_LIMIT_TARGET_RATIO")).toBe(14_400n);
		const state = await openUpgraded();
		apply(state, 21, 1n);
		expect(state.properties.get("ADAPTIVE_RESOURCE_LIMIT_TARGET_RATIO")).toBe(2880n);
		expect(state.properties.get("TOTAL_ENERGY_TARGET_LIMIT")).toBe(17_361_111n);
		expect(state.properties.get("ADAPTIVE_RESOURCE_LIMIT_MULTIPLIER")).toBe(50n);
		apply(state, 33, 20n);
		apply(state, 21, 1n);
		expect(state.properties.get("ADAPTIVE_RESOURCE_LIMIT_TARGET_RATIO")).toBe(28_800n);
	});

	it("fix the effective cycle of the new rewards once", async () => {
		const state = await openUpgraded();
		state.properties.set("CURRENT_CYCLE_NUMBER", 7n);
		apply(state, 59, 1n);
		state.properties.set("CURRENT_CYCLE_NUMBER", 9n);
		apply(state, 67, 1n);
		expect(state.properties.get("NEW_REWARD_ALGORITHM_EFFECTIVE_CYCLE")).toBe(8n);
		expect(state.properties.get("ALLOW_NEW_REWARD")).toBe(1n);
	});

	it("to remove the genesis power are stored only the first time", async () => {
		const state = await openUpgraded();
		state.properties.set("REMOVE_THE_POWER_OF_THE_GR", -1n);
		apply(state, 10, 1n);
		expect(state.properties.get("REMOVE_THE_POWER_OF_THE_GR")).toBe(-1n);
	});
});
