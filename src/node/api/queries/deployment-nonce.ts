/** Nonces as a development chain counts them for Ethereum's tools (protocol/development-chain §4.8). */

import { equalBytes, toKey } from "../../../protocol/bytes.js";
import { contractAddressByNonce, markedNonce } from "../../../protocol/deployment.js";
import { blockIdAt } from "../../chain/block-store.js";
import type { StateView } from "../../state/view.js";
import type { ApiNode } from "../context.js";

/** What an account's deployments came to by a block. */
interface Counted {
	readonly nonce: number;
	readonly number: bigint;
	/** Key of the block's id. */
	readonly id: string;
}

/** What was counted last, by owner: as long as its block is part of the chain, counting goes on from there. */
const counted = new Map<string, Counted>();
const MAX_COUNTED = 1_000;

/** @returns where counting begins */
function countedNonce(state: StateView, owner: string): number {
	const known = counted.get(owner);
	const id = known && blockIdAt(state, known.number);
	return id && toKey(id) === known.id && known.number <= state.properties.headNumber ? known.nonce : 0;
}

/** Without the pool. */
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
 * The lowest nonce whose contract the account hasn't deployed yet: what its next deployment gets. The state alone decides,
 * so that snapshots and restarts need nothing of their own.
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
