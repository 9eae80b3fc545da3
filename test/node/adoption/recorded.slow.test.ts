/** A directory that a reference node wrote (test/golden/reference-directory): 231 blocks, ended by SIGTERM, logs without tables. */

import { createHash } from "node:crypto";
import {
	appendFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Adopted, adopt, judgeSource } from "../../../src/node/adoption/adoption.js";
import { openForeignStore } from "../../../src/node/adoption/engine/foreign-store.js";
import { openSourceDirectory } from "../../../src/node/adoption/source-directory.js";
import { loadConfig } from "../../../src/node/config/config.js";
import { createMemoryDatabase, type KeyValueDatabase } from "../../../src/node/state/database.js";
import { storeDefinitions } from "../../../src/node/state/definition.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { unpack } from "../../soak/golden-directory.js";

const FOLDER = "test/golden/reference-directory";
const CONFIG = join(FOLDER, "level-era-early.conf");
/** SHA-256 over `<store> <key> <value>` of what the reference had after opening the directory, without recent-transaction. */
const DIGEST = "3b47fdc93699c44f9244f3a7fc1761af78a0144e845d28c5b354b6bb3901f676";

let root: string;
let stores: string;
beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), "coin-adopted-"));
	unpack(join(FOLDER, "database.tar.br"), root);
	stores = join(root, "output-directory", "database");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const config = loadConfig(CONFIG);

async function adoptInto(database: KeyValueDatabase, directory = root): Promise<Adopted | undefined> {
	const judged = await judgeSource(openSourceDirectory(directory, openForeignStore), config);
	return adopt(judged, database, "data", { config, blocks: "copy", onProgress: () => true });
}

async function digestOf(database: KeyValueDatabase): Promise<string> {
	const lines: string[] = [];
	for (const { index, name } of storeDefinitions) {
		for await (const [key, value] of database.entries(Uint8Array.of(index))) {
			lines.push(`${name} ${toHex(key.subarray(1))} ${toHex(value)}\n`);
		}
	}
	const byStore = (a: string, b: string): number => (a < b ? -1 : 1);
	return createHash("sha256").update(lines.sort(byStore).join("")).digest("hex");
}

describe("a reference node's directory", () => {
	it("is adopted entry by entry as the node itself had it", async () => {
		const database = createMemoryDatabase();
		const adopted = await adoptInto(database);
		expect(adopted?.judgement).toMatchObject({
			engines: ["LevelDB"],
			lowest: 1n,
			solidified: 196n,
			notes: [],
		});
		expect(adopted?.judgement.head.number).toBe(231n);
		expect(adopted?.differences).toEqual([]);
		expect(adopted?.checks).toEqual({ blocks: 231, transactions: 794, otherKeys: 0 });
		expect(await digestOf(database)).toBe(DIGEST);
	});

	it("is found from any level of it, and is refused where there is nothing", () => {
		for (const directory of [root, join(root, "output-directory"), stores]) {
			expect(openSourceDirectory(directory, openForeignStore).path).toBe(stores);
		}
		expect(() => openSourceDirectory(join(stores, "abi"), openForeignStore)).toThrow(
			/holds no data of a reference node: there is no store properties in it/,
		);
		rmSync(join(stores, "properties", "CURRENT"));
		expect(() => openSourceDirectory(root, openForeignStore)).toThrow(/properties\/CURRENT is missing/);
	});

	it("has another fingerprint once a file was written, and the same when only a log of messages was", () => {
		const fingerprint = (): string => openSourceDirectory(root, openForeignStore).fingerprint;
		const before = fingerprint();
		writeFileSync(join(stores, "abi", "LOG"), "opened");
		expect(fingerprint()).toBe(before);
		appendFileSync(join(stores, "abi", "CURRENT"), "\n");
		expect(fingerprint()).not.toBe(before);
	});

	it("is refused while an engine has a store of it open", async () => {
		const db = new ClassicLevel(join(stores, "votes"));
		await db.open();
		expect(() => openSourceDirectory(root, openForeignStore)).toThrow(
			`${join(stores, "votes", "LOCK")} is held: the node that writes this directory must be stopped first`,
		);
		await db.close();
		expect(openSourceDirectory(root, openForeignStore).path).toBe(stores);
	});

	it("prefers checkpoints of version 2 to that of version 1, by their time", () => {
		expect(openSourceDirectory(root, openForeignStore).checkpoints).toEqual(["tmp"]);
		for (const time of ["1700000000002", "1700000000001"]) {
			mkdirSync(join(stores, "checkpoint", time), { recursive: true });
		}
		const { checkpoints, stores: names } = openSourceDirectory(root, openForeignStore);
		expect(checkpoints).toEqual(["checkpoint/1700000000001", "checkpoint/1700000000002"]);
		expect(names).not.toContain("tmp");
		expect(names).not.toContain("checkpoint");
	});

	it("is refused by the name of the file that is damaged, and nothing is there to start on", async () => {
		const [log] = ["000003.log", "000004.log", "000005.log", "000006.log"]
			.map((name) => join(stores, "account", name))
			.filter((path) => existsSync(path) && readFileSync(path).length > 100);
		if (log === undefined) throw new Error("the store account has no log");
		const bytes = readFileSync(log);
		bytes[60] = (bytes[60] as number) ^ 1;
		writeFileSync(log, bytes);
		const database = createMemoryDatabase();
		await expect(adoptInto(database)).rejects.toThrow(log);
		expect(await digestOf(database)).not.toBe(DIGEST);
	});

	it("is refused without a store that holds state", async () => {
		renameSync(join(stores, "storage-row"), join(root, "elsewhere"));
		await expect(adoptInto(createMemoryDatabase())).rejects.toThrow(/has no store storage-row/);
	});
});
