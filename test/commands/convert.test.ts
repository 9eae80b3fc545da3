import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorRecord, Home } from "./coin-process.js";

let home: Home;
beforeAll(() => {
	home = new Home();
});
afterAll(() => home.remove());

const BASE58 = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
const EVM = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf";
const HEX = `41${EVM.slice(2)}`;

describe("coin convert", () => {
	it.each([
		[["address", BASE58], HEX],
		[["address", HEX], BASE58],
		[["address", EVM], BASE58],
		[["address", `0x${HEX}`, "--to", "evm"], EVM],
		[["address", "QX5fRVIJGmkSXV38t7jCZZApOVvf"], BASE58],
		[["unit", "12.5coin"], "12500000sun"],
		[["unit", "12_500_000sun"], "12.5coin"],
		[["unit", "1.5TRX"], "1500000sun"],
		[["unit", "9223372036854775807sun"], "9223372036854.775807coin"],
		[["hex", "255"], "0xff"],
		[["hex", "18446744073709551616"], "0x10000000000000000"],
		[["hex", "hi"], "0x6869"],
		[["hex", "12", "--utf8"], "0x3132"],
		[["dec", "0xff"], "255"],
		[["utf8", "0xe282ac"], "€"],
		[["base64", "0x6869"], "aGk="],
		[["base64", "aGk="], "0x6869"],
		[
			["hash", "transfer(address,uint256)"],
			"0xa9059cbb2ab09eb219583f4a59a5d0623ade346d962bcd4e46b11da047c9049b",
		],
		[["hash", "--sha256", "0x"], "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
		[["pubkey", "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"], BASE58],
	])("%j prints %s", async (words, expected) => {
		const outcome = await home.run(["convert", ...words]);
		expect(outcome).toEqual({ code: 0, stdout: `${expected}\n`, stderr: "" });
	});

	it.each([
		[["unit", "5"], "amount_unit", '"5" has no unit: write 5coin or 5sun'],
		[["unit", "-5coin"], "bad_value", '"-5coin" is negative'],
		[["unit", "1.0000001coin"], "bad_value", '"1.0000001coin" has 7 fraction digits, at most 6 exist'],
		[["unit", "1.5sun"], "bad_value", '"1.5sun" is a fraction of a sun, which can\'t be divided'],
		[["unit", "9223372036854775808sun"], "bad_value", "more than the largest amount"],
		[["unit", "1e3coin"], "bad_value", "has an exponent"],
		[["address", `${BASE58.slice(0, -1)}D`], "bad_address", "checksum of"],
		[["address", EVM.slice(2)], "bad_address", "write 0x"],
		[["address", "0x41ab"], "bad_address", "40 hexadecimal digits"],
		[["utf8", "0xff"], "bad_value", "are not UTF-8 text"],
		[["dec", "0xzz"], "bad_value", "not hexadecimal"],
		[["utf8", "0x123"], "bad_value", "an odd number"],
		[["hex"], "stdin_empty", "stdin was empty"],
		[["address", "x", "y"], "usage", "Unexpected argument: y"],
		[["address", "--nope", "x"], "usage", "Nonexistent flag: --nope"],
	])("%j is refused as %s", async (words, code, message) => {
		const outcome = await home.run(["convert", ...words, "--json"]);
		expect(outcome.code).toBe(2);
		expect(outcome.stdout).toBe("");
		const error = errorRecord(outcome);
		expect(error).toMatchObject({ code, retry: "changed" });
		expect(error["message"]).toContain(message);
	});

	it("prints all forms of an address as JSON", async () => {
		const { stdout } = await home.run(["convert", "address", BASE58, "--json"]);
		expect(JSON.parse(stdout)).toEqual({
			base58: BASE58,
			hex: HEX,
			evm: EVM,
			base64: "QX5fRVIJGmkSXV38t7jCZZApOVvf",
		});
	});

	it("takes one value a line from standard input and names the line that fails", async () => {
		const fine = await home.run(["convert", "unit"], "1coin\n2coin\n");
		expect(fine).toMatchObject({ code: 0, stdout: "1000000sun\n2000000sun\n" });
		const broken = await home.run(["convert", "unit", "--json"], "1coin\n2\n3coin\n");
		expect(broken).toMatchObject({ code: 2, stdout: '"1000000"\n' });
		expect(errorRecord(broken)).toMatchObject({ code: "amount_unit", index: 1 });
	});
});

describe("the command line itself", () => {
	it("says in two lines what is wrong, and what to do", async () => {
		const { code, stdout, stderr } = await home.run(["convert", "address", BASE58.toLowerCase()]);
		expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
		expect(stderr).toBe(`error: "${BASE58.toLowerCase()}" is not an address\n`);
	});

	it("names the nearest commands for a mistyped one", async () => {
		for (const [words, what, near] of [
			["convrt address T1", 'command "convrt"', "did you mean coin convert address?"],
			["wallet sned --to bob", 'command "wallet sned"', "did you mean coin wallet send"],
			["convert unit 1coin --too sun", "flag: --too", "did you mean --to?"],
			["frobnicate", 'command "frobnicate"', "coin --help lists the commands"],
			["tx 00", 'command "tx 00"', "coin tx --help lists the commands"],
		] as const) {
			const { code, stdout, stderr } = await home.run(words.split(" "));
			expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
			expect(stderr).toContain(what);
			expect(stderr).toContain(`hint: ${near}`);
		}
	});

	it("shows on one page what it can do, by tasks", async () => {
		const pages = await Promise.all([[], ["--help"], ["-h"], ["help"]].map((words) => home.run(words)));
		expect(new Set(pages.map(({ stdout }) => stdout)).size).toBe(1);
		expect(pages[0]).toMatchObject({ code: 0, stderr: "" });
		const lines = (pages[0]?.stdout ?? "").split("\n");
		expect(lines.length).toBeLessThanOrEqual(40);
		expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
		// A topic without a task would stand under this heading.
		expect(pages[0]?.stdout).not.toContain("Also");
		expect(pages[0]?.stdout).toMatch(/ {2}Keep keys +keystore +\S/);
	});

	it("tells a command's own flags first, and of them those that must be there", async () => {
		const { stdout } = await home.run(["token", "issue", "--help"]);
		const groups = [...stdout.matchAll(/^(\w+) FLAGS$/gm)].map(([, name]) => name);
		expect(groups).toEqual(["TOKEN", "TRANSACTION", "NODE", "KEYSTORE", "GENERAL"]);
		expect(stdout.indexOf("--url=")).toBeLessThan(stdout.indexOf("--abbr="));
	});

	it("shows what a development chain needs before the rest of what a node takes", async () => {
		const { stdout } = await home.run(["node", "start", "--help"]);
		const groups = [...stdout.matchAll(/^([A-Z ]+) FLAGS$/gm)].map(([, name]) => name);
		expect(groups).toEqual(["DEVELOPMENT CHAIN", "MORE", "MORE DEVELOPMENT CHAIN", "REFERENCE", "GENERAL"]);
	});

	it("has help at every level", async () => {
		for (const words of [
			["convert", "address", "-h"],
			["convert", "--help"],
			["wallet", "send", "-h"],
			["node", "start", "--help"],
		]) {
			const { code, stdout, stderr } = await home.run(words);
			expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: "" });
			expect(stdout).toContain("USAGE");
		}
	});

	it("starts quickly", async () => {
		const tell = "process.on('exit', () => console.error(JSON.stringify(process.cpuUsage())))";
		const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tell)}` };
		const costOf = (stderr: string): number => {
			const { user, system } = JSON.parse(stderr) as NodeJS.CpuUsage;
			return user + system;
		};
		const [bare, own]: [number[], number[]] = [[], []];
		for (let attempt = 0; attempt < 4; attempt++) {
			const { stderr } = await home.run(["convert", "unit", "1coin"], undefined, environment);
			own.push(costOf(stderr));
			bare.push(
				costOf(spawnSync(process.execPath, ["-e", ""], { env: environment, encoding: "utf8" }).stderr),
			);
		}
		// Some five times what the runtime needs to start: protocol/command-line §8, on any machine.
		expect(Math.min(...own) / Math.min(...bare)).toBeLessThan(8);
	});
});
