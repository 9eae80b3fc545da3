/** Nonces as a development chain counts them for Ethereum's tools (protocol/development-chain §4.8). */

import { equalBytes } from "../../../protocol/bytes.js";
import { contractAddressByNonce, markedNonce } from "../../../protocol/deployment.js";
import type { StateView } from "../../state/view.js";
import type { ApiNode } from "../context.js";

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
	let nonce = 0;
	while (waiting.has(nonce) || state.account.has(contractAddressByNonce(owner, nonce))) nonce++;
	return nonce;
}
