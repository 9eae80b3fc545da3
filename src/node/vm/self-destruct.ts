/** SELFDESTRUCT: deletes a contract or, since #94, only transfers what it holds to an heir (protocol/machine §11.6). */

import { EMPTY, equalBytes } from "../../protocol/bytes.js";
import { MAX_INT64, SUN_PER_COIN, wrap } from "../../protocol/int64.js";
import { Account, AccountFrozen, ResourceCode, Votes } from "../../protocol/messages.js";
import { addStakeV2, delegation, ownStakeV1, splitUnstaking } from "../resources/stake.js";
import { machineRewards, withdrawReward } from "../resources/vote-rewards.js";
import {
	accountIncrease,
	cancelAllOn,
	editEnergy,
	mergeUsage,
	type Resource,
	resourceUsage,
	setFineWindow,
	setResourceUsage,
	setWindowSlots,
} from "../resources/window.js";
import type { StateView } from "../state/view.js";
import { copiedTokens } from "../tokens/token-usage.js";
import { toAddress } from "./addresses.js";
import { note } from "./attempt.js";
import { NEW_ACCOUNT_COST } from "./calls.js";
import type { Frame } from "./frame.js";
import { withdrawTimeMs } from "./instructions/votes.js";
import { type InternalRecord, NO_TOKENS } from "./internal-transactions.js";
import type { Machine } from "./machine.js";
import { addBalance, coinTransferError, createIfMissing, moveAllTokens, moveCoins } from "./transfers.js";
import { executionFailed, runtimeFailed, staticViolation, timeoutAt, transferFailed } from "./vm-error.js";

const RESOURCES: readonly Resource[] = ["bandwidth", "energy"];

/** Base energy since #94. */
const RESTRICTED_COST = 5_000;

export function suicideCost(frame: Frame): number {
	const { state, gates } = frame.machine;
	if (!gates.energyAdjustment && !gates.restrictedSelfDestruct) return 0;
	const base = gates.restrictedSelfDestruct ? RESTRICTED_COST : 0;
	return base + (state.account.has(toAddress(frame.peek(0))) ? 0 : NEW_ACCOUNT_COST);
}

export function suicide(frame: Frame): void {
	if (frame.context.isStatic) throw staticViolation();
	const { machine, context } = frame;
	const { state, gates } = machine;
	const owner = context.address;
	if (!mayEnd(machine, state.account.existing(owner))) {
		frame.revert(EMPTY);
		return;
	}
	const heir = toAddress(frame.pop());
	if (gates.restrictedSelfDestruct) {
		if (gates.endsOddStakes && machine.ended.has(heir)) throw timeoutAt("SUICIDE");
		if (machine.created.has(owner)) end(frame, heir);
		else leaveEverything(frame, heir);
	} else end(frame, heir);
	machine.ended.add(owner);
	frame.halt(EMPTY);
}

/** Transfers everything a contract holds (to the black hole what would go to itself) and marks it for deletion. */
function end(frame: Frame, heir: Uint8Array): void {
	const { machine, context } = frame;
	const { gates } = machine;
	const owner = context.address;
	if (gates.vote) collectReward(machine, owner);
	const record = noteEnd(frame, heir);
	leaveBalance(machine, owner, heir);
	const stakeHeir = equalBytes(owner, heir) ? machine.options.rules.blackHole : heir;
	if (gates.freeze) leaveStakeV1(machine, owner, stakeHeir);
	if (gates.freezeV2) leaveStakeV2(frame, owner, stakeHeir, record);
	machine.destroyed.push(owner);
}

/**
 * Since #94, for a contract of an earlier transaction: transfers everything, keeps the contract. No-op if it is its own heir.
 */
function leaveEverything(frame: Frame, heir: Uint8Array): void {
	const { machine, context } = frame;
	const { state, gates } = machine;
	const owner = context.address;
	const record = noteEnd(frame, heir);
	if (equalBytes(owner, heir)) return;
	if (gates.vote) {
		collectReward(machine, owner);
		record.value = state.account.existing(owner).balance;
	}
	leaveToOther(machine, owner, heir);
	if (gates.freeze) leaveStakeV1(machine, owner, heir);
	if (gates.freezeV2) leaveStakeV2(frame, owner, heir, record);
}

const tokensOf = (state: StateView, account: Readonly<Account>): ReadonlyMap<string, bigint> =>
	new Map(copiedTokens(state, account).map((id) => [id, account.assetV2.get(id) ?? 0n]));

