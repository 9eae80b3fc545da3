import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { encryptSecret, passwordBytes } from "../../src/keystore/secret-storage.js";
import { fromHex } from "../../src/protocol/bytes.js";
import { errorRecord, Home } from "./coin-process.js";
import { killOnce, WRITERS } from "./keystore-kill.js";

const KEY_ONE = `${"00".repeat(31)}01`;
const OTHER = "3".repeat(64);
const ADDRESS_ONE = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
const JUNK = "test test test test test test test test test test test junk";

let home: Home;
let password: string;
beforeEach(() => {
	home = new Home();
	password = home.write("password", "correct horse\n");
});
afterEach(() => home.remove());

const keystore = (): string => join(home.path, ".local/share/coin/keystore");
const importOne = (name = "ann") =>
	home.run(
		["keystore", "import", "key", name, "--key-file", "-", "--password-file", password, "--light", "--json"],
		`${KEY_ONE}\n`,
	);

describe("coin keystore", () => {
	it("imports a key from standard input, lists it, and gives it back", async () => {
		const imported = await importOne();
		expect(imported).toMatchObject({ code: 0, stderr: "" });
		const file = join(keystore(), `${ADDRESS_ONE}.json`);
		expect(JSON.parse(imported.stdout)).toEqual({ name: "ann", address: ADDRESS_ONE, kind: "key", file });
		expect(statSync(file).mode & 0o777).toBe(0o600);

		const listed = await home.run(["keystore", "list"]);
		expect(listed.stdout).toBe(
			`name  address                             kind  path  active\nann   ${ADDRESS_ONE}  key         active\n`,
		);
		const asJson = await home.run(["keystore", "list", "--json"]);
		expect(JSON.parse(asJson.stdout)).toMatchObject({
			name: "ann",
			address: ADDRESS_ONE,
			kind: "key",
			active: true,
		});

		const exported = await home.run([
			"keystore",
			"export",
			"key",
			"ann",
			"--yes",
			"--password-file",
			password,
		]);
		expect(exported).toEqual({ code: 0, stdout: `${KEY_ONE}\n`, stderr: "" });
	});

	it("makes keys that nobody else has", async () => {
		for (const name of ["one", "two"]) {
			const made = await home.run([
				"keystore",
				"new",
				name,
				"--light",
				"--password-file",
				password,
				"--json",
			]);
			expect(made.code).toBe(0);
		}
		const { stdout } = await home.run(["keystore", "list", "--addresses"]);
		expect(new Set(stdout.trim().split("\n")).size).toBe(2);
	});

	it("refuses a secret in the place of a name without repeating it", async () => {
		const key = "c0ffee".padEnd(64, "0");
		for (const words of [
			["keystore", "new", key],
			["keystore", "import", "key", key],
			["keystore", "import", "mnemonic", JUNK],
		]) {
			const { code, stdout, stderr } = await home.run([...words, "--password-file", password]);
			expect(code).toBe(2);
			expect(stderr).toContain("a secret is never an argument");
			expect(stdout + stderr).not.toContain(words.at(-1));
		}
	});

	it("says that a name is taken before it asks for anything", async () => {
		await home.run(["keystore", "new", "ann", "--light", "--password-file", password]);
		for (const words of [
			["keystore", "new", "ann"],
			["keystore", "import", "key", "ann"],
			["keystore", "import", "mnemonic", "ann"],
			["keystore", "import", "file", "nothing.json", "ann"],
		]) {
			const { code, stderr } = await home.run(words);
			expect(code).toBe(1);
			expect(stderr).toContain('the name "ann" is taken');
		}
	});

	it("derives keys from a mnemonic and keeps the sentence", async () => {
		const words = [
			"keystore",
			"import",
			"mnemonic",
			"dev",
			"-",
			"--count",
			"2",
			"--light",
			"--json",
			"--password-file",
			password,
		];
		const { code, stdout } = await home.run(words, `${JUNK}\n`);
		expect(code).toBe(0);
		const lines = stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as Record<string, string>);
		expect(lines.map(({ name, path }) => [name, path])).toEqual([
			["dev", "m/44'/195'/0'/0/0"],
			["dev-2", "m/44'/195'/0'/0/1"],
		]);
		const sentence = await home.run([
			"keystore",
			"export",
			"mnemonic",
			"dev",
			"--yes",
			"--password-file",
			password,
		]);
		expect(sentence.stdout).toBe(`${JUNK}\n`);
	});

	it("takes over a key file of Ethereum's programs", async () => {
		const text = await encryptSecret(
			fromHex(KEY_ONE),
			passwordBytes("correct horse"),
			{ address: "7e5f4552091a69125d5dfcb7b8c2659029395bdf" },
			"light",
		);
		const file = home.write("UTC--file", text);
		const imported = await home.run([
			"keystore",
			"import",
			"file",
			file,
			"geth",
			"--password-file",
			password,
			"--json",
		]);
		expect(JSON.parse(imported.stdout)).toMatchObject({ name: "geth", address: ADDRESS_ONE });
		const back = await home.run(["keystore", "export", "file", "geth", "--ethereum", "--yes"]);
		expect(JSON.parse(back.stdout)).toMatchObject({
			address: "7e5f4552091a69125d5dfcb7b8c2659029395bdf",
			version: 3,
		});
	});

	it("changes a password", async () => {
		await importOne();
		const fresh = home.write("fresh", "battery staple");
		const words = [
			"keystore",
			"passwd",
			"ann",
			"--password-file",
			password,
			"--new-password-file",
			fresh,
			"--light",
		];
		expect((await home.run(words)).code).toBe(0);
		expect((await home.run(["keystore", "verify", "ann", "--password-file", fresh])).stdout).toBe("true\n");
		expect((await home.run(["keystore", "verify", "ann", "--password-file", password])).code).toBe(1);
	});
});

