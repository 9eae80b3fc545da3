import {
	appendFileSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
	BlockLog,
	LogAccessError,
	LogDamagedError,
	type LogRecord,
	NOTHING_DROPPED,
} from "../../../src/node/chain/block-log.js";
import { diskFiles, type LogFiles } from "../../../src/node/chain/log-files.js";
import { utf8 } from "../../../src/protocol/bytes.js";

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-log-"));
});
afterEach(() => {
	rmSync(directory, { recursive: true, force: true });
});

const block = (text: string): LogRecord => ({ type: "block", payload: utf8(text) });
const texts = (records: readonly LogRecord[]): string[] =>
	records.map(({ type, payload }) => `${type} ${Buffer.from(payload).toString()}`);

/** Opens the log, gives what it held, and closes it. */
function reopen(first = 0): string[] {
	const { log, records } = BlockLog.open(directory, false, { ...NOTHING_DROPPED, segment: first });
	log.close();
	return texts(records);
}

/** Path of the only segment, or of the n-th. */
const segment = (n = 0): string => join(directory, readdirSync(directory).sort()[n] as string);

function write(...payloads: string[]): void {
	const { log } = BlockLog.open(directory, false);
	for (const payload of payloads) log.append("block", utf8(payload));
	log.close();
}

describe("what was appended", () => {
	test("is read back in order, with its type, empty payloads too", () => {
		const { log } = BlockLog.open(directory, true);
		log.append("block", utf8("one"));
		log.append("branch", utf8("two"));
		log.append("transaction", new Uint8Array(0));
		log.close();
		expect(reopen()).toEqual(["block one", "branch two", "transaction "]);
	});

	test("is there though the log was never closed", () => {
		const { log } = BlockLog.open(directory, false);
		log.append("block", utf8("one"));
		expect(reopen()).toEqual(["block one"]);
		log.close();
	});

	test("counts towards the size, what a rotation wrote doesn't", () => {
		const { log } = BlockLog.open(directory, false);
		log.append("block", new Uint8Array(100));
		expect(log.size).toBeGreaterThanOrEqual(100);
		log.rotate([block("kept")]);
		expect(log.size).toBe(0);
		log.append("block", new Uint8Array(50));
		expect(log.size).toBeGreaterThanOrEqual(50);
		log.close();
	});
});

describe("rotation", () => {
	test("keeps older segments until they are dropped", () => {
		const { log } = BlockLog.open(directory, false);
		log.append("block", utf8("old"));
		const start = log.rotate([block("kept")]);
		log.append("block", utf8("new"));
		expect(texts(BlockLog.open(directory, false).records)).toEqual(["block old", "block kept", "block new"]);
		log.dropBefore(start.segment);
		expect(reopen(start.segment)).toEqual(["block kept", "block new"]);
		log.close();
	});

	test("is ignored below the first segment that the database needs", () => {
		const { log } = BlockLog.open(directory, false);
		log.append("block", utf8("in the database"));
		const start = log.rotate([block("kept")]);
		log.close();
		expect(reopen(start.segment)).toEqual(["block kept"]);
	});
});

describe("a torn end", () => {
	const whole = ["block first", "block second"];

	test("of any length is dropped, and the records before it stay", () => {
		write("first", "second", "third, which a kill tears");
		const bytes = readFileSync(segment());
		const path = segment();
		const last = bytes.lastIndexOf(Buffer.from([0xb1, 0x0c, 0x4c, 0x06]));
		for (let length = last; length < bytes.length; length++) {
			rmSync(directory, { recursive: true });
			mkdirSync(directory);
			writeFileSync(path, bytes.subarray(0, length));
			expect(reopen()).toEqual(whole);
		}
	});

	test.each([
		["zeros that a lost write leaves", Buffer.alloc(5000)],
		["bytes that are not a record", Buffer.from("garbage")],
		["a marker alone", Buffer.from([0xb1, 0x0c, 0x4c, 0x06])],
	])("may be %s", (_, tail) => {
		write("first", "second");
		appendFileSync(segment(), tail);
		expect(reopen()).toEqual(whole);
	});

	test("may stand in any segment: each start begins a new one", () => {
		write("first", "second", "third");
		truncateSync(segment(), readFileSync(segment()).length - 1);
		write("fourth");
		expect(reopen()).toEqual([...whole, "block fourth"]);
	});
});

