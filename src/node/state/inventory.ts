/**
 * What the files of a LevelDB directory have to be. The library, as it is bound to Node.js, doesn't look at the
 * checksums of its tables, and takes a list of files or a log that ends early for the work of a kill. So this program
 * keeps a list of its own:
 *
 * - SEAL lists every file as a clean close left it. The next open compares them all and makes it TABLES.
 * - TABLES lists tables, which never change once they are complete. Lines are added while the database is open. Those
 *   that were made last before a kill are not listed: they have to be whole by their own checksums.
 *
 * A line: name, size, CRC-32 of the contents, CRC-32 of the line before it. A torn last line of TABLES is ignored, and cut off
 * before the next one is added: the two would make a broken line before whole ones, which is damage.
 */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { isWholeTable, tablesOfManifest } from "./table-checksums.js";

const SEAL = "SEAL";
const TABLES = "TABLES";

const TABLE = /^\d+\.(?:ldb|sst)$/;
/** Files that change while the database is open, but for those whose contents say nothing (LOCK, LOG). */
const CHANGING = /^(?:CURRENT|MANIFEST-\d+|\d+\.log)$/;
const MANIFEST = /\/MANIFEST-\d+$/;
const LINE = /^((\S+) (\d+) (\d+)) (\d+)$/;

/** Bytes of tables besides the newest that an open waits for; the others are compared while the database is in use. */
const AWAITED_BYTES = 16 << 20;
/** Between two tables that are compared in the background: two megabytes each, where they were merged, about two hundredths of the time. */
const PAUSE_MS = 100;

/** A file is not what it was; the message is half a sentence. */
export class DamagedFileError extends Error {
	override readonly name = "DamagedFileError";
}

interface FileFacts {
	readonly bytes: number;
	readonly crc: number;
}

const factsOf = (bytes: Uint8Array): FileFacts => ({ bytes: bytes.length, crc: crc32(bytes) });

function lineOf(name: string, { bytes, crc }: FileFacts): string {
	const facts = `${name} ${bytes} ${crc}`;
	return `${facts} ${crc32(facts)}\n`;
}

export class Inventory {
	private isEnded = false;
	/** Tables that are still to be compared. */
	private readonly waiting: string[] = [];

	private constructor(
		private readonly directory: string,
		private readonly tables: Map<string, FileFacts>,
		/** Tables of the database that no list has, until they are compared. */
		private readonly unlisted: Set<string>,
		/** Of the whole lines of TABLES. */
		private listBytes: number,
	) {}

	/**
	 * Compares the files of a directory with its list, before the library sees them.
	 * @throws {DamagedFileError} if one is missing or differs
	 */
	static async open(directory: string): Promise<Inventory> {
		const seal = join(directory, SEAL);
		const isSealed = existsSync(seal);
		const path = isSealed ? seal : join(directory, TABLES);
		const { listed, bytes } = existsSync(path) ? readList(path, isSealed) : NO_LIST;
		const present = new Set(existsSync(directory) ? readdirSync(directory) : []);
		if (isSealed) checkSealed(directory, listed, present);
		const tables = new Map([...listed].filter(([name]) => TABLE.test(name) && present.has(name)));
		const unlisted = isSealed ? [] : namedTables(directory).filter((name) => present.has(name));
		const uncompared = new Set(unlisted.filter((name) => !tables.has(name)));
		const inventory = new Inventory(directory, tables, uncompared, bytes);
		inventory.compareNow();
		if (isSealed) {
			await rename(seal, join(directory, TABLES));
			await syncDirectory(directory);
		}
		return inventory;
	}

	/** Compares the newest table, which may be a large one that a kill left incomplete, and others up to a number of bytes. */
	private compareNow(): void {
		let room = AWAITED_BYTES;
		const newestFirst = [...this.tables.keys(), ...this.unlisted].sort(
			(a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10),
		);
		for (const name of newestFirst) {
			const path = join(this.directory, name);
			const stat = statSync(path, { throwIfNoEntry: false });
			const size = name === newestFirst[0] ? 0 : (this.tables.get(name)?.bytes ?? stat?.size ?? 0);
			room -= size;
			if (room < 0) this.waiting.push(name);
			// Where it is gone, another process has the database open; the library will say so.
			else if (stat) this.compareTable(name, readFileSync(path));
		}
	}

	/** @throws {DamagedFileError} */
	private compareTable(name: string, bytes: Buffer): void {
		const facts = this.tables.get(name);
		if (facts) compare(name, facts, bytes);
		if (!this.unlisted.has(name)) return;
		if (!isWholeTable(bytes)) throw changed(name);
		this.unlisted.delete(name);
	}

	/** Compares what {@link open} left. @throws {DamagedFileError} */
	async compareRest(): Promise<void> {
		for (const name of this.waiting) {
			await sleep(PAUSE_MS, undefined, { ref: false });
			if (this.isEnded) return;
			const bytes = await readTable(join(this.directory, name));
			// Where it is gone, its contents are in other tables by now.
			if (bytes) this.compareTable(name, bytes);
		}
	}

