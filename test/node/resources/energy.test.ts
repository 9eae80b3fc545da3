import { describe, expect, it } from "vitest";
import {
	callerLimit,
	type EnergyBill,
	expectUsage,
	oldCallerLimit,
	settleEnergy,
	sharedLimit,
	stakedEnergyLeft,
} from "../../../src/node/resources/energy.js";
import { ForkGates } from "../../../src/node/rules/fork-gates.js";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { createView, type StateView } from "../../../src/node/state/view.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import { OverflowError } from "../../../src/protocol/int64.js";
import {
	Account,
	AccountAccountResource,
	AccountFreezeV2,
	ResourceCode,
	ResourceReceipt,
	TransactionResultContractResult as Result,
	SmartContract,
} from "../../../src/protocol/messages.js";

const CALLER = fromHex(`41${"22".repeat(20)}`);
const ORIGIN = fromHex(`41${"55".repeat(20)}`);
const BLACK_HOLE = fromHex(`41${"ff".repeat(20)}`);

const rules = {
	genesisTimestampMs: 0n,
	genesisId: new Uint8Array(32),
	blackHole: BLACK_HOLE,
	genesisWitnesses: [],
	proposalExpireMs: 0n,
	energyLimitHeight: 0n,
	checkFrozenTime: true,
	saveCancelDetails: false,
	release: "4.8.2" as const,
	keepsNoteTree: true,
};

/** A state with staking of generation 2, windows in thousandths of a slot, at a slot. */
async function stateAt(slot: bigint): Promise<StateView> {
	const database = await StateDatabase.open(createMemoryDatabase());
	const state = createView(database.headBackend, {
		genesisTimestampMs: 0n,
		maintenanceIntervalMs: 21_600_000n,
		committee: () => 0n,
	});
	const { properties } = state;
	properties.set("latest_block_header_timestamp", slot * 3000n);
	properties.set("UNFREEZE_DELAY_DAYS", 14n);
	properties.set("ALLOW_CANCEL_ALL_UNFREEZE_V2", 1n);
	properties.set("ALLOW_BLACKHOLE_OPTIMIZATION", 1n);
	properties.set("TOTAL_ENERGY_WEIGHT", 1_000_000n);
	properties.set("TOTAL_ENERGY_CURRENT_LIMIT", 50_000_000_000n);
	return state;
}

interface Holder {
	readonly balance?: bigint;
	readonly stake?: bigint;
	readonly usage?: bigint;
	readonly lastSlot?: bigint;
}

function holder(
	address: Uint8Array,
	{ balance = 0n, stake = 0n, usage = 0n, lastSlot = 0n }: Holder,
): Account {
	return Account.create({
		address,
		balance,
		frozenV2: [AccountFreezeV2.create({ type: ResourceCode.ENERGY, amount: stake })],
		account_resource: AccountAccountResource.create({
			energy_usage: usage,
			latest_consume_time_for_energy: lastSlot,
		}),
	});
}

const energyOf = (state: StateView, address: Uint8Array) => state.account.existing(address).account_resource;

describe("energy that an execution may spend", () => {
	it("counts whole staked coins only", async () => {
		const { properties } = await stateAt(100n);
		expect(stakedEnergyLeft(properties, holder(CALLER, { stake: 1_999_999n }))).toBe(50_000n);
		expect(stakedEnergyLeft(properties, holder(CALLER, { stake: 999_999n }))).toBe(0n);
	});

	it("saturates where nothing is staked in all", async () => {
		const { properties } = await stateAt(100n);
		properties.set("TOTAL_ENERGY_WEIGHT", 0n);
		expect(stakedEnergyLeft(properties, holder(CALLER, { stake: 1_000_000n }))).toBe(0x7fffffffffffffffn);
	});

	it("is what stake and balance give, within the fee limit", async () => {
		const { properties } = await stateAt(100n);
		const caller = holder(CALLER, { stake: 1_000_000n, balance: 1_000_000n });
		// 50,000 from stake and 9,990 bought.
		expect(callerLimit({ properties, feeLimit: 100_000_000n, callValue: 1_000n }, caller)).toBe(59_990n);
		expect(callerLimit({ properties, feeLimit: 1_000_000n, callValue: 1_000n }, caller)).toBe(10_000n);
		expect(callerLimit({ properties, feeLimit: 100_000_000n, callValue: 2_000_000n }, caller)).toBe(50_000n);
	});

	it("let a staked caller exceed the fee limit before block version 5", async () => {
		const { properties } = await stateAt(100n);
		const caller = holder(CALLER, { stake: 10_000_000n, balance: 10_000_000n });
		// Stake of 10 coins for 500,000 energy: a fee limit of 1 coin stands for a tenth of it.
		expect(oldCallerLimit({ properties, feeLimit: 1_000_000n, callValue: 0n }, caller)).toBe(50_000n);
		// Above the stake's worth, the rest buys at the price.
		expect(oldCallerLimit({ properties, feeLimit: 11_000_000n, callValue: 0n }, caller)).toBe(510_000n);
	});

	it("adds the deployer's part, bounded by the contract's limit", async () => {
		const { properties } = await stateAt(100n);
		const caller = holder(CALLER, { balance: 300_000n });
		const origin = holder(ORIGIN, { stake: 2_000_000n });
		const contract = SmartContract.create({
			origin_address: ORIGIN,
			consume_user_resource_percent: 30n,
			origin_energy_limit: 5_000n,
		});
		const budget = { properties, feeLimit: 1_000_000_000n, callValue: 0n };
		expect(sharedLimit(budget, caller, origin, contract, true)).toMatchObject({
			limit: 8_000n,
			originLeft: 100_000n,
			originPart: 5_000n,
		});
	});

	it("of a contract whose deployer pays all is a division by zero before block version 5 where a hundredfold leaves 64 bits", async () => {
		const { properties } = await stateAt(0n);
		properties.set("TOTAL_ENERGY_WEIGHT", 0n);
		const caller = holder(CALLER, { stake: 1_000_000n });
		const contract = SmartContract.create({ origin_address: ORIGIN, consume_user_resource_percent: 0n });
		const limit = (feeLimit: bigint) =>
			sharedLimit({ properties, feeLimit, callValue: 0n }, caller, holder(ORIGIN, {}), contract, false);
		expect(() => limit(1_000_000n)).toThrow(new OverflowError("/ by zero"));
		expect(() => limit(50_000n)).not.toThrow();
	});
});

