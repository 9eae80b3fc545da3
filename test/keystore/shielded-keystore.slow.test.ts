import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listKeystore } from "../../src/keystore/keystore.js";
import {
	addShielded,
	deleteShielded,
	findShielded,
	listShielded,
	renameShielded,
	type ShieldedEntry,
	unlockShielded,
} from "../../src/keystore/shielded-keystore.js";
import { toHex } from "../../src/protocol/bytes.js";
import { narrowed } from "../../src/protocol/sapling/key-set.js";
import { readPaymentAddress, writePaymentAddress } from "../../src/protocol/sapling/payment-address.js";
import { keysNumbered } from "../wallet/shielded/keys.js";

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-keystore-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const keys = keysNumbered(1);
const light = { strength: "light" } as const;

describe("keys of shielded addresses in a keystore", () => {
	it("are none while the directory isn't there", async () => {
		expect(await listShielded(join(directory, "none"))).toEqual({ entries: [], unusable: [] });
		await expect(findShielded(directory, undefined)).rejects.toMatchObject({ code: "wallet_not_found" });
	});

	it.each(["spending", "viewing", "incoming"] as const)("are stored and opened: a %s key", async (reach) => {
		const kept = reach === "spending" ? keys : narrowed(keys, reach);
		const entry = await addShielded(directory, kept, "password", { ...light, name: "ann" });
		expect(entry).toMatchObject({ name: "ann", reach });
		expect(statSync(entry.file).mode & 0o777).toBe(0o600);
		expect(readFileSync(entry.file, "utf8")).not.toContain(toHex(keys.ivk));
		expect(await unlockShielded(await findShielded(directory, "ann"), "password")).toEqual(kept);
		await expect(unlockShielded(entry, "another")).rejects.toMatchObject({ code: "bad_password" });
	});

	it("open an incoming key without what it sent", async () => {
		const { ovk: _, ...bare } = narrowed(keys, "incoming");
		const entry = await addShielded(directory, bare, "password", light);
		expect(await unlockShielded(entry, "password")).toEqual(bare);
	});

	it("are found by the address in either spelling, the spending key first", async () => {
		await addShielded(directory, narrowed(keys, "incoming"), "password", light);
		const { address } = await addShielded(directory, keys, "password", light);
		const deployed = writePaymentAddress(readPaymentAddress(address), "deployed");
		for (const text of [address, deployed])
			expect(await findShielded(directory, text)).toMatchObject({ reach: "spending" });
		await expect(findShielded(directory, undefined)).rejects.toThrow("there are 2");
	});

	it("are not among the keys of accounts, and share no place with them", async () => {
		const entry = await addShielded(directory, keys, "password", { ...light, name: "ann" });
		expect((await listKeystore(directory)).entries).toEqual([]);
		expect(entry.file.startsWith(join(directory, "shielded"))).toBe(true);
	});

	it("are stored once, under labels that mean one key", async () => {
		await addShielded(directory, keys, "password", { ...light, name: "ann" });
		const exists = { code: "keystore_exists" };
		await expect(addShielded(directory, keys, "password", light)).rejects.toMatchObject(exists);
		const other = addShielded(directory, keysNumbered(2), "password", { ...light, name: "ann" });
		await expect(other).rejects.toMatchObject(exists);
		const secret = addShielded(directory, keysNumbered(2), "password", { ...light, name: "ab".repeat(32) });
		await expect(secret).rejects.toMatchObject({ code: "bad_value" });
	});

	it("are refused where the file says something else than the secret inside", async () => {
		const incoming = await addShielded(directory, narrowed(keys, "incoming"), "password", light);
		const text = readFileSync(incoming.file, "utf8");
		writeFileSync(incoming.file, text.replace("shielded-incoming", "shielded-spending"));
		const changed: ShieldedEntry = { ...incoming, reach: "spending" };
		await expect(unlockShielded(changed, "password")).rejects.toMatchObject({ code: "keystore_format" });
		const { address } = await addShielded(directory, keysNumbered(2), "password", light);
		const moved = { ...incoming, address };
		await expect(unlockShielded(moved, "password")).rejects.toMatchObject({ code: "keystore_format" });
	});

	it("are left out, and told of, where a file is damaged or another thing", async () => {
		const entry = await addShielded(directory, keys, "password", light);
		writeFileSync(join(directory, "shielded", "other.json"), '{"crypto":{}}');
		writeFileSync(join(directory, "shielded", "half.json"), readFileSync(entry.file, "utf8").slice(0, 100));
		writeFileSync(join(directory, "shielded", "long.json"), " ".repeat(70_000));
		const { entries, unusable } = await listShielded(directory);
		expect(entries).toHaveLength(1);
		expect(unusable).toHaveLength(3);
	});

	it("are gone once they are deleted", async () => {
		const entry = await addShielded(directory, keys, "password", light);
		await deleteShielded(entry);
		expect(readdirSync(join(directory, "shielded"))).toEqual([]);
	});

	it("get another label without their password", async () => {
		const entry = await addShielded(directory, keys, "password", { ...light, name: "ann" });
		await addShielded(directory, narrowed(keys, "viewing"), "password", { ...light, name: "viewer" });
		const renamed = await renameShielded(directory, entry, "anna");
		expect(renamed).toEqual({ ...entry, name: "anna" });
		expect(await findShielded(directory, "anna")).toEqual(renamed);
		expect(statSync(entry.file).mode & 0o777).toBe(0o600);
		expect((await unlockShielded(renamed, "password")).ivk).toEqual(keys.ivk);
		for (const name of ["viewer", "", "a/b"]) {
			await expect(renameShielded(directory, renamed, name)).rejects.toThrow();
		}
		expect((await findShielded(directory, "anna")).file).toBe(entry.file);
	});
});
