/** Reads the recordings of the peer network in test/golden/p2p (its README says what a line is). */

import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

/** A frame as it was sent: for TCP with its length, for UDP the datagram. */
export interface RecordedFrame {
	readonly ms: number;
	/** Capital letters are reference nodes. */
	readonly from: string;
	readonly proto: "tcp" | "udp";
	readonly conn?: number | string;
	readonly hex: string;
	/** Absent where the bytes are not a well-formed frame, or not one on a plain connection. */
	readonly compression?: "plain" | "none" | "snappy";
	readonly layer: "transport" | "application";
	readonly name: string;
	readonly decoded: Readonly<Record<string, unknown>>;
	readonly note?: string;
}

export interface RecordedEvent {
	readonly t: "event";
	readonly ms: number;
	readonly event: "open" | "fin" | "close" | "error" | "outcome";
	readonly conn?: number | string;
	readonly by?: string;
	readonly ip?: string;
	readonly of?: string;
	readonly closed?: boolean;
	readonly afterMs?: number | null;
	readonly disconnect?: readonly string[];
	readonly answers?: readonly string[];
	readonly reconnectCode?: string;
}

export interface RecordedNote {
	readonly t: "note";
	readonly ms: number;
	readonly text: string;
}

export interface RecordedCase {
	readonly t: "case";
	readonly text: string;
	readonly network: number;
	readonly genesis: string;
	readonly startedAt: number;
}

export type RecordedLine =
	| RecordedFrame
	| RecordedEvent
	| RecordedNote
	| RecordedCase
	| { readonly t: "end" };

export function readRecording(path: string): readonly RecordedLine[] {
	const text = brotliDecompressSync(readFileSync(path)).toString();
	return text
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as RecordedLine);
}

export function isFrame(line: RecordedLine): line is RecordedFrame {
	return "hex" in line;
}
