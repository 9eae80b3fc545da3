/** Differences found by a replay, and their display. */

import { type Difference, show } from "./tree.js";

export interface Finding {
	readonly set: string;
	/** Line of the recording. */
	readonly line: number;
	/** Labels and values, such as block, transaction, store, key, request. */
	readonly where: readonly (readonly [label: string, text: string])[];
	readonly difference: Difference;
}

/** Longer values are truncated for display. */
const MAX_SHOWN = 2000;

/** Formats a finding as lines. */
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
