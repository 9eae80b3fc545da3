import { beforeEach, describe, expect, test } from "vitest";
import { contractModule } from "../../../src/node/contracts/modules.js";
import { delegationKeyV1, delegationKeyV2 } from "../../../src/node/resources/delegated-resource.js";
import { brokerageSetting } from "../../../src/node/resources/delegation-store.js";
import { ContractValidateError } from "../../../src/node/rules/errors.js";
import { ForkGates } from "../../../src/node/rules/fork-gates.js";
import type { StateView } from "../../../src/node/state/view.js";
import { fromKey, utf8 } from "../../../src/protocol/bytes.js";
import { type ContractName, contractTypeByName } from "../../../src/protocol/contract-types.js";
import { MAX_INT64 } from "../../../src/protocol/int64.js";
import {
	Account,
	AccountFreezeV2,
	AccountType,
	AccountUnFreezeV2,
	ResourceCode,
	TransactionResult,
	VoteWitnessContractVote,
	Witness,
} from "../../../src/protocol/messages.js";
import { address, openState, rules, setHead } from "../consensus/chain-state.js";

const COIN = 1_000_000n;
const DAY_MS = 86_400_000n;
const NOW_MS = 1_700_000_000_000n - (1_700_000_000_000n % 3000n);
const [alice, bob, sr, absent] = [address(1), address(2), address(3), address(4)] as const;
const { BANDWIDTH, ENERGY, COIN_POWER } = ResourceCode;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

let state: StateView;
beforeEach(async () => {
	state = await openState(0);
	setHead(state, 100n, NOW_MS);
	for (const owner of [alice, bob, sr]) {
		state.account.put(owner, Account.create({ address: owner, balance: 100n * COIN }));
	}
	state.witness.put(sr, Witness.create({ address: sr }));
	for (const name of ["ALLOW_DELEGATE_RESOURCE", "ALLOW_MULTI_SIGN", "ALLOW_NEW_REWARD"] as const) {
		state.properties.set(name, 1n);
	}
});

const openV2 = () => {
	state.properties.set("UNFREEZE_DELAY_DAYS", 14n);
	state.properties.set("ALLOW_CANCEL_ALL_UNFREEZE_V2", 1n);
};
const of = (owner: Uint8Array) => state.account.existing(owner);

type Fields = Readonly<Record<string, unknown>>;

/** Checks and executes a contract of alice's. @returns its result, or why it is refused */
function run(type: ContractName, fields: Fields = {}, now = rules): TransactionResult | string {
	const message = contractTypeByName(type)?.message;
	const module = contractModule(type);
	if (!message || !module) throw new Error(`no contract ${type}`);
	const contract = message.create({ owner_address: alice, ...fields } as object);
	const context = {
		state,
		rules: now,
		forks: new ForkGates(state, now),
		contract,
		transactionId: new Uint8Array(32),
		building: false,
	};
	const result = new TransactionResult();
	try {
		module.validate(context);
	} catch (error) {
		if (error instanceof ContractValidateError) return error.message;
		throw error;
	}
	module.execute(context, result);
	return result;
}

const at = (timestampMs: bigint) => setHead(state, state.properties.headNumber + 1n, timestampMs);

