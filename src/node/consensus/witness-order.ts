/** The order of witnesses by votes, for the active list and the standby list (sheet 02 §5.3). */

import { toHex } from "../../protocol/bytes.js";
import type { Witness } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";

/** Hash by which ties were broken at first: that of a byte string in the reference's runtime. */
export function legacyHash(bytes: Uint8Array): number {
	let hash = bytes.length;
	for (const byte of bytes) hash = (Math.imul(hash, 31) + ((byte << 24) >> 24)) | 0;
	return hash === 0 ? 1 : hash;
}

/** All witnesses, most votes first. */
export function witnessesByVotes(state: StateView): Readonly<Witness>[] {
	const byText = state.properties.on("CONSENSUS_LOGIC_OPTIMIZATION");
	const rows = state.witness.values().map((witness) => ({
		witness,
		hex: byText ? toHex(witness.address) : "",
		hash: byText ? 0 : legacyHash(witness.address),
	}));
	rows.sort((a, b) => {
		if (a.witness.voteCount !== b.witness.voteCount)
			return a.witness.voteCount > b.witness.voteCount ? -1 : 1;
		if (byText) return a.hex > b.hex ? -1 : a.hex < b.hex ? 1 : 0;
		return b.hash - a.hash;
	});
	return rows.map((row) => row.witness);
}
