/** Calls that the recorder sent concurrently. A following line of kind `timing` has their number. */

import type { GrpcLine, Line, RequestLine } from "./recording.js";

export type CallLine = RequestLine | GrpcLine;
export type Placed<L extends Line = Line> = readonly [position: number, line: L];

/** The most concurrent calls in any recording. */
const LONGEST = 8;
const REFUSAL = "lack of computing resources";

type Turn = { readonly alone: Placed } | { readonly atOnce: readonly Placed<CallLine>[] };

/** The lines of a recording in order; concurrent calls are grouped. */
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

/** The number of concurrent calls that a line states; 0 if none. */
function callsOf(line: Line): number {
	if (line.t !== "other" || line.kind !== "timing") return 0;
	const { parallel, all } = JSON.parse(line.text) as { parallel?: boolean; all?: readonly unknown[] };
	return parallel === true ? (all?.length ?? 0) : 0;
}

function isCall(placed: Placed): placed is Placed<CallLine> {
	return placed[1].t === "req" || placed[1].t === "grpc";
}

/** Whether the call was refused for lack of a permit. */
export function isRefused(line: CallLine): boolean {
	return line.answer?.includes(REFUSAL) === true;
}

/** Whether the recorder's client timed out. */
export function isGivenUp(line: CallLine): boolean {
	return line.t === "grpc" && line.error?.code === 4;
}
