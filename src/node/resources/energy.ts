/** Energy limits of executions, and payment for used energy (protocol/resources §4, protocol/machine §5). */

import { toHex } from "../../protocol/bytes.js";
import {
	checked,
	checkedAdd,
	checkedMul,
	maxInt,
	minInt,
	OverflowError,
	SUN_PER_COIN,
	wrap,
} from "../../protocol/int64.js";
import {
	Account,
	type ResourceReceipt,
	type SmartContract,
	TransactionResultContractResult,
} from "../../protocol/messages.js";
import type { ChainRules } from "../rules/chain-rules.js";
import { ContractExecuteError } from "../rules/errors.js";
import type { ForkGates } from "../rules/fork-gates.js";
import type { Properties } from "../state/properties.js";
import type { StateView } from "../state/view.js";
import { sinkFee, sinkFeeToPool } from "./balance.js";
import { resourceLimit, resourceStake, resourceTotals, shareOfCoins } from "./stake.js";
import {
	accountIncrease,
	cancelAllOn,
	fineWindow,
	increase,
	recovery,
	resourceUsage,
	setFineWindow,
	setResourceUsage,
	setWindowSlots,
	unfreezeDelayOn,
	windowSlots,
} from "./window.js";

/** Sun per energy if the chain's price isn't positive. */
const DEFAULT_PRICE = 100n;

/** A deployer's maximum share if the contract record says 0. */
const DEFAULT_ORIGIN_LIMIT = 10_000_000n;

/** Block version from which energy paid in coins counts for the adaptive limit. */
const ADAPTIVE_VERSION = 9;

/** Sun per energy. */
export function energyPrice(properties: Properties): bigint {
	const price = properties.get("ENERGY_FEE");
	return price > 0n ? price : DEFAULT_PRICE;
}

/** Daily energy from an account's stake for executions, by whole coins (E_exec, protocol/resources §4.1). */
function executionEnergy(properties: Properties, account: Readonly<Account>): bigint {
	const stake = resourceStake(account, "energy");
	if (stake < SUN_PER_COIN) return 0n;
	const { limit, weight } = resourceTotals(properties, "energy");
	return shareOfCoins(properties, stake, limit, weight);
}

function usedEnergy(properties: Properties, account: Readonly<Account>): bigint {
	const { usage, lastSlot } = resourceUsage(account, "energy");
	return recovery(properties, account, "energy", usage, lastSlot, properties.headSlot);
}

/** Energy from an account's stake that an execution can still use. */
export function stakedEnergyLeft(properties: Properties, account: Readonly<Account>): bigint {
	return maxInt(wrap(executionEnergy(properties, account) - usedEnergy(properties, account)), 0n);
}

/** Maximum energy that a contract's deployer pays per execution. */
function originLimitOf(contract: Readonly<SmartContract>): bigint {
	return contract.origin_energy_limit === 0n ? DEFAULT_ORIGIN_LIMIT : contract.origin_energy_limit;
}

const clampPercent = (percent: bigint): bigint => minInt(maxInt(percent, 0n), 100n);

/** A big integer that must fit 64 bits. */
const exact = (value: bigint): bigint => checked(value, "BigInteger out of long range");

/** The sender's spending limits. Amounts in sun. */
export interface EnergyBudget {
	readonly properties: Properties;
	readonly feeLimit: bigint;
	readonly callValue: bigint;
}

/** The caller's own limit from block version 5 on. @throws {OverflowError} */
export function callerLimit(budget: EnergyBudget, caller: Readonly<Account>): bigint {
	const { properties, feeLimit, callValue } = budget;
	const price = energyPrice(properties);
	const bought = maxInt(caller.balance - callValue, 0n) / price;
	return minInt(checkedAdd(stakedEnergyLeft(properties, caller), bought), feeLimit / price);
}

/** The caller's own limit before block version 5. @throws {OverflowError} */
export function oldCallerLimit(budget: EnergyBudget, caller: Readonly<Account>): bigint {
	const { properties, feeLimit, callValue } = budget;
	const price = energyPrice(properties);
	const left = stakedEnergyLeft(properties, caller);
	const bought = maxInt(caller.balance - maxInt(callValue, 0n), 0n) / price;
	const all = executionEnergy(properties, caller);
	const stake = resourceStake(caller, "energy");
	let byFee: bigint;
	if (stake === 0n) byFee = feeLimit / price;
	else {
		const stakeLeft = all <= 0n ? 0n : exact((stake * left) / all);
		byFee =
			stakeLeft >= feeLimit
				? exact((all * feeLimit) / stake)
				: checkedAdd(left, (feeLimit - stakeLeft) / price);
	}
	return minInt(checkedAdd(left, bought), byFee);
}

/** Energy limits of a contract call. */
export interface CallLimit {
	readonly limit: bigint;
	/** Stake energy left before the execution; 0 if the bill doesn't use it. */
	readonly callerLeft: bigint;
	readonly originLeft: bigint;
	/** The deployer's part of the limit; undefined if it doesn't contribute. */
	readonly originPart: bigint | undefined;
}

