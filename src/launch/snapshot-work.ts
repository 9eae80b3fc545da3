/** Makes snapshots, by the running node or of an unused directory, and verifies and restores them (protocol/command-line §7). */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CheckResult } from "../node/adoption/adoption-checks.js";
import { openDataDirectory } from "../node/chain/data-directory.js";
import { readFounding } from "../node/development/directory.js";
import { segmentsDirectory } from "../node/segments/segments.js";
import { verifySnapshot } from "../node/snapshot/chunk-reader.js";
import { createSnapshot } from "../node/snapshot/create.js";
import {
	MANIFEST_NAME,
	MAX_MANIFEST_BYTES,
	type Manifest,
	manifestHash,
	parseManifest,
	SIGNATURE_NAME,
	SnapshotError,
	sizesOf,
} from "../node/snapshot/manifest.js";
import {
	begunAt,
	checkGenesis,
	isBegun,
	type RestoreProgress,
	restoreSnapshot,
} from "../node/snapshot/restore.js";
import {
	downloadWhole,
	openSource,
	reusing,
	type SnapshotSource,
	SnapshotStopped,
} from "../node/snapshot/source.js";
import { setAddressPrefix } from "../protocol/address.js";
import { equalBytes, toHex, utf8 } from "../protocol/bytes.js";
import { useFastHashing } from "../protocol/hash.js";
import { Failure } from "../wallet/failure.js";
import { messageHash, signerOf } from "../wallet/transaction/signed-message.js";
import { freeBytes, noRoom, refuseChain } from "./adoption-work.js";
import { type ConfigSource, readConfig } from "./config-source.js";
import { askForSnapshot } from "./control-client.js";
import { withDatabase } from "./database-work.js";
import { withStartFailures } from "./run-node.js";

const MAX_SIGNATURE_BYTES = 1 << 10;
/** Chunks processed concurrently; each takes up to 32 MiB of memory. */
const PARALLEL = 4;
/** Factor of additional space for compaction. */
const SPARE = 1.1;

interface CreateRequest {
	readonly dataDirectory: string;
	/** Subdirectory of the database. */
	readonly name: string;
	readonly target: string;
	readonly version: string;
	readonly onProgress: (progress: { readonly entries: number; readonly bytes: number }) => boolean;
}

/**
 * Asks the running node to make a snapshot, or makes one of a directory that no node has open.
 * @returns undefined if it was cancelled
 * @throws {Failure} `start_failed` with one sentence
 */
export async function makeSnapshot(request: CreateRequest): Promise<Manifest | undefined> {
	const { dataDirectory, onProgress } = request;
	const target = resolve(request.target);
	return withStartFailures(async () => {
		if (readFounding(dataDirectory) !== undefined) {
			throw new SnapshotError(
				"a development chain needs its keys, which no snapshot holds: use coin node db copy",
			);
		}
		const asked = await askForSnapshot(dataDirectory, target, onProgress);
		if (asked === "given up") return undefined;
		if (!asked) return snapshotAtRest(request, target);
		return parseManifest(await readFile(join(target, MANIFEST_NAME)));
	});
}

async function snapshotAtRest(request: CreateRequest, target: string): Promise<Manifest | undefined> {
	const { dataDirectory, name, version, onProgress } = request;
	const path = join(dataDirectory, name);
	if (!existsSync(path)) throw new Failure("not_found", `there is no database ${path}`);
	return withDatabase(dataDirectory, name, (database, meta) =>
		createSnapshot(
			{
				entries: () => database.entries(new Uint8Array(0)),
				segmentsDirectory: segmentsDirectory(dataDirectory),
				genesisId: toHex(meta.genesisId),
			},
			target,
			{ program: `coin ${version}`, nowMs: Date.now(), onProgress },
		),
	);
}

/** A snapshot whose manifest was read. */
export interface FoundSnapshot {
	readonly source: SnapshotSource;
	readonly manifest: Manifest;
	/** SHA-256 of the manifest. */
	readonly hash: string;
	/** Address of the signer, 21 bytes; undefined if unsigned. */
	readonly signer: Uint8Array | undefined;
}

/**
 * The source from which to resume a restore from a service: the same generation as before, even if there is a newer one.
 * @param place as given by the user
 * @returns `place` itself if no restore from it was started
 * @throws {Failure} `start_failed` with one sentence
 */
export async function begunPlace(place: string, dataDirectory: string, named: ConfigSource): Promise<string> {
	return withStartFailures(async () => {
		const { storage } = await readConfig(named);
		if (!existsSync(join(dataDirectory, storage.directory))) return place;
		const database = await openDataDirectory(dataDirectory, storage.directory);
		try {
			return begunAt(database, place) ?? place;
		} finally {
			await database.close();
		}
	});
}

