/** The hash of a directory that a reference node wrote, and of what differs in it by one byte. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { adopt, judgeSource } from "../../../src/node/adoption/adoption.js";
import { openForeignStore } from "../../../src/node/adoption/engine/foreign-store.js";
import { openSourceDirectory } from "../../../src/node/adoption/source-directory.js";
import { hashSource } from "../../../src/node/adoption/source-hash.js";
import { ADOPTION_KEY } from "../../../src/node/chain/data-directory.js";
import { loadConfig } from "../../../src/node/config/config.js";
import { createMemoryDatabase, type KeyValueDatabase } from "../../../src/node/state/database.js";
import { storeDefinitions } from "../../../src/node/state/definition.js";
import { hashDatabase } from "../../../src/node/state/state-hash/hash-database.js";
import { readSums } from "../../../src/node/state/state-hash/kept-hashes.js";
import { kindOf } from "../../../src/node/state/store-kinds.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { unpack } from "../../soak/golden-directory.js";

const FOLDER = "test/golden/reference-directory";

let root: string;
const database: KeyValueDatabase = createMemoryDatabase();
beforeAll(async () => {
	root = mkdtempSync(join(tmpdir(), "coin-hash-"));
	unpack(join(FOLDER, "database.tar.br"), root);
	const config = loadConfig(join(FOLDER, "level-era-early.conf"));
	const judged = await judgeSource(openSourceDirectory(root, openForeignStore), config);
	const adopted = await adopt(judged, database, "data", { config, blocks: "copy", onProgress: () => true });
	expect(toHex(adopted?.stateHash.hash ?? new Uint8Array(0))).toBe(await ownHash());
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function ownHash(): Promise<string> {
	const hash = await hashDatabase(database, () => true, 0);
	return toHex(hash?.value().hash ?? new Uint8Array(0));
}

it("is that of the directory which is adopted of it, and of no other state", async () => {
	const source = openSourceDirectory(root, openForeignStore);
	const hashed = await hashSource(source, () => true);
	const expected = toHex(hashed?.hash.value().hash ?? new Uint8Array(0));
	expect(hashed?.head.number).toBe(231n);
	expect(await ownHash()).toBe(expected);
	for (const { index, name } of storeDefinitions) {
		for await (const [key, value] of database.entries(Uint8Array.of(index))) {
			if (value.length === 0 || name === "account" || name === "proposal" || name === "delegation") continue;
			const other = Uint8Array.from(value);
			other[0] = (other[0] as number) ^ 1;
			await database.write([{ key, value: other }], false);
			const isSame = (await ownHash()) === expected;
			const own = /^(FORK_VERSION_|VERSION_NUMBER)/.test(Buffer.from(key.subarray(1)).toString("latin1"));
			expect([name, isSame]).toEqual([name, kindOf(name) !== "state" || own]);
			await database.write([{ key, value }], false);
			break;
		}
	}
	expect(await ownHash()).toBe(expected);
});

it("stops where it is asked to", async () => {
	expect(await hashDatabase(database, () => false, 0)).toBeUndefined();
});

it("leaves its sums to the directory, of the adopted block", async () => {
	const hash = await hashDatabase(database, () => true, 0);
	expect(readSums(database)).toEqual({ number: 231n, sums: Buffer.from(hash?.sums() ?? []) });
});

it("refuses a copy in which one entry differs, and leaves nothing that a node starts on", async () => {
	const config = loadConfig(join(FOLDER, "level-era-early.conf"));
	const codes = storeDefinitions.find(({ name }) => name === "code")?.index;
	const copy = createMemoryDatabase();
	const faulty: KeyValueDatabase = {
		...copy,
		get: (key) => copy.get(key),
		entries: (prefix) => copy.entries(prefix),
		write: (changes, isSynced) => {
			const isKept = ({ key }: { readonly key: Uint8Array }): boolean => key[0] !== codes;
			return copy.write(changes.filter(isKept), isSynced);
		},
	};
	const judged = await judgeSource(openSourceDirectory(root, openForeignStore), config);
	const options = { config, blocks: "copy", onProgress: () => true } as const;
	await expect(adopt(judged, faulty, "data", options)).rejects.toThrow(
		/isn't the state of its source.*: code differ/,
	);
	expect(copy.get(ADOPTION_KEY)).toBeDefined();
});
