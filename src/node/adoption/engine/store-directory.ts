/** The files of a store, according to its directory and manifest. */

import { opendirSync } from "node:fs";
import { basename, join } from "node:path";
import { FormatError } from "./byte-reader.js";
import { ForeignFile, ForeignStoreError, reading, sizeOf } from "./foreign-file.js";
import { orderOf, type TableKeyOrder } from "./key-order.js";
import { MAX_FILES } from "./limits.js";
import { type DatabaseManifest, readManifest } from "./manifest.js";
import { chainsOf, type LocatedTable } from "./table-chain.js";

/** Contents of a directory, by file name. */
interface Listing {
	readonly tables: ReadonlyMap<number, string>;
	readonly logs: ReadonlyMap<number, string>;
	readonly hasManifest: boolean;
	readonly hasCurrent: boolean;
	/** Whether it has files besides the store's that only RocksDB creates. */
	readonly hasRocks: boolean;
}

export interface StoreFiles {
	readonly directory: string;
	readonly name: string;
	readonly engine: "LevelDB" | "RocksDB";
	readonly order: TableKeyOrder;
	readonly manifest: DatabaseManifest;
	/** Non-overlapping runs of tables, newest first. */
	readonly chains: readonly (readonly LocatedTable[])[];
	/** Paths of the live logs, in the order they were written. */
	readonly logs: readonly string[];
	readonly logBytes: number;
	readonly tableBytes: number;
	readonly notes: readonly string[];
}

const CURRENT_BYTES = 64;

function list(directory: string): Listing {
	const tables = new Map<number, string>();
	const logs = new Map<number, string>();
	let hasManifest = false;
	let hasCurrent = false;
	let hasRocks = false;
	reading(directory, () => {
		const entries = opendirSync(directory);
		try {
			let count = 0;
			for (let entry = entries.readSync(); entry; entry = entries.readSync()) {
				if (++count > MAX_FILES) throw new ForeignStoreError(directory, `has more than ${MAX_FILES} files`);
				const [, digits = "", ending] = /^(\d{6,15})\.(ldb|sst|log)$/.exec(entry.name) ?? [];
				if (ending === "log") logs.set(Number(digits), entry.name);
				else if (ending) addTable(tables, Number(digits), entry.name, directory);
				else if (entry.name.startsWith("MANIFEST-")) hasManifest = true;
				else if (entry.name === "CURRENT") hasCurrent = true;
				else if (/^(IDENTITY|OPTIONS-\d+)$/.test(entry.name)) hasRocks = true;
			}
		} finally {
			entries.closeSync();
		}
	});
	return { tables, logs, hasManifest, hasCurrent, hasRocks };
}

function addTable(tables: Map<number, string>, number: number, name: string, directory: string): void {
	const other = tables.get(number);
	if (other) throw new ForeignStoreError(directory, `has both ${other} and ${name}`);
	tables.set(number, name);
}

/** A directory that an engine treats as a new store, and that lost nothing: it may hold LOCK and unrelated files. */
export class UnwrittenStoreError extends ForeignStoreError {
	override readonly name = "UnwrittenStoreError";
}

/** Path of the manifest named by CURRENT. */
function manifestPath(directory: string, listing: Listing): string {
	const path = join(directory, "CURRENT");
	if (!listing.hasCurrent) {
		const isEmpty = listing.tables.size + listing.logs.size === 0 && !listing.hasManifest;
		throw isEmpty
			? new UnwrittenStoreError(directory, "holds no store of LevelDB or RocksDB")
			: new ForeignStoreError(
					path,
					"is missing, though the store has files: they can't be told from old ones",
				);
	}
	const file = new ForeignFile(path);
	try {
		const bytes = Buffer.alloc(Math.min(CURRENT_BYTES, file.size));
		file.read(bytes, 0);
		const [, name] = /^(MANIFEST-\d{6,15})\n$/.exec(bytes.toString("latin1")) ?? [];
		if (!name) throw file.fault("is damaged: it doesn't name a manifest");
		return join(directory, name);
	} finally {
		file.close();
	}
}

function loadManifest(path: string): DatabaseManifest {
	const file = new ForeignFile(path);
	try {
		return readManifest(file);
	} finally {
		file.close();
	}
}

