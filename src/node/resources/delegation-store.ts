/** Reward bookkeeping by cycle: the store "delegation", with text keys (protocol/staking §7.1). */

import { be32, be64, readBe32, readBe64, toHex } from "../../protocol/bytes.js";
import { Account } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";

/** Default share of rewards that a witness keeps, in percent. */
const DEFAULT_BROKERAGE = 20;

/** Pseudo cycle that stores the current brokerage setting. */
const CURRENT_SETTING = -1n;

const text = (key: string): Uint8Array => Buffer.from(key, "latin1");
const byCycle = (cycle: bigint, address: Uint8Array, what: string): Uint8Array =>
	text(`${cycle}-${toHex(address)}-${what}`);

/** Reward of a witness's voters in a cycle; 0 if none is stored. */
export function cycleReward(state: StateView, cycle: bigint, witness: Uint8Array): bigint {
	const bytes = state.delegation.get(byCycle(cycle, witness, "reward"));
	return bytes ? readBe64(bytes) : 0n;
}

/** Adds to a cycle's reward. The record is created even for 0. */
export function addCycleReward(state: StateView, cycle: bigint, witness: Uint8Array, amount: bigint): void {
	const total = cycleReward(state, cycle, witness) + amount;
	state.delegation.put(byCycle(cycle, witness, "reward"), be64(total));
}

/** Votes of a witness in a cycle; undefined if not recorded. */
export function cycleVotes(state: StateView, cycle: bigint, witness: Uint8Array): bigint | undefined {
	const bytes = state.delegation.get(byCycle(cycle, witness, "vote"));
	return bytes && readBe64(bytes);
}

export function setCycleVotes(state: StateView, cycle: bigint, witness: Uint8Array, votes: bigint): void {
	state.delegation.put(byCycle(cycle, witness, "vote"), be64(votes));
}

/** Brokerage of a witness in a cycle, in percent. */
export function cycleBrokerage(state: StateView, cycle: bigint, witness: Uint8Array): number {
	const bytes = state.delegation.get(byCycle(cycle, witness, "brokerage"));
	return bytes ? readBe32(bytes) : DEFAULT_BROKERAGE;
}

export function setCycleBrokerage(
	state: StateView,
	cycle: bigint,
	witness: Uint8Array,
	percent: number,
): void {
	state.delegation.put(byCycle(cycle, witness, "brokerage"), be32(percent));
}

/** A witness's brokerage setting for the next cycles. */
export function brokerageSetting(state: StateView, witness: Uint8Array): number {
	return cycleBrokerage(state, CURRENT_SETTING, witness);
}

export function setBrokerageSetting(state: StateView, witness: Uint8Array, percent: number): void {
	setCycleBrokerage(state, CURRENT_SETTING, witness, percent);
}

/** Accumulated reward per vote up to a cycle, scaled by 10^18; 0 if none is stored. */
export function cycleVi(state: StateView, cycle: bigint, witness: Uint8Array): bigint {
	const bytes = state.delegation.get(byCycle(cycle, witness, "vi"));
	return bytes ? fromTwosComplement(bytes) : 0n;
}

export function setCycleVi(state: StateView, cycle: bigint, witness: Uint8Array, vi: bigint): void {
	state.delegation.put(byCycle(cycle, witness, "vi"), toTwosComplement(vi));
}

/** First cycle whose rewards an account hasn't settled. */
export function beginCycle(state: StateView, address: Uint8Array): bigint {
	const bytes = state.delegation.get(address);
	return bytes ? readBe64(bytes) : 0n;
}

export function setBeginCycle(state: StateView, address: Uint8Array, cycle: bigint): void {
	state.delegation.put(address, be64(cycle));
}

/** Cycle up to which an account's vote snapshot applies; -1 if there is none. */
export function endCycle(state: StateView, address: Uint8Array): bigint {
	const bytes = state.delegation.get(text(`end-${toHex(address)}`));
	return bytes ? readBe64(bytes) : -1n;
}

export function setEndCycle(state: StateView, address: Uint8Array, cycle: bigint): void {
	state.delegation.put(text(`end-${toHex(address)}`), be64(cycle));
}

/** The account record at its settlement in a cycle. */
export function accountVote(state: StateView, cycle: bigint, address: Uint8Array): Account | undefined {
	const bytes = state.delegation.get(byCycle(cycle, address, "account-vote"));
	return bytes && Account.decode(bytes);
}

export function setAccountVote(
	state: StateView,
	cycle: bigint,
	address: Uint8Array,
	account: Readonly<Account>,
): void {
	state.delegation.put(byCycle(cycle, address, "account-vote"), Account.encode(account));
}

/** Minimal big-endian two's complement, as the reference stores big integers. */
export function toTwosComplement(value: bigint): Uint8Array {
	let length = 1;
	while (BigInt.asIntN(length * 8, value) !== value) length++;
	const bytes = Buffer.alloc(length);
	let rest = BigInt.asUintN(length * 8, value);
	for (let i = length - 1; i >= 0; i--) {
		bytes[i] = Number(rest & 0xffn);
		rest >>= 8n;
	}
	return bytes;
}

export function fromTwosComplement(bytes: Uint8Array): bigint {
	return BigInt.asIntN(bytes.length * 8, BigInt(`0x${toHex(bytes) || "0"}`));
}
