/** Which notes pay an amount: as few as will do, and of these the smallest, so that little comes back as change. */

import { Failure } from "../failure.js";
import { type JudgedNote, sumIn } from "./note-state.js";

/**
 * Chooses notes whose values reach an amount; irreversible ones if they do.
 * @param wanted in units of notes; `max`: as much as so many notes hold
 * @param most notes that one transaction can spend
 * @param text shows an amount
 * @throws {Failure} `insufficient_funds`
 */
export function chooseNotes(
	notes: readonly JudgedNote[],
	wanted: bigint | "max",
	most: 1 | 2,
	text: (value: bigint) => string,
): readonly JudgedNote[] {
	const usable = (states: readonly string[]): JudgedNote[] =>
		notes.filter(({ held, state }) => states.includes(state) && held.note.value > 0n).sort(byValue);
	const firm = usable(["unspent"]);
	const all = usable(["unspent", "unconfirmed"]);
	if (wanted === "max") {
		const [chosen] = [firm, all].filter((list) => list.length > 0);
		if (chosen) return chosen.slice(-most);
	} else {
		const chosen = smallest(firm, wanted, most) ?? smallest(all, wanted, most);
		if (chosen) return chosen;
	}
	throw notEnough(notes, all, wanted, most, text);
}

function byValue({ held: a }: JudgedNote, { held: b }: JudgedNote): number {
	return a.note.value < b.note.value ? -1 : a.note.value > b.note.value ? 1 : 0;
}

/** @param notes by value, the smallest first */
function smallest(notes: readonly JudgedNote[], wanted: bigint, most: 1 | 2): JudgedNote[] | undefined {
	const single = notes.find(({ held }) => held.note.value >= wanted);
	if (single) return [single];
	if (most === 1) return undefined;
	let best: readonly [JudgedNote, JudgedNote] | undefined;
	let least = 0n;
	let low = 0;
	let high = notes.length - 1;
	while (low < high) {
		const pair = [notes[low] as JudgedNote, notes[high] as JudgedNote] as const;
		const sum = pair[0].held.note.value + pair[1].held.note.value;
		if (sum < wanted) low++;
		else {
			if (!best || sum < least) {
				best = pair;
				least = sum;
			}
			high--;
		}
	}
	return best && [...best];
}

function notEnough(
	notes: readonly JudgedNote[],
	usable: readonly JudgedNote[],
	wanted: bigint | "max",
	most: 1 | 2,
	text: (value: bigint) => string,
): Failure {
	const total = sumIn(notes, "unspent", "unconfirmed");
	if (wanted === "max" || total < wanted) {
		const pending = sumIn(notes, "pending");
		const waiting = pending > 0n ? `, and ${text(pending)} wait for a transaction` : "";
		return new Failure("insufficient_funds", `the notes hold ${text(total)}${waiting}`);
	}
	const reach = usable.slice(-most).reduce((sum, { held }) => sum + held.note.value, 0n);
	return new Failure(
		"insufficient_funds",
		`the notes hold ${text(total)}, but one transaction spends ${most === 1 ? "one note" : "two notes"}, which reach ${text(reach)}`,
		{ hint: "send several times, or join notes first: shielded send <own address> max" },
	);
}
