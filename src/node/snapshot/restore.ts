/**
 * Restores a data directory from a snapshot. Chunks are written in order, with progress marks, so that a run
 * after a kill resumes. No node can start on the directory until everything is there and checked.
 */

import { createHash, type Hash } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { fromHex, fromUtf8, toHex, utf8 } from "../../protocol/bytes.js";
import { genesisTitle } from "../../protocol/public-networks.js";
import { type CheckResult, checkAdopted } from "../adoption/adoption-checks.js";
import { propertySeed } from "../chain/configured-rules.js";
import { metaChange, RESTORE_KEY } from "../chain/data-directory.js";
import { OldBlocks } from "../chain/old-blocks.js";
import type { NodeConfig } from "../config/config.js";
import { genesisId } from "../config/genesis-config.js";
import { SegmentFile } from "../segments/segment-file.js";
import { segmentFilesOnDisk } from "../segments/segment-files.js";
import { SegmentDamage } from "../segments/segment-format.js";
import { segmentsDirectory } from "../segments/segments.js";
import { type BatchChange, beginBatch, type KeyValueDatabase } from "../state/database.js";
import { syncDirectory } from "../state/inventory.js";
import { StateDatabase } from "../state/state-database.js";
import { hashDatabase } from "../state/state-hash/hash-database.js";
import { hashingThreads } from "../state/state-hash/hash-threads.js";
import { sumsChange } from "../state/state-hash/kept-hashes.js";
import type { StateHash } from "../state/state-hash/state-hash.js";
import { createView } from "../state/view.js";
import { CarriedHash, checkStateHash, readable } from "./carried-hash.js";
import { chunkEntries } from "./chunk-format.js";
import { notAsListed, readChunks } from "./chunk-reader.js";
import { type Manifest, SnapshotError, type SnapshotFile } from "./manifest.js";
import { download, type SnapshotSource, SnapshotStopped } from "./source.js";

/** Progress of a restore. */
export type RestoreProgress =
	| { readonly phase: "read"; readonly bytes: number; readonly of: number }
	| { readonly phase: "check"; readonly blocks: bigint; readonly of: bigint };

export interface RestoreOptions {
	readonly config: NodeConfig;
	readonly dataDirectory: string;
	/** Called with the progress; false stops: a second run resumes from there. */
	readonly onProgress: (progress: RestoreProgress) => boolean;
	/** Chunks processed concurrently. */
	readonly parallel: number;
	/** Uncompressed bytes between two marks, if not the default. */
	readonly markBytes?: number;
}

const BATCH_BYTES = 2 << 20;
/**
 * How much a resumed run may have to write again.
 *
 * PERF: the mark's key sorts after all entries, so a LevelDB table containing it overlaps all later ones,
 * which are then compacted with it instead of being moved down.
 */
const MARK_BYTES = 256 << 20;

/** The mark on disk of an incomplete restore. */
interface RestoreMark {
	readonly format: 1;
	/** SHA-256 of the manifest. */
	readonly manifest: string;
	/** Number of chunks written, at least. */
	readonly chunks: number;
	/** The web server it is read from, if any; absent: an earlier release started it. */
	readonly from?: string;
}

/** @throws {SnapshotError} unless the snapshot is of the configured chain */
export function checkGenesis(manifest: Manifest, config: NodeConfig): void {
	const own = genesisId(config.genesis);
	if (manifest.genesisId === toHex(own)) return;
	throw new SnapshotError(
		`the snapshot is of another chain: its genesis block is ${genesisTitle(fromHex(manifest.genesisId))}, the configuration's is ${genesisTitle(own)}`,
	);
}

/**
 * Restores a snapshot with a trusted manifest, or resumes a previous run.
 * @param manifestHash SHA-256 of the manifest's bytes
 * @param database empty, or with the mark of such a run; stays open
 * @returns undefined if it was stopped
 * @throws {OperatorError} one sentence; no node can start on what is written
 */
