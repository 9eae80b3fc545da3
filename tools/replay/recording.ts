/** Reads recordings: a folder with configurations, recorded lines, and final states. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import type { NetworkName } from "../../src/node/rules/chain-rules.js";
import type { Release } from "../../src/node/rules/release.js";

/** Entries by store and key; key and value in hexadecimal. */
export type RecordedState = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Changed entries by store and key; null if deleted. */
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
	/** Absent if not recorded. */
	readonly writes?: RecordedWrites;
}

export interface BlockLine extends BlockRecord {
	readonly t: "block";
}

/** The block was accepted, but the head is still its parent. */
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

/** A block as advertised by a peer, with the checks of the peer network. */
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
	/** Includes the query, without a leading slash. */
	readonly path: string;
	readonly body?: string;
	/** A long body: `{"x":"aaaa…"}`, or with `sha256` another one that isn't recorded. */
	readonly bodyOf?: { readonly length: number; readonly sha256?: string };
	/** The content type if it isn't `application/json`; empty if none. */
	readonly reqType?: string;
	readonly accept?: string;
	readonly status: number;
	readonly type: string | null;
	readonly allow?: string;
	readonly answer: string;
	/** Paths in the answer with random values. */
	readonly volatile?: readonly string[];
}

export interface GrpcLine {
	readonly t: "grpc";
	readonly head: number;
	readonly port: string;
	readonly path: string;
	readonly request: string;
	/** Sent as one message on a bidirectional stream. */
	readonly stream?: boolean;
	readonly answer?: string;
	readonly error?: { readonly code: number; readonly message: string };
	/** Paths in the answer with random values; `*` for all. */
	readonly volatile?: readonly string[];
}

/** Transactions that a peer sent on request. */
export interface PeerTransactionsLine {
	readonly t: "peertx";
	/** Body of the message TXS. */
	readonly transactions: string;
	readonly answer: { readonly ok: true } | PeerError;
}

/** Why a message is invalid, and the kind of error. */
export interface PeerError {
	readonly error: string;
	readonly type: string;
}

/** A handshake message, sent to a node that accepts only witnesses. */
export interface HelloLine {
	readonly t: "hello";
	/** Type byte and body. */
	readonly message: string;
	/** Checks after the proof of identity weren't recorded. */
	readonly answer:
		| PeerError
		| { readonly valid: false }
		| { readonly valid: true; readonly trusted: boolean };
}

interface OtherLine {
	readonly t: "note" | "other";
	/** The recorded kind. */
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
	/** The recorded node's release, if its configuration doesn't contain it. */
	readonly release: Release;
	/** The network whose rules apply; undefined if the configuration says. */
	readonly network?: NetworkName | undefined;
	/** Lines with their position in the file, from 1. */
	lines(): Iterable<readonly [position: number, line: Line]>;
	/** The final state; undefined if not recorded. */
	finalState(): RecordedState | undefined;
}

/** A folder or file isn't a recording. */
export class RecordingError extends Error {
	override readonly name = "RecordingError";
}

/**
 * Opens all recordings of a folder, or a single one by its `.conf` file.
 * @throws {RecordingError}
 */
export function openRecordings(path: string): Recording[] {
	if (!existsSync(path)) throw new RecordingError(`${path} does not exist`);
	if (!statSync(path).isDirectory()) return [openRecording(path)];
	const configs = readdirSync(path).filter((file) => file.endsWith(".conf"));
	if (configs.length === 0) throw new RecordingError(`${path} holds no .conf file`);
	return configs.sort().map((file) => openRecording(join(path, file)));
}

/** Name prefixes of recordings of release 4.8.2, and of Nile's software, which is as recent. */
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
