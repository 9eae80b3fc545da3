/** Recorded sets: a folder with a configuration, the lines of what happened, and the state at the end. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import type { NetworkName } from "../../src/node/rules/chain-rules.js";
import type { Release } from "../../src/node/rules/release.js";

/** Entries by store and key; key and value in hexadecimal. */
export type RecordedState = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Changed entries by store and key; null: deleted. */
export type RecordedWrites = Readonly<Record<string, Readonly<Record<string, string | null>>>>;

export interface GenesisLine {
	readonly t: "genesis";
	readonly state: RecordedState;
}

export interface BlockRecord {
	readonly number: number;
	readonly id: string;
	readonly block: string;
	readonly infos: string | null;
	/** Absent in sets that leave it out. */
	readonly writes?: RecordedWrites;
}

export interface BlockLine extends BlockRecord {
	readonly t: "block";
}

/** The block was taken, but the head is the one before it. */
export interface KeptHead {
	readonly ok: true;
	/** Its height. */
	readonly head: number;
	readonly id: string;
}

export interface PushLine {
	readonly t: "push";
	readonly block: string;
	readonly answer: { readonly error: string } | BlockRecord | KeptHead;
}

/** A block offered as a peer advertises one: through the checks of that door. */
export interface PeerLine {
	readonly t: "peer";
	readonly block: string;
	readonly answer: PushLine["answer"];
}

export interface RequestLine {
	readonly t: "req";
	readonly head: number;
	readonly port: string;
	readonly verb: string;
	/** With its query, without a leading slash. */
	readonly path: string;
	readonly body?: string;
	/** A long body: `{"x":"aaaa…"}`, or another one, of which the recording holds no more than this. */
	readonly bodyOf?: { readonly length: number; readonly sha256?: string };
	/** The request's content type where it isn't `application/json`; empty: none. */
	readonly reqType?: string;
	readonly accept?: string;
	readonly status: number;
	readonly type: string | null;
	readonly allow?: string;
	readonly answer: string;
	/** Places of the answer that are random. */
	readonly volatile?: readonly string[];
}

export interface GrpcLine {
	readonly t: "grpc";
	readonly head: number;
	readonly port: string;
	readonly path: string;
	readonly request: string;
	/** One message on a bidirectional stream. */
	readonly stream?: boolean;
	readonly answer?: string;
	readonly error?: { readonly code: number; readonly message: string };
	/** Places of the answer that are random; `*`: all. */
	readonly volatile?: readonly string[];
}

/** Transactions that a peer sent because it was asked for them. */
export interface PeerTransactionsLine {
	readonly t: "peertx";
	/** Body of the message TXS. */
	readonly transactions: string;
	readonly answer: { readonly ok: true } | PeerError;
}

/** Why a message can't be taken, with the kind of error that it counts as. */
export interface PeerError {
	readonly error: string;
	readonly type: string;
}

/** A greeting that is offered to a node which only witnesses may reach. */
export interface HelloLine {
	readonly t: "hello";
	/** Type byte and body. */
	readonly message: string;
	/** What is behind the proof of identity was not asked. */
	readonly answer:
		| PeerError
		| { readonly valid: false }
		| { readonly valid: true; readonly trusted: boolean };
}

interface OtherLine {
	readonly t: "note" | "other";
	/** The line's own kind. */
	readonly kind: string;
	readonly text: string;
}

export type Line =
	| GenesisLine
	| BlockLine
	| PushLine
	| PeerLine
	| PeerTransactionsLine
	| HelloLine
	| RequestLine
	| GrpcLine
	| OtherLine;

export interface Recording {
	readonly name: string;
	readonly configFile: string;
	/** Of the node that was recorded, where its configuration doesn't say. */
	readonly release: Release;
	/** Whose rules it had; undefined: its configuration says. */
	readonly network?: NetworkName | undefined;
	/** Every line with its position in the file, from 1. */
	lines(): Iterable<readonly [position: number, line: Line]>;
	/** The state at the end; undefined if the set has none. */
	finalState(): RecordedState | undefined;
}

/** A folder or file that is no recorded set. */
export class RecordingError extends Error {
	override readonly name = "RecordingError";
}

/**
 * Opens the sets of a folder, or the one set of a `.conf` file.
 * @throws {RecordingError}
 */
export function openRecordings(path: string): Recording[] {
	if (!existsSync(path)) throw new RecordingError(`${path} does not exist`);
	if (!statSync(path).isDirectory()) return [openRecording(path)];
	const configs = readdirSync(path).filter((file) => file.endsWith(".conf"));
	if (configs.length === 0) throw new RecordingError(`${path} holds no .conf file`);
	return configs.sort().map((file) => openRecording(join(path, file)));
}

/** What names of sets of release 4.8.2 begin with, and of Nile's program, which is as new. */
const LATE = "late-";
const NILE = "pq-";

function openRecording(configFile: string): Recording {
	if (!configFile.endsWith(".conf")) throw new RecordingError(`${configFile} is no .conf file`);
	const name = basename(configFile, ".conf");
	const stem = join(dirname(configFile), name);
	if (findFile(`${stem}.ndjson`) === undefined) throw new RecordingError(`${stem}.ndjson.br does not exist`);
	return {
		name,
		configFile,
		release: [LATE, NILE].some((prefix) => name.startsWith(prefix)) ? "4.8.2" : "4.8.0",
		network: name.startsWith(NILE) ? "nile" : undefined,
		lines: () => readLines(readText(`${stem}.ndjson`)),
		finalState: () => {
			const file = `${stem}.state.json`;
			if (findFile(file) === undefined) return undefined;
			return JSON.parse(readText(file).toString("utf8")) as RecordedState;
		},
	};
}

function findFile(file: string): string | undefined {
	return [`${file}.br`, file].find(existsSync);
}

function readText(file: string): Buffer {
	const found = findFile(file);
	if (found === undefined) throw new RecordingError(`${file}.br does not exist`);
	const bytes = readFileSync(found);
	return found.endsWith(".br") ? brotliDecompressSync(bytes) : bytes;
}

function* readLines(text: Buffer): Generator<readonly [number, Line]> {
	let start = 0;
	for (let position = 1; start < text.length; position++) {
		const found = text.indexOf(10, start);
		const end = found < 0 ? text.length : found;
		const line = text.toString("utf8", start, end).trim();
		start = end + 1;
		if (line !== "") yield [position, readLine(line)];
	}
}

const KINDS: ReadonlySet<string> = new Set([
	"genesis",
	"block",
	"push",
	"peer",
	"peertx",
	"hello",
	"req",
	"grpc",
]);

function readLine(text: string): Line {
	const line = JSON.parse(text) as { readonly t: string };
	if (KINDS.has(line.t)) return line as Line;
	return { t: line.t === "note" ? "note" : "other", kind: line.t, text };
}
