/**
 * Recovery of used resources over a sliding window (protocol/resources §2). Usages are in the resource's unit, times in slots.
 */

import { ceilDiv, maxInt, minInt, roundDouble, toDouble } from "../../protocol/int64.js";
import { type Account, AccountAccountResource } from "../../protocol/messages.js";
import type { Properties } from "../state/properties.js";
import { product, result } from "./arithmetic.js";

const PRECISION = 1_000_000n;

/** Default window in slots: one day. */
export const WINDOW = 28_800n;

/** Fine windows count thousandths of a slot. */
const WINDOW_PRECISION = 1_000n;

export type Resource = "bandwidth" | "energy";

function decay(scaled: bigint, lastSlot: bigint, nowSlot: bigint, window: bigint): bigint {
	if (lastSlot === nowSlot) return scaled;
	if (lastSlot + window <= nowSlot) return 0n;
	const share = toDouble(window - (nowSlot - lastSlot)) / toDouble(window);
	return roundDouble(toDouble(scaled) * share);
}

/** Amount per slot of a window, in millionths. */
function average(properties: Properties, amount: bigint, window: bigint): bigint {
	return result(properties, ceilDiv(product(properties, amount * PRECISION), window));
}

/** Total amount for a sum of averages over windows. */
function amountOf(properties: Properties, averages: bigint): bigint {
	return result(properties, product(properties, averages) / PRECISION);
}

/** Usage after decay since `lastSlot`, plus `use`, over a fixed window. */
export function increase(
	properties: Properties,
	last: bigint,
	use: bigint,
	lastSlot: bigint,
	nowSlot: bigint,
	window: bigint = WINDOW,
): bigint {
	if (areSmall(last, use, lastSlot, nowSlot, window)) {
		const scaled = smallDecay(last, lastSlot, nowSlot, Number(window)) + smallAverage(use, Number(window));
		return BigInt(Math.floor((scaled * Number(window)) / SMALL_PRECISION));
	}
	const old = decay(average(properties, last, window), lastSlot, nowSlot, window);
	const added = average(properties, use, window);
	return amountOf(properties, (old + added) * window);
}

/** Remaining usage over the account's own window, and the total with new usage over the default window. */
function windowedUsage(
	properties: Properties,
	last: bigint,
	use: bigint,
	lastSlot: bigint,
	nowSlot: bigint,
	window: bigint,
): { readonly usage: bigint; readonly remain: bigint } {
	if (areSmall(last, use, lastSlot, nowSlot, window)) {
		const old = smallDecay(last, lastSlot, nowSlot, Number(window)) * Number(window);
		const added = smallAverage(use, SMALL_WINDOW) * SMALL_WINDOW;
		return {
			usage: BigInt(Math.floor((old + added) / SMALL_PRECISION)),
			remain: BigInt(Math.floor(old / SMALL_PRECISION)),
		};
	}
	const old = decay(average(properties, last, window), lastSlot, nowSlot, window) * window;
	const added = average(properties, use, WINDOW) * WINDOW;
	return { usage: amountOf(properties, old + added), remain: amountOf(properties, old) };
}

/**
 * Up to this size, usages and windows are calculated in doubles: results stay below 2^53, where sums and
 * products are exact and no quotient rounds up to an integer. PERF: every transaction does this several
 * times, and each bigint step allocates an object.
 */
const SMALL = 2 ** 32;
const SMALL_PRECISION = Number(PRECISION);
const SMALL_WINDOW = Number(WINDOW);

function areSmall(last: bigint, use: bigint, lastSlot: bigint, nowSlot: bigint, window: bigint): boolean {
	if (last < 0n || use < 0n || lastSlot < 0n || nowSlot < lastSlot || window <= 0n) return false;
	return Number(last) <= SMALL && Number(use) <= SMALL && Number(nowSlot) <= SMALL && Number(window) <= SMALL;
}

function smallAverage(amount: bigint, window: number): number {
	return Math.ceil((Number(amount) * SMALL_PRECISION) / window);
}

function smallDecay(last: bigint, lastSlot: bigint, nowSlot: bigint, window: number): number {
	const scaled = smallAverage(last, window);
	const elapsed = Number(nowSlot) - Number(lastSlot);
	if (elapsed === 0) return scaled;
	return elapsed >= window ? 0 : Math.round(scaled * ((window - elapsed) / window));
}

interface StoredWindow {
	readonly size: bigint;
	readonly optimized: boolean;
}

/** The window fields of an account. */
export type WindowHolder = Pick<Account, "net_window_size" | "net_window_optimized" | "account_resource">;

function storedWindow(account: Readonly<WindowHolder>, resource: Resource): StoredWindow {
	if (resource === "bandwidth")
		return { size: account.net_window_size, optimized: account.net_window_optimized };
	const energy = account.account_resource;
	return { size: energy?.energy_window_size ?? 0n, optimized: energy?.energy_window_optimized ?? false };
}

/** The account's window in slots. */
export function windowSlots(account: Readonly<WindowHolder>, resource: Resource): bigint {
	const { size, optimized } = storedWindow(account, resource);
	if (size === 0n) return WINDOW;
	if (!optimized) return size;
	return size < WINDOW_PRECISION ? WINDOW : size / WINDOW_PRECISION;
}

/** The account's window in thousandths of a slot. */
export function fineWindow(account: Readonly<WindowHolder>, resource: Resource): bigint {
	const { size, optimized } = storedWindow(account, resource);
	if (size === 0n) return WINDOW * WINDOW_PRECISION;
	return optimized ? size : size * WINDOW_PRECISION;
}

/** The account whose energy record was copied last; while it has that copy, no other account shares it. */
let edited: WindowHolder | undefined;
let editedEnergy: AccountAccountResource | undefined;