describe("a command that is killed while it writes", () => {
	it.concurrent.each(WRITERS)("leaves a keystore that opens: $line", async (writer) => {
		const outcomes = [];
		for (const instant of [0, 0.25, 0.7]) outcomes.push(await killOnce(writer, instant));
		expect(outcomes.some(({ killed }) => killed)).toBe(true);
	});
});

describe("what coin keystore refuses", () => {
	it.each([
		[["keystore", "verify", "ann"], "", 2, "password_required"],
		[["keystore", "new", "bob"], "", 2, "password_required"],
		[["keystore", "new", "bob", "--password-file", "nowhere"], "", 2, "bad_value"],
		[["keystore", "new", "bob", "--password-file", "-"], "short\n", 2, "bad_value"],
		[["keystore", "new", "ann", "--light", "--password-file", "-"], "long enough\n", 1, "keystore_exists"],
		[["keystore", "new", "../up", "--password-file", "-"], "long enough\n", 2, "bad_value"],
		[
			["keystore", "new", "bob", "--mnemonic", "--password-file", "-"],
			"long enough\n",
			2,
			"confirmation_needed",
		],
		[["keystore", "verify", "ann", "--password-file", "-"], "not the password\n", 1, "bad_password"],
		[["keystore", "verify", "bob", "--password-file", "-"], "x\n", 1, "wallet_not_found"],
		[["keystore", "export", "key", "ann", "--password-file", "-"], "correct horse", 2, "confirmation_needed"],
		[["keystore", "import", "key", "x", "--key-file", "-", "--password-file", "-"], OTHER, 2, "usage"],
		[
			["keystore", "import", "key", "x", "--key-file", "-", "--password-file", "password"],
			"zz",
			2,
			"bad_value",
		],
		[["keystore", "import", "mnemonic", "x", "-", "--password-file", "password"], "a b c", 2, "bad_value"],
		[["keystore", "import", "file", "missing.json", "--password-file", "password"], "", 2, "bad_value"],
		[["keystore", "import", "file", "broken.json", "--password-file", "password"], "", 1, "keystore_format"],
	])("%j", async (words, stdin, code, name) => {
		await importOne();
		home.write("broken.json", '{"version":3,"crypto":{"cipher":"aes-128');
		const outcome = await home.run([...words, "--json"], stdin);
		expect(outcome.stdout).toBe("");
		expect(outcome.code).toBe(code);
		expect(errorRecord(outcome)).toMatchObject({ code: name });
	});

	it("never shows a secret in a message", async () => {
		const secrets = ["almost a key ee12", "wrong password 77", "one two three"];
		const outcomes = [
			await home.run(
				["keystore", "import", "key", "x", "--key-file", "-", "--password-file", password],
				secrets[0],
			),
			await importOne().then(() =>
				home.run(["keystore", "verify", "ann", "--password-file", "-"], secrets[1]),
			),
			await home.run(["keystore", "import", "mnemonic", "y", "-", "--password-file", password], secrets[2]),
		];
		for (const [index, { code, stderr, stdout }] of outcomes.entries()) {
			expect(code).toBeGreaterThan(0);
			expect(stderr + stdout).not.toContain(secrets[index]);
		}
	});

	it("warns of a password file that others can read, and of files that can't be used", async () => {
		await importOne();
		const open = join(home.path, "open");
		writeFileSync(open, "correct horse", { mode: 0o644 });
		const verified = await home.run(["keystore", "verify", "ann", "--password-file", open]);
		expect(verified).toMatchObject({ code: 0, stdout: "true\n" });
		expect(verified.stderr).toBe(`warning: ${open} can be read by others: chmod 600 ${open}\n`);

		writeFileSync(
			join(keystore(), "half.json"),
			readFileSync(join(keystore(), `${ADDRESS_ONE}.json`)).subarray(0, 300),
		);
		const listed = await home.run(["keystore", "list", "--addresses"]);
		expect(listed).toMatchObject({ code: 0, stdout: `${ADDRESS_ONE}\n` });
		expect(listed.stderr).toContain("half.json is left out");
		expect(readdirSync(keystore())).toContain("half.json");
	});
});
