import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readOverlay, rowsOf } from "../../../src/node/adoption/checkpoint.js";
import { openForeignStore } from "../../../src/node/adoption/engine/foreign-store.js";
import { openSourceDirectory } from "../../../src/node/adoption/source-directory.js";
import { fromKey, utf8 } from "../../../src/protocol/bytes.js";
import { batch, put, youngStore } from "./engine/made-files.js";
import { writeFiles } from "./engine/recorded-stores.js";
import { checkpointRow } from "./fake-source.js";

let root: string;

function makeStore(...names: readonly string[]): void {
	for (const name of names) {
		mkdirSync(join(root, name), { recursive: true });
		writeFiles(join(root, name), youngStore([]));
	}
}

const open = () => openSourceDirectory(root, openForeignStore);

beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), "coin-source-"));
	makeStore("properties", "account");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("a directory that holds more than stores", () => {
	it("is opened in spite of links that lead nowhere or in a circle", () => {
		const { fingerprint } = open();
		symlinkSync("circle", join(root, "circle"));
		symlinkSync("nowhere", join(root, "dangling"));
		symlinkSync("nowhere", join(root, "account", "000009.ldb"));
		expect(open()).toMatchObject({ stores: ["account", "circle", "properties"], fingerprint });
	});

	it("says of a store that can't be looked into where it is", () => {
		symlinkSync("votes", join(root, "votes"));
		expect(open).toThrow(`${join(root, "votes", "LOCK")}: can't be read (ELOOP)`);
	});

	it("has the same fingerprint whatever happens to what isn't read", () => {
		makeStore("future", "common");
		const before = open().fingerprint;
		for (const name of ["future", "common"]) writeFileSync(join(root, name, "000009.log"), "x");
		expect(open().fingerprint).toBe(before);
		writeFileSync(join(root, "account", "000009.log"), "x");
		expect(open().fingerprint).not.toBe(before);
	});
});

describe("the checkpoint that a kill left unwritten", () => {
	const rows = async () => rowsOf(await readOverlay(open()));
	beforeEach(() => {
		const written = join(root, "checkpoint", "1700000000000");
		mkdirSync(written, { recursive: true });
		const [key, value] = checkpointRow("abi", "a", utf8("1"));
		writeFiles(written, youngStore([batch(1, [put(fromKey(key), value)])]));
	});

	it("has no rows while it is empty, or holds nothing but its lock", async () => {
		const newest = join(root, "checkpoint", "1700000001000");
		mkdirSync(newest);
		expect(await rows()).toBe(1);
		writeFileSync(join(newest, "LOCK"), "");
		expect(await rows()).toBe(1);
	});

	it.each(["MANIFEST-000001", "000003.log", "000005.ldb"])(
		"is refused where it lost CURRENT beside %s",
		async (file) => {
			const newest = join(root, "checkpoint", "1700000001000");
			mkdirSync(newest);
			writeFileSync(join(newest, file), "");
			await expect(rows()).rejects.toThrow("CURRENT: is missing, though the store has files");
		},
	);
});