	/** Lists tables that are complete. @param numbers all that the database has now */
	async add(numbers: readonly number[]): Promise<void> {
		const present = new Set(numbers.map(tableName));
		for (const name of this.tables.keys()) if (!present.has(name)) this.tables.delete(name);
		for (const name of present) {
			if (this.tables.has(name) || this.unlisted.has(name) || this.isEnded) continue;
			const bytes = await readTable(join(this.directory, name));
			if (!bytes || this.isEnded) continue;
			const facts = factsOf(bytes);
			this.tables.set(name, facts);
			await this.addLine(lineOf(name, facts));
		}
	}

	/** Behind the last whole line: a kill, a loss of power or a full disk may have left part of one. */
	private async addLine(line: string): Promise<void> {
		const file = await open(join(this.directory, TABLES), "a");
		try {
			if ((await file.stat()).size !== this.listBytes) await file.truncate(this.listBytes);
			await file.appendFile(line);
			this.listBytes += line.length;
		} finally {
			await file.close();
		}
	}

	/** No file is read any more; the database may be closed. */
	end(): void {
		this.isEnded = true;
	}

	/** Lists everything: the database is closed. @throws {DamagedFileError} where a table is damaged, which the next open says */
	async seal(): Promise<void> {
		const names = readdirSync(this.directory).filter((name) => TABLE.test(name) || CHANGING.test(name));
		const lines: string[] = [];
		for (const name of names) {
			lines.push(lineOf(name, this.tables.get(name) ?? (await this.newFacts(name))));
		}
		const path = join(this.directory, `${SEAL}.new`);
		const text = lines.join("");
		await writeFile(path, `${text}${lineOf("end", factsOf(Buffer.from(text)))}`, { flush: true });
		await rename(path, join(this.directory, SEAL));
		await rm(join(this.directory, TABLES), { force: true });
		await syncDirectory(this.directory);
	}

	private async newFacts(name: string): Promise<FileFacts> {
		const bytes = await readFile(join(this.directory, name));
		this.compareTable(name, bytes);
		return factsOf(bytes);
	}
}

/** Undefined: it is gone. */
async function readTable(path: string): Promise<Buffer | undefined> {
	try {
		return await readFile(path);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
		throw error;
	}
}

function compare(name: string, facts: FileFacts, bytes: Uint8Array): void {
	if (bytes.length !== facts.bytes) {
		throw new DamagedFileError(`its file ${name} has ${bytes.length} bytes instead of ${facts.bytes}`);
	}
	if (crc32(bytes) !== facts.crc) throw changed(name);
}

function changed(name: string): DamagedFileError {
	return new DamagedFileError(`the contents of its file ${name} have changed`);
}

/** The tables that belong to the database: a kill may leave half of one that doesn't yet. */
function namedTables(directory: string): readonly string[] {
	const current = join(directory, "CURRENT");
	if (!existsSync(current)) return [];
	const manifest = join(directory, readFileSync(current, "latin1").trim());
	if (!MANIFEST.test(manifest) || !existsSync(manifest)) return [];
	return [...tablesOfManifest(readFileSync(manifest))].map(tableName);
}

function tableName(number: number): string {
	return `${String(number).padStart(6, "0")}.ldb`;
}

interface ReadList {
	readonly listed: ReadonlyMap<string, FileFacts>;
	/** Of its whole lines. */
	readonly bytes: number;
}

const NO_LIST: ReadList = { listed: new Map(), bytes: 0 };

/** @param isWhole a last line tells that none is missing @throws {DamagedFileError} */
function readList(path: string, isWhole: boolean): ReadList {
	const text = readFileSync(path, "latin1");
	const files = new Map<string, FileFacts>();
	const lines = text.split("\n");
	lines.pop();
	let bytes = 0;
	for (const [at, line] of lines.entries()) {
		const match = LINE.exec(line);
		if (!match || crc32(match[1] as string) !== Number(match[5])) {
			// The machine lost its power while lines were added.
			if (!isWhole && !lines.slice(at + 1).some((later) => LINE.test(later))) break;
			throw unreadable(path);
		}
		files.set(match[2] as string, { bytes: Number(match[3]), crc: Number(match[4]) });
		bytes += line.length + 1;
	}
	if (!isWhole) return { listed: files, bytes };
	const end = files.get("end");
	files.delete("end");
	const listed = text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1);
	if (!end || end.crc !== crc32(Buffer.from(listed)) || end.bytes !== listed.length) throw unreadable(path);
	if (!text.endsWith("\n")) throw unreadable(path);
	return { listed: files, bytes };
}

function unreadable(path: string): DamagedFileError {
	return new DamagedFileError(`the list of its files, ${path}, can't be read`);
}

/** @throws {DamagedFileError} */
function checkSealed(
	directory: string,
	listed: ReadonlyMap<string, FileFacts>,
	present: ReadonlySet<string>,
): void {
	for (const [name, facts] of listed) {
		if (!present.has(name)) throw new DamagedFileError(`its file ${name} is missing`);
		if (CHANGING.test(name)) compare(name, facts, readFileSync(join(directory, name)));
	}
}

/** Makes new names durable; some systems can't open a directory, and then there is nothing to do. */
export async function syncDirectory(directory: string): Promise<void> {
	if (process.platform === "win32") return;
	const handle = await open(directory, "r");
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}
