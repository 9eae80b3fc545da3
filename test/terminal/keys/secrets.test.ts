import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { KeystoreError } from "../../../src/keystore/keystore-error.js";
import {
	fetchSecret,
	importedSecret,
	newPassword,
	withPassword,
} from "../../../src/terminal/keys/secrets.js";

let folder = "";
let warnings: string[] = [];
const warn = (text: string): void => void warnings.push(text);
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "coin-secrets-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(content: string, mode = 0o600): Promise<string> {
	const path = join(folder, "secret");
	await writeFile(path, content);
	await chmod(path, mode);
	warnings = [];
	return path;
}

describe("a secret from a file", () => {
	test.each([
		["pass word \n", "pass word "],
		["two\n\n", "two\n"],
		["dos\r\n", "dos"],
		["none", "none"],
	])("%j loses one line end", async (content, secret) => {
		expect(await fetchSecret(await file(content), "the password", warn)).toBe(secret);
		expect(warnings).toEqual([]);
	});

	test("brings a warning where others can read it", async () => {
		const path = await file("secret", 0o644);
		await fetchSecret(path, "the password", warn);
		expect(warnings).toEqual([`${path} can be read by others: chmod 600 ${path}`]);
	});

	test("brings none where it is a credential of systemd, whose access list looks like a mode", async () => {
		const path = await file("secret", 0o440);
		vi.stubEnv("CREDENTIALS_DIRECTORY", folder);
		expect(await fetchSecret(path, "the password", warn)).toBe("secret");
		vi.unstubAllEnvs();
		expect(warnings).toEqual([]);
	});

	test("that isn't there is named without more", async () => {
		const path = join(folder, "missing");
		await expect(fetchSecret(path, "the password", warn)).rejects.toMatchObject({
			code: "bad_value",
			message: `the password: the file ${path} can't be read (ENOENT)`,
		});
	});
});

test("a password of a file is tried once: a wrong one is not asked for again", async () => {
	const source = { file: await file("wrong word"), warn };
	let attempts = 0;
	const open = async (): Promise<never> => {
		attempts++;
		throw new KeystoreError("bad_password", "wrong");
	};
	await expect(withPassword(source, "ann", open)).rejects.toMatchObject({ code: "bad_password" });
	expect(attempts).toBe(1);
	expect(await withPassword(source, "ann", async (password) => password)).toBe("wrong word");
});

test("a new password has at least eight characters, and a short one isn't repeated in the message", async () => {
	expect(await newPassword({ file: await file("ümläut12\n"), warn }, "ann")).toBe("ümläut12");
	const short = newPassword({ file: await file("🔑🔑🔑🔑🔑🔑🔑\n"), warn }, "ann");
	await expect(short).rejects.toThrow("the new password has 7 characters, it needs at least 8");
});

test("an imported secret of a file is checked once", async () => {
	const refuse = async (): Promise<never> => {
		throw new KeystoreError("bad_password", "no key");
	};
	await expect(importedSecret(await file("x"), "the key", warn, refuse)).rejects.toThrow("no key");
	expect(await importedSecret(await file("x\n"), "the key", warn, async (text) => `${text}!`)).toBe("x!");
});