describe("staking of the first generation", () => {
	const freeze = (fields: Fields) =>
		run("FreezeBalanceContract", { frozen_balance: 5n * COIN, frozen_duration: 3n, ...fields });
	const unfreeze = (fields: Fields = {}) => run("UnfreezeBalanceContract", fields);

	test.each([
		[{ owner_address: utf8("x") }, "Invalid address"],
		[{ owner_address: absent }, `Account[${hex(absent)}] not exists`],
		[{ frozen_balance: 0n }, "frozenBalance must be positive"],
		[{ frozen_balance: COIN - 1n }, "frozenBalance must be greater than or equal to 1 COIN"],
		[{ frozen_balance: 101n * COIN }, "frozenBalance must be less than or equal to accountBalance"],
		[{ frozen_duration: 4n }, "frozenDuration must be less than 3 days and more than 3 days"],
		[{ resource: COIN_POWER }, "ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY]"],
		[{ receiver_address: alice }, "receiverAddress must not be the same as ownerAddress"],
		[{ receiver_address: utf8("x") }, "Invalid receiverAddress"],
		[{ receiver_address: absent }, `Account[${hex(absent)}] not exists`],
	])("refuses %o: %s", (fields, message) => {
		expect(freeze(fields)).toBe(message);
	});

	test("checks the duration only where the chain says so", () => {
		const fields = { frozen_balance: COIN, frozen_duration: 9n };
		expect(run("FreezeBalanceContract", fields, { ...rules, checkFrozenTime: false })).toBeTypeOf("object");
	});

	test("ends when the second one opens, for new stakes", () => {
		freeze({});
		openV2();
		expect(freeze({})).toBe("freeze v2 is open, old freeze is closed");
		at(NOW_MS + 3n * DAY_MS);
		expect(unfreeze()).toMatchObject({ unfreeze_amount: 5n * COIN });
	});

	test("moves the expiry of the whole stake, and gives it back on the day", () => {
		freeze({});
		at(NOW_MS + DAY_MS);
		freeze({ frozen_balance: 1_500_000n });
		expect(of(alice)).toMatchObject({ balance: 93_500_000n, frozen: [{ frozen_balance: 6_500_000n }] });
		expect(state.properties.get("TOTAL_NET_WEIGHT")).toBe(6n);
		at(NOW_MS + 4n * DAY_MS - 1n);
		expect(unfreeze()).toBe("It's not time to unfreeze(BANDWIDTH).");
		at(NOW_MS + 4n * DAY_MS);
		expect(unfreeze()).toMatchObject({ unfreeze_amount: 6_500_000n });
		expect(of(alice)).toMatchObject({ balance: 100n * COIN, frozen: [] });
		expect(state.properties.get("TOTAL_NET_WEIGHT")).toBe(0n);
		expect(unfreeze()).toBe("no frozenBalance(BANDWIDTH)");
	});

	test("clears the votes, and notes so even if there were none", () => {
		freeze({ resource: ENERGY });
		at(NOW_MS + 3n * DAY_MS);
		unfreeze({ resource: ENERGY });
		expect(state.votes.get(alice)).toMatchObject({ old_votes: [], new_votes: [] });
	});

	test("gives a stake to another account and takes it back", () => {
		freeze({ resource: ENERGY, receiver_address: bob });
		expect(of(bob).account_resource?.acquired_delegated_frozen_balance_for_energy).toBe(5n * COIN);
		expect(of(alice).account_resource?.delegated_frozen_balance_for_energy).toBe(5n * COIN);
		expect(state.delegatedResource.get(delegationKeyV1(alice, bob))).toMatchObject({
			frozen_balance_for_energy: 5n * COIN,
			expire_time_for_energy: NOW_MS + 3n * DAY_MS,
		});
		const takeBack = { resource: ENERGY, receiver_address: bob };
		expect(unfreeze(takeBack)).toBe("It's not time to unfreeze.");
		at(NOW_MS + 3n * DAY_MS);
		expect(unfreeze({ receiver_address: bob })).toBe("no delegatedFrozenBalance(BANDWIDTH)");
		expect(unfreeze(takeBack)).toMatchObject({ unfreeze_amount: 5n * COIN });
		expect(of(bob).account_resource?.acquired_delegated_frozen_balance_for_energy).toBe(0n);
		expect(state.delegatedResource.has(delegationKeyV1(alice, bob))).toBe(false);
		expect(state.properties.get("TOTAL_ENERGY_WEIGHT")).toBe(0n);
		expect(unfreeze(takeBack)).toBe("delegated Resource does not exist");
	});

	test.each([
		{
			solidity059: 0n,
			outcome: "AcquiredDelegatedFrozenBalanceForEnergy[3000000] < delegatedEnergy[5000000]",
		},
		{ solidity059: 1n, outcome: { unfreeze_amount: 5n * COIN } },
	])(
		"taken back from a receiver that holds less: with the rule at $solidity059",
		({ solidity059, outcome }) => {
			freeze({ resource: ENERGY, receiver_address: bob });
			const receiver = Account.copy(of(bob));
			receiver.account_resource = undefined;
			receiver.acquired_delegated_frozen_balance_for_bandwidth = 0n;
			state.account.put(bob, receiver);
			run("FreezeBalanceContract", {
				owner_address: sr,
				frozen_balance: 3n * COIN,
				frozen_duration: 3n,
				resource: ENERGY,
				receiver_address: bob,
			});
			at(NOW_MS + 3n * DAY_MS);
			state.properties.set("ALLOW_TVM_CONSTANTINOPLE", 1n);
			state.properties.set("ALLOW_TVM_SOLIDITY_059", solidity059);
			const got = unfreeze({ resource: ENERGY, receiver_address: bob });
			if (typeof outcome === "string") expect(got).toBe(outcome);
			else {
				expect(got).toMatchObject(outcome);
				expect(of(bob).account_resource?.acquired_delegated_frozen_balance_for_energy).toBe(0n);
			}
		},
	);
});

