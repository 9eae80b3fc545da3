/**
 * Creates a snapshot: one pass over a consistent view of the database, which may be written meanwhile, plus
 * the immutable segments of old blocks. It gets its name once it is complete.
 */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { be64, readBe64, toHex } from "../../protocol/bytes.js";
import type { OpenChain } from "../chain/open-chain.js";
import { notedName, segmentsDirectory } from "../segments/segments.js";
import { stores } from "../state/definition.js";
import { syncDirectory } from "../state/inventory.js";
import { CarriedHash, hashInManifest } from "./carried-hash.js";
import { ChunkBuilder, hashOf, isCarried } from "./chunk-format.js";
import {
	type Chunk,
	chunkName,
	encodeManifest,
	MANIFEST_NAME,
	type Manifest,
	SnapshotError,
	type SnapshotFile,
} from "./manifest.js";

/** The data directory to snapshot. */
interface SnapshotSubject {
	/** All entries of the database at one moment, ascending by key. */
	entries(): AsyncIterable<readonly [Uint8Array, Uint8Array]>;
	/** Directory of the segments referenced by these entries. */
	readonly segmentsDirectory: string;
	/** 64 hexadecimal digits. */
	readonly genesisId: string;
}

interface CreateOptions {
	readonly program: string;
	/** Milliseconds since 1970. */
	readonly nowMs: number;
	/** Called with the progress; false aborts and removes what was written. */
	readonly onProgress: (progress: { readonly entries: number; readonly bytes: number }) => boolean;
	/** Uncompressed bytes per chunk, if not the default. */
	readonly chunkBytes?: number | undefined;
}

/**
 * Snapshots a running chain: its newest block is the last irreversible one.
 * @returns the path of its manifest
 * @throws {SnapshotError}
 */
export async function snapshotOfRunning(
	open: OpenChain,
	dataDirectory: string,
	target: string,
	options: CreateOptions,
): Promise<{ readonly manifest: string } | undefined> {
	const { oldBlocks } = open;
	if (!oldBlocks) throw new SnapshotError("the chain lives in memory");
	await open.flushNow();
	const subject = {
		entries: () => oldBlocks.storedEntries(),
		segmentsDirectory: segmentsDirectory(dataDirectory),
		genesisId: toHex(open.rules.genesisId),
	};
	const made = await createSnapshot(subject, target, options);
	return made && { manifest: join(target, MANIFEST_NAME) };
}

/** The caller aborted. */
class GivenUp extends Error {
	override readonly name = "GivenUp";
}

/**
 * Creates a snapshot.
 * @param target a directory that doesn't exist yet
 * @returns undefined if it was aborted
 * @throws {SnapshotError}
 */
export async function createSnapshot(
	subject: SnapshotSubject,
	target: string,
	options: CreateOptions,
): Promise<Manifest | undefined> {
	if (existsSync(target)) throw new SnapshotError(`${target} exists already and is never overwritten`);
	const partial = `${target}.partial`;
	try {
		await rm(partial, { recursive: true, force: true });
		await mkdir(dirname(partial), { recursive: true });
		// One at a time: when creating parents, Node.js reports ENOENT for everything except missing permissions.
		for (const path of [partial, join(partial, "chunks")]) await mkdir(path);
		const manifest = await write(subject, partial, options);
		await writeFileSynced(join(partial, MANIFEST_NAME), encodeManifest(manifest));
		await syncDirectory(partial);
		await rename(partial, target);
		await syncDirectory(dirname(target));
		return manifest;
	} catch (error) {
		await rm(partial, { recursive: true, force: true });
		if (error instanceof GivenUp) return undefined;
		throw writeFailure(`the snapshot ${target}`, error);
	}
}

const WRITE_FAILURES: ReadonlyMap<string | undefined, string> = new Map([
	["ENOSPC", "no space left on the device"],
	["EROFS", "its file system is read-only for the process that writes it (EROFS)"],
]);

/** The error to throw for a failed write: system errors as a sentence, others unchanged. */
export function writeFailure(what: string, error: unknown): unknown {
	const { code, syscall } = error as NodeJS.ErrnoException;
	if (syscall === undefined && code !== "ENOTDIR") return error;
	const why = WRITE_FAILURES.get(code) ?? code;
	return new SnapshotError(`${what} can't be written: ${why}`, { cause: error });
}

async function write(subject: SnapshotSubject, directory: string, options: CreateOptions): Promise<Manifest> {
	const hash = new CarriedHash();
	try {
		return await writeHashed(subject, directory, options, hash);
	} finally {
		await hash.close();
	}
}

