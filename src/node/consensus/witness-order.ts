/** The order of witnesses by votes, for the active list and the standby list (protocol/consensus §1.3). */

import type { Witness } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";

/** Hash by which ties were broken at first: that of a byte string in the reference's runtime. */
function legacyHash(bytes: Uint8Array): number {
	let hash = bytes.length;
	for (const byte of bytes) hash = (Math.imul(hash, 31) + ((byte << 24) >> 24)) | 0;
	return hash === 0 ? 1 : hash;
}

/**
 * All witnesses, most votes first.
 * @param witnesses in the order of the state; absent: as the state has them
 */
export function witnessesByVotes(
	state: StateView,
	witnesses: Readonly<Witness>[] = state.witness.values(),
): Readonly<Witness>[] {
	const byText = state.properties.on("CONSENSUS_LOGIC_OPTIMIZATION");
	// Sorting is stable: ties stay by descending address.
	if (byText) witnesses.reverse();
	return witnesses.sort((a, b) => {
		if (a.voteCount !== b.voteCount) return a.voteCount > b.voteCount ? -1 : 1;
		return byText ? 0 : legacyHash(b.address) - legacyHash(a.address);
	});
}