describe("staking of the second generation", () => {
	const freeze = (frozen_balance: bigint, resource: number = BANDWIDTH) =>
		run("FreezeBalanceV2Contract", { frozen_balance, resource });
	const unfreeze = (unfreeze_balance: bigint, resource: number = BANDWIDTH) =>
		run("UnfreezeBalanceV2Contract", { unfreeze_balance, resource });

	test.each<[ContractName, string]>([
		["FreezeBalanceV2Contract", "FreezeV2"],
		["UnfreezeBalanceV2Contract", "UnfreezeV2"],
		["WithdrawExpireUnfreezeContract", "WithdrawExpireUnfreeze"],
		["DelegateResourceContract", "Delegate resource"],
		["UnDelegateResourceContract", "unDelegate resource"],
		["CancelAllUnfreezeV2Contract", "CancelAllUnfreezeV2"],
	])("waits for the committee: %s", (type, name) => {
		expect(run(type)).toBe(`Not support ${name} transaction, need to be opened by the committee`);
	});

	describe("once open", () => {
		beforeEach(openV2);

		test("weighs whole coins of the sum", () => {
			freeze(1_600_000n);
			freeze(1_600_000n);
			expect(state.properties.get("TOTAL_NET_WEIGHT")).toBe(3n);
			expect(of(alice)).toMatchObject({ balance: 96_800_000n, frozenV2: [{ amount: 3_200_000n }] });
		});

		test.each([
			[0n, BANDWIDTH, "Invalid unfreeze_balance, [0] is error"],
			[5n * COIN + 1n, BANDWIDTH, "Invalid unfreeze_balance, [5000001] is error"],
			[COIN, ENERGY, "no frozenBalance(Energy)"],
			[COIN, COIN_POWER, "ResourceCode error.valid ResourceCode[BANDWIDTH、Energy]"],
		])("refuses to unstake %d of %d: %s", (amount, resource, message) => {
			freeze(5n * COIN);
			expect(unfreeze(amount, resource)).toBe(message);
		});

		test("names all kinds of stake under the new resource model", () => {
			state.properties.set("ALLOW_NEW_RESOURCE_MODEL", 1n);
			expect(unfreeze(1n, COIN_POWER)).toBe("no frozenBalance(CoinPower)");
			expect(unfreeze(1n, 3)).toBe("ResourceCode error.valid ResourceCode[BANDWIDTH、Energy、COIN_POWER]");
			expect(freeze(COIN, 3)).toBe("ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY、COIN_POWER]");
		});

		test("lets 32 amounts wait", () => {
			freeze(50n * COIN);
			for (let i = 0; i < 32; i++) expect(unfreeze(1n)).toBeTypeOf("object");
			expect(unfreeze(1n)).toBe("Invalid unfreeze operation, unfreezing times is over limit");
			at(NOW_MS + 14n * DAY_MS);
			expect(unfreeze(1n)).toMatchObject({ withdraw_expire_amount: 32n, unfreeze_amount: 0n });
			expect(of(alice).unfrozenV2).toHaveLength(1);
			expect(of(alice).balance).toBe(50n * COIN + 32n);
		});

		test("pays out what has waited long enough", () => {
			freeze(10n * COIN);
			unfreeze(2n * COIN);
			at(NOW_MS + 14n * DAY_MS - 3000n);
			expect(run("WithdrawExpireUnfreezeContract")).toBe("no unFreeze balance to withdraw ");
			unfreeze(3n * COIN);
			at(NOW_MS + 14n * DAY_MS);
			expect(run("WithdrawExpireUnfreezeContract")).toMatchObject({ withdraw_expire_amount: 2n * COIN });
			expect(of(alice)).toMatchObject({
				balance: 92n * COIN,
				unfrozenV2: [{ unfreeze_amount: 3n * COIN }],
			});
		});

		test("refuses a payment that would leave 64 bits", () => {
			const rich = Account.copy(of(alice));
			rich.balance = MAX_INT64;
			rich.unfrozenV2 = [AccountUnFreezeV2.create({ unfreeze_amount: 1n })];
			state.account.put(alice, rich);
			expect(run("WithdrawExpireUnfreezeContract")).toBe(`overflow: checkedAdd(${MAX_INT64}, 1)`);
		});

		test("stakes again what still waits when everything is cancelled", () => {
			freeze(10n * COIN);
			freeze(4n * COIN, ENERGY);
			expect(run("CancelAllUnfreezeV2Contract")).toBe("No unfreezeV2 list to cancel");
			unfreeze(1n * COIN);
			at(NOW_MS + 10n * DAY_MS);
			unfreeze(2n * COIN);
			unfreeze(4n * COIN, ENERGY);
			at(NOW_MS + 14n * DAY_MS);
			expect(run("CancelAllUnfreezeV2Contract")).toMatchObject({
				withdraw_expire_amount: COIN,
				// Keys of this map are data on the wire, in the deployed spelling.
				cancel_unfreezeV2_amount: new Map([
					["ENERGY", 4n * COIN],
					["TRON_POWER", 0n],
					["BANDWIDTH", 2n * COIN],
				]),
			});
			expect(of(alice)).toMatchObject({
				balance: 87n * COIN,
				unfrozenV2: [],
				frozenV2: [{ amount: 9n * COIN }, { amount: 4n * COIN }],
			});
			expect(state.properties.get("TOTAL_NET_WEIGHT")).toBe(9n);
			expect(state.properties.get("TOTAL_ENERGY_WEIGHT")).toBe(4n);
		});

		test("lists what is staked again anew in the order in which it was unstaked", () => {
			const owner = Account.copy(of(alice));
			owner.unfrozenV2 = [BANDWIDTH, ENERGY, BANDWIDTH].map((type) =>
				AccountUnFreezeV2.create({ type, unfreeze_amount: COIN, unfreeze_expire_time: NOW_MS + 1n }),
			);
			state.account.put(alice, owner);
			run("CancelAllUnfreezeV2Contract");
			expect(of(alice).frozenV2).toMatchObject([
				{ type: BANDWIDTH, amount: 2n * COIN },
				{ type: ENERGY, amount: COIN },
			]);
		});
	});
});

