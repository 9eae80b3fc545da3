/**
 * The data directory: its owner, and exclusive use by one process (protocol/configuration §4.3 shows what others look like).
 */

import {
	accessSync,
	constants,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statfsSync,
	statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { be64, equalBytes, fromUtf8, readBe64, toHex, utf8 } from "../../protocol/bytes.js";
import { genesisTitle } from "../../protocol/public-networks.js";
import type { CacheBudget } from "../state/cache-budget.js";
import {
	type BatchChange,
	DatabaseError,
	type KeyValueDatabase,
	openLevelDatabase,
} from "../state/database.js";
import { type LogStart, NOTHING_DROPPED } from "./block-log.js";
import { diskFiles, type LogFiles } from "./log-files.js";

/** Format version of the directory that this program writes and reads. */
export const DIRECTORY_FORMAT = 1;

/** Outside the key space of the stores, which begins with a store's index. */
const META_KEY = Buffer.from([0xff, ...Buffer.from("meta", "latin1")]);

/** The oldest segment of the block log that the database doesn't hold. */
const LOG_START_KEY = Buffer.from([0xff, ...Buffer.from("log", "latin1")]);

/** There once if a block log was begun: a chain that was restored or adopted has none before its first start. */
const LOG_BEGUN_KEY = Buffer.from([0xff, ...Buffer.from("begun", "latin1")]);

const MARK_PREFIX = Buffer.from([0xff, ...Buffer.from("batch", "latin1")]);
const KEPT_MARKS = 256n;

/** Progress of an incomplete adoption of other data: until it is done, the directory has no description. */
export const ADOPTION_KEY = Buffer.from([0xff, ...Buffer.from("adoption", "latin1")]);

/** The same for restoring a snapshot. */
export const RESTORE_KEY = Buffer.from([0xff, ...Buffer.from("restore", "latin1")]);

/** What a data directory records about itself. */
export interface DirectoryMeta {
	readonly format: number;
	/** 32 bytes. */
	readonly genesisId: Uint8Array;
}

/** Sub-directory of the block log. */
export function logDirectory(dataDirectory: string): string {
	return join(dataDirectory, "journal");
}

/**
 * Opens the database of a data directory, creating both if they don't exist.
 * @param name sub-directory of the database (`storage.db.directory`)
 * @throws {DatabaseError} with one sentence that says what stands in the way
 */
export async function openDataDirectory(
	dataDirectory: string,
	name: string,
	budget?: CacheBudget,
): Promise<KeyValueDatabase> {
	const path = join(dataDirectory, name);
	refuseOthersData(dataDirectory, path);
	refuseReferenceData(dataDirectory);
	refuseForeign(path);
	try {
		makeDirectory(path);
		accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new DatabaseError(`the data directory ${dataDirectory} can't be used: ${explain(code)}`);
	}
	return openLevelDatabase(path, budget);
}

/** Users of this machine, one per line; others, such as directory-service users, are shown by number. */
const USERS = "/etc/passwd";

/**
 * Opening a database writes to it, and its owner couldn't open files that root leaves there.
 * @throws {DatabaseError} where this is root and a path another user's
 */
export function refuseOthersData(...paths: readonly string[]): void {
	const problem = othersProblem(paths);
	if (problem !== undefined) throw new DatabaseError(problem);
}

/** Undefined for a path that doesn't exist or can't be read: whoever uses it reports that. */
function ownerOf(path: string): number | undefined {
	try {
		return statSync(path).uid;
	} catch {
		return undefined;
	}
}

function othersProblem(paths: readonly string[]): string | undefined {
	if (process.geteuid?.() !== 0) return undefined;
	for (const path of paths) {
		const uid = ownerOf(path);
		if (uid === undefined || uid === 0) continue;
		const users = existsSync(USERS) ? readFileSync(USERS, "utf8") : "";
		const user = new RegExp(`^([^:\\s]+):[^:]*:${uid}:`, "m").exec(users)?.[1];
		const how = user ? `sudo -u ${user} coin …` : `that user (--user ${uid} of a container)`;
		return `${path} belongs to the user ${user ?? uid}, who couldn't open what root writes there: run this as ${how}`;
	}
	return undefined;
}

/**
 * Creates a directory and its parents. Not with `recursive`: that retries forever where a file system answers
 * "no such file" under an existing directory, as /proc does.
 */
export function makeDirectory(path: string): void {
	if (existsSync(path)) {
		if (!statSync(path).isDirectory()) throw Object.assign(new Error(path), { code: "ENOTDIR" });
		return;
	}
	makeDirectory(dirname(path));
	mkdirSync(path);
}

/** What prevents a node from writing to a directory, or to one that it would create; undefined: nothing known. */
export function directoryProblem(dataDirectory: string): string | undefined {
	let path = resolve(dataDirectory);
	while (!existsSync(path) && path !== dirname(path)) path = dirname(path);
	try {
		if (!statSync(path).isDirectory()) return `${path} is not a directory`;
		const others = othersProblem([resolve(dataDirectory)]);
		if (others !== undefined) return others;
		accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
		return statfsSync(path).bavail === 0 ? `${path} can't be used: ${explain("ENOSPC")}` : undefined;
	} catch (error) {
		return `${path} can't be used: ${explain((error as NodeJS.ErrnoException).code)}`;
	}
}

function explain(code: string | undefined): string {
	switch (code) {
		case "EACCES":
		case "EPERM":
			return "permission is denied";
		case "ENOTDIR":
		case "EEXIST":
			return "it is not a directory";
		case "ENOENT":
			return "it can't be created";
		case "ENOSPC":
			return "no space is left on the device";
		case "EROFS":
			return "the file system is read-only";
		default:
			return String(code);
	}
}

/** Identifies a reference node's stores: no state exists without this one. */
const REFERENCE_STORE = join("properties", "CURRENT");

/**
 * Creating a chain among a reference node's stores would make them unreadable.
 * @throws {DatabaseError} where a directory holds them, lies among them, or is one above
 */
export function refuseReferenceData(dataDirectory: string): void {
	const whole = resolve(dataDirectory);
	const places = ["", "..", "database", join("output-directory", "database")];
	const place = places
		.map((name) => join(whole, name))
		.find((each) => existsSync(join(each, REFERENCE_STORE)));
	if (place === undefined) return;
	throw new DatabaseError(
		`${dataDirectory} ${place === dirname(whole) ? "lies among" : "holds"} the data of a reference node (${place}); coin node adopt takes them into another directory`,
	);
}

/** A LevelDB directory holds a file CURRENT; another node's database directory holds one directory per store. */
function refuseForeign(path: string): void {
	if (!existsSync(path) || !statSync(path).isDirectory()) return;
	const names = readdirSync(path);
	if (names.length === 0 || names.includes("CURRENT")) return;
	const own = /^(LOCK|LOG|LOG\.old|SEAL|SEAL\.new|TABLES|MANIFEST-\d+|\d+\.(ldb|log|sst|dbtmp))$/;
	// LevelDB names its first files in CURRENT last: a kill before that leaves these files and no entry.
	const begun = /^(LOCK|LOG|LOG\.old|MANIFEST-000001|000001\.dbtmp)$/;
	const lost = names.find((entry) => own.test(entry) && !begun.test(entry));
	if (lost) {
		throw new DatabaseError(`the database in ${path} is damaged: its file CURRENT is missing`);
	}
	const foreign = names.find((entry) => !own.test(entry));
	if (foreign) {
		throw new DatabaseError(
			`${path} holds something that is not this program's database (${foreign}); choose another data directory`,
		);
	}
}

/** Reads the directory's description; undefined for an empty database. @throws {DatabaseError} */
export async function readMeta(database: KeyValueDatabase, path: string): Promise<DirectoryMeta | undefined> {
	const bytes = database.get(META_KEY);
	if (!bytes) {
		if (database.get(ADOPTION_KEY)) {
			throw new DatabaseError(
				`the adoption of a reference node's data into ${path} is not complete; run the same coin node adopt again to go on`,
			);
		}
		if (database.get(RESTORE_KEY)) {
			throw new DatabaseError(
				`the restore of a snapshot into ${path} is not complete; run the same coin node snapshot restore again to go on`,
			);
		}
		for await (const _ of database.entries(new Uint8Array(0))) {
			throw new DatabaseError(`the database in ${path} was not written by this program`);
		}
		return undefined;
	}
	try {
		const { format, genesisId } = JSON.parse(fromUtf8(bytes)) as { format: number; genesisId: string };
		return { format, genesisId: Buffer.from(genesisId, "hex") };
	} catch {
		throw new DatabaseError(`the database in ${path} is damaged: its description can't be read`);
	}
}

/** Files that only a founded chain leaves next to its database: the description was on disk before them. */
const LEFT_BY_A_CHAIN = ["journal", "segments", "dev.json"];

/** A name in the directory that proves a chain existed; undefined: none did. */
export function leftByChain(
	dataDirectory: string,
	files: Pick<LogFiles, "exists"> = diskFiles,
): string | undefined {
	return LEFT_BY_A_CHAIN.find((name) => files.exists(join(dataDirectory, name)));
}

/**
 * A database without a description is new, unless the directory held a chain: LevelDB silently drops its own
 * log if that is damaged, and nothing at all may be left.
 * @throws {DatabaseError} where there was a chain
 */
export function refuseLostState(dataDirectory: string, files: Pick<LogFiles, "exists">): void {
	const left = leftByChain(dataDirectory, files);
	if (left === undefined) return;
	throw new DatabaseError(
		`the state in ${dataDirectory} is damaged or empty, though there was a chain (${left} is there); move the directory away to begin anew`,
	);
}

/** The batch change that writes the description. */
export function metaChange(genesisId: Uint8Array): BatchChange {
	return {
		key: META_KEY,
		value: utf8(JSON.stringify({ format: DIRECTORY_FORMAT, genesisId: toHex(genesisId) })),
	};
}

/** Where the part of the block log that is still needed begins. @throws {DatabaseError} */
export function readLogStart(database: KeyValueDatabase, path: string): LogStart {
	const bytes = database.get(LOG_START_KEY);
	if (!bytes) return NOTHING_DROPPED;
	// Directories of earlier versions store only the segment.
	const match = /^([1-9]\d{0,9})(?: (\d{1,10}) (\d{1,10}))?$/.exec(Buffer.from(bytes).toString("latin1"));
	if (!match) {
		throw new DatabaseError(`the database in ${path} is damaged: its place in the block log can't be read`);
	}
	return { segment: Number(match[1]), bytes: Number(match[2] ?? 0), crc: Number(match[3] ?? 0) };
}

/** Notes that there is a block log from now on. @returns false if there was one before */
export async function beginLog(database: KeyValueDatabase): Promise<boolean> {
	if (database.get(LOG_BEGUN_KEY)) return false;
	await database.write([{ key: LOG_BEGUN_KEY, value: Uint8Array.of(1) }], true);
	return true;
}

/** The batch change that makes all earlier segments superfluous. */
export function logStartChange({ segment, bytes, crc }: LogStart): BatchChange {
	return { key: LOG_START_KEY, value: utf8(`${segment} ${bytes} ${crc}`) };
}

/**
 * Counts the batches the state was written in. Each leaves a mark, and the last {@link KEPT_MARKS} marks are
 * kept: a database that lost a batch, as LevelDB does silently if its own log or manifest is damaged, has a
 * gap in them. The newest batch is recognized by the block log that it names.
 */
export class BatchMarks {
	private constructor(private last: bigint) {}

	/** @throws {DatabaseError} if a batch is missing */
	static async read(database: KeyValueDatabase, path: string): Promise<BatchMarks> {
		const numbers: bigint[] = [];
		for await (const [key] of database.entries(MARK_PREFIX)) {
			numbers.push(readBe64(key.subarray(MARK_PREFIX.length)));
		}
		const last = numbers.at(-1) ?? 0n;
		const expected = last < KEPT_MARKS ? last : KEPT_MARKS;
		if (BigInt(numbers.length) !== expected) {
			throw new DatabaseError(
				`the database in ${path} is damaged: of its last ${expected} batches it has ${numbers.length}`,
			);
		}
		return new BatchMarks(last);
	}

	/** The changes that mark the next batch. */
	next(): readonly BatchChange[] {
		this.last++;
		const old: BatchChange[] =
			this.last > KEPT_MARKS ? [{ key: markKey(this.last - KEPT_MARKS), value: null }] : [];
		return [{ key: markKey(this.last), value: new Uint8Array(0) }, ...old];
	}
}

function markKey(number: bigint): Uint8Array {
	return Buffer.concat([MARK_PREFIX, be64(number)]);
}

/** The directory holds another chain than the configured one. */
export class OtherChainError extends DatabaseError {
	override readonly name = "OtherChainError";

	constructor(
		/** Genesis id of the chain in the directory: 32 bytes. */
		readonly genesisId: Uint8Array,
		message: string,
	) {
		super(message);
	}
}

/** @throws {DatabaseError} if the directory belongs to another chain or a later release */
export function checkMeta(meta: DirectoryMeta, genesisId: Uint8Array, path: string): void {
	if (meta.format !== DIRECTORY_FORMAT) {
		throw new DatabaseError(
			`the database in ${path} has format ${meta.format}; this release reads format ${DIRECTORY_FORMAT}`,
		);
	}
	if (!equalBytes(meta.genesisId, genesisId)) {
		throw new OtherChainError(
			meta.genesisId,
			`the data directory ${path} belongs to another chain: its genesis block is ${genesisTitle(meta.genesisId)}, the configuration's is ${genesisTitle(genesisId)}`,
		);
	}
}

/** Key of a record that belongs to no store of the state. */
export function sideKey(name: string): Uint8Array {
	return Buffer.from([0xfe, ...Buffer.from(name, "latin1")]);
}

const ADOPTED_BLOCKS_KEY = Buffer.from([0xff, ...Buffer.from("adopted", "latin1")]);

/** @throws {DatabaseError} if former releases left old blocks in a reference node's directory: nothing reads them there now */
export function refuseBlocksElsewhere(database: KeyValueDatabase): void {
	if (!database.get(ADOPTED_BLOCKS_KEY)) return;
	throw new DatabaseError(
		"old blocks of this chain were left in a reference node's directory, which is no longer read: adopt the data into a new directory, with --blocks copy",
	);
}
