/** SELFDESTRUCT: a contract ends, or since #94 only leaves what it holds to an heir (protocol/machine §11.6). */

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

/** Energy since #94. */
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

/** Leaves what a contract holds, to the black hole what it would leave to itself, and lets the transaction delete it. */
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

/** Leaves what a contract of an earlier transaction holds; the contract stays. Nothing moves to itself. */
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

/** Lists the end of a contract, with all that it holds now. */
function noteEnd(frame: Frame, heir: Uint8Array): InternalRecord {
	const account = frame.machine.state.account.existing(frame.context.address);
	return note(frame, heir, "suicide", {
		value: account.balance,
		tokens: account.assetV2.size === 0 ? NO_TOKENS : tokensOf(frame.machine.state, account),
	});
}

/** Whether nothing is lent to others or still waits for the end of its delay; since #94, nor locked for its own use. */
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

/** Whether an own stake of the first generation is locked beyond a time. A record for bandwidth counts without an amount. */
function hasLockedStake(account: Readonly<Account>, timeMs: bigint): boolean {
	if (account.frozen.some((stake) => stake.expire_time > timeMs)) return true;
	const energy = account.account_resource?.frozen_balance_for_energy;
	return energy !== undefined && energy.frozen_balance > 0n && energy.expire_time > timeMs;
}

/** Moves the vote reward into the balance and clears the votes. */
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

/** Whether collecting leaves the record as it is: a contract may end again and again, for nothing. */
function isCollected(machine: Machine, account: Readonly<Account>): boolean {
	return (
		account.votes.length === 0 &&
		account.old_coin_power === 0n &&
		account.allowance === 0n &&
		account.latest_withdraw_time === withdrawTimeMs(machine)
	);
}

/** Whether the heir counts as the contract itself; before #81 the last byte of the addresses wasn't compared. */
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

/** Moves coins and tokens to an heir that is another account. */
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

/** Pays the stakes of the first generation to the heir's balance. Only since #94 does the owner's record lose them. */
function leaveStakeV1({ state, gates }: Machine, owner: Uint8Array, heir: Uint8Array): void {
	const account = state.account.existing(owner);
	const bandwidth = ownStakeV1(account, ResourceCode.BANDWIDTH);
	const energy = ownStakeV1(account, ResourceCode.ENERGY);
	if (bandwidth !== 0n) state.properties.add("TOTAL_NET_WEIGHT", -(bandwidth / SUN_PER_COIN));
	if (energy !== 0n) state.properties.add("TOTAL_ENERGY_WEIGHT", -(energy / SUN_PER_COIN));
	// An heir whose last byte alone differs was not created with the others; here it is, with nothing but its address.
	if (!state.account.has(heir)) state.account.put(heir, Account.create({ address: heir }));
	if (bandwidth + energy > 0n) addBalance(state, heir, wrap(bandwidth + energy));
	if (gates.restrictedSelfDestruct) clearStakeV1(state, owner);
}

/** Writes zeros over the stakes of the first generation: over the first one for bandwidth, adding it if there is none. */
function clearStakeV1(state: StateView, address: Uint8Array): void {
	const owner = Account.copy(state.account.existing(address));
	owner.frozen = [new AccountFrozen(), ...owner.frozen.slice(1)];
	editEnergy(owner).frozen_balance_for_energy = new AccountFrozen();
	state.account.put(address, owner);
}

/** Moves the stakes of the second generation, and their usage, to the heir; pays what has waited out its delay. */
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

/** Whether an account has nothing to leave by {@link leaveStakeV2}, and its record is as that writes it. */
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
