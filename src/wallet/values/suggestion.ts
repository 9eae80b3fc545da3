/** Suggestions for mistyped words. */

import { Failure } from "../failure.js";
import { shorten } from "./bytes-text.js";

/**
 * The failure for an unknown member in JSON.
 * @param what the start of the message's sentence
 */
export function unknownMember(what: string, name: string, known: readonly string[]): Failure {
	const [near] = nearest(name, known);
	const hint = near === undefined ? `its members are ${known.join(", ")}` : `did you mean ${near}?`;
	return new Failure("bad_value", `${what} has the unknown member ${JSON.stringify(shorten(name))}`, {
		hint,
	});
}

/**
 * The known words closest to a mistyped one, closest first; only those that differ by a few letters.
 * @param most the largest number of words returned
 */
export function nearest(wanted: string, known: readonly string[], most = 3): string[] {
	const near = known
		.map((word) => ({ word, distance: editDistance(wanted, word) }))
		.filter(({ word, distance }) => distance <= Math.max(1, Math.floor(word.length / 3)))
		.sort((a, b) => a.distance - b.distance);
	const best = near[0]?.distance ?? 0;
	return near
		.filter(({ distance }) => distance <= best + 1)
		.slice(0, most)
		.map(({ word }) => word);
}

/** Number of insertions, deletions, substitutions and transpositions that turn one text into the other. */
function editDistance(from: string, to: string): number {
	let last: readonly number[] = [];
	let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index);
	for (let i = 1; i <= from.length; i++) {
		const next = [i];
		for (let j = 1; j <= to.length; j++) {
			const change = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
			const swapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
			const swap = swapped && j > 1 && i > 1 ? (last[j - 2] as number) + 1 : change;
			next.push(Math.min(change, swap, (row[j] as number) + 1, (next[j - 1] as number) + 1));
		}
		[last, row] = [row, next];
	}
	return row[to.length] as number;
}