/** The limit of a deployment, or of a call without the deployer's share. @throws {OverflowError} */
export function ownLimit(
	budget: EnergyBudget,
	caller: Readonly<Account>,
	energyLimitRules: boolean,
): CallLimit {
	if (!energyLimitRules) {
		const limit = oldCallerLimit(budget, caller);
		return { limit, callerLeft: 0n, originLeft: 0n, originPart: undefined };
	}
	return {
		limit: callerLimit(budget, caller),
		callerLeft: stakedEnergyLeft(budget.properties, caller),
		originLeft: 0n,
		originPart: undefined,
	};
}

/** The limit of a call with the deployer's share. @throws {OverflowError} */
export function sharedLimit(
	budget: EnergyBudget,
	caller: Readonly<Account>,
	origin: Readonly<Account>,
	contract: Readonly<SmartContract>,
	energyLimitRules: boolean,
): CallLimit {
	const { properties } = budget;
	const percent = clampPercent(contract.consume_user_resource_percent);
	if (!energyLimitRules) {
		const own = oldCallerLimit(budget, caller);
		const left = stakedEnergyLeft(properties, origin);
		const isEnough = wrap(left * percent) > wrap((100n - percent) * own);
		// If 100 times the caller's limit wraps, the network's division fails.
		if (isEnough && percent === 0n) throw new OverflowError("/ by zero");
		const limit = isEnough ? wrap(own * 100n) / percent : checkedAdd(own, left);
		return { limit, callerLeft: 0n, originLeft: 0n, originPart: undefined };
	}
	const own = callerLimit(budget, caller);
	const originLeft = percent < 100n ? stakedEnergyLeft(properties, origin) : 0n;
	const most = minInt(originLeft, originLimitOf(contract));
	let part = 0n;
	if (percent === 0n) part = most;
	else if (percent < 100n) part = minInt(exact((own * (100n - percent)) / percent), most);
	return {
		limit: checkedAdd(own, part),
		callerLeft: stakedEnergyLeft(properties, caller),
		originLeft,
		originPart: part,
	};
}

/** Usage and windows before and after adding expected usage (protocol/resources §4.3). */
export interface ExpectedUsage {
	readonly usageBefore: bigint;
	readonly windowBefore: bigint;
	readonly fineWindowBefore: bigint;
	readonly usageAfter: bigint;
	readonly windowAfter: bigint;
}

/** Adds expected usage to an account, so that the contract sees it; only under Stake 2.0. */
export function expectUsage(state: StateView, address: Uint8Array, energy: bigint): ExpectedUsage {
	const { properties } = state;
	const now = properties.headSlot;
	const account = Account.copy(state.account.existing(address));
	const { usage, lastSlot } = resourceUsage(account, "energy");
	const usageBefore = accountIncrease(properties, account, "energy", usage, 0n, lastSlot, now);
	setResourceUsage(account, "energy", usageBefore, now);
	const windowBefore = windowSlots(account, "energy");
	const fineWindowBefore = fineWindow(account, "energy");
	const usageAfter = accountIncrease(properties, account, "energy", usageBefore, energy, now, now);
	setResourceUsage(account, "energy", usageAfter, now);
	state.account.put(address, account);
	return {
		usageBefore,
		windowBefore,
		fineWindowBefore,
		usageAfter,
		windowAfter: windowSlots(account, "energy"),
	};
}

/** Removes expected usage from a record that the caller writes. */
function forgetExpected(properties: Properties, account: Account, expected: ExpectedUsage): void {
	const { usage, lastSlot } = resourceUsage(account, "energy");
	const window = windowSlots(account, "energy");
	const unchanged = expected.windowAfter === window;
	const area = wrap(
		usage * window -
			(expected.usageAfter * expected.windowAfter - expected.usageBefore * expected.windowBefore),
	);
	const newWindow = unchanged ? expected.windowBefore : window;
	const newFine = unchanged ? expected.fineWindowBefore : fineWindow(account, "energy");
	const newUsage = maxInt(0n, area / newWindow);
	setResourceUsage(account, "energy", newUsage, lastSlot);
	if (cancelAllOn(properties)) setFineWindow(account, "energy", newUsage === 0n ? 0n : newFine);
	else setWindowSlots(account, "energy", newUsage === 0n ? 0n : newWindow);
}

/** Inputs for charging an execution. */
export interface EnergyBill {
	readonly state: StateView;
	readonly rules: ChainRules;
	readonly forks: ForkGates;
	readonly caller: Uint8Array;
	/** The called contract; undefined for a deployment. */
	readonly contract: Readonly<SmartContract> | undefined;
	readonly limit: CallLimit;
	/** Expected usage to remove after a success; undefined if there is none, or the execution failed. */
	readonly callerExpected: ExpectedUsage | undefined;
	readonly originExpected: ExpectedUsage | undefined;
	/** Energy used. */
	readonly total: bigint;
	readonly result: number;
}

/**
 * Charges an execution and fills in the receipt (protocol/resources §4.4). Writes nothing for 0 energy.
 * @throws {ContractExecuteError} if the caller can't pay
 */
