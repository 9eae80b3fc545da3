/** `coin node hash` on a directory that a reference node wrote, and on the one that is adopted of it. */

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unpack } from "../soak/golden-directory.js";
import { errorRecord, Home } from "./coin-process.js";

const FOLDER = resolve("test/golden/reference-directory");
const HEAD = "00000000000000e71859791ab342bad2fba173c01e8f54c188a699b6165c306f";

let home: Home;
const at = (name: string): string => join(home.path, name);
beforeAll(() => {
	home = new Home();
	unpack(join(FOLDER, "database.tar.br"), at("source"));
	const text = readFileSync(join(FOLDER, "level-era-early.conf"), "utf8");
	writeFileSync(at("chain.conf"), `${text}\nnode.shielded.allowUnverified = true\n`);
});
afterAll(() => home.remove());

const hash = (...args: string[]) => home.run(["node", "hash", ...args, "--json"]);

describe("coin node hash", () => {
	it("gives one hash for a reference node's directory and for the one that is adopted of it", async () => {
		const reference = await hash("--data", at("source"), "--progress", "json");
		expect(reference.stderr).toContain('{"progress":{"task":"hashing"}}');
		const given = JSON.parse(reference.stdout);
		const place = { head: "231", blockID: HEAD, version: 1, engines: ["LevelDB"] };
		expect(given).toMatchObject({ ...place, reference: true, entries: 2107 });
		expect(given.hash).toMatch(/^bba9759b01a87500[0-9a-f]{48}$/);
		const adopt = ["node", "adopt", at("source"), "-c", at("chain.conf"), "-d", at("data"), "--json"];
		const adopted = await home.run(adopt);
		expect(adopted.code).toBe(0);
		expect(JSON.parse(adopted.stdout)["stateHash"]).toBe(given.hash);
		const own = JSON.parse((await hash("-d", at("data"))).stdout);
		expect(own).toMatchObject({ ...place, reference: false, hash: given.hash, stores: given.stores });
		const text = await home.run(["node", "hash", "--output-directory", at("data")]);
		expect(text.stdout).toContain(given.hash);
	});

	it("refuses what holds no state, what is torn, and what is damaged", async () => {
		const none = await hash("--data", at("nothing"));
		expect([none.code, errorRecord(none)["message"]]).toEqual([
			1,
			expect.stringMatching(/^there is no directory .*nothing$/),
		]);
		mkdirSync(at("other"));
		const other = await hash("--data", at("other"));
		expect(errorRecord(other)["message"]).toContain("other holds no data of a reference node");
		mkdirSync(at("lost/journal"), { recursive: true });
		mkdirSync(at("lost/database"), { recursive: true });
		writeFileSync(at("lost/database/000005.ldb"), "");
		const ownLost = await hash("-d", at("lost"));
		expect([ownLost.code, errorRecord(ownLost)["message"]]).toEqual([
			1,
			expect.stringContaining("is damaged: its file CURRENT is missing"),
		]);
		cpSync(at("source"), at("torn"), { recursive: true });
		const stores = at("torn/output-directory/database");
		const manifest = readFileSync(join(stores, "votes/CURRENT"), "latin1").trim();
		writeFileSync(join(stores, "votes", manifest), "abc");
		const damaged = await hash("--data", at("torn"));
		expect([damaged.code, errorRecord(damaged)["message"]]).toEqual([1, expect.stringContaining(manifest)]);
		rmSync(join(stores, "votes"), { recursive: true });
		const lost = await hash("--data", at("torn"));
		expect([lost.code, errorRecord(lost)["message"]]).toEqual([1, expect.stringContaining("no store votes")]);
	});
});
