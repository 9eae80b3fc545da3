import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
	addKey,
	addKeyFile,
	addMnemonic,
	changePassword,
	checkNewKey,
	checkNewKeyFile,
	exportKeyFile,
	findKey,
	listKeystore,
	unlockKey,
	unlockMnemonic,
	watchAddress,
} from "../../src/keystore/keystore.js";
import { encryptSecret, passwordBytes } from "../../src/keystore/secret-storage.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";

const KEY_ONE = fromHex(`${"00".repeat(31)}01`);
const ADDRESS_ONE = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
/** The same 20 bytes as Ethereum writes them. */
const ETHEREUM_ONE = "7e5f4552091a69125d5dfcb7b8c2659029395bdf";

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-keystore-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const light = { strength: "light" } as const;

describe("a keystore directory", () => {
	it("is empty while it doesn't exist", async () => {
		expect(await listKeystore(join(directory, "none"))).toEqual({ entries: [], unusable: [] });
	});

	it("holds a stored key under its address, for the owner only, and opens it again", async () => {
		const folder = join(directory, "keys");
		const entry = await addKey(folder, KEY_ONE, "correct horse", { ...light, name: "ann" });
		expect(entry).toMatchObject({ base58: ADDRESS_ONE, name: "ann", kind: "key" });
		expect(readdirSync(folder)).toEqual([`${ADDRESS_ONE}.json`]);
		expect(statSync(entry.file).mode & 0o777).toBe(0o600);
		expect(statSync(folder).mode & 0o777).toBe(0o700);
		expect(toHex(await unlockKey(entry, "correct horse"))).toBe(toHex(KEY_ONE));
		await expect(unlockKey(entry, "wrong horse")).rejects.toMatchObject({ code: "bad_password" });
		expect((await findKey(folder, "ann")).base58).toBe(ADDRESS_ONE);
		expect((await findKey(folder, entry.address)).name).toBe("ann");
	});

	it("gives a key the label under which its address was watched", async () => {
		const address = (await addKey(join(directory, "other"), KEY_ONE, "12345678", light)).address;
		await watchAddress(directory, address, "cold");
		expect(await addKey(directory, KEY_ONE, "12345678", light)).toMatchObject({ name: "cold", kind: "key" });
		expect((await listKeystore(directory)).entries).toHaveLength(1);
	});

	it("tells of a key that is there before a password is asked for", async () => {
		const { file } = await addKey(directory, KEY_ONE, "12345678", light);
		await expect(checkNewKey(directory, KEY_ONE, "ann")).rejects.toMatchObject({ code: "keystore_exists" });
		await expect(checkNewKeyFile(directory, file, "ann")).rejects.toMatchObject({ code: "keystore_exists" });
		await checkNewKey(directory, fromHex(`${"00".repeat(31)}02`), "ann");
	});

	it("never overwrites a key and never gives two keys one name", async () => {
		await addKey(directory, KEY_ONE, "12345678", { ...light, name: "ann" });
		await expect(addKey(directory, KEY_ONE, "12345678", light)).rejects.toMatchObject({
			code: "keystore_exists",
		});
		const other = fromHex(`${"00".repeat(31)}02`);
		await expect(addKey(directory, other, "12345678", { ...light, name: "ann" })).rejects.toThrow(
			`the name "ann" is taken by ${ADDRESS_ONE}`,
		);
		expect(readdirSync(directory)).toHaveLength(1);
	});

	it.each(["../up", "", "-x", ADDRESS_ONE, ETHEREUM_ONE, "a/b"])("refuses the name %j", async (name) => {
		await expect(addKey(directory, KEY_ONE, "12345678", { ...light, name })).rejects.toMatchObject({
			code: "bad_value",
		});
	});

	it("finds keys in files that Ethereum's programs wrote, by their 20-byte address", async () => {
		const text = await encryptSecret(KEY_ONE, passwordBytes("geth"), { address: ETHEREUM_ONE }, "light");
		writeFileSync(join(directory, `UTC--2026-11-21T10-00-00.123456789Z--${ETHEREUM_ONE}`), text);
		const { entries } = await listKeystore(directory);
		expect(entries).toMatchObject([{ base58: ADDRESS_ONE, name: ADDRESS_ONE }]);
		expect(toHex(await unlockKey(await findKey(directory, ADDRESS_ONE), "geth"))).toBe(toHex(KEY_ONE));
	});

	it("passes over foreign files, names broken ones, and goes on", async () => {
		await addKey(directory, KEY_ONE, "12345678", light);
		writeFileSync(join(directory, "README.txt"), "not a key");
		writeFileSync(join(directory, "package.json"), '{"name":"x"}');
		writeFileSync(
			join(directory, "half.json"),
			readFileSync(join(directory, `${ADDRESS_ONE}.json`)).subarray(0, 250),
		);
		writeFileSync(join(directory, "empty.json"), "");
		const { entries, unusable } = await listKeystore(directory);
		expect(entries).toHaveLength(1);
		expect(unusable.map(({ file }) => file).sort()).toEqual([
			join(directory, "empty.json"),
			join(directory, "half.json"),
		]);
	});

	it("notices a file whose key belongs to another address than it says", async () => {
		const file = join(directory, "x.json");
		const stranger = await encryptSecret(
			fromHex(`${"00".repeat(31)}02`),
			passwordBytes("p"),
			{ address: ADDRESS_ONE },
			"light",
		);
		writeFileSync(file, stranger);
		await expect(unlockKey(await findKey(directory, ADDRESS_ONE), "p")).rejects.toThrow(
			/belongs to another address/,
		);
		await expect(addKeyFile(join(directory, "in"), file, "p")).rejects.toThrow(/the key inside belongs to T/);
	});

	it("takes over a foreign file with its password and its unknown members, and gives it back for Ethereum", async () => {
		const source = join(directory, "geth-file");
		const text = await encryptSecret(
			KEY_ONE,
			passwordBytes("geth"),
			{ address: ETHEREUM_ONE, extra: { note: "mine" } },
			"light",
		);
		writeFileSync(source, text);
		const folder = join(directory, "in");
		await expect(addKeyFile(folder, source, "other")).rejects.toMatchObject({ code: "bad_password" });
		const entry = await addKeyFile(folder, source, "geth", "imported");
		expect(JSON.parse(readFileSync(entry.file, "utf8"))).toMatchObject({
			address: ADDRESS_ONE,
			note: "mine",
			name: "imported",
		});
		expect(toHex(await unlockKey(entry, "geth"))).toBe(toHex(KEY_ONE));
		expect(JSON.parse(await exportKeyFile(entry, "ethereum"))).toMatchObject({
			address: ETHEREUM_ONE,
			version: 3,
		});
	});

	it("changes a password in one step and keeps the label", async () => {
		const entry = await addKey(directory, KEY_ONE, "old password", { ...light, name: "ann" });
		const before = readFileSync(entry.file, "utf8");
		await expect(changePassword(entry, "not it", "new password", "light")).rejects.toMatchObject({
			code: "bad_password",
		});
		expect(readFileSync(entry.file, "utf8")).toBe(before);
		await changePassword(entry, "old password", "new password", "light");
		const changed = await findKey(directory, "ann");
		expect(toHex(await unlockKey(changed, "new password"))).toBe(toHex(KEY_ONE));
		await expect(unlockKey(changed, "old password")).rejects.toMatchObject({ code: "bad_password" });
		expect(readdirSync(directory)).toHaveLength(1);
	});

	it("keeps a sentence beside the key that came from it", async () => {
		const path = await addMnemonic(directory, KEY_ONE, "some twelve words", "12345678", light);
		expect(statSync(path).mode & 0o777).toBe(0o600);
		expect(await unlockMnemonic(directory, ADDRESS_ONE, "12345678")).toBe("some twelve words");
		await expect(unlockMnemonic(directory, "TNobody", "12345678")).rejects.toMatchObject({
			code: "wallet_not_found",
		});
	});
});
