/** The energy of an execution as a flame graph: each call is a bar below its caller, as wide as the energy it used. */

import type { CallView } from "./call-view.js";

const WIDTH = 1_200;
const ROW = 20;
const MARGIN = 10;
const TITLE = 24;
/** Width of a label's character. */
const CHARACTER = 6.6;
/** Narrower bars are omitted: they would be invisible, and there may be as many as calls. */
const LEAST_WIDTH = 0.3;

interface Bar {
	readonly x: number;
	readonly width: number;
	readonly row: number;
	readonly call: CallView;
	/** Energy of its own code, without inner calls. */
	readonly own: bigint;
}

/** @returns an SVG document without scripts; every text in it is escaped */
export function flameGraph(root: CallView, caption: string): string {
	const bars: Bar[] = [];
	place(root, MARGIN, WIDTH - 2 * MARGIN, 0, bars);
	const rows = bars.reduce((most, { row }) => Math.max(most, row), 0) + 1;
	const height = TITLE + rows * ROW + 2 * MARGIN;
	const shapes = bars.map((bar) => barShape(bar, root.energy)).join("\n");
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="monospace" font-size="11">
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
<text x="${MARGIN}" y="${MARGIN + 10}">${escaped(caption)}: ${root.energy} energy</text>
${shapes}
</svg>
`;
}

/** Places a call, and its inner calls below it in order. */
function place(call: CallView, x: number, width: number, row: number, bars: Bar[]): void {
	const calls = (call.inner ?? []).filter((entry) => "energy" in entry);
	const inside = calls.reduce((sum, { energy }) => sum + energy, 0n);
	bars.push({ x, width, row, call, own: call.energy > inside ? call.energy - inside : 0n });
	// Inner calls can use more than was charged to their caller, for example with a stipend.
	const whole = inside > call.energy ? inside : call.energy;
	let at = x;
	for (const inner of calls) {
		const part = whole === 0n ? 0 : width * share(inner.energy, whole);
		if (part >= LEAST_WIDTH) place(inner, at, part, row + 1, bars);
		at += part;
	}
}

/** A fraction of a whole that may exceed the safe integer range. */
const share = (part: bigint, whole: bigint): number => Number((part * 1_000_000n) / whole) / 1_000_000;

function barShape({ x, width, row, call, own }: Bar, total: bigint): string {
	const y = TITLE + MARGIN + row * ROW;
	const name = nameOf(call);
	const percent = total === 0n ? 0 : 100 * share(call.energy, total);
	const failure = call.result === "success" ? "" : `, ${call.result}`;
	const hint = `${call.kind} ${call.to} ${name}: ${call.energy} energy (${percent.toFixed(1)} %), ${own} of its own${failure}`;
	const room = Math.floor((width - 4) / CHARACTER);
	const label = room < 3 ? "" : name.length <= room ? name : `${name.slice(0, room - 1)}…`;
	const rect = `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(width - 0.5, LEAST_WIDTH).toFixed(1)}" height="${ROW - 1}" rx="2" fill="${colorOf(name, call.result === "success")}"/>`;
	const text = label === "" ? "" : `<text x="${(x + 3).toFixed(1)}" y="${y + 14}">${escaped(label)}</text>`;
	return `<g><title>${escaped(hint)}</title>${rect}${text}</g>`;
}

function nameOf({ kind, function: signature, input, size }: CallView): string {
	if (signature !== undefined) return signature;
	if (size !== undefined) return `${kind} ${size} bytes`;
	return input === undefined ? kind : input.slice(0, 10);
}

/** Equal names get equal colors; failed calls are red. */
function colorOf(name: string, succeeded: boolean): string {
	if (!succeeded) return "#e05050";
	let hash = 0;
	for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) % 1_000;
	return `hsl(${25 + (hash % 35)}, ${65 + (hash % 25)}%, ${60 + (hash % 17)}%)`;
}

const ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&apos;",
};

/** Escapes text for XML; characters that XML can't represent become question marks. */
function escaped(text: string): string {
	const printable = text.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, "?");
	return printable.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "?");
}