/**
 * Reads a snapshot's manifest and its signer; for a service, those of its newest generation, from which everything else is then read.
 * @param place a directory, or a URL that begins with http
 * @param signal aborts all reading from the snapshot, here and later, even if the server doesn't respond
 * @throws {Failure} `start_failed` with one sentence
 * @throws {SnapshotStopped}
 */
export async function findSnapshot(place: string, signal?: AbortSignal): Promise<FoundSnapshot> {
	return withStartFailures(async () => {
		await useFastHashing();
		// After an aborted pause, the next request fails because of the signal.
		const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => undefined);
		const source = openSource(place, { fetch, pause, signal });
		const bytes = await downloadWhole(source, MANIFEST_NAME, MAX_MANIFEST_BYTES);
		const hash = manifestHash(bytes);
		const signature = await downloadWhole(source, SIGNATURE_NAME, MAX_SIGNATURE_BYTES).catch(
			(error: unknown) => {
				// The caller decides whether it may be absent.
				if (error instanceof SnapshotError) return undefined;
				throw error;
			},
		);
		return { source, manifest: parseManifest(bytes), hash, signer: signature && signerIn(signature, hash) };
	});
}

/** The message that is signed for a snapshot; `coin message verify` can verify it too. */
export function snapshotText(hash: string): Uint8Array {
	return utf8(`coin snapshot ${hash}`);
}

/** Whether a signature file's bytes are this account's signature of a manifest with this SHA-256. */
export function isSignedBy(address: Uint8Array, signature: Uint8Array, hash: string): boolean {
	try {
		return equalBytes(signerIn(signature, hash), address);
	} catch {
		return false;
	}
}

function signerIn(bytes: Uint8Array, hash: string): Uint8Array {
	const text = Buffer.from(bytes).toString("latin1").trim();
	if (!/^0x[0-9a-f]{130}$/.test(text))
		throw new SnapshotError(`${SIGNATURE_NAME} of the snapshot is not a signature`);
	return signerOf(messageHash(snapshotText(hash)), text);
}

/**
 * Verifies every file of a snapshot.
 * @param onBytes called with the number of bytes read, and the total; returns false to stop
 * @returns whether everything was read
 * @throws {Failure} `start_failed` with one sentence that names the file
 */
export async function checkSnapshot(
	{ source, manifest }: FoundSnapshot,
	onBytes: (bytes: number, of: number) => boolean,
): Promise<boolean> {
	const { packed } = sizesOf(manifest);
	let read = 0;
	return withStartFailures(() =>
		verifySnapshot(source, manifest, PARALLEL, (bytes) => {
			read += bytes;
			return onBytes(read, packed);
		}),
	).catch((error: unknown) => {
		if (error instanceof SnapshotStopped) return false;
		throw error;
	});
}

interface RestoreRequest {
	readonly snapshot: FoundSnapshot;
	/** Directory whose files are used instead of fetching them, if they are identical ({@link reusing}). */
	readonly reuse?: string | undefined;
	/** Called once with the number of bytes available in {@link reuse}. */
	readonly onReuse: (bytes: number) => void;
	readonly dataDirectory: string;
	readonly config: ConfigSource;
	/** Called once, before anything is written, with the space needed and available. */
	readonly onRoom: (needed: number, free: number) => void;
	readonly onProgress: (progress: RestoreProgress) => boolean;
}

/**
 * Restores a data directory from a snapshot whose signer the caller trusts, or resumes an earlier run.
 * @returns undefined if it was stopped
 * @throws {Failure} `start_failed` with one sentence, `bad_value` if the directory contains a chain
 */
export async function restoreInto(request: RestoreRequest): Promise<CheckResult | undefined> {
	const { snapshot, dataDirectory, config: named, onRoom, onProgress } = request;
	const { manifest, hash } = snapshot;
	return withStartFailures(async () => {
		const { source, bytes } = await reusing(snapshot.source, manifest, request.reuse);
		if (request.reuse !== undefined) request.onReuse(bytes);
		const config = await readConfig(named);
		setAddressPrefix(config.net.addressPrefix);
		checkGenesis(manifest, config);
		// LevelDB needs less additional space during compaction than its compression saves.
		const needed = Math.ceil(sizesOf(manifest).unpacked * SPARE);
		const free = freeBytes(dataDirectory);
		onRoom(needed, free);
		// An earlier run has already used some of the space.
		if (needed > free && !existsSync(join(dataDirectory, config.storage.directory))) {
			throw noRoom(dataDirectory, "snapshot", needed, free);
		}
		const database = await openDataDirectory(dataDirectory, config.storage.directory);
		try {
			if (!isBegun(database)) await refuseChain(database, dataDirectory, "restore");
			return await restoreSnapshot(source, manifest, hash, database, {
				config,
				dataDirectory,
				onProgress,
				parallel: PARALLEL,
			});
		} finally {
			await database.close();
		}
	});
}
