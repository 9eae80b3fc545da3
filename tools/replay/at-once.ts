/** Calls that the recorder sent at the same time. A line of kind `timing` behind them tells how many they were. */

import type { GrpcLine, Line, RequestLine } from "./recording.js";

export type CallLine = RequestLine | GrpcLine;
export type Placed<L extends Line = Line> = readonly [position: number, line: L];

/** More calls at a time were never recorded. */
const LONGEST = 8;
const REFUSAL = "lack of computing resources";

type Turn = { readonly alone: Placed } | { readonly atOnce: readonly Placed<CallLine>[] };

/** The lines of a recording in their order; calls that were sent at the same time come together. */
export function* inTurn(lines: Iterable<Placed>): Generator<Turn> {
	const read: Placed[] = [];
	for (const placed of lines) {
		const count = callsOf(placed[1]);
		const calls = count < 2 ? [] : read.slice(-count).filter(isCall);
		if (calls.length === count && count > 1) {
			for (const alone of read.splice(0, read.length - count)) yield { alone };
			read.length = 0;
			yield { atOnce: calls };
		}
		read.push(placed);
		const first = read.length > LONGEST ? read.shift() : undefined;
		if (first) yield { alone: first };
	}
	for (const alone of read) yield { alone };
}

/** How many calls a line says were sent at the same time; 0: the line says nothing of that. */
function callsOf(line: Line): number {
	if (line.t !== "other" || line.kind !== "timing") return 0;
	const { parallel, all } = JSON.parse(line.text) as { parallel?: boolean; all?: readonly unknown[] };
	return parallel === true ? (all?.length ?? 0) : 0;
}

function isCall(placed: Placed): placed is Placed<CallLine> {
	return placed[1].t === "req" || placed[1].t === "grpc";
}

/** Whether there was no permit for a call. */
export function isRefused(line: CallLine): boolean {
	return line.answer?.includes(REFUSAL) === true;
}

/** Whether the recorder's client didn't wait for the answer. */
export function isGivenUp(line: CallLine): boolean {
	return line.t === "grpc" && line.error?.code === 4;
}
