/**
 * An account's holdings of tokens, or of the coin in exchange pairs (protocol/tokens §8). Functions that
 * change a record take one that the caller writes.
 */

import { checkedAdd, wrap } from "../../protocol/int64.js";
import type { Account } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";
import { isCoin, namesByNumber, tokenNumber, tokenText } from "./token-store.js";

/** Units of a token; undefined if the account's record has no entry for it. */
export function tokenBalance(
	state: StateView,
	account: Readonly<Account>,
	token: Uint8Array,
): bigint | undefined {
	return (namesByNumber(state) ? account.assetV2 : account.asset).get(tokenText(token));
}

/** Whether an account holds an amount above 0 of a token. */
export function holdsToken(
	state: StateView,
	account: Readonly<Account>,
	token: Uint8Array,
	amount: bigint,
): boolean {
	const balance = tokenBalance(state, account, token);
	return amount > 0n && balance !== undefined && amount <= balance;
}

/**
 * Sets a token's balance; for tokens by name, in both maps of the record. While balances are moved out of
 * records, the network first looks one up under the given key as is, and keeps the zero that it finds under a
 * name (protocol/tokens §8.3, "Import").
 */
function setTokenBalance(state: StateView, account: Account, token: Uint8Array, balance: bigint): void {
	const byNumber = new Map(account.assetV2);
	if (!namesByNumber(state)) {
		const name = tokenText(token);
		account.asset = new Map(account.asset).set(name, balance);
		if (state.properties.on("ALLOW_ASSET_OPTIMIZATION")) byNumber.set(name, byNumber.get(name) ?? 0n);
	}
	account.assetV2 = byNumber.set(tokenNumber(state, token), balance);
}

/** Adds units of a token. @throws {OverflowError} `long overflow` */
export function addToken(state: StateView, account: Account, token: Uint8Array, amount: bigint): void {
	const balance = tokenBalance(state, account, token) ?? 0n;
	setTokenBalance(state, account, token, checkedAdd(balance, amount));
}

/** Takes units of a token. @returns false, with nothing changed, if the account doesn't hold them */
export function takeToken(state: StateView, account: Account, token: Uint8Array, amount: bigint): boolean {
	if (!holdsToken(state, account, token, amount)) return false;
	const balance = tokenBalance(state, account, token) as bigint;
	setTokenBalance(state, account, token, balance - amount);
	return true;
}

/**
 * Credits coins or units of a token.
 * @param fit reduces a sum of coins to 64 bits
 * @throws {OverflowError} for a token, or as `fit` does
 */
export function give(
	state: StateView,
	account: Account,
	id: Uint8Array,
	amount: bigint,
	fit: (sum: bigint) => bigint = wrap,
): void {
	if (isCoin(id)) account.balance = fit(account.balance + amount);
	else addToken(state, account, id, amount);
}

/** Debits coins or units of a token, whose presence was validated. @param fit as for {@link give} */
export function take(
	state: StateView,
	account: Account,
	id: Uint8Array,
	amount: bigint,
	fit: (sum: bigint) => bigint = wrap,
): void {
	if (isCoin(id)) account.balance = fit(account.balance - amount);
	else takeToken(state, account, id, amount);
}
