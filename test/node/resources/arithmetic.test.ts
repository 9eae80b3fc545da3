import { beforeEach, describe, expect, it } from "vitest";
import { updateAdaptiveEnergy } from "../../../src/node/resources/adaptive-energy.js";
import { stakedEnergyLeft } from "../../../src/node/resources/energy.js";
import { resourceLimit } from "../../../src/node/resources/stake.js";
import {
	accountIncrease,
	fineWindow,
	increase,
	mergeUsage,
	windowSlots,
} from "../../../src/node/resources/window.js";
import type { Properties } from "../../../src/node/state/properties.js";
import { OverflowError } from "../../../src/protocol/int64.js";
import { Account, AccountFreezeV2, ResourceCode } from "../../../src/protocol/messages.js";
import { openState } from "../consensus/chain-state.js";

const MAX = 2n ** 63n - 1n;
const TOO_LONG = new OverflowError("BigInteger out of long range");

let properties: Properties;
beforeEach(async () => {
	const state = await openState(0);
	({ properties } = state);
});

const harden = (on: boolean): void => properties.set("ALLOW_HARDEN_RESOURCE_CALCULATION", on ? 1n : 0n);

describe("usage over a window", () => {
	// A million times the usage leaves 64 bits from 9_223_372_036_855 on.
	it.each([
		["just fits", 9_223_372_036_854n],
		["just doesn't", 9_223_372_036_855n],
		["is far beyond", 10n ** 16n],
	])("where its product with a million %s", (_what, use) => {
		const wrapped = BigInt.asIntN(64, use * 1_000_000n);
		harden(false);
		expect(increase(properties, 0n, use, 5n, 5n, 1n)).toBe(wrapped / 1_000_000n);
		harden(true);
		// The average itself has to fit.
		if (wrapped / 1_000_000n === use) expect(increase(properties, 0n, use, 5n, 5n, 1n)).toBe(use);
		else expect(() => increase(properties, 0n, use, 5n, 5n, 1n)).toThrow(TOO_LONG);
		expect(increase(properties, 0n, use, 5n, 5n, 28_800n)).toBe(
			(((use * 1_000_000n + 28_799n) / 28_800n) * 28_800n) / 1_000_000n,
		);
	});

	it.each([1n, 20n, 28_800n])("of %i slots rounds averages up", (window) => {
		for (const on of [false, true]) {
			harden(on);
			for (const use of [0n, 1n, 7n, 28_799n, 1_000_000n]) {
				const average = (use * 1_000_000n + window - 1n) / window;
				expect(increase(properties, 0n, use, 5n, 5n, window)).toBe((average * window) / 1_000_000n);
			}
		}
	});

	it("can be exact and still not fit", () => {
		harden(true);
		expect(() => increase(properties, MAX, MAX, 5n, 5n, 1n)).toThrow(TOO_LONG);
		expect(() => increase(properties, 0n, MAX, 5n, 5n, 1n)).toThrow(TOO_LONG);
		harden(false);
		expect(() => increase(properties, MAX, MAX, 5n, 5n, 1n)).not.toThrow();
	});
});

describe("the window of an account that uses more than 64 bits can weigh", () => {
	const LAST = 10n ** 15n;
	const USE = 2n * 10n ** 15n;

	it.each([true, false])("moves by exact sums with #97, fine: %s", (fine) => {
		properties.set("UNFREEZE_DELAY_DAYS", 14n);
		properties.set("ALLOW_CANCEL_ALL_UNFREEZE_V2", fine ? 1n : 0n);
		harden(true);
		const account = Account.create({});
		const usage = accountIncrease(properties, account, "bandwidth", LAST, USE, 100n, 100n);
		const average = (amount: bigint): bigint => (amount * 1_000_000n + 28_799n) / 28_800n;
		expect(usage).toBe(((average(LAST) + average(USE)) * 28_800n) / 1_000_000n);
		expect(windowSlots(account, "bandwidth")).toBe(28_800n);
		harden(false);
		const wrapped = accountIncrease(properties, Account.create({}), "bandwidth", LAST, USE, 100n, 100n);
		expect(wrapped).not.toBe(usage);
	});

	it("is merged with an undelegated one's, rounded up once", () => {
		properties.set("UNFREEZE_DELAY_DAYS", 14n);
		properties.set("ALLOW_CANCEL_ALL_UNFREEZE_V2", 1n);
		harden(true);
		const owner = Account.create({
			net_usage: LAST,
			latest_consume_time: 7n,
			net_window_size: 20_000_000n,
			net_window_optimized: true,
		});
		const receiver = Account.create({ net_window_size: 10_000_001n, net_window_optimized: true });
		const kept = Account.copy(owner);
		const own = accountIncrease(properties, kept, "bandwidth", LAST, 0n, 7n, 7n);
		const total = own + USE;
		const area = own * fineWindow(kept, "bandwidth") + USE * 10_000_001n;
		mergeUsage(properties, owner, receiver, USE, "bandwidth", 7n);
		expect(owner.net_usage).toBe(total);
		expect(area).toBeGreaterThan(MAX);
		expect(fineWindow(owner, "bandwidth")).toBe((area + total - 1n) / total);
	});
});

