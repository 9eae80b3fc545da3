import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyEdit, editConfiguration } from "../../../src/wallet/configuration/configuration-edit.js";

const FILE = `# mine
wallet = "ann" // the usual one
profiles {
	main { http = "http://a", tokens { GOLD = "1000001" } }
	test {
		http = "http://b" # slow
	}
}
`;

const edit = (text: string, path: string, value?: string): string =>
	applyEdit(text, { path: path.split("/"), value });

describe("an edit of the configuration's text", () => {
	test.each<[what: string, path: string, value: string | undefined, from: string, to: string]>([
		["changes a value in its place", "wallet", "bob", 'wallet = "ann" //', 'wallet = "bob" //'],
		[
			"changes one inside objects",
			"profiles/test/http",
			"http://c",
			'"http://b" # slow',
			'"http://c" # slow',
		],
		["changes one behind others", "profiles/main/tokens/GOLD", "7", 'GOLD = "1000001"', 'GOLD = "7"'],
		[
			"adds to the innermost object",
			"profiles/test/timeout",
			"5s",
			'"http://b" # slow\n',
			'"http://b" # slow\n\t\ttimeout = "5s"\n',
		],
		[
			"takes a whole line away",
			"profiles/test/http",
			undefined,
			'\t\thttp = "http://b" # slow\n',
			"\t\t# slow\n",
		],
		["takes a part of a line away", "profiles/main/http", undefined, 'http = "http://a", ', ""],
		["takes an object away", "profiles/test", undefined, '\ttest {\n\t\thttp = "http://b" # slow\n\t}\n', ""],
	])("%s", (_, path, value, from, to) => {
		expect(FILE).toContain(from);
		expect(edit(FILE, path, value)).toBe(FILE.replace(from, to));
	});

	test("adds a line to a text without the object", () => {
		expect(edit('wallet = "ann"', "profiles/main/http", "http://a")).toBe(
			'wallet = "ann"\nprofiles.main.http = "http://a"\n',
		);
		expect(edit("", "profiles/ma.in/http", 'a"b')).toBe('profiles."ma.in".http = "a\\"b"\n');
	});

	test("leaves a text without the key as it is when that is taken away", () => {
		expect(edit(FILE, "profiles/other")).toBe(FILE);
	});
});

describe("a configuration file", () => {
	let folder = "";
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "coin-configuration-"));
	});
	afterAll(() => rm(folder, { recursive: true }));
	const note = (text: string): void => expect.fail(text);
	const fine = async (): Promise<void> => undefined;

	test("is made where it is missing, and changed through a link", async () => {
		const file = join(folder, "deep", "config.conf");
		await editConfiguration(file, [{ path: ["wallet"], value: "ann" }], note, fine);
		const link = join(folder, "link.conf");
		await symlink(file, link);
		await editConfiguration(link, [{ path: ["wallet"], value: "bob" }], note, fine);
		expect(await readFile(file, "utf8")).toBe('wallet = "bob"\n');
	});

	test("stays as it was where the outcome is refused, or can't be had", async () => {
		const file = join(folder, "refused.conf");
		await writeFile(file, FILE);
		const refuse = async (): Promise<void> => {
			throw new Error("no");
		};
		const change = [{ path: ["wallet"], value: "bob" }];
		await expect(editConfiguration(file, change, note, refuse)).rejects.toThrow("no");
		expect(await readFile(file, "utf8")).toBe(FILE);
		// A line behind the closing brace of the whole is not a part of it.
		const defeating = '{\n\twallet = "ann"\n}\n';
		await writeFile(file, defeating);
		const added = [{ path: ["feeLimit"], value: "5coin" }];
		await expect(editConfiguration(file, added, note, fine)).rejects.toMatchObject({ code: "bad_value" });
		expect(await readFile(file, "utf8")).toBe(defeating);
	});
});