describe("delegating", () => {
	beforeEach(() => {
		openV2();
		const owner = Account.copy(of(alice));
		owner.frozenV2 = [
			AccountFreezeV2.create({ type: BANDWIDTH, amount: 10n * COIN }),
			AccountFreezeV2.create({ type: ENERGY, amount: 20n * COIN }),
		];
		state.account.put(alice, owner);
	});
	const delegate = (fields: Fields = {}) =>
		run("DelegateResourceContract", { receiver_address: bob, balance: 4n * COIN, ...fields });
	const undelegate = (fields: Fields = {}) =>
		run("UnDelegateResourceContract", { receiver_address: bob, balance: 4n * COIN, ...fields });
	const indexed = async () => {
		const index = state.delegatedResourceAccountIndex;
		return [...(await index.keysEver(""))].filter((key) => index.has(fromKey(key)));
	};

	test.each([
		[{ balance: COIN - 1n }, "delegateBalance must be greater than or equal to 1 COIN"],
		[
			{ balance: 11n * COIN },
			"delegateBalance must be less than or equal to available FreezeBandwidthV2 balance",
		],
		[
			{ balance: 21n * COIN, resource: ENERGY },
			"delegateBalance must be less than or equal to available FreezeEnergyV2 balance",
		],
		[{ resource: COIN_POWER }, "ResourceCode error, valid ResourceCode[BANDWIDTH、ENERGY]"],
		[{ receiver_address: utf8("x") }, "Invalid receiverAddress"],
		[{ receiver_address: alice }, "receiverAddress must not be the same as ownerAddress"],
		[{ receiver_address: absent }, `Account[${hex(absent)}] not exists`],
	])("refuses %o: %s", (fields, message) => {
		expect(delegate(fields)).toBe(message);
	});

	test("refuses a contract as receiver", () => {
		state.account.put(bob, Account.create({ address: bob, type: AccountType.Contract }));
		expect(delegate()).toBe("Do not allow delegate resources to contract addresses");
	});

	test("moves stake to the receiver and back, down to single sun", async () => {
		delegate();
		expect(of(alice)).toMatchObject({
			frozenV2: [{ amount: 6n * COIN }, { amount: 20n * COIN }],
			delegated_frozenV2_balance_for_bandwidth: 4n * COIN,
		});
		expect(of(bob).acquired_delegated_frozenV2_balance_for_bandwidth).toBe(4n * COIN);
		expect(undelegate({ balance: 4n * COIN + 1n })).toBe(
			"insufficient delegatedFrozenBalance(BANDWIDTH), request=4000001, unlock_balance=4000000",
		);
		expect(undelegate({ balance: 0n })).toBe("unDelegateBalance must be more than 0 COIN");
		expect(undelegate({ balance: 1n })).toBeTypeOf("object");
		expect(undelegate({ balance: 4n * COIN - 1n })).toBeTypeOf("object");
		expect(of(alice)).toMatchObject({
			frozenV2: [{ amount: 10n * COIN }, { amount: 20n * COIN }],
			delegated_frozenV2_balance_for_bandwidth: 0n,
		});
		expect(state.delegatedResource.has(delegationKeyV2(alice, bob, false))).toBe(false);
		expect(await indexed()).toEqual([]);
		expect(undelegate()).toBe("delegated Resource does not exist");
	});

	test("locks for three days whatever is asked while the lock's length is fixed", () => {
		delegate({ lock: true, lock_period: 5n });
		expect(state.delegatedResource.get(delegationKeyV2(alice, bob, true))).toMatchObject({
			frozen_balance_for_bandwidth: 4n * COIN,
			expire_time_for_bandwidth: NOW_MS + 3n * DAY_MS,
		});
		at(NOW_MS + 3n * DAY_MS);
		expect(undelegate()).toBe(
			"insufficient delegatedFrozenBalance(BANDWIDTH), request=4000000, unlock_balance=0",
		);
		at(NOW_MS + 3n * DAY_MS + 3000n);
		expect(undelegate()).toBeTypeOf("object");
		expect(state.delegatedResource.has(delegationKeyV2(alice, bob, true))).toBe(false);
	});

	test("takes the lock's length from the contract once the chain allows it", () => {
		state.properties.set("MAX_DELEGATE_LOCK_PERIOD", 100_000n);
		expect(delegate({ lock: true, lock_period: 100_001n })).toBe(
			"The lock period of delegate resource cannot be less than 0 and cannot exceed 100000!",
		);
		expect(delegate({ lock: true, lock_period: 90_000n })).toBeTypeOf("object");
		expect(delegate({ lock: true, lock_period: 89_999n })).toBe(
			"The lock period for BANDWIDTH this time cannot be less than the remaining time[270000000ms] of the last lock period for BANDWIDTH!",
		);
		expect(delegate({ lock: true, lock_period: 10n, resource: ENERGY })).toBeTypeOf("object");
		expect(state.delegatedResource.get(delegationKeyV2(alice, bob, true))).toMatchObject({
			expire_time_for_bandwidth: NOW_MS + 270_000_000n,
			expire_time_for_energy: NOW_MS + 30_000n,
		});
	});

	test("keeps the index while a locked part is left", async () => {
		delegate({ lock: true });
		delegate();
		undelegate();
		expect(state.delegatedResource.has(delegationKeyV2(alice, bob, false))).toBe(false);
		expect(await indexed()).toHaveLength(2);
	});
});

