/** The state after a block, usable while the head changes: it is looked up again after each change. */

import { equalBytes, toHex } from "../../protocol/bytes.js";
import type { OpenChain } from "../chain/open-chain.js";
import { readOnly, type StateBackend } from "../state/entry.js";
import { TraceError } from "./limits.js";

export class KeptState implements StateBackend {
	private current: StateBackend | undefined;
	private seenAt = "";

	/**
	 * @param number block whose state it is
	 * @param standing block that must remain in the chain: that one, or a descendant
	 */
	constructor(
		private readonly open: OpenChain,
		private readonly number: bigint,
		private readonly standing: { readonly number: bigint; readonly id: Uint8Array },
	) {}

	/** Must be called in each turn before reading. @throws {TraceError} if the block or the state is gone */
	renew(): void {
		const { chain, database } = this.open;
		const now = `${chain.head.idHex} ${database.mark()} ${database.finalizedNumber}`;
		if (this.current && now === this.seenAt) return;
		const { number, id } = this.standing;
		const present = chain.blockByNumber(number);
		if (!present || !equalBytes(present.id, id))
			throw new TraceError(`block ${toHex(id)} is no longer part of the chain`);
		this.current = this.open.stateAt(this.number)?.backend;
		if (!this.current) throw goneState(this.number, this.open.isFork);
		this.seenAt = now;
	}

	private get state(): StateBackend {
		if (!this.current) throw new Error("the state was not looked up");
		return this.current;
	}

	get: StateBackend["get"] = (store, key) => this.state.get(store, key);
	put: StateBackend["put"] = readOnly;
	delete: StateBackend["delete"] = readOnly;
	keys: StateBackend["keys"] = (store) => this.state.keys(store);
	keysEver: StateBackend["keysEver"] = (store, prefix) => this.state.keysEver(store, prefix);
}

/** The error for a pruned state. @param isFork whether the chain was forked from another node's state */
export function goneState(number: bigint, isFork: boolean): TraceError {
	if (isFork) return new TraceError(`a fork has no state of block ${number}: its source may know it`);
	return new TraceError(
		`the state of block ${number} is gone: node.history.state keeps that of older blocks than those that can still be undone`,
	);
}
