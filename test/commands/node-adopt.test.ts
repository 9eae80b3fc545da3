/** `coin node adopt` on a directory that a reference node wrote. */

import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unpack } from "../soak/golden-directory.js";
import { errorRecord, Home } from "./coin-process.js";

const FOLDER = resolve("test/golden/reference-directory");
const RECORDED_CONFIG = join(FOLDER, "level-era-early.conf");
const HEAD = "00000000000000e71859791ab342bad2fba173c01e8f54c188a699b6165c306f";

let home: Home;
const at = (name: string): string => join(home.path, name);
let config: string;
beforeAll(() => {
	home = new Home();
	unpack(join(FOLDER, "database.tar.br"), at("source"));
	config = at("chain.conf");
	// The chain asks for proofs, whose parameters are large files of the network.
	const text = readFileSync(RECORDED_CONFIG, "utf8");
	writeFileSync(config, `${text}\nnode.shielded.allowUnverified = true\n`);
});
afterAll(() => home.remove());

const adopt = (...args: string[]) =>
	home.run(["node", "adopt", at("source"), "-c", config, "--json", ...args]);

describe("coin node adopt", () => {
	it("judges without writing", async () => {
		const outcome = await adopt("-d", "judged", "--dry-run");
		expect(JSON.parse(outcome.stdout)).toMatchObject({
			engines: ["LevelDB"],
			release: "4.8.0 (block version 32)",
			head: "231",
			blockID: HEAD,
			solidified: "196",
			lite: false,
			checkpointRows: 305,
			notes: [],
		});
		const { entries, needed, seconds } = JSON.parse(outcome.stdout) as Record<string, number>;
		// Everything is in logs, which are counted: rows that others replace as well.
		expect(entries).toBeGreaterThan(4426);
		expect([Number(needed) > 100_000, Number(seconds)]).toEqual([true, expect.any(Number)]);
		expect(existsSync(at("judged"))).toBe(false);
	});

	it("makes a directory that holds the chain, once", async () => {
		const outcome = await adopt("-d", "data", "--progress", "json", "--expect", `231:${HEAD}`);
		expect(JSON.parse(outcome.stdout)).toMatchObject({ head: "231", entries: 4426, checkedBlocks: 231 });
		expect(outcome.stderr).toContain('{"progress":{"task":"judging"}}');
		const verified = await home.run(["node", "db", "verify", "-c", config, "-d", "data", "--json"]);
		expect(JSON.parse(verified.stdout)).toMatchObject({ blocks: 231, transactions: 794, head: "231" });
		const again = await adopt("-d", "data");
		expect([again.code, errorRecord(again)["message"]]).toEqual([
			2,
			"data holds a chain already; adopt into a new directory",
		]);
	});

	it("refuses data without the block that is expected, and a block that is none", async () => {
		const other = await adopt("-d", "other", "--expect", `230:${HEAD}`);
		expect([other.code, errorRecord(other)["message"]]).toEqual([
			1,
			expect.stringMatching(/^block 230 of the data is 00000000000000e6.*, not 00000000000000e7/),
		]);
		const none = await adopt("-d", "other", "--expect", "latest");
		expect([none.code, errorRecord(none)["code"]]).toEqual([2, "bad_value"]);
		expect(existsSync(at("other"))).toBe(false);
	});

	it("refuses a damaged store by its file, and leaves nothing to start on", async () => {
		cpSync(at("source"), at("damaged"), { recursive: true });
		const manifest = readFileSync(at("damaged/output-directory/database/votes/CURRENT"), "latin1").trim();
		const path = at(`damaged/output-directory/database/votes/${manifest}`);
		writeFileSync(path, readFileSync(path).subarray(0, 3));
		const outcome = await home.run(["node", "adopt", at("damaged"), "-c", config, "-d", "no", "--json"]);
		expect([outcome.code, errorRecord(outcome)["message"]]).toEqual([1, expect.stringContaining(path)]);
		expect(existsSync(at("no"))).toBe(false);
	});
});