async function writeHashed(
	subject: SnapshotSubject,
	directory: string,
	options: CreateOptions,
	hash: CarriedHash,
): Promise<Manifest> {
	const chunks: Chunk[] = [];
	const builder = new ChunkBuilder(options.chunkBytes);
	const facts = new HeadFacts();
	let [entries, bytes] = [0, 0];
	const segments: string[] = [];
	const report = (): void => {
		if (!options.onProgress({ entries, bytes })) throw new GivenUp("given up");
	};
	for await (const [key, value] of subject.entries()) {
		if (!isCarried(key)) continue;
		const segment = notedName(key);
		if (segment !== undefined) segments.push(segment);
		facts.note(key, value);
		if (!hash.add(key, value)) await hash.untilRoom();
		entries++;
		bytes += key.length + value.length;
		if (entries % 10_000 === 0) report();
		if (builder.add(key, value)) chunks.push(await writeChunk(builder, directory, chunks.length));
	}
	if (builder.entries > 0) chunks.push(await writeChunk(builder, directory, chunks.length));
	const copied: SnapshotFile[] = [];
	for (const name of segments) {
		copied.push(await copySegment(join(subject.segmentsDirectory, name), directory));
		bytes += copied.at(-1)?.bytes ?? 0;
		report();
	}
	await syncDirectory(join(directory, "chunks"));
	if (copied.length > 0) await syncDirectory(join(directory, "segments"));
	const { program, nowMs: createdMs } = options;
	const lowest = Math.min(facts.lowest, ...copied.map(({ name }) => Number.parseInt(basename(name), 10)));
	return {
		format: 1,
		program,
		genesisId: subject.genesisId,
		head: facts.head(),
		lowest,
		createdMs,
		entries,
		stateHash: hashInManifest(await hash.state()),
		chunks,
		segments: copied,
	};
}

async function writeChunk(builder: ChunkBuilder, directory: string, at: number): Promise<Chunk> {
	const { packed, raw, entries } = await builder.take();
	const name = chunkName(at);
	await writeFileSynced(join(directory, name), packed);
	return { name, bytes: packed.length, sha256: await hashOf(packed), raw, entries };
}

/** Links or copies a segment: on the same file system it takes no extra space. */
async function copySegment(path: string, directory: string): Promise<SnapshotFile> {
	const name = `segments/${basename(path)}`;
	const target = join(directory, name);
	await mkdir(dirname(target), { recursive: true });
	if (!existsSync(path)) {
		throw new SnapshotError("old blocks were dropped while the snapshot was made; make it again");
	}
	const isLinked = await link(path, target).then(
		() => true,
		() => false,
	);
	const hash = createHash("sha256");
	const [source, copy] = [await open(path, "r"), isLinked ? undefined : await open(target, "wx")];
	let bytes = 0;
	try {
		for await (const part of source.createReadStream({ autoClose: false, highWaterMark: 1 << 20 })) {
			hash.update(part as Buffer);
			bytes += (part as Buffer).length;
			await copy?.writeFile(part as Buffer);
		}
		await copy?.sync();
	} finally {
		await source.close();
		await copy?.close();
	}
	return { name, bytes, sha256: hash.digest("hex") };
}

/** Collects newest and lowest block from the entries. */
class HeadFacts {
	private readonly properties = new Map<string, Uint8Array>();
	lowest = Number.MAX_SAFE_INTEGER;

	note(key: Uint8Array, value: Uint8Array): void {
		if (key[0] === stores.properties.index) {
			this.properties.set(Buffer.from(key.subarray(1)).toString("latin1"), value);
		}
		if (key[0] !== stores.blockIndex.index || this.lowest !== Number.MAX_SAFE_INTEGER) return;
		const number = readBe64(key.subarray(1));
		if (number > 0n) this.lowest = Number(number);
	}

	/** @throws {SnapshotError} */
	head(): Manifest["head"] {
		const of = (name: string): Uint8Array => this.properties.get(name) ?? be64(0n);
		const number = Number(readBe64(of("latest_block_header_number")));
		if (number === 0 || this.lowest > number) {
			throw new SnapshotError("the database holds no block after the genesis block yet");
		}
		const timestampMs = Number(readBe64(of("latest_block_header_timestamp")));
		return { number, id: toHex(of("latest_block_header_hash")), timestampMs };
	}
}

/** Writes and syncs a new file. @throws the system's error */
export async function writeFileSynced(path: string, bytes: Uint8Array): Promise<void> {
	const file = await open(path, "wx", 0o644);
	try {
		await file.writeFile(bytes);
		await file.datasync();
	} finally {
		await file.close();
	}
}