/**
 * A mutable energy record of an account that the caller writes. PERF: reuses the copy, since a call changes
 * usage and window of caller and deployer several times each.
 */
export function editEnergy(account: WindowHolder): AccountAccountResource {
	if (account === edited && editedEnergy !== undefined && account.account_resource === editedEnergy)
		return editedEnergy;
	const copy = AccountAccountResource.copy(account.account_resource ?? new AccountAccountResource());
	account.account_resource = copy;
	edited = account;
	editedEnergy = copy;
	return copy;
}

/** Stores a window in slots; doesn't change the flag of a fine window. */
export function setWindowSlots(account: WindowHolder, resource: Resource, slots: bigint): void {
	if (resource === "bandwidth") account.net_window_size = slots;
	else editEnergy(account).energy_window_size = slots;
}

/** Stores a window in thousandths of a slot, and sets the flag for that. */
export function setFineWindow(account: WindowHolder, resource: Resource, size: bigint): void {
	if (resource === "bandwidth") {
		account.net_window_size = size;
		account.net_window_optimized = true;
		return;
	}
	const energy = editEnergy(account);
	energy.energy_window_size = size;
	energy.energy_window_optimized = true;
}

/** Current usage over the account's own window; doesn't change the account. */
export function recovery(
	properties: Properties,
	account: Readonly<Account>,
	resource: Resource,
	last: bigint,
	lastSlot: bigint,
	nowSlot: bigint,
): bigint {
	return increase(properties, last, 0n, lastSlot, nowSlot, windowSlots(account, resource));
}

/** Whether Stake 2.0 is on. */
export function unfreezeDelayOn(properties: Properties): boolean {
	return properties.get("UNFREEZE_DELAY_DAYS") > 0n;
}

/** Whether cancelling all unstaking is on; it also selects fine windows. */
export function cancelAllOn(properties: Properties): boolean {
	return properties.on("ALLOW_CANCEL_ALL_UNFREEZE_V2") && unfreezeDelayOn(properties);
}

/**
 * Adds usage over the account's own window and adjusts that window (protocol/resources §§2.4 and 2.5).
 * @returns the new usage; the caller stores it with the time
 */
export function accountIncrease(
	properties: Properties,
	account: WindowHolder,
	resource: Resource,
	last: bigint,
	use: bigint,
	lastSlot: bigint,
	nowSlot: bigint,
): bigint {
	const slots = windowSlots(account, resource);
	const fine = fineWindow(account, resource);
	const { usage, remain } = windowedUsage(properties, last, use, lastSlot, nowSlot, slots);
	if (!unfreezeDelayOn(properties)) return usage;

	const elapsed = nowSlot - lastSlot;
	if (cancelAllOn(properties)) {
		const full = WINDOW * WINDOW_PRECISION;
		if (remain === 0n) setFineWindow(account, resource, full);
		else {
			const rest = fine - elapsed * WINDOW_PRECISION;
			const weighted = product(properties, remain * rest + use * full);
			setFineWindow(account, resource, minInt(result(properties, ceilDiv(weighted, usage)), full));
		}
	} else if (remain === 0n) setWindowSlots(account, resource, WINDOW);
	else {
		const weighted = product(properties, remain * (slots - elapsed) + use * WINDOW);
		setWindowSlots(account, resource, result(properties, weighted / usage));
	}
	return usage;
}

/** Usage of an account's resource, and the slot of its last change. */
export function resourceUsage(
	account: Readonly<Account>,
	resource: Resource,
): { readonly usage: bigint; readonly lastSlot: bigint } {
	if (resource === "bandwidth") return { usage: account.net_usage, lastSlot: account.latest_consume_time };
	const energy = account.account_resource;
	return { usage: energy?.energy_usage ?? 0n, lastSlot: energy?.latest_consume_time_for_energy ?? 0n };
}

/** Stores usage and the slot of its change. */
export function setResourceUsage(account: Account, resource: Resource, usage: bigint, slot: bigint): void {
	if (resource === "bandwidth") {
		account.net_usage = usage;
		account.latest_consume_time = slot;
		return;
	}
	const energy = editEnergy(account);
	energy.energy_usage = usage;
	energy.latest_consume_time_for_energy = slot;
}

/**
 * Moves `moved` units of usage from a receiver back to the owner on undelegation (protocol/resources §2.6).
 * The receiver is only read; its window must already be up to date.
 */
export function mergeUsage(
	properties: Properties,
	owner: Account,
	receiver: Readonly<Account>,
	moved: bigint,
	resource: Resource,
	nowSlot: bigint,
): void {
	const { usage, lastSlot } = resourceUsage(owner, resource);
	const fine = cancelAllOn(properties);
	const full = fine ? WINDOW * WINDOW_PRECISION : WINDOW;
	const window = fine ? fineWindow : windowSlots;
	const setWindow = fine ? setFineWindow : setWindowSlots;
	const own = accountIncrease(properties, owner, resource, usage, 0n, lastSlot, nowSlot);
	const total = own + moved;
	if (total === 0n) {
		setWindow(owner, resource, full);
		setResourceUsage(owner, resource, 0n, nowSlot);
		return;
	}
	const ownerWindow = maxInt(0n, window(owner, resource));
	const receiverWindow = maxInt(0n, window(receiver, resource));
	const weighted = product(properties, own * ownerWindow + moved * receiverWindow);
	const merged = result(properties, fine ? ceilDiv(weighted, total) : weighted / total);
	setWindow(owner, resource, fine ? minInt(merged, full) : merged);
	setResourceUsage(owner, resource, total, nowSlot);
}