describe("the limit of a stake", () => {
	const stake = (amount: bigint): Account =>
		Account.create({
			frozenV2: [AccountFreezeV2.create({ type: ResourceCode.ENERGY, amount })],
		});

	it.each([
		[0n, false, 9_007_199_254_740_992n],
		[0n, true, 9_007_199_254_740_993n],
		[14n, false, 9_007_199_254_740_992n],
		[14n, true, 9_007_199_254_740_993n],
	])("above 2^53, with a delay of %i days and #97 %s, is %i", (days, on, limit) => {
		properties.set("UNFREEZE_DELAY_DAYS", days);
		properties.set("TOTAL_ENERGY_CURRENT_LIMIT", 9_007_199_254_740_993n);
		properties.set("TOTAL_ENERGY_WEIGHT", 1n);
		harden(on);
		const account = stake(1_000_000n);
		expect(resourceLimit(properties, account, "energy")).toBe(limit);
		expect(stakedEnergyLeft(properties, account)).toBe(limit);
	});

	it.each([true, false])("of a fraction of a coin, with #97: %s", (on) => {
		harden(on);
		properties.set("TOTAL_ENERGY_CURRENT_LIMIT", 3_000_000n);
		properties.set("TOTAL_ENERGY_WEIGHT", 2n);
		const account = stake(1_999_999n);
		// Without the delay, and for executions always, whole coins count: 3,000,000 / 2.
		expect(resourceLimit(properties, account, "energy")).toBe(1_500_000n);
		expect(stakedEnergyLeft(properties, account)).toBe(1_500_000n);
		properties.set("UNFREEZE_DELAY_DAYS", 14n);
		expect(resourceLimit(properties, account, "energy")).toBe(2_999_998n);
		expect(stakedEnergyLeft(properties, account)).toBe(1_500_000n);
	});

	it("that leaves 64 bits saturates, and with #97 is an error", () => {
		properties.set("TOTAL_ENERGY_CURRENT_LIMIT", MAX);
		properties.set("TOTAL_ENERGY_WEIGHT", 1n);
		const account = stake(2_000_000n);
		expect(resourceLimit(properties, account, "energy")).toBe(MAX);
		harden(true);
		expect(() => resourceLimit(properties, account, "energy")).toThrow(TOO_LONG);
		expect(() => stakedEnergyLeft(properties, account)).toThrow(TOO_LONG);
	});
});

describe("the adaptive limit", () => {
	const update = (limit: bigint, current: bigint, used: bigint): bigint => {
		properties.set("ALLOW_ADAPTIVE_ENERGY", 1n);
		properties.set("TOTAL_ENERGY_LIMIT", limit);
		properties.set("TOTAL_ENERGY_CURRENT_LIMIT", current);
		properties.set("TOTAL_ENERGY_TARGET_LIMIT", 0n);
		properties.set("BLOCK_ENERGY_USAGE", used);
		updateAdaptiveEnergy(properties);
		return properties.get("TOTAL_ENERGY_CURRENT_LIMIT");
	};

	it("grows and shrinks exactly near 10^16", () => {
		const limit = 9_000_000_000_000_000n;
		const current = 9_345_180_670_990_659n;
		harden(true);
		expect(update(limit, current, 0n)).toBe((current * 1000n) / 999n);
		expect(update(limit, current, 20n)).toBe((current * 99n) / 100n);
		// Without #97 the product wraps, and the ceiling too.
		harden(false);
		expect(update(limit, current, 0n)).not.toBe((current * 1000n) / 999n);
	});

	it("ends the chain where its ceiling leaves 64 bits", () => {
		harden(true);
		expect(update(9_123_456_789_012_345n, 9_123_456_789_012_345n, 0n)).toBe(9_132_589_378_390_735n);
		expect(() => update(12_345_678_901_234_567n, 12_345_678_901_234_567n, 0n)).toThrow(TOO_LONG);
	});
});