describe("damage before a whole record", () => {
	test.each([
		["in the marker", 0],
		["in the type", 4],
		["in the length", 5],
		["in the length's high byte", 8],
		["in the checksum", 9],
		["in the payload", 13],
	])("%s is told with file and place", (_, offset) => {
		write("first", "second");
		const path = segment();
		const bytes = readFileSync(path);
		bytes[offset] = (bytes[offset] as number) ^ 0x40;
		writeFileSync(path, bytes);
		expect(() => BlockLog.open(directory, false)).toThrow(
			new LogDamagedError(`the block log ${path} is damaged at byte 0`),
		);
	});

	test("may hold the marker itself", () => {
		const { log } = BlockLog.open(directory, false);
		log.append("block", Buffer.from([0xb1, 0x0c, 0x4c, 0x06, 0xb1, 0x0c, 0x4c, 0x06]));
		log.append("block", utf8("after"));
		log.close();
		expect(reopen()).toHaveLength(2);
	});

	test("leaves the files as they are", () => {
		write("first", "second");
		const path = segment();
		const bytes = readFileSync(path);
		bytes[15] = 0;
		writeFileSync(path, bytes);
		const before = readdirSync(directory);
		expect(() => BlockLog.open(directory, false)).toThrow(LogDamagedError);
		expect(readdirSync(directory)).toEqual(before);
		expect(readFileSync(path)).toEqual(bytes);
	});
});

describe("a segment that was taken away", () => {
	test("in the middle is missed", () => {
		write("one");
		write("two");
		write("three");
		rmSync(segment(1));
		expect(() => BlockLog.open(directory, false)).toThrow(
			new LogDamagedError(`the block log in ${directory} is damaged: 0000000002.log is missing`),
		);
	});

	test("at the start is missed where the database says that it is needed", () => {
		write("one");
		write("two");
		rmSync(segment(0));
		expect(() => BlockLog.open(directory, false, { ...NOTHING_DROPPED, segment: 1 })).toThrow(
			"0000000001.log is missing",
		);
		expect(() => reopen()).toThrow(
			"0000000001.log is missing, so either the state beside it has lost its newest part or the log was taken away: restore",
		);
	});

	test("together with all others is missed", () => {
		expect(() =>
			BlockLog.open(join(directory, "journal"), false, { ...NOTHING_DROPPED, segment: 7 }),
		).toThrow("0000000007.log is missing");
	});
});

describe("a log that can't be written", () => {
	test("refuses every later record, so that none stands behind a torn one", () => {
		let isGone = false;
		const files: LogFiles = {
			...diskFiles,
			create: (path) => {
				const file = diskFiles.create(path);
				const write = (bytes: Uint8Array): number => {
					if (isGone) throw Object.assign(new Error("the device went away"), { code: "EBADF" });
					return file.write(bytes);
				};
				return { ...file, write };
			},
		};
		const { log } = BlockLog.open(directory, false, NOTHING_DROPPED, files);
		log.append("block", utf8("first"));
		isGone = true;
		const refused = () => log.append("block", utf8("lost"));
		expect(refused).toThrow(LogAccessError);
		expect(refused).toThrow(`the block log in ${directory} can't be written: EBADF`);
		expect(() => log.rotate([])).toThrow(LogAccessError);
		log.close();
		expect(reopen()).toEqual(["block first"]);
	});

	test("or read says so in one sentence", () => {
		writeFileSync(join(directory, "journal"), "a file");
		expect(() => BlockLog.open(join(directory, "journal"), false)).toThrow(
			`the block log in ${directory}/journal can't be read: EEXIST`,
		);
	});
});
