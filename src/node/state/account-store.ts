/** The account store, whose writes can be watched: balance history records every change in the order it happens. */

import { toHex, toKey } from "../../protocol/bytes.js";
import type { Account } from "../../protocol/messages.js";
import type { StateBackend } from "./backend.js";
import { stores } from "./definition.js";
import { Store } from "./store.js";

/** Notified of each write that changes a balance, and of each deletion. Amounts in sun; a deletion leaves 0. */
type BalanceObserver = (address: Uint8Array, delta: bigint, balance: bigint) => void;

export class AccountStore extends Store<Readonly<Account>> {
	observer: BalanceObserver | undefined;

	constructor(private readonly base: StateBackend) {
		super(base, stores.account);
	}

	override put(key: Uint8Array, value: Readonly<Account>): void {
		const { observer } = this;
		const before = observer ? (this.get(key)?.balance ?? 0n) : 0n;
		super.put(key, value);
		if (observer && value.balance !== before) observer(key, value.balance - before, value.balance);
	}

	override delete(key: Uint8Array): void {
		const { observer } = this;
		const before = observer ? (this.get(key)?.balance ?? 0n) : 0n;
		super.delete(key);
		observer?.(key, -before, 0n);
	}

	/** An account as the base has it, where the network keeps what it has flushed. */
	settled(address: Uint8Array): Readonly<Account> | undefined {
		const key = toKey(address);
		return this.base.settled ? this.base.settled(stores.account, key) : this.base.get(stores.account, key);
	}

	/** An account that a rule has already found to exist. */
	existing(address: Uint8Array): Readonly<Account> {
		const account = this.get(address);
		if (!account) throw new Error(`account ${toHex(address)} is missing`);
		return account;
	}
}