describe("usage that an execution is expected to make", () => {
	it("shows in the account, and is taken out again before the bill", async () => {
		const state = await stateAt(10_000n);
		state.account.put(CALLER, holder(CALLER, { stake: 100_000_000n, usage: 1_000_000n }));
		const expected = expectUsage(state, CALLER, 500_000n);
		expect(expected).toEqual({
			usageBefore: 652_777n,
			windowBefore: 18_800n,
			fineWindowBefore: 18_800_000n,
			usageAfter: 1_152_777n,
			windowAfter: 23_137n,
		});
		expect(energyOf(state, CALLER)).toMatchObject({
			energy_usage: 1_152_777n,
			energy_window_size: 23_137_353n,
		});
		const receipt = new ResourceReceipt();
		settleEnergy(bill(state, { callerLeft: 4_000_000n, total: 123_456n, callerExpected: expected }), receipt);
		expect(receipt).toMatchObject({ energy_usage: 123_456n, energy_fee: 0n });
		expect(energyOf(state, CALLER)).toMatchObject({
			energy_usage: 776_233n,
			energy_window_size: 20_390_451n,
		});
	});
});

interface BillOptions {
	readonly callerLeft: bigint;
	readonly total: bigint;
	readonly originLeft?: bigint;
	readonly contract?: SmartContract;
	readonly callerExpected?: EnergyBill["callerExpected"];
	readonly result?: number;
}

function bill(state: StateView, options: BillOptions): EnergyBill {
	return {
		state,
		rules,
		forks: new ForkGates(state, rules),
		caller: CALLER,
		contract: options.contract,
		limit: {
			limit: 0n,
			callerLeft: options.callerLeft,
			originLeft: options.originLeft ?? 0n,
			originPart: undefined,
		},
		callerExpected: options.callerExpected,
		originExpected: undefined,
		total: options.total,
		result: options.result ?? Result.SUCCESS,
	};
}

describe("the bill of an execution", () => {
	it("takes the deployer's share from its stake, the caller's from stake and then from coins", async () => {
		const state = await stateAt(100n);
		state.account.put(CALLER, holder(CALLER, { balance: 1_000_000n, stake: 1_000_000n }));
		state.account.put(ORIGIN, holder(ORIGIN, { stake: 2_000_000n }));
		const contract = SmartContract.create({
			origin_address: ORIGIN,
			consume_user_resource_percent: 30n,
			origin_energy_limit: 5_000n,
		});
		const receipt = new ResourceReceipt();
		settleEnergy(bill(state, { callerLeft: 1_000n, originLeft: 100_000n, total: 4_000n, contract }), receipt);
		expect(receipt).toMatchObject({ origin_energy_usage: 2_800n, energy_usage: 1_000n, energy_fee: 20_000n });
		expect(energyOf(state, ORIGIN)?.energy_usage).toBe(2_800n);
		expect(energyOf(state, CALLER)?.energy_usage).toBe(1_000n);
		expect(state.account.existing(CALLER).balance).toBe(980_000n);
		expect(state.properties.get("BURN_COIN_AMOUNT")).toBe(20_000n);
	});

	it("goes to the fee pool, except for a transaction that ran out of time", async () => {
		for (const [result, pooled] of [
			[Result.REVERT, 20_000n],
			[Result.OUT_OF_TIME, 0n],
		] as const) {
			const state = await stateAt(100n);
			state.properties.set("ALLOW_TRANSACTION_FEE_POOL", 1n);
			state.account.put(CALLER, holder(CALLER, { balance: 1_000_000n }));
			settleEnergy(bill(state, { callerLeft: 0n, total: 200n, result }), new ResourceReceipt());
			expect(state.properties.get("TRANSACTION_FEE_POOL")).toBe(pooled);
			expect(state.properties.get("BURN_COIN_AMOUNT")).toBe(20_000n - pooled);
		}
	});

	it("can't be paid from too small a balance", async () => {
		const state = await stateAt(100n);
		state.account.put(CALLER, holder(CALLER, { balance: 19_999n }));
		expect(() => settleEnergy(bill(state, { callerLeft: 0n, total: 200n }), new ResourceReceipt())).toThrow(
			`41${"22".repeat(20)} insufficient balance`,
		);
	});

	it("writes nothing where nothing was used", async () => {
		const state = await stateAt(100n);
		const before = holder(CALLER, { balance: 5n });
		state.account.put(CALLER, before);
		settleEnergy(bill(state, { callerLeft: 0n, total: 0n }), new ResourceReceipt());
		expect(state.account.get(CALLER)).toBe(before);
	});
});