/** Records the self-destruct as an internal transaction, with all that the contract holds. */
function noteEnd(frame: Frame, heir: Uint8Array): InternalRecord {
	const account = frame.machine.state.account.existing(frame.context.address);
	return note(frame, heir, "suicide", {
		value: account.balance,
		tokens: account.assetV2.size === 0 ? NO_TOKENS : tokensOf(frame.machine.state, account),
	});
}

/** Whether nothing is delegated or still unstaking; since #94, also that no own stake is locked. */
function mayEnd({ state, gates }: Machine, account: Readonly<Account>): boolean {
	const now = state.properties.headTimestampMs;
	const lends = (generation: "frozen" | "frozenV2"): boolean =>
		RESOURCES.some((resource) => delegation(account, "delegated", generation, resource) !== 0n);
	if (gates.freeze && gates.restrictedSelfDestruct && hasLockedStake(account, now)) return false;
	if (gates.freeze && lends("frozen")) return false;
	if (!gates.freezeV2) return true;
	if (lends("frozenV2")) return false;
	return account.unfrozenV2.length === 0 || splitUnstaking(account.unfrozenV2, now).waiting.length === 0;
}

/** Whether a Stake 1.0 stake expires after a time. A bandwidth record counts even without an amount. */
function hasLockedStake(account: Readonly<Account>, timeMs: bigint): boolean {
	if (account.frozen.some((stake) => stake.expire_time > timeMs)) return true;
	const energy = account.account_resource?.frozen_balance_for_energy;
	return energy !== undefined && energy.frozen_balance > 0n && energy.expire_time > timeMs;
}

/** Withdraws the vote reward into the balance and clears the votes. */
function collectReward(machine: Machine, address: Uint8Array): void {
	const { state } = machine;
	withdrawReward(state, address, machineRewards);
	const present = state.account.existing(address);
	if (isCollected(machine, present)) {
		state.account.put(address, present);
		return;
	}
	const owner = Account.copy(present);
	if (owner.votes.length > 0) {
		const stored = state.votes.get(address);
		const votes = stored ? Votes.copy(stored) : Votes.create({ address, old_votes: owner.votes });
		votes.new_votes = [];
		state.votes.put(address, votes);
		owner.votes = [];
		owner.old_coin_power = 0n;
	}
	if (owner.balance + owner.allowance > MAX_INT64) {
		throw executionFailed("Suicide: balance and allowance out of long range.");
	}
	owner.balance += owner.allowance;
	owner.allowance = 0n;
	owner.latest_withdraw_time = withdrawTimeMs(machine);
	state.account.put(address, owner);
}

/** Whether collecting wouldn't change the record; a contract may self-destruct repeatedly, which should cost nothing. */
function isCollected(machine: Machine, account: Readonly<Account>): boolean {
	return (
		account.votes.length === 0 &&
		account.old_coin_power === 0n &&
		account.allowance === 0n &&
		account.latest_withdraw_time === withdrawTimeMs(machine)
	);
}

/** Whether the heir counts as the contract itself; before #81, the last byte of the addresses wasn't compared. */
function isOwnHeir({ gates }: Machine, owner: Uint8Array, heir: Uint8Array): boolean {
	return gates.energyAdjustment
		? equalBytes(owner, heir)
		: equalBytes(owner.subarray(0, 20), heir.subarray(0, 20));
}

function leaveBalance(machine: Machine, owner: Uint8Array, heir: Uint8Array): void {
	const { state, gates, options } = machine;
	if (!isOwnHeir(machine, owner, heir)) {
		leaveToOther(machine, owner, heir);
		return;
	}
	const { balance } = state.account.existing(owner);
	const { blackHole } = options.rules;
	addBalance(state, owner, -balance);
	if (gates.tokens) {
		addBalance(state, blackHole, balance);
		moveAllTokens(state, owner, blackHole);
	}
}

/** Transfers coins and tokens to another account. */
function leaveToOther({ state, gates }: Machine, owner: Uint8Array, heir: Uint8Array): void {
	const { balance } = state.account.existing(owner);
	if (gates.solidity059) createIfMissing(state, heir);
	if (balance > 0n) {
		const error = coinTransferError(state, owner, heir, balance);
		if (error !== undefined) throw refusal(gates.constantinople, error);
		moveCoins(state, owner, heir, balance);
	}
	if (gates.tokens && state.account.existing(owner).assetV2.size > 0) {
		if (!state.account.has(heir)) {
			throw refusal(
				gates.constantinople,
				"Validate InternalTransfer error, no ToAccount. And not allowed to create account in smart contract.",
			);
		}
		moveAllTokens(state, owner, heir);
	}
}