export async function restoreSnapshot(
	source: SnapshotSource,
	manifest: Manifest,
	manifestHash: string,
	database: KeyValueDatabase,
	options: RestoreOptions,
): Promise<CheckResult | undefined> {
	checkGenesis(manifest, options.config);
	try {
		const read = readMark(database, options.dataDirectory, manifestHash);
		const mark = source.address === undefined ? read : { ...read, from: source.address };
		await database.write([markChange(mark)], true);
		const progress = new ReadProgress(manifest, mark, options);
		const state = await writeChunks(source, manifest, mark, database, options, progress);
		checkStateHash(manifest, state);
		await fetchSegments(source, manifest, options.dataDirectory, progress);
		const checks = await check(database, manifest, options);
		if (!checks) return undefined;
		const meta = metaChange(genesisId(options.config.genesis));
		// A node that maintains the state hash continues from here.
		const sums = sumsChange(BigInt(manifest.head.number), state.sums());
		await database.write([meta, sums, { key: RESTORE_KEY, value: null }], true);
		return checks;
	} catch (error) {
		if (error instanceof SnapshotStopped) return undefined;
		throw error;
	}
}

/** Whether a former run has started. */
export function isBegun(database: KeyValueDatabase): boolean {
	return database.get(RESTORE_KEY) !== undefined;
}