describe("voting", () => {
	const vote = (...counts: [Uint8Array, bigint][]) =>
		run("VoteWitnessContract", {
			votes: counts.map(([vote_address, vote_count]) =>
				VoteWitnessContractVote.create({ vote_address, vote_count }),
			),
		});
	beforeEach(() => {
		openV2();
		run("FreezeBalanceV2Contract", { frozen_balance: 10n * COIN });
	});

	test.each<[[Uint8Array, bigint][], string]>([
		[[], "VoteNumber must more than 0"],
		[Array.from({ length: 31 }, () => [sr, 1n]), "VoteNumber more than maxVoteNumber 30"],
		[[[utf8("x"), 1n]], "Invalid vote address!"],
		[[[sr, 0n]], "vote count must be greater than 0"],
		[[[absent, 1n]], `Account[${hex(absent)}] not exists`],
		[[[bob, 1n]], `Witness[${hex(bob)}] not exists`],
		[
			[
				[sr, MAX_INT64],
				[sr, 1n],
			],
			`overflow: checkedAdd(${MAX_INT64}, 1)`,
		],
		[[[sr, MAX_INT64]], `overflow: checkedMultiply(${MAX_INT64}, 1000000)`],
		[[[sr, 11n]], "The total number of votes[11000000] is greater than the coinPower[10000000]"],
	])("refuses %o: %s", (votes, message) => {
		expect(vote(...votes)).toBe(message);
	});

	test("keeps the votes as sent, repetitions included", () => {
		expect(vote([sr, 2n], [sr, 3n])).toBeTypeOf("object");
		expect(of(alice).votes.map((each) => each.vote_count)).toEqual([2n, 3n]);
		expect(state.votes.get(alice)).toMatchObject({ old_votes: [] });
	});
});

