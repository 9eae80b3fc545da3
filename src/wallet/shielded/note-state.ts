/** Determines which of a key's notes can be spent. */

import { toHex } from "../../protocol/bytes.js";
import type { HeldNote } from "./holdings.js";
import type { ScanResult } from "./scan.js";
import type { PendingSpend } from "./scan-state.js";

/**
 * `unconfirmed`: its block can still be replaced by a reorg; `pending`: spent by a transaction of the holder
 * that is not yet in a block; `unknown`: an incoming viewing key doesn't show whether it is spent.
 */
type NoteState = "unspent" | "unconfirmed" | "pending" | "spent" | "unknown";

export interface JudgedNote {
	readonly held: HeldNote;
	readonly state: NoteState;
}

/** All received notes with their states. @param spentElsewhere nullifiers missing from the pool's data */
export function judgeNotes(
	{ holdings, irreversible, state, headMs }: ScanResult,
	spentElsewhere: ReadonlySet<string> = new Set(),
): JudgedNote[] {
	const pending = new Set(
		state.pending.filter((spend) => spend.expirationMs > headMs).map(({ nullifier }) => toHex(nullifier)),
	);
	return holdings.received.map((held) => ({ held, state: stateOf(held) }));

	function stateOf({ spent, nullifier, block }: HeldNote): NoteState {
		if (spent) return "spent";
		if (!nullifier) return "unknown";
		const mark = toHex(nullifier);
		if (spentElsewhere.has(mark)) return "spent";
		if (pending.has(mark)) return "pending";
		return block > irreversible.through ? "unconfirmed" : "unspent";
	}
}

/** Sum of the values of notes that are in any of the given states. */
export function sumIn(notes: readonly JudgedNote[], ...states: readonly NoteState[]): bigint {
	return notes
		.filter(({ state }) => states.includes(state))
		.reduce((sum, { held }) => sum + held.note.value, 0n);
}

/** The spends that are still pending: neither in a block nor expired. */
export function stillPending({ holdings, state, headMs }: ScanResult): readonly PendingSpend[] {
	const spent = new Set(
		holdings.received.flatMap((held) => (held.spent && held.nullifier ? [toHex(held.nullifier)] : [])),
	);
	return state.pending.filter(
		({ nullifier, expirationMs }) => expirationMs > headMs && !spent.has(toHex(nullifier)),
	);
}
