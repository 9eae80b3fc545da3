/** Balance changes and fee destinations (protocol/resources §1.4). */

import { toHex } from "../../protocol/bytes.js";
import { checkedAdd } from "../../protocol/int64.js";
import { Account } from "../../protocol/messages.js";
import { defaultActivePermission, defaultOwnerPermission } from "../../protocol/permission.js";
import type { ChainRules } from "../rules/chain-rules.js";
import type { StateView } from "../state/view.js";

/** The account has less than an operation takes. */
export class InsufficientBalanceError extends Error {
	override readonly name = "BalanceInsufficientException";
}

/**
 * Adds to the balance of an existing account; adding 0 writes nothing.
 * @throws {InsufficientBalanceError} if it would become negative
 * @throws {OverflowError} if it would exceed 64 bits
 */
export function adjustBalance(state: StateView, address: Uint8Array, deltaSun: bigint): void {
	if (deltaSun === 0n) return;
	const account = state.account.get(address);
	if (!account) throw new Error(`account ${toHex(address)} does not exist`);
	const copy = Account.copy(account);
	changeBalance(copy, deltaSun);
	state.account.put(address, copy);
}

/** Adds to the balance of an account record that the caller writes. */
export function changeBalance(account: Account, deltaSun: bigint): void {
	if (deltaSun < 0n && account.balance < -deltaSun) {
		throw new InsufficientBalanceError(
			`${toHex(account.address)} insufficient balance, balance: ${account.balance}, amount: ${-deltaSun}`,
		);
	}
	account.balance = checkedAdd(account.balance, deltaSun);
}

/** Burns a fee, or credits it to the black hole account. */
export function sinkFee(state: StateView, rules: ChainRules, feeSun: bigint): void {
	if (state.properties.on("ALLOW_BLACKHOLE_OPTIMIZATION")) {
		state.properties.addPositive("BURN_COIN_AMOUNT", feeSun);
	} else {
		adjustBalance(state, rules.blackHole, feeSun);
	}
}

/** Like {@link sinkFee}, but into the fee pool if that is enabled. */
export function sinkFeeToPool(state: StateView, rules: ChainRules, feeSun: bigint): void {
	if (state.properties.on("ALLOW_TRANSACTION_FEE_POOL")) {
		state.properties.addPositive("TRANSACTION_FEE_POOL", feeSun);
	} else {
		sinkFee(state, rules, feeSun);
	}
}

// Account creation as in the transaction types (protocol/permissions §1.2).

/** A new account, created at the head's time, with default permissions once multi-signature is on. */
export function newAccount(state: StateView, address: Uint8Array, type: number): Account {
	const account = Account.create({ address, type, create_time: state.properties.headTimestampMs });
	if (state.properties.on("ALLOW_MULTI_SIGN")) giveDefaultPermissions(state, account);
	return account;
}

/** Sets the default owner and active permissions of a record that the caller writes. */
function giveDefaultPermissions(state: StateView, account: Account): void {
	account.owner_permission = defaultOwnerPermission(account.address);
	account.active_permission = [
		defaultActivePermission(account.address, state.properties.get("ACTIVE_DEFAULT_OPERATIONS")),
	];
}
