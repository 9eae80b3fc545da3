import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseConfig } from "../../../src/node/config/config.js";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { utf8 } from "../../../src/protocol/bytes.js";
import { openSmall, produceMany, smallConfig, transfer, users } from "./small-chain.js";

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-data-"));
});
afterEach(() => {
	rmSync(directory, { recursive: true, force: true });
});

const database = (): string => join(directory, "database");
const journal = (): string => join(directory, "journal");

/** Why the directory doesn't open. */
async function refusal(config = smallConfig()): Promise<string> {
	try {
		const open = await openSmall({ dataDirectory: directory, config });
		await open.close();
		return "it opened";
	} catch (error) {
		return (error as Error).message;
	}
}

/** A chain of a few blocks, closed. */
async function write(blocks = 8): Promise<string> {
	const open = await openSmall({ dataDirectory: directory });
	produceMany(open, 2);
	open.chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, 1n));
	produceMany(open, blocks - 2);
	const { idHex } = open.chain.head;
	await open.close();
	return idHex;
}

test("a new directory is made, with everything above it", async () => {
	directory = join(directory, "a", "b");
	const head = await write();
	const open = await openSmall({ dataDirectory: directory });
	expect(open.chain.head.idHex).toBe(head);
	await open.close();
});

describe("an empty state beside files of a chain", () => {
	test("is refused where LevelDB dropped the batch of a recovery, and with it all blocks", async () => {
		const [killed, again] = [1, 2].map(() => mkdtempSync(join(tmpdir(), "coin-data-"))) as [string, string];
		const open = await openSmall({ dataDirectory: directory });
		produceMany(open, 5);
		cpSync(directory, killed, { recursive: true });
		await open.close();
		const recovered = await openSmall({ dataDirectory: killed });
		cpSync(killed, again, { recursive: true });
		await recovered.close();
		for (const path of [directory, killed]) rmSync(path, { recursive: true });
		directory = again;
		const log = readdirSync(database()).find((name) => name.endsWith(".log")) ?? "";
		truncateSync(join(database(), log), statSync(join(database(), log)).size - 5);
		expect(await refusal()).toMatch(
			/is damaged: 0000000001\.log is missing, so either the state beside it has lost its newest part/,
		);
	});

	test("is refused after a kill that a recovery was followed by, whatever the database's own log lost", async () => {
		await write();
		const open = await openSmall({ dataDirectory: directory });
		const lost = mkdtempSync(join(tmpdir(), "coin-data-"));
		cpSync(directory, lost, { recursive: true });
		await open.close();
		rmSync(directory, { recursive: true });
		for (const name of readdirSync(join(lost, "database"))) {
			if (/\.(log|ldb)$/.test(name)) truncateSync(join(lost, "database", name), 0);
		}
		for (const name of readdirSync(join(lost, "journal"))) rmSync(join(lost, "journal", name));
		directory = lost;
		expect(await refusal()).toMatch(/damaged/);
	});

	test("and an emptied block log are told, as the two agree", async () => {
		const killed = mkdtempSync(join(tmpdir(), "coin-data-"));
		const open = await openSmall({ dataDirectory: directory, onLogLost: () => expect.unreachable() });
		produceMany(open, 5);
		cpSync(directory, killed, { recursive: true });
		await open.close();
		rmSync(directory, { recursive: true });
		directory = killed;
		for (const name of readdirSync(journal())) rmSync(join(journal(), name));
		const lost: bigint[] = [];
		await (await openSmall({ dataDirectory: directory, onLogLost: (head) => lost.push(head) })).close();
		await (await openSmall({ dataDirectory: directory, onLogLost: (head) => lost.push(head) })).close();
		expect(lost).toEqual([0n]);
	});

	test("and a block log lost after a directory of an older release was started are told", async () => {
		const [older, killed] = [1, 2].map(() => mkdtempSync(join(tmpdir(), "coin-data-"))) as [string, string];
		const first = await openSmall({ dataDirectory: directory });
		cpSync(directory, older, { recursive: true });
		await first.close();
		const level = new ClassicLevel<Buffer, Buffer>(join(older, "database"), {
			keyEncoding: "buffer",
			valueEncoding: "buffer",
		});
		const begun = Buffer.from("\xffbegun", "latin1");
		expect(await level.get(begun)).toEqual(Buffer.of(1));
		await level.del(begun);
		await level.close();
		expect(readdirSync(join(older, "journal"))).not.toEqual([]);
		const open = await openSmall({ dataDirectory: older, onLogLost: () => expect.unreachable() });
		cpSync(older, killed, { recursive: true });
		await open.close();
		for (const path of [directory, older]) rmSync(path, { recursive: true });
		directory = killed;
		for (const name of readdirSync(journal())) rmSync(join(journal(), name));
		const lost: bigint[] = [];
		await (await openSmall({ dataDirectory: directory, onLogLost: (head) => lost.push(head) })).close();
		expect(lost).toEqual([0n]);
	});

	test.each(["journal", "segments", "dev.json"])("is refused: %s", async (name) => {
		mkdirSync(join(directory, name));
		expect(await refusal()).toBe(
			`the state in ${directory} is damaged or empty, though there was a chain (${name} is there); move the directory away to begin anew`,
		);
		expect(readdirSync(directory)).toContain(name);
	});
});

describe("a directory that another node uses", () => {
	test("is refused, and the other goes on", async () => {
		const open = await openSmall({ dataDirectory: directory });
		produceMany(open, 2);
		expect(await refusal()).toBe(`the data directory ${database()} is in use by another node`);
		produceMany(open, 2);
		await open.close();
		expect(await refusal()).toBe("it opened");
	});
});

