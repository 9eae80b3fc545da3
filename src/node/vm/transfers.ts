/** Transfers of coins and tokens within the machine (protocol/machine §3.3). */

import { isAddress } from "../../protocol/address.js";
import { asBuffer, equalBytes, utf8 } from "../../protocol/bytes.js";
import { MAX_INT64, wrap } from "../../protocol/int64.js";
import { Account, AccountType } from "../../protocol/messages.js";
import { newAccount } from "../resources/balance.js";
import type { StateView } from "../state/view.js";

/** Why a coin transfer is invalid; undefined if it is valid. */
export function coinTransferError(
	state: StateView,
	from: Uint8Array,
	to: Uint8Array,
	amountSun: bigint,
): string | undefined {
	if (!isAddress(from)) return "Invalid ownerAddress!";
	if (!isAddress(to)) return "Invalid toAddress!";
	if (equalBytes(from, to)) return "Cannot transfer COIN to yourself.";
	const owner = state.account.get(from);
	if (!owner) return "Validate InternalTransfer error, no OwnerAccount.";
	const target = state.account.get(to);
	if (!target) {
		return "Validate InternalTransfer error, no ToAccount. And not allowed to create an account in a smartContract.";
	}
	if (amountSun < 0n) return "Amount must be greater than or equals 0.";
	if (owner.balance < amountSun) return "Validate InternalTransfer error, balance is not sufficient.";
	if (target.balance + amountSun > MAX_INT64) return "long overflow";
	return undefined;
}

/** Why a token transfer is invalid; undefined if it is valid. */
export function tokenTransferError(
	state: StateView,
	from: Uint8Array,
	to: Uint8Array,
	tokenId: bigint,
	amount: bigint,
): string | undefined {
	if (!isAddress(from)) return "Invalid ownerAddress";
	if (!isAddress(to)) return "Invalid toAddress";
	if (amount <= 0n) return "Amount must greater than 0.";
	if (equalBytes(from, to)) return "Cannot transfer asset to yourself.";
	const owner = state.account.get(from);
	if (!owner) return "No owner account!";
	if (!state.assetIssueV2.has(asBuffer(utf8(String(tokenId))))) return "No asset !";
	const held = owner.assetV2.get(String(tokenId)) ?? 0n;
	if (held <= 0n) return "assetBalance must greater than 0.";
	if (amount > held) return "assetBalance is not sufficient.";
	const target = state.account.get(to);
	if (!target) {
		return "Validate InternalTransfer error, no ToAccount. And not allowed to create account in smart contract.";
	}
	if ((target.assetV2.get(String(tokenId)) ?? 0n) + amount > MAX_INT64) return "long overflow";
	return undefined;
}

/** Adds to an existing account's balance, wrapping. Adding 0 still counts as a write. */
export function addBalance(state: StateView, address: Uint8Array, deltaSun: bigint): void {
	const present = state.account.existing(address);
	if (deltaSun === 0n) {
		state.account.put(address, present);
		return;
	}
	const account = Account.copy(present);
	account.balance = wrap(account.balance + deltaSun);
	state.account.put(address, account);
}

/** Adds to an existing account's balance of a token, wrapping. */
function addTokens(state: StateView, address: Uint8Array, tokenId: string, delta: bigint): void {
	const account = Account.copy(state.account.existing(address));
	account.assetV2 = new Map(account.assetV2).set(tokenId, wrap((account.assetV2.get(tokenId) ?? 0n) + delta));
	state.account.put(address, account);
}

export function moveCoins(state: StateView, from: Uint8Array, to: Uint8Array, amountSun: bigint): void {
	addBalance(state, from, -amountSun);
	addBalance(state, to, amountSun);
}

export function moveTokens(
	state: StateView,
	from: Uint8Array,
	to: Uint8Array,
	tokenId: bigint,
	amount: bigint,
): void {
	addTokens(state, from, String(tokenId), -amount);
	addTokens(state, to, String(tokenId), amount);
}

/** Moves all tokens of an account; its entries stay, with amount 0. */
export function moveAllTokens(state: StateView, from: Uint8Array, to: Uint8Array): void {
	const present = state.account.existing(from);
	if (present.assetV2.size === 0) return;
	const owner = Account.copy(present);
	const heir = Account.copy(state.account.existing(to));
	const received = new Map(heir.assetV2);
	const left = new Map<string, bigint>();
	for (const [id, amount] of owner.assetV2) {
		received.set(id, wrap((received.get(id) ?? 0n) + amount));
		left.set(id, 0n);
	}
	heir.assetV2 = received;
	owner.assetV2 = left;
	state.account.put(to, heir);
	state.account.put(from, owner);
}

/** Creates a normal account if it doesn't exist. */
export function createIfMissing(state: StateView, address: Uint8Array): void {
	if (!state.account.has(address)) {
		state.account.put(address, newAccount(state, address, AccountType.Normal));
	}
}