export function settleEnergy(bill: EnergyBill, receipt: ResourceReceipt): void {
	const { state, total } = bill;
	receipt.origin_energy_usage = 0n;
	if (total <= 0n) return;
	const { contract } = bill;
	let callerUsage = total;
	if (contract && originPays(bill, contract)) {
		const originUsage = payAsOrigin(bill, contract);
		receipt.origin_energy_usage = originUsage;
		callerUsage = total - originUsage;
	}
	const caller = editedPayer(state.properties, state.account.existing(bill.caller), bill.callerExpected);
	payAsCaller(bill, caller, callerUsage, receipt);
}

function originPays({ state, caller }: EnergyBill, contract: Readonly<SmartContract>): boolean {
	const origin = contract.origin_address;
	if (toHex(origin) === toHex(caller)) return false;
	return state.account.has(origin) || !state.properties.on("ALLOW_TVM_CONSTANTINOPLE");
}

/** A payer's record without its expected usage. */
function editedPayer(
	properties: Properties,
	stored: Readonly<Account>,
	expected: ExpectedUsage | undefined,
): Account {
	const account = Account.copy(stored);
	if (expected) forgetExpected(properties, account, expected);
	return account;
}

/** Whether the bill uses the energy left before the execution instead of now. */
function usesSnapshot(properties: Properties): boolean {
	return unfreezeDelayOn(properties) || properties.on("ALLOW_TVM_FREEZE");
}

/** Energy an account has left now, by the old rules. */
function presentLeft(properties: Properties, account: Readonly<Account>): bigint {
	return maxInt(wrap(resourceLimit(properties, account, "energy") - usedEnergy(properties, account)), 0n);
}

function payAsOrigin(bill: EnergyBill, contract: Readonly<SmartContract>): bigint {
	const { state, total, forks } = bill;
	const { properties } = state;
	const percent = clampPercent(100n - contract.consume_user_resource_percent);
	const origin = editedPayer(
		properties,
		state.account.existing(contract.origin_address),
		bill.originExpected,
	);
	const left = usesSnapshot(properties) ? bill.limit.originLeft : presentLeft(properties, origin);
	const most = usesSnapshot(properties) || forks.passed(5) ? minInt(left, originLimitOf(contract)) : left;
	const share = minInt(executeChecked(() => checkedMul(total, percent)) / 100n, most);
	useEnergy(bill, origin, share);
	return share;
}

/** Turns arithmetic overflow into an execution failure. */
function executeChecked<T>(compute: () => T): T {
	try {
		return compute();
	} catch (error) {
		if (error instanceof OverflowError) throw new ContractExecuteError(error.message);
		throw error;
	}
}

function payAsCaller(bill: EnergyBill, caller: Account, usage: bigint, receipt: ResourceReceipt): void {
	const { state, rules, forks } = bill;
	const { properties } = state;
	const left = usesSnapshot(properties) ? bill.limit.callerLeft : presentLeft(properties, caller);
	if (left >= usage) {
		useEnergy(bill, caller, usage);
		receipt.energy_usage = usage;
		return;
	}
	useEnergy(bill, caller, left);
	const bought = usage - left;
	if (properties.on("ALLOW_ADAPTIVE_ENERGY") && forks.passed(ADAPTIVE_VERSION)) {
		properties.add("BLOCK_ENERGY_USAGE", bought);
	}
	const fee = wrap(bought * energyPrice(properties));
	receipt.energy_usage = left;
	receipt.energy_fee = fee;
	if (caller.balance < fee) {
		throw new ContractExecuteError(`${toHex(caller.address)} insufficient balance`);
	}
	const payer = Account.copy(state.account.existing(caller.address));
	payer.balance = wrap(payer.balance - fee);
	// The fee is credited before it is debited: balance history keeps the order.
	if (bill.result === TransactionResultContractResult.OUT_OF_TIME) sinkFee(state, rules, fee);
	else sinkFeeToPool(state, rules, fee);
	state.account.put(caller.address, payer);
}

/** Adds usage to an account's stake and writes its record. */
function useEnergy({ state }: EnergyBill, account: Account, energy: bigint): void {
	const { properties } = state;
	const now = properties.headSlot;
	const { usage, lastSlot } = resourceUsage(account, "energy");
	let present: bigint;
	if (unfreezeDelayOn(properties)) {
		present = accountIncrease(properties, account, "energy", usage, energy, lastSlot, now);
	} else {
		const decayed = increase(properties, usage, 0n, lastSlot, now);
		if (!usesSnapshot(properties) && energy > wrap(resourceLimit(properties, account, "energy") - decayed))
			return;
		present = increase(properties, decayed, energy, now, now);
	}
	setResourceUsage(account, "energy", present, now);
	account.latest_opration_time = properties.headTimestampMs;
	state.account.put(account.address, account);
	if (properties.on("ALLOW_ADAPTIVE_ENERGY")) properties.add("BLOCK_ENERGY_USAGE", energy);
}
