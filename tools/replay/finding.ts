/** What a replay finds different, and how it is told. */

import { type Difference, show } from "./tree.js";

export interface Finding {
	readonly set: string;
	/** Line of the recording. */
	readonly line: number;
	/** Where: labels such as block, transaction, store, key, request. */
	readonly where: readonly (readonly [label: string, text: string])[];
	readonly difference: Difference;
}

/** Longer values are cut where they are shown. */
const MAX_SHOWN = 2000;

/** A finding as lines for a person. */
export function describeFinding({ set, line, where, difference }: Finding): string {
	const rows: (readonly [string, string])[] = [
		...where,
		...(difference.path === "" ? [] : [["field", difference.path] as const]),
		["expected", show(difference.expected)],
		["got", show(difference.got)],
	];
	const text = rows.map(([label, value]) => `  ${label.padEnd(11)} ${cut(value)}`).join("\n");
	return `${set}, line ${line}:\n${text}\n`;
}

function cut(text: string): string {
	return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)`;
}
