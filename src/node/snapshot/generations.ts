/**
 * Generations of snapshots in one directory: each is a subdirectory, immutable once it has its name; files shared by several
 * are hard links. Only what a service with the same key made is listed or removed; anything else is left alone.
 */

import { createHash } from "node:crypto";
import { constants, type Dirent, type Stats } from "node:fs";
import { access, link, lstat, readdir, readFile, rename, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { utf8 } from "../../protocol/bytes.js";
import { makeDirectory } from "../chain/data-directory.js";
import { shareCacheBytes } from "../state/cache-budget.js";
import { type KeyValueDatabase, openLevelDatabase } from "../state/database.js";
import { syncDirectory } from "../state/inventory.js";
import { writeFailure, writeFileSynced } from "./create.js";
import {
	MANIFEST_NAME,
	MAX_MANIFEST_BYTES,
	type Manifest,
	manifestHash,
	parseManifest,
	SIGNATURE_NAME,
	SnapshotError,
	type SnapshotFile,
} from "./manifest.js";
import { fileHash } from "./source.js";

/** A published snapshot. */
export interface Generation {
	/** Number of its head, and the last digits of its id. */
	readonly name: string;
	readonly directory: string;
	readonly manifest: Manifest;
	/** Total bytes. */
	readonly bytes: number;
	/** Its files by name and by SHA-256, including manifest and signature. */
	readonly files: ReadonlyMap<string, SnapshotFile>;
	/** When it was listed; milliseconds since 1970. */
	readonly listedMs: number;
	/** Number of files currently being sent to clients. */
	active: number;
	/** When a file of it was last requested or sent; milliseconds since 1970. */
	usedMs: number;
	/** A known file that is altered, missing or unreadable; undefined: none. */
	damaged: string | undefined;
}

interface RetireOptions {
	/** How many are kept. */
	readonly keep: number;
	/** How long a generation stays after it was the newest. */
	readonly graceMs: number;
}

/** A client that downloads file by file continues within this time. */
const IN_USE_MS = 10 * 60_000;

const NEW_NAME = "generation.new";
const NAME = /^\d+-[0-9a-f]{8}$/;
const LEFT_OVER = /^(?:generation\.new(?:\.partial)?|\d+-[0-9a-f]{8}\.retired)$/;
/** An empty file in a generation's directory: damage was found that a start doesn't check for. */
const DAMAGED_NAME = "damaged";
const OWN_NAMES = [MANIFEST_NAME, SIGNATURE_NAME, DAMAGED_NAME];
const PARTS = ["chunks", "segments"];
const PART_FILE = /^(?:\d{6}\.br|\d{12}\.seg)(?:\.shared)?$/;
/** The system is out of resources for opening and reading. */
const LACKS: ReadonlySet<string | undefined> = new Set(["EMFILE", "ENFILE", "ENOMEM"]);
export const NOT_AS_LISTED = "isn't what was listed";
/** A database used as a lock against a second service: the system releases it however the process ends. */
const LOCK_NAME = "service.lock";

/**
 * Which generations to remove: those beyond the kept ones that weren't the newest within the grace time. As many again are
 * spared for clients still downloading them, but no more, so that nobody fills the disk by downloading.
 * @param generations newest first
 */
function retiringOf(
	generations: readonly Generation[],
	{ keep, graceMs }: RetireOptions,
	nowMs: number,
): Generation[] {
	let held = 0;
	return generations.filter((generation, at) => {
		const next = generations[at - 1];
		if (at < keep || !next || nowMs - next.listedMs < graceMs) return false;
		const isInUse = generation.active > 0 || nowMs - generation.usedMs < IN_USE_MS;
		return !isInUse || ++held > keep;
	});
}

export class Generations {
	/** Newest first. */
	private listed: readonly Generation[] = [];
	/** No longer listed; removed when the last file has been sent. */
	private retiring: Generation[] = [];
	private lock: KeyValueDatabase | undefined;

	/**
	 * @param isOwn whether a signature file is this service's own for a manifest with this SHA-256
	 * @param warn called with a sentence about what is left alone
	 */
	constructor(
		private readonly folder: string,
		private readonly isOwn: (signature: Uint8Array, hash: string) => boolean,
		private readonly warn: (sentence: string) => void,
	) {}

	/**
	 * Creates the directory if needed, removes leftovers of a kill, and lists complete generations.
	 * @param nowMs clients may be downloading what was listed before
	 * @throws {SnapshotError | DatabaseError}
	 */
	async open(nowMs: number): Promise<void> {
		try {
			makeDirectory(this.folder);
			this.lock = await openLevelDatabase(join(this.folder, LOCK_NAME), shareCacheBytes(0));
		} catch (error) {
			const { cause } = error as { readonly cause?: { readonly cause?: { readonly code?: string } } };
			if (cause?.cause?.code !== "LEVEL_LOCKED") throw writeFailure(this.folder, error);
			throw new SnapshotError(`another service uses the folder ${this.folder}`, { cause: error });
		}
		const found: Generation[] = [];
		for (const name of await readdir(this.folder)) {
			const path = join(this.folder, name);
			if (LEFT_OVER.test(name)) await removeSnapshot(path).catch((error) => this.leave(error));
			else if (NAME.test(name)) {
				const generation = await this.read(path, name, nowMs).catch((error) => this.leave(error));
				if (generation) found.push(generation);
			}
		}
		this.listed = found.sort(
			(a, b) => b.listedMs - a.listedMs || b.manifest.createdMs - a.manifest.createdMs,
		);
	}

	async close(): Promise<void> {
		await this.lock?.close();
	}

	/** Newest first, without those known to be damaged. */
	get all(): readonly Generation[] {
		return this.listed.filter(isWhole);
	}

	/**
	 * A file changed since it was listed: neither it nor generations sharing it are offered any more.
	 * @param fault what is wrong with it
	 */
	async damage(generation: Generation, file: SnapshotFile, fault: string): Promise<void> {
		if (!isWhole(generation)) return;
		this.setDamaged(generation, file.name, fault);
		await this.remember(generation, file);
		const { ino, dev } = await inodeOf(generation, file.name);
		for (const other of this.all) {
			const same = other.files.get(file.sha256);
			const its = same && (await inodeOf(other, same.name));
			if (!its || its.ino !== ino || its.dev !== dev || !isWhole(other)) continue;
			this.setDamaged(other, same.name, fault);
			await this.remember(other, same);
		}
	}

	/** Damage that the next start detects by itself needs no mark, and may be repaired until then. */
	private async remember({ directory }: Generation, { name, bytes }: SnapshotFile): Promise<void> {
		if ((await faultAt(join(directory, name), bytes)) !== undefined) return;
		const mark = join(directory, DAMAGED_NAME);
		await writeFileSynced(mark, new Uint8Array())
			.then(() => syncDirectory(directory))
			.catch((error) => this.leave(writeFailure(mark, error)));
	}

	private setDamaged(generation: Generation, name: string, fault: string): void {
		generation.damaged = name;
		this.warn(`${generation.directory} is damaged, and offered no more: ${name} ${fault}`);
	}

	/** Where to create the next one; nothing exists there. @throws {SnapshotError} */
	async place(): Promise<string> {
		const path = join(this.folder, NEW_NAME);
		for (const left of [path, `${path}.partial`]) await removeSnapshot(left);
		return path;
	}

	/**
	 * Lists what was created at {@link place}.
	 * @param sign returns the signature file's text for a manifest with this SHA-256
	 * @returns undefined if a whole one of the same head is kept instead. A damaged one is replaced.
	 * @throws {SnapshotError}
	 */
	async publish(
		manifest: Manifest,
		sign: (hash: string) => Promise<string>,
		nowMs: number,
	): Promise<{ readonly generation: Generation; readonly newBytes: number } | undefined> {
		const made = join(this.folder, NEW_NAME);
		const name = nameOf(manifest);
		const path = join(this.folder, name);
		const former = this.listed.find((generation) => generation.name === name);
		if (former && !isWhole(former)) {
			this.listed = this.listed.filter((generation) => generation !== former);
			await this.remove(former);
		} else if (await lstat(path).catch(() => undefined)) {
			await removeSnapshot(made);
			if (former) return undefined;
			throw new SnapshotError(`${path} is in the way: it isn't a generation of this service`);
		}
		const newBytes = await this.list(made, path, manifest, sign).catch((error: unknown) => {
			throw writeFailure(path, error);
		});
		const generation = { ...(await this.read(path, name, nowMs)), listedMs: nowMs };
		this.listed = [generation, ...this.listed];
		return { generation, newBytes };
	}

	/** Deduplicates, signs and names a new generation. @returns bytes that no earlier generation has */
	private async list(
		made: string,
		path: string,
		manifest: Manifest,
		sign: (hash: string) => Promise<string>,
	): Promise<number> {
		const newBytes = await this.share(made, manifest);
		const signature = await sign(manifestHash(await readFile(join(made, MANIFEST_NAME))));
		await writeFileSynced(join(made, SIGNATURE_NAME), utf8(signature));
		for (const part of PARTS) await syncIfThere(join(made, part));
		await syncDirectory(made);
		await rename(made, path);
		await syncDirectory(this.folder);
		return newBytes;
	}

	/**
	 * Unlists generations, and removes those with no transfers in progress.
	 * @returns names of those that are gone from the list now
	 */
	async retire(options: RetireOptions, nowMs: number): Promise<readonly string[]> {
		const going = retiringOf(this.listed, options, nowMs);
		this.listed = this.listed.filter((generation) => !going.includes(generation));
		const waiting = [...this.retiring, ...going];
		this.retiring = waiting.filter(({ active }) => active > 0);
		for (const generation of waiting.filter(({ active }) => active === 0)) await this.remove(generation);
		return going.map(({ name }) => name);
	}

	private async remove({ directory }: Generation): Promise<void> {
		const retired = `${directory}.retired`;
		await rename(directory, retired)
			.then(() => removeSnapshot(retired))
			.catch((error) => this.leave(error));
	}

	/** The file at a path without leading slash. @returns undefined if nothing is served there */
	find(path: string): { readonly generation: Generation; readonly file: SnapshotFile } | undefined {
		const slash = path.indexOf("/");
		const [first, rest] = [path.slice(0, slash), path.slice(slash + 1)];
		// Content is addressed by hash alone, and a file of a generation by name.
		const isHash = /^[0-9a-f]{64}$/.test(rest);
		for (const generation of this.listed) {
			if (first === "files" ? !isHash : isHash || first !== generation.name) continue;
			const file = generation.files.get(rest);
			if (file && (isWhole(generation) || !isHash)) return { generation, file };
		}
		return undefined;
	}

	private leave(error: unknown): undefined {
		this.warn(error instanceof Error ? error.message : String(error));
	}

	/** @throws {SnapshotError | Error} unless it is a whole generation that this service's key has signed */
	private async read(directory: string, name: string, usedMs: number): Promise<Generation> {
		const foreign = new SnapshotError(`${directory} isn't a generation of this service, and is left alone`);
		const unlessAbsent = ({ code }: NodeJS.ErrnoException): undefined => {
			if (code === "ENOENT" || code === "ENOTDIR") return undefined;
			throw new SnapshotError(`${directory} can't be read (${code}), and is left alone`);
		};
		for (const part of [".", ...PARTS]) {
			const found = await lstat(join(directory, part)).catch(unlessAbsent);
			if (found ? !found.isDirectory() : part !== "segments") throw foreign;
		}
		const read = async (file: string): Promise<Buffer> => {
			const path = join(directory, file);
			const found = await lstat(path).catch(unlessAbsent);
			const bytes = found && found.size <= MAX_MANIFEST_BYTES && (await readFile(path).catch(unlessAbsent));
			if (!bytes) throw foreign;
			return bytes;
		};
		const [bytes, signature] = [await read(MANIFEST_NAME), await read(SIGNATURE_NAME)];
		const manifest = parseManifest(bytes);
		if (nameOf(manifest) !== name || !this.isOwn(signature, manifestHash(bytes))) throw foreign;
		const { mtimeMs } = await lstat(join(directory, SIGNATURE_NAME));
		const files = [
			...manifest.chunks,
			...manifest.segments,
			fileOf(MANIFEST_NAME, bytes),
			fileOf(SIGNATURE_NAME, signature),
		];
		const generation: Generation = {
			name,
			directory,
			manifest,
			bytes: files.reduce((sum, file) => sum + file.bytes, 0),
			files: new Map(files.flatMap((file) => [[file.name, file] as const, [file.sha256, file] as const])),
			listedMs: mtimeMs,
			active: 0,
			usedMs,
			damaged: undefined,
		};
		if (await lstat(join(directory, DAMAGED_NAME)).catch(() => undefined))
			this.setDamaged(generation, DAMAGED_NAME, "says that it was found so before");
		for (const file of files) {
			const fault = await faultAt(join(directory, file.name), file.bytes);
			if (isWhole(generation) && fault !== undefined) this.setDamaged(generation, file.name, fault);
		}
		return generation;
	}

	/** Replaces files by those of earlier generations where equal. @returns bytes that none of them has */
	private async share(made: string, { chunks, segments }: Manifest): Promise<number> {
		let bytes = 0;
		for (const file of [...chunks, ...segments]) {
			const earlier = this.find(`files/${file.sha256}`);
			if (!earlier) bytes += file.bytes;
			else
				await shareFile(join(earlier.generation.directory, earlier.file.name), join(made, file.name), file);
		}
		return bytes;
	}
}

const isWhole = ({ damaged }: Generation): boolean => damaged === undefined;

/** The file problem that a system error indicates; undefined for a lack of system resources. */
export function faultOf(error: unknown): string | undefined {
	const { code, message } = error as NodeJS.ErrnoException;
	return LACKS.has(code) ? undefined : `can't be read: ${code ?? message}`;
}

/** A file's problem, judged by size and mode only: reading everything would take as long as a restore. */
async function faultAt(path: string, bytes: number): Promise<string | undefined> {
	try {
		const found = await lstat(path);
		if (!found.isFile() || found.size !== bytes) return NOT_AS_LISTED;
		await access(path, constants.R_OK);
		return undefined;
	} catch (error) {
		return faultOf(error);
	}
}

/** Identifies hard links to the same file. */
const inodeOf = ({ directory }: Generation, name: string): Promise<Partial<Pick<Stats, "ino" | "dev">>> =>
	lstat(join(directory, name)).catch(() => ({}));

function nameOf({ head }: Manifest): string {
	return `${head.number}-${head.id.slice(-8)}`;
}

function fileOf(name: string, bytes: Uint8Array): SnapshotFile {
	return { name, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/**
 * Hard-links equal files, unless the earlier one is damaged or unreadable, or the file system can't.
 * @throws the system's error
 */
async function shareFile(earlier: string, path: string, { bytes, sha256 }: SnapshotFile): Promise<void> {
	const [there, own] = [await lstat(earlier).catch(() => undefined), await lstat(path)];
	if (!there?.isFile() || there.size !== bytes || (there.ino === own.ino && there.dev === own.dev)) return;
	if ((await fileHash(earlier).catch(() => undefined)) !== sha256) return;
	const shared = `${path}.shared`;
	const isLinked = await link(earlier, shared).then(
		() => true,
		() => false,
	);
	if (isLinked) await rename(shared, path);
}

/**
 * Removes the files of a complete or partial snapshot, and its directories.
 * @throws {SnapshotError} if it has others, which are left
 */
async function removeSnapshot(path: string): Promise<void> {
	const found = await lstat(path).catch(() => undefined);
	if (!found) return;
	try {
		if (!found.isDirectory()) throw new SnapshotError("it isn't a folder");
		const names = await readdir(path, { withFileTypes: true });
		for (const part of names.filter((entry) => entry.isDirectory() && PARTS.includes(entry.name))) {
			const inner = join(path, part.name);
			const isPart = (entry: Dirent): boolean => entry.isFile() && PART_FILE.test(entry.name);
			for (const { name } of (await readdir(inner, { withFileTypes: true })).filter(isPart))
				await unlink(join(inner, name));
			await rmdir(inner);
		}
		for (const { name } of names.filter((entry) => entry.isFile()))
			if (OWN_NAMES.includes(name)) await unlink(join(path, name));
		await rmdir(path);
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		const why = code === "ENOTEMPTY" ? "it has files that the service didn't make" : (code ?? message);
		throw new SnapshotError(`${path} can't be removed: ${why}`, { cause: error });
	}
}

async function syncIfThere(path: string): Promise<void> {
	if (await lstat(path).catch(() => undefined)) await syncDirectory(path);
}