/** Finds and measures all files of a store. @throws {ForeignStoreError} */
export function findFiles(directory: string): StoreFiles {
	const listing = list(directory);
	const path = manifestPath(directory, listing);
	const manifest = loadManifest(path);
	const name = basename(directory);
	const order = orderOf(name);
	if (manifest.comparator !== undefined && manifest.comparator !== order.name) {
		throw new ForeignStoreError(
			path,
			`names the order ${manifest.comparator}, but the store ${name} of a reference node has ${order.name}`,
		);
	}
	const tables = locate(directory, path, listing, manifest);
	// Only RocksDB omits the comparator's name from a store's first manifest.
	const isRocks = manifest.isRocks || manifest.comparator === undefined || listing.hasRocks;
	const logs = liveLogs(directory, path, listing, manifest, isRocks);
	return {
		directory,
		name,
		engine: isRocks ? "RocksDB" : "LevelDB",
		order,
		manifest,
		chains: arrange(path, tables, order),
		logs,
		logBytes: logs.reduce((sum, log) => sum + sizeOf(log), 0),
		tableBytes: tables.reduce((sum, table) => sum + table.size, 0),
		notes: notesOf(path, listing, manifest),
	};
}

/** What was skipped: leftovers of a kill, or of a manifest that lost its end. */
function notesOf(path: string, listing: Listing, manifest: DatabaseManifest): string[] {
	const notes: string[] = [];
	if (manifest.tornAt !== undefined) {
		notes.push(
			`${path} ends within the edit at byte ${manifest.tornAt}, as a kill leaves it: that edit was left out`,
		);
	}
	const named = new Set(manifest.tables.map((table) => table.number));
	const unnamed = [...listing.tables].filter(([number]) => !named.has(number)).map(([, name]) => name);
	if (unnamed.length > 0) {
		const some = unnamed.sort().slice(0, 3).join(", ");
		notes.push(
			`${path} doesn't name ${unnamed.length} of the tables beside it (${some}), as a kill leaves them: they were left out`,
		);
	}
	return notes;
}

function locate(
	directory: string,
	manifestPath: string,
	listing: Listing,
	manifest: DatabaseManifest,
): LocatedTable[] {
	return manifest.tables.map((table) => {
		const name = listing.tables.get(table.number);
		if (!name) {
			const missing = join(directory, `${String(table.number).padStart(6, "0")}.sst`);
			throw new ForeignStoreError(missing, `is missing; ${basename(manifestPath)} names it`);
		}
		const path = join(directory, name);
		const size = sizeOf(path);
		if (size !== table.size) {
			throw new ForeignStoreError(
				path,
				`is damaged: it has ${size} bytes, and the manifest says ${table.size}`,
			);
		}
		return { ...table, path };
	});
}

/**
 * The live logs. LevelDB creates a log before its manifest names it, and keeps it until the manifest names
 * another; RocksDB may name a number for which no log exists, but then always has a later one.
 */
function liveLogs(
	directory: string,
	manifestPath: string,
	listing: Listing,
	{ logNumber, previousLogNumber }: DatabaseManifest,
	isRocks: boolean,
): string[] {
	const numbers = [...listing.logs.keys()]
		.filter((number) => number >= logNumber || number === previousLogNumber)
		.sort((a, b) => a - b);
	const named = isRocks ? [] : [logNumber];
	if (previousLogNumber !== 0) named.push(previousLogNumber);
	const missing = numbers.length === 0 ? logNumber : named.find((number) => !listing.logs.has(number));
	if (missing !== undefined) {
		throw new ForeignStoreError(
			join(directory, `${String(missing).padStart(6, "0")}.log`),
			`is missing${isRocks ? ", and no later log is there" : ""}; ${basename(manifestPath)} names it as the log of what was written last`,
		);
	}
	return numbers.map((number) => join(directory, listing.logs.get(number) as string));
}

function arrange(path: string, tables: readonly LocatedTable[], order: TableKeyOrder): LocatedTable[][] {
	const levels = new Map<number, LocatedTable[]>();
	for (const table of tables) {
		const level = levels.get(table.level);
		if (level) level.push(table);
		else levels.set(table.level, [table]);
	}
	try {
		return [...levels]
			.sort(([a], [b]) => a - b)
			.flatMap(([level, members]) => chainsOf(level, members, order));
	} catch (error) {
		if (!(error instanceof FormatError)) throw error;
		throw new ForeignStoreError(path, `can't be used: it ${error.message}`);
	}
}
