/**
 * The contents of a snapshot: `manifest.json`. Its SHA-256 authenticates every byte of the snapshot. It comes
 * from outside, so everything is bounds-checked before use; file names have one form only.
 */

import { createHash } from "node:crypto";
import { fromUtf8, utf8 } from "../../protocol/bytes.js";
import { OperatorError } from "../../protocol/operator-error.js";

/** A snapshot can't be made or isn't valid; the message is one sentence. */
export class SnapshotError extends OperatorError {
	override readonly name = "SnapshotError";
}

/** A file of a snapshot. */
export interface SnapshotFile {
	readonly name: string;
	readonly bytes: number;
	/** 64 hexadecimal digits. */
	readonly sha256: string;
}

/** A run of database entries, ascending by key. */
export interface Chunk extends SnapshotFile {
	/** Uncompressed bytes. */
	readonly raw: number;
	readonly entries: number;
}

export interface Manifest {
	readonly format: 1;
	/** The program that made it. */
	readonly program: string;
	/** 64 hexadecimal digits. */
	readonly genesisId: string;
	/** The newest block it contains. */
	readonly head: { readonly number: number; readonly id: string; readonly timestampMs: number };
	/** The lowest block besides genesis. */
	readonly lowest: number;
	readonly createdMs: number;
	readonly entries: number;
	/** State hash after the head, 64 hex digits (protocol/state-hash); absent in earlier releases. */
	readonly stateHash?: { readonly version: number; readonly hash: string; readonly entries: number };
	readonly chunks: readonly Chunk[];
	/** Files of old blocks, as in a data directory. */
	readonly segments: readonly SnapshotFile[];
}

export const MANIFEST_NAME = "manifest.json";
export const SIGNATURE_NAME = "manifest.sig";
export const MAX_MANIFEST_BYTES = 32 << 20;
/** Limit for a chunk, compressed and uncompressed: it is in memory at once. */
const MAX_CHUNK_BYTES = 128 << 20;
export const MAX_RAW_BYTES = 160 << 20;
const MAX_SEGMENT_BYTES = 2 ** 32;
const MAX_SNAPSHOT_FILES = 1_000_000;

const CHUNK_NAME = /^chunks\/\d{6}\.br$/;
const SEGMENT_NAME = /^segments\/\d{12}\.seg$/;
const HASH = /^[0-9a-f]{64}$/;

export function chunkName(at: number): string {
	return `chunks/${String(at).padStart(6, "0")}.br`;
}

export function encodeManifest(manifest: Manifest): Uint8Array {
	return utf8(`${JSON.stringify(manifest, undefined, "\t")}\n`);
}

/** The signed text for a manifest: its SHA-256. */
export function manifestHash(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}

/** @throws {SnapshotError} */
export function parseManifest(bytes: Uint8Array): Manifest {
	let manifest: Manifest;
	try {
		manifest = JSON.parse(fromUtf8(bytes)) as Manifest;
	} catch {
		throw new SnapshotError(`${MANIFEST_NAME} of the snapshot can't be read`);
	}
	if ((manifest as Partial<Manifest> | null)?.format !== 1) {
		throw new SnapshotError(`${MANIFEST_NAME} of the snapshot is not of a format that this release reads`);
	}
	const wrong = wrongMember(manifest);
	if (wrong) throw new SnapshotError(`${MANIFEST_NAME} of the snapshot makes no sense: ${wrong}`);
	return manifest;
}

/** The name of an invalid member. */
function wrongMember(manifest: Manifest): string | undefined {
	const { program, genesisId, head, lowest, createdMs, entries, stateHash, chunks, segments } = manifest;
	if (typeof program !== "string" || program.length > 100) return "program";
	if (!isHash(genesisId)) return "genesisId";
	if (!isCount(head?.number) || !isHash(head.id) || !isCount(head.timestampMs)) return "head";
	if (!isCount(lowest) || lowest > head.number) return "lowest";
	if (!isCount(createdMs)) return "createdMs";
	if (stateHash !== undefined && !isStateHash(stateHash)) return "stateHash";
	if (!Array.isArray(chunks) || chunks.length === 0 || chunks.length > MAX_SNAPSHOT_FILES) return "chunks";
	const wrongChunk = chunks.findIndex((chunk, at) => !isChunk(chunk, at));
	if (wrongChunk >= 0) return `chunks[${wrongChunk}]`;
	if (!isCount(entries) || entries !== chunks.reduce((sum, chunk) => sum + chunk.entries, 0))
		return "entries";
	if (!Array.isArray(segments) || segments.length > MAX_SNAPSHOT_FILES) return "segments";
	const wrongSegment = segments.findIndex((segment) => !isFile(segment, SEGMENT_NAME, MAX_SEGMENT_BYTES));
	if (wrongSegment >= 0) return `segments[${wrongSegment}]`;
	return new Set(segments.map(({ name }) => name)).size < segments.length ? "segments" : undefined;
}

function isStateHash(stateHash: Manifest["stateHash"] | null): boolean {
	return isCount(stateHash?.version) && isHash(stateHash?.hash) && isCount(stateHash?.entries);
}

function isChunk(chunk: Chunk | null, at: number): boolean {
	return (
		isFile(chunk, CHUNK_NAME, MAX_CHUNK_BYTES) &&
		chunk?.name === chunkName(at) &&
		isCount(chunk.entries) &&
		isCount(chunk.raw) &&
		chunk.raw <= MAX_RAW_BYTES
	);
}

function isFile(file: SnapshotFile | null, name: RegExp, most: number): boolean {
	return (
		typeof file?.name === "string" &&
		name.test(file.name) &&
		isCount(file.bytes) &&
		file.bytes <= most &&
		isHash(file.sha256)
	);
}

function isCount(value: unknown): value is number {
	return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isHash(value: unknown): boolean {
	return typeof value === "string" && HASH.test(value);
}

/** Bytes of all files, as transferred and as restored on disk. */
export function sizesOf({ chunks, segments }: Manifest): {
	readonly packed: number;
	readonly unpacked: number;
} {
	const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
	const old = sum(segments.map(({ bytes }) => bytes));
	return {
		packed: old + sum(chunks.map(({ bytes }) => bytes)),
		unpacked: old + sum(chunks.map(({ raw }) => raw)),
	};
}
