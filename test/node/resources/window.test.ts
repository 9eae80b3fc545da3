import { beforeEach, describe, expect, test } from "vitest";
import {
	accountIncrease,
	fineWindow,
	increase,
	mergeUsage,
	recovery,
	windowSlots,
} from "../../../src/node/resources/window.js";
import type { Properties } from "../../../src/node/state/properties.js";
import type { StateView } from "../../../src/node/state/view.js";
import { Account, AccountAccountResource } from "../../../src/protocol/messages.js";
import { openState } from "../consensus/chain-state.js";

const WINDOW = 28_800n;

let state: StateView;
let properties: Properties;
beforeEach(async () => {
	state = await openState(0);
	({ properties } = state);
});

/** Switches staking V2 on, and fine windows if asked. */
function openStaking(fine: boolean): void {
	state.properties.set("UNFREEZE_DELAY_DAYS", 14n);
	state.properties.set("ALLOW_CANCEL_ALL_UNFREEZE_V2", fine ? 1n : 0n);
}

describe("a fixed window", () => {
	test.each([
		[0n, 300n, 0n, 1000n, 300n],
		[300n, 0n, 1000n, 15400n, 150n],
		[300n, 270n, 1000n, 15400n, 420n],
		[300n, 0n, 1000n, 29799n, 0n],
		[300n, 0n, 1000n, 29800n, 0n],
		[345n, 0n, 100n, 101n, 345n],
		[345n, 0n, 100n, 107n, 344n],
		[1000000n, 0n, 0n, 1n, 999965n],
		[1000000n, 0n, 0n, 100n, 996527n],
		[1000000n, 0n, 0n, 28799n, 34n],
		[99999n, 12345n, 777n, 9999n, 80323n],
	])("usage %d plus %d, last at slot %d, is at slot %d: %d", (last, use, lastSlot, now, expected) => {
		expect(increase(properties, last, use, lastSlot, now)).toBe(expected);
	});

	test("may be as short as the one that averages energy", () => {
		expect(increase(properties, 6000000n, 500000n, 100n, 101n, 20n)).toBe(6200000n);
		expect(increase(properties, 6000000n, 500000n, 100n, 121n, 20n)).toBe(500000n);
	});
});

describe("the window of an account", () => {
	test.each([
		[0n, false, 28800n, 28800000n],
		[0n, true, 28800n, 28800000n],
		[700n, false, 700n, 700000n],
		[700n, true, 28800n, 700n],
		[21600999n, true, 21600n, 21600999n],
	])("of stored size %d, fine %s, is %d slots and %d thousandths", (size, fine, slots, thousandths) => {
		const account = Account.create({ net_window_size: size, net_window_optimized: fine });
		expect(windowSlots(account, "bandwidth")).toBe(slots);
		expect(fineWindow(account, "bandwidth")).toBe(thousandths);
		const energy = Account.create({
			account_resource: AccountAccountResource.create({
				energy_window_size: size,
				energy_window_optimized: fine,
			}),
		});
		expect(windowSlots(energy, "energy")).toBe(slots);
		expect(fineWindow(energy, "energy")).toBe(thousandths);
	});

	test.each([
		[1n, 999953n],
		[100n, 995370n],
		[10000n, 537037n],
		[21599n, 46n],
		[21600n, 0n],
	])("shortens the recovery: after %d slots %d are left", (elapsed, left) => {
		const account = Account.create({ net_window_size: 21600000n, net_window_optimized: true });
		expect(recovery(properties, account, "bandwidth", 1000000n, 0n, elapsed)).toBe(left);
	});
});

const steps = [
	{ last: 1000n, use: 500n, lastSlot: 0n, now: 14400n, usage: 1000n, fine: 21600000n, plain: 21600n },
	{ last: 1000n, use: 200n, lastSlot: 14400n, now: 20000n, usage: 940n, fine: 18723405n, plain: 18723n },
	{ last: 940n, use: 0n, lastSlot: 20000n, now: 21111n, usage: 884n, fine: 17612405n, plain: 17612n },
	{ last: 884n, use: 7n, lastSlot: 21111n, now: 70000n, usage: 7n, fine: 28800000n, plain: 28800n },
];

