/** Nonces that a development chain counts for Ethereum tools (protocol/development-chain §4.8). */

import { equalBytes, toKey } from "../../../protocol/bytes.js";
import { contractAddressByNonce, markedNonce } from "../../../protocol/deployment.js";
import { blockIdAt } from "../../chain/block-store.js";
import type { StateView } from "../../state/view.js";
import type { ApiNode } from "../context.js";

/** An account's deployment count at a block. */
interface Counted {
	readonly nonce: number;
	readonly number: bigint;
	/** Key of the block's id. */
	readonly id: string;
}

/** The last count by owner: counting resumes from there as long as its block is still on the chain. */
const counted = new Map<string, Counted>();
const MAX_COUNTED = 1_000;

/** @returns where counting begins */
function countedNonce(state: StateView, owner: string): number {
	const known = counted.get(owner);
	const id = known && blockIdAt(state, known.number);
	return id && toKey(id) === known.id && known.number <= state.properties.headNumber ? known.nonce : 0;
}

/** Not counting the pool. */
function storedNonce(state: StateView, owner: Uint8Array): number {
	const key = toKey(owner);
	let nonce = countedNonce(state, key);
	while (state.account.has(contractAddressByNonce(owner, nonce))) nonce++;
	const { headNumber, headId } = state.properties;
	counted.delete(key);
	counted.set(key, { nonce, number: headNumber, id: toKey(headId) });
	for (const oldest of counted.keys()) {
		if (counted.size <= MAX_COUNTED) break;
		counted.delete(oldest);
	}
	return nonce;
}

/**
 * The nonce of the account's next deployment: the lowest whose contract isn't deployed yet. Derived from the
 * state alone, so that snapshots and restarts need no extra data.
 * @param owner 21 bytes
 * @param pool whose marked transactions count, too; absent: those of blocks alone
 */
export function nextNonce(state: StateView, owner: Uint8Array, pool?: ApiNode["pool"]): number {
	const waiting = new Set<number | undefined>(
		pool
			?.list()
			.filter(({ transaction }) => equalBytes(transaction.owner, owner))
			.map(({ transaction }) => markedNonce(transaction)),
	);
	let nonce = storedNonce(state, owner);
	while (waiting.has(nonce) || state.account.has(contractAddressByNonce(owner, nonce))) nonce++;
	return nonce;
}