function refusal(catchable: boolean, error: string): Error {
	return catchable
		? transferFailed(`transfer all token or transfer all coin failed in suicide: ${error}`)
		: executionFailed("transfer failure");
}

/** Pays Stake 1.0 stakes to the heir's balance. The owner's record keeps them before #94. */
function leaveStakeV1({ state, gates }: Machine, owner: Uint8Array, heir: Uint8Array): void {
	const account = state.account.existing(owner);
	const bandwidth = ownStakeV1(account, ResourceCode.BANDWIDTH);
	const energy = ownStakeV1(account, ResourceCode.ENERGY);
	if (bandwidth !== 0n) state.properties.add("TOTAL_NET_WEIGHT", -(bandwidth / SUN_PER_COIN));
	if (energy !== 0n) state.properties.add("TOTAL_ENERGY_WEIGHT", -(energy / SUN_PER_COIN));
	// An heir that differs only in its last byte wasn't created above; create it here with just its address.
	if (!state.account.has(heir)) state.account.put(heir, Account.create({ address: heir }));
	if (bandwidth + energy > 0n) addBalance(state, heir, wrap(bandwidth + energy));
	if (gates.restrictedSelfDestruct) clearStakeV1(state, owner);
}

/** Overwrites Stake 1.0 stakes with zeros: the first bandwidth stake, added if there is none, and the energy stake. */
function clearStakeV1(state: StateView, address: Uint8Array): void {
	const owner = Account.copy(state.account.existing(address));
	owner.frozen = [new AccountFrozen(), ...owner.frozen.slice(1)];
	editEnergy(owner).frozen_balance_for_energy = new AccountFrozen();
	state.account.put(address, owner);
}

/** Moves Stake 2.0 stakes and their usage to the heir; pays out expired unstakes. */
function leaveStakeV2(
	frame: Frame,
	ownerAddress: Uint8Array,
	heirAddress: Uint8Array,
	record: InternalRecord,
): void {
	const { state } = frame.machine;
	const { properties } = state;
	const now = properties.headSlot;
	if (!state.account.has(heirAddress)) {
		throw runtimeFailed("java.lang.RuntimeException", "Unknown Exception");
	}
	const left = state.account.existing(ownerAddress);
	if (isLeft(left, now, cancelAllOn(properties))) {
		state.account.put(heirAddress, state.account.existing(heirAddress));
		state.account.put(ownerAddress, left);
		return;
	}
	const owner = Account.copy(left);
	const heir = Account.copy(state.account.existing(heirAddress));
	for (const { type, amount } of owner.frozenV2) if (amount > 0n) addStakeV2(heir, type, amount);
	for (const resource of RESOURCES) {
		const { usage, lastSlot } = resourceUsage(owner, resource);
		const present = accountIncrease(properties, owner, resource, usage, 0n, lastSlot, now);
		setResourceUsage(owner, resource, present, now);
		if (present > 0n) mergeUsage(properties, heir, owner, present, resource, now);
	}
	const { expiredSun } = splitUnstaking(owner.unfrozenV2, properties.headTimestampMs);
	if (expiredSun > 0n) {
		heir.balance = wrap(heir.balance + expiredSun);
		note(frame, heirAddress, "withdrawExpireUnfreezeWhileSuiciding", { value: expiredSun });
		record.value = wrap(record.value + expiredSun);
	}
	owner.frozenV2 = [];
	owner.unfrozenV2 = [];
	const setWindow = cancelAllOn(properties) ? setFineWindow : setWindowSlots;
	for (const resource of RESOURCES) {
		setResourceUsage(owner, resource, 0n, now);
		setWindow(owner, resource, 0n);
	}
	state.account.put(heirAddress, heir);
	state.account.put(ownerAddress, owner);
}

/** Whether {@link leaveStakeV2} would change nothing in an account's record. */
function isLeft(account: Readonly<Account>, nowSlot: bigint, isFine: boolean): boolean {
	const energy = account.account_resource;
	return (
		account.frozenV2.length === 0 &&
		account.unfrozenV2.length === 0 &&
		account.net_usage === 0n &&
		account.latest_consume_time === nowSlot &&
		account.net_window_size === 0n &&
		(account.net_window_optimized || !isFine) &&
		energy !== undefined &&
		energy.energy_usage === 0n &&
		energy.latest_consume_time_for_energy === nowSlot &&
		energy.energy_window_size === 0n &&
		(energy.energy_window_optimized || !isFine)
	);
}