describe("adding usage to an account", () => {
	test("moves a fine window", () => {
		openStaking(true);
		const account = new Account();
		for (const step of steps) {
			const { last, use, lastSlot, now } = step;
			const usage = accountIncrease(state.properties, account, "bandwidth", last, use, lastSlot, now);
			expect(usage).toBe(step.usage);
			expect(account).toMatchObject({ net_window_size: step.fine, net_window_optimized: true });
		}
	});

	test("moves a plain window before fine ones exist", () => {
		openStaking(false);
		const account = new Account();
		for (const step of steps) {
			const { last, use, lastSlot, now } = step;
			const usage = accountIncrease(state.properties, account, "energy", last, use, lastSlot, now);
			expect(usage).toBe(step.usage);
			expect(account.account_resource).toMatchObject({
				energy_window_size: step.plain,
				energy_window_optimized: false,
			});
		}
	});

	test("leaves the window alone before staking V2", () => {
		const account = new Account();
		expect(accountIncrease(state.properties, account, "bandwidth", 300n, 270n, 1000n, 15400n)).toBe(420n);
		expect(account.net_window_size).toBe(0n);
	});

	test("takes a fine window below one slot for a whole day in one view and for itself in the other", () => {
		openStaking(true);
		const account = Account.create({ net_window_size: 500n, net_window_optimized: true });
		expect(accountIncrease(state.properties, account, "bandwidth", 1000n, 10n, 100n, 101n)).toBe(1010n);
		expect(account.net_window_size).toBe(284654n);
	});
});

describe("merging usage that travels back", () => {
	test("weighs the windows by usage", () => {
		openStaking(true);
		const owner = Account.create({ net_usage: 1000000000n });
		const receiver = Account.create({ net_window_size: 14400000n, net_window_optimized: true });
		mergeUsage(state.properties, owner, receiver, 250000000n, "bandwidth", 14400n);
		expect(owner).toMatchObject({
			net_usage: 750000000n,
			latest_consume_time: 14400n,
			net_window_size: 14400000n,
			net_window_optimized: true,
		});
	});

	test("of nothing resets the window", () => {
		openStaking(false);
		const owner = Account.create({ net_usage: 5n, net_window_size: 100n });
		mergeUsage(state.properties, owner, new Account(), 0n, "bandwidth", 5000n);
		expect(owner).toMatchObject({ net_usage: 0n, latest_consume_time: 5000n, net_window_size: 28800n });
	});
});

describe("small numbers, which are calculated as doubles", () => {
	/** The same in whole numbers alone, but for the share, which is a double by the rule. */
	const exact = (last: bigint, use: bigint, elapsed: bigint, window: bigint) => {
		const average = (amount: bigint, over: bigint) => (amount * 1_000_000n + over - 1n) / over;
		const scaled = average(last, window);
		let old =
			elapsed >= window
				? 0n
				: BigInt(Math.round(Number(scaled) * (Number(window - elapsed) / Number(window))));
		if (elapsed === 0n) old = scaled;
		return {
			fixed: ((old + average(use, window)) * window) / 1_000_000n,
			own: (old * window + average(use, WINDOW) * WINDOW) / 1_000_000n,
		};
	};
	const edges = [
		0n,
		1n,
		2n,
		3n,
		255n,
		999_999n,
		1_000_001n,
		2n ** 31n,
		2n ** 32n - 1n,
		2n ** 32n,
		2n ** 32n + 1n,
	];
	const windows = [1n, 2n, 7n, 28_799n, 28_800n, 2n ** 32n];

	test("come to what whole numbers come to, at the edges and in between", () => {
		let seed = 1n;
		const chance = (bound: bigint): bigint => {
			seed = (seed * 6364136223846793005n + 1442695040888963407n) % 2n ** 64n;
			return (seed >> 20n) % bound;
		};
		const cases: [bigint, bigint, bigint, bigint][] = [];
		for (const last of edges)
			for (const use of edges)
				for (const window of windows)
					for (const elapsed of [0n, 1n, window - 1n, window]) cases.push([last, use, elapsed, window]);
		for (let i = 0; i < 5_000; i++) {
			const window = 1n + chance(28_800n);
			cases.push([
				chance(2n ** (1n + chance(33n))),
				chance(2n ** (1n + chance(33n))),
				chance(window + 2n),
				window,
			]);
		}
		for (const [last, use, elapsed, window] of cases) {
			const expected = exact(last, use, elapsed, window);
			const account = Account.create({ net_window_size: window });
			const now = 1_000n + elapsed;
			expect(increase(state.properties, last, use, 1_000n, now, window)).toBe(expected.fixed);
			const own = accountIncrease(state.properties, account, "bandwidth", last, use, 1_000n, now);
			expect(own).toBe(expected.own);
		}
	});
});