/** The address from which a previous run reads the snapshot of a place; undefined if there is none. */
export function begunAt(database: KeyValueDatabase, place: string): string | undefined {
	const bytes = database.get(RESTORE_KEY);
	const from = bytes && storedMark(bytes)?.from;
	const base = place.replace(/(?:\/latest)?\/*$/, "/");
	return typeof from === "string" && from.startsWith(base) ? from : undefined;
}

function storedMark(bytes: Uint8Array): Partial<RestoreMark> | undefined {
	try {
		return JSON.parse(fromUtf8(bytes)) as Partial<RestoreMark>;
	} catch {
		// Treat it like another format.
		return undefined;
	}
}

/** @throws {SnapshotError} if it is the mark of another snapshot */
function readMark(database: KeyValueDatabase, directory: string, manifest: string): RestoreMark {
	const bytes = database.get(RESTORE_KEY);
	if (!bytes) return { format: 1, manifest, chunks: 0 };
	const mark = storedMark(bytes);
	if (mark?.format === 1 && mark.manifest === manifest && Number.isSafeInteger(mark.chunks)) {
		return mark as RestoreMark;
	}
	throw new SnapshotError(
		`the restore into ${directory} was begun from another snapshot; go on with that, or delete the directory`,
	);
}

function markChange(mark: RestoreMark): BatchChange {
	return { key: RESTORE_KEY, value: utf8(JSON.stringify(mark)) };
}

class ReadProgress {
	private bytes: number;
	private readonly of: number;

	constructor(
		{ chunks, segments }: Manifest,
		mark: RestoreMark,
		private readonly options: RestoreOptions,
	) {
		this.bytes = chunks.slice(0, mark.chunks).reduce((sum, { bytes }) => sum + bytes, 0);
		this.of = [...chunks, ...segments].reduce((sum, { bytes }) => sum + bytes, 0);
	}

	/** @throws {SnapshotStopped} */
	add(bytes: number): void {
		this.bytes += bytes;
		if (!this.options.onProgress({ phase: "read", bytes: this.bytes, of: this.of }))
			throw new SnapshotStopped("stopped");
	}
}

/** @returns hash of the written state, including previous runs @throws {SnapshotError} */
async function writeChunks(
	source: SnapshotSource,
	manifest: Manifest,
	mark: RestoreMark,
	database: KeyValueDatabase,
	options: RestoreOptions,
	progress: ReadProgress,
): Promise<StateHash> {
	const hash = new CarriedHash();
	try {
		await writeHashedChunks(source, manifest, mark, database, options, progress, hash);
		if (mark.chunks === 0) return await hash.state();
	} finally {
		await hash.close();
	}
	// This run hasn't seen what previous runs wrote.
	const state = await readable(hashDatabase(database, () => true, hashingThreads()));
	if (!state) throw new SnapshotStopped("stopped");
	return state;
}

async function writeHashedChunks(
	source: SnapshotSource,
	{ chunks }: Manifest,
	mark: RestoreMark,
	database: KeyValueDatabase,
	{ parallel, markBytes = MARK_BYTES }: RestoreOptions,
	progress: ReadProgress,
	hash: CarriedHash,
): Promise<void> {
	let batch = beginBatch(database);
	const markOf = (written: number): BatchChange => markChange({ ...mark, chunks: written });
	let [written, marked, unmarked] = [mark.chunks, mark.chunks, 0];
	try {
		for await (const { at, chunk, runs } of readChunks(source, chunks, mark.chunks, parallel)) {
			let unwritten = 0;
			for (const { store, bytes } of runs) {
				if (!hash.addRun(store, bytes)) await hash.untilRoom();
				for (const [key, value] of chunkEntries(chunk.name, bytes)) batch.put({ key, value });
				unwritten += bytes.length;
				if (unwritten < BATCH_BYTES) continue;
				await batch.write(false);
				[batch, unwritten] = [beginBatch(database), 0];
			}
			const isLast = at + 1 === chunks.length;
			unmarked += chunk.raw;
			const isMarked = isLast || unmarked >= markBytes;
			if (isMarked) batch.put(markOf(at + 1));
			await batch.write(isLast);
			batch = beginBatch(database);
			written = at + 1;
			if (isMarked) [marked, unmarked] = [written, 0];
			progress.add(chunk.bytes);
		}
	} finally {
		await batch.drop();
		// What failed here may fail again: the previous mark still applies.
		if (written > marked) await database.write([markOf(written)], false).catch(() => undefined);
	}
}

/** Fetches old blocks: a file with its final name is complete, one with the suffix `.new` is resumed. */
async function fetchSegments(
	source: SnapshotSource,
	{ segments }: Manifest,
	dataDirectory: string,
	progress: ReadProgress,
): Promise<void> {
	if (segments.length === 0) return;
	const directory = segmentsDirectory(dataDirectory);
	await mkdir(directory, { recursive: true });
	for (const file of segments) {
		const path = join(directory, basename(file.name));
		const size = await stat(path).then(
			({ size }) => size,
			() => undefined,
		);
		if (size !== file.bytes) await fetchSegment(source, file, path);
		progress.add(file.bytes);
	}
	await syncDirectory(directory);
	await syncDirectory(dataDirectory);
}

async function fetchSegment(
	source: SnapshotSource,
	{ name, bytes, sha256 }: SnapshotFile,
	path: string,
): Promise<void> {
	const partial = `${path}.new`;
	const file = await open(partial, "a+");
	try {
		const hash = createHash("sha256");
		const there = await hashFile(file, hash);
		if (there <= bytes) {
			const take = async (part: Uint8Array): Promise<void> => {
				hash.update(part);
				await file.appendFile(part);
			};
			await download(source, name, bytes, take, there);
		}
		if (hash.digest("hex") !== sha256 || (await file.stat()).size !== bytes) {
			await rm(partial, { force: true });
			throw notAsListed(name);
		}
		await file.datasync();
	} finally {
		await file.close();
	}
	checkSegment(partial, name);
	await rename(partial, path);
}

/** @returns bytes of the file */
async function hashFile(file: FileHandle, hash: Hash): Promise<number> {
	let bytes = 0;
	for await (const part of file.createReadStream({ autoClose: false, start: 0, highWaterMark: 1 << 20 })) {
		hash.update(part as Buffer);
		bytes += (part as Buffer).length;
	}
	return bytes;
}

/** A signed snapshot may still hold invalid data. @throws {SnapshotError} */
function checkSegment(path: string, name: string): void {
	const file = segmentFilesOnDisk.openForReading(path);
	try {
		const { first } = SegmentFile.open(file);
		if (Number(first) !== Number.parseInt(basename(name), 10)) throw new SegmentDamage("it is another one");
	} catch (error) {
		if (!(error instanceof SegmentDamage)) throw error;
		throw new SnapshotError(`${name} of the snapshot can't be used: ${error.message}`);
	} finally {
		file.close();
	}
}

/** The checks of an adoption, and whether the entries are those of the manifest's head. */
async function check(
	database: KeyValueDatabase,
	manifest: Manifest,
	{ config, dataDirectory, onProgress }: RestoreOptions,
): Promise<CheckResult | undefined> {
	const old = await OldBlocks.open(database, dataDirectory);
	try {
		return await checkEntries(old.storage, manifest, config, onProgress);
	} finally {
		old.release();
	}
}

async function checkEntries(
	database: KeyValueDatabase,
	manifest: Manifest,
	config: NodeConfig,
	onProgress: RestoreOptions["onProgress"],
): Promise<CheckResult | undefined> {
	const state = await StateDatabase.open(database);
	const view = createView(state.baseBackend, propertySeed(config));
	const { headNumber, headId } = view.properties;
	if (Number(headNumber) !== manifest.head.number || toHex(headId) !== manifest.head.id) {
		throw new SnapshotError(
			`the snapshot's entries end at block ${headNumber} (${toHex(headId)}), its manifest says ${manifest.head.number} (${manifest.head.id})`,
		);
	}
	return checkAdopted(view, config.node, BigInt(Math.max(1, manifest.lowest)), (done, of) =>
		onProgress({ phase: "check", blocks: done, of }),
	);
}