describe("witnesses", () => {
	test.each([
		[{ url: utf8("") }, "Invalid url"],
		[{ url: new Uint8Array(257) }, "Invalid url"],
		[{ owner_address: absent, url: utf8("u") }, `account[${hex(absent)}] not exists`],
		[{ owner_address: sr, url: utf8("u") }, `Witness[${hex(sr)}] has existed`],
		[{ url: utf8("u") }, "balance < AccountUpgradeCost"],
	])("are not made of %o: %s", (fields, message) => {
		expect(run("WitnessCreateContract", fields)).toBe(message);
	});

	test("pay for the office and get their permission", () => {
		state.properties.set("ACCOUNT_UPGRADE_COST", 60n * COIN);
		state.properties.set("ALLOW_BLACKHOLE_OPTIMIZATION", 1n);
		expect(run("WitnessCreateContract", { url: utf8("http://w") })).toMatchObject({ fee: 60n * COIN });
		expect(of(alice)).toMatchObject({
			balance: 40n * COIN,
			is_witness: true,
			owner_permission: { permission_name: "owner" },
			witness_permission: { id: 1, keys: [{ address: alice }] },
			active_permission: [{ id: 2 }],
		});
		expect(state.witness.get(alice)).toMatchObject({ url: "http://w", voteCount: 0n });
		expect(run("WitnessUpdateContract", { update_url: utf8("new") })).toBeTypeOf("object");
		expect(state.witness.get(alice)).toMatchObject({ url: "new" });
	});

	test("change their url only if they are witnesses", () => {
		expect(run("WitnessUpdateContract", { update_url: utf8("new") })).toBe("Witness does not exist");
	});

	test("set their brokerage between 0 and 100 percent, once there are voter rewards", () => {
		const set = (brokerage: number, owner = sr) =>
			run("UpdateBrokerageContract", { owner_address: owner, brokerage });
		expect(set(5)).toBe("contract type error, unexpected type [UpdateBrokerageContract]");
		state.properties.set("CHANGE_DELEGATION", 1n);
		expect(set(-1)).toBe("Invalid brokerage");
		expect(set(101)).toBe("Invalid brokerage");
		expect(set(5, bob)).toBe(`Not existed witness:${hex(bob)}`);
		expect(brokerageSetting(state, sr)).toBe(20);
		expect(set(100)).toBeTypeOf("object");
		expect(brokerageSetting(state, sr)).toBe(100);
	});

	test("withdraw their allowance once a day, but not those of the genesis block", () => {
		const withdraw = (now = rules) => run("WithdrawBalanceContract", {}, now);
		expect(withdraw()).toBe("witnessAccount does not have any reward");
		const earner = Account.copy(of(alice));
		earner.allowance = 7n;
		state.account.put(alice, earner);
		const genesis = { ...rules, genesisWitnesses: [{ address: alice, votes: 1n }] };
		expect(withdraw(genesis)).toBe(
			`Account[${hex(alice)}] is a guard representative and is not allowed to withdraw Balance`,
		);
		expect(withdraw()).toMatchObject({ withdraw_amount: 7n });
		expect(of(alice)).toMatchObject({ balance: 100n * COIN + 7n, allowance: 0n });
		at(NOW_MS + DAY_MS - 1n);
		expect(withdraw()).toBe(`The last withdraw time is ${NOW_MS}, less than 24 hours`);
		at(NOW_MS + DAY_MS);
		expect(withdraw()).toBe("witnessAccount does not have any reward");
	});
});