describe("a directory of something else", () => {
	test("is refused by what it holds", async () => {
		mkdirSync(database(), { recursive: true });
		writeFileSync(join(database(), "holiday.jpg"), "");
		expect(await refusal()).toBe(
			`${database()} holds something that is not this program's database (holiday.jpg); choose another data directory`,
		);
		expect(readdirSync(database())).toEqual(["holiday.jpg"]);
	});

	test("is refused where it is a file", async () => {
		const path = join(directory, "file");
		writeFileSync(path, "");
		directory = path;
		expect(await refusal()).toBe(`the data directory ${path} can't be used: it is not a directory`);
	});

	// The library's way to make directories would retry forever there.
	test.runIf(existsSync("/proc/self"))("is refused where nothing can be made", async () => {
		directory = "/proc/coin-data";
		expect(await refusal()).toBe("the data directory /proc/coin-data can't be used: it can't be created");
		directory = mkdtempSync(join(tmpdir(), "coin-data-"));
	});

	test("is refused where it is another program's database", async () => {
		const other = new ClassicLevel(database());
		await other.open();
		await other.put("a", "b");
		await other.close();
		expect(await refusal()).toBe(`the database in ${directory} was not written by this program`);
	});

	test("is refused where old blocks were left in a reference node's directory", async () => {
		const storage = createMemoryDatabase();
		await (await openSmall({ storage })).flushNow();
		await storage.write([{ key: Buffer.from([0xff, ...Buffer.from("adopted")]), value: utf8("{}") }], true);
		await expect(openSmall({ storage })).rejects.toThrow(
			/^old blocks of this chain were left in a reference node's directory, .* with --blocks copy$/,
		);
	});

	test("is refused where it is another chain's", async () => {
		const head = await write();
		const other = parseConfig(`
			storage { db.directory = "database" }
			genesis.block {
				timestamp = "3000", parentHash = "00", witnesses = []
				assets = [
					{ accountName = Blackhole, accountType = AssetIssue, address = TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy, balance = "0" }
				]
			}
		`);
		expect(await refusal(other)).toMatch(
			/^the data directory .* belongs to another chain: its genesis block is 0{16}[0-9a-f]{48}, the configuration's is 0{16}[0-9a-f]{48}$/,
		);
		const own = await openSmall({ dataDirectory: directory });
		expect(own.chain.head.idHex).toBe(head);
		await own.close();
	});
});

describe("a damaged database", () => {
	const manifest = (): string =>
		join(database(), readdirSync(database()).find((name) => name.startsWith("MANIFEST")) as string);

	test.each<[string, () => void, RegExp]>([
		[
			"without CURRENT",
			() => rmSync(join(database(), "CURRENT")),
			/is damaged: its file CURRENT is missing$/,
		],
		[
			"with an empty CURRENT",
			() => truncateSync(join(database(), "CURRENT")),
			/(is damaged|can't be opened): .*CURRENT/,
		],
		[
			"with a CURRENT that leads nowhere",
			() => writeFileSync(join(database(), "CURRENT"), "MANIFEST-000099\n"),
			/(is damaged|can't be opened): /,
		],
		["without its manifest", () => rmSync(manifest()), /(is damaged|can't be opened): /],
		["with half a manifest", () => truncateSync(manifest(), 20), /(is damaged|can't be opened): /],
	])("%s is told in one sentence", async (_, damage, sentence) => {
		await write();
		damage();
		const text = await refusal();
		expect(text).toMatch(sentence);
		expect(text).not.toContain("\n");
	});

	test("is none where a kill came before LevelDB had named its first files", async () => {
		mkdirSync(database(), { recursive: true });
		for (const name of ["LOCK", "LOG", "MANIFEST-000001", "000001.dbtmp"])
			writeFileSync(join(database(), name), "");
		const open = await openSmall({ dataDirectory: directory });
		produceMany(open, 1);
		await open.close();
		const again = await openSmall({ dataDirectory: directory });
		expect(again.chain.head.number).toBe(1n);
		await again.close();
	});

	test("that lost its newest writes is told by the block log, instead of going on from an older state", async () => {
		await write();
		const early = join(directory, "..", `${directory.split("/").pop()}-early`);
		cpSync(database(), early, { recursive: true });
		const open = await openSmall({ dataDirectory: directory });
		produceMany(open, 20);
		await open.close();
		rmSync(database(), { recursive: true });
		cpSync(early, database(), { recursive: true });
		rmSync(early, { recursive: true });
		expect(await refusal()).toMatch(/^the block log .*(damaged|doesn't belong)/);
	});
});

describe("a damaged block log", () => {
	const segments = (): string[] => readdirSync(journal()).sort();

	test("that is gone is missed", async () => {
		await write();
		rmSync(journal(), { recursive: true });
		expect(await refusal()).toMatch(/^the block log in .* is damaged: \d{10}\.log is missing, so either/);
	});

	test("with a changed byte is told with file and place", async () => {
		const open = await openSmall({ dataDirectory: directory });
		produceMany(open, 5);
		const path = join(journal(), segments().at(-1) as string);
		const copy = mkdtempSync(join(tmpdir(), "coin-data-"));
		cpSync(directory, copy, { recursive: true });
		await open.close();
		const bytes = readFileSync(path.replace(directory, copy));
		bytes[40] = (bytes[40] as number) ^ 1;
		writeFileSync(path.replace(directory, copy), bytes);
		rmSync(directory, { recursive: true });
		directory = copy;
		expect(await refusal()).toBe(
			`the block log ${path.replace(/.*\/journal/, `${copy}/journal`)} is damaged at byte 0`,
		);
	});
});
