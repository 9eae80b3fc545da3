/**
 * The expected files of a LevelDB directory. The library's Node.js binding doesn't verify table checksums,
 * and takes a truncated manifest or log for the result of a kill. So this program keeps a list of its own:
 *
 * - SEAL lists every file as left by a clean close. The next open compares them all and turns it into TABLES.
 * - TABLES lists tables, which never change once complete. Lines are added while the database is open. The
 * newest tables before a kill may be unlisted: they are verified by their own checksums.
 *
 * Line: name, size, CRC-32 of the contents, CRC-32 of the previous line. A torn last line of TABLES is ignored, and cut off
 * before the next one is appended: otherwise it would become a broken line before intact ones, which is corruption.
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
/** Files that change while the database is open, except those with irrelevant contents (LOCK, LOG). */
const CHANGING = /^(?:CURRENT|MANIFEST-\d+|\d+\.log)$/;
const MANIFEST = /\/MANIFEST-\d+$/;
const LINE = /^((\S+) (\d+) (\d+)) (\d+)$/;

/** Bytes of tables, besides the newest, compared before the open returns; the rest is compared in the background. */
const AWAITED_BYTES = 16 << 20;
/**
 * Pause between background comparisons: tables have about two megabytes once compacted, so this uses about 2 % of the time.
 */
const PAUSE_MS = 100;

/** A file isn't as it was left; the message is half a sentence. */
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
	/** Tables still to be compared. */
	private readonly waiting: string[] = [];

	private constructor(
		private readonly directory: string,
		private readonly tables: Map<string, FileFacts>,
		/** Tables of the database missing from the lists, until compared. */
		private readonly unlisted: Set<string>,
		/** Size of TABLES' intact lines. */
		private listBytes: number,
	) {}

	/**
	 * Compares the files of a directory with its list, before the library opens them.
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

	/** Compares the newest table, which a kill may have left incomplete, and others up to a byte limit. */
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
			// Missing: another process has the database open; the library will report that.
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

	/** Compares what {@link open} left over. @throws {DamagedFileError} */
	async compareRest(): Promise<void> {
		for (const name of this.waiting) {
			await sleep(PAUSE_MS, undefined, { ref: false });
			if (this.isEnded) return;
			const bytes = await readTable(join(this.directory, name));
			// Missing: its contents were compacted into other tables.
			if (bytes) this.compareTable(name, bytes);
		}
	}

	/** Adds complete tables to the list. @param numbers all that the database has now */
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

	/** Appends after the last intact line: a kill, power loss or full disk may have left a torn one. */
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

	/** Stops reading files; the database may then be closed. */
	end(): void {
		this.isEnded = true;
	}

	/**
	 * Lists everything after the database is closed.
	 * @throws {DamagedFileError} where a table is damaged, which the next open says
	 */
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

/** Undefined if it is gone. */
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

/** The tables that belong to the database: a kill may leave an incomplete one that doesn't yet. */
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
	/** Size of its intact lines. */
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
			// Power was lost while lines were appended.
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

/** Syncs new names; some systems can't open a directory, and then nothing needs to be done. */
export async function syncDirectory(directory: string): Promise<void> {
	if (process.platform === "win32") return;
	const handle = await open(directory, "r");
	try {
		await handle.sync();
	} finally {
		await handle.close();
	}
}
