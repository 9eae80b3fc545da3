import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { watchAddress } from "../../../src/keystore/keystore.js";
import { parseAddress } from "../../../src/protocol/address.js";
import {
	addContact,
	type Contact,
	checkNewContact,
	checkNewKeyLabel,
	contactNamed,
	readContacts,
	removeContact,
} from "../../../src/wallet/configuration/contacts.js";
import { withFileLock } from "../../../src/wallet/configuration/file-lock.js";

const address = parseAddress("TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC") as Uint8Array;
const contact = (label: string): Contact => ({ label, address, note: undefined });

let directory: string;
let file: string;
let notes: string[];
const note = (text: string): void => {
	notes.push(text);
};
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "coin-contacts-"));
	file = join(directory, "data", "contacts.json");
	notes = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("the address book", () => {
	it("is empty without a file, and keeps what was added for its owner only", async () => {
		expect(await readContacts(file)).toEqual([]);
		await addContact(file, { ...contact("zoe"), note: "lunch" }, note);
		await addContact(file, contact("alice"), note);
		expect((await readContacts(file)).map(({ label }) => label)).toEqual(["alice", "zoe"]);
		expect(await contactNamed(file, "zoe")).toMatchObject({ note: "lunch" });
		expect(statSync(file).mode & 0o777).toBe(0o600);
		await expect(addContact(file, contact("zoe"), note)).rejects.toThrow('there is a contact "zoe" already');
		await addContact(file, { ...contact("zoe"), note: "dinner" }, note, true);
		expect((await readContacts(file)).map((each) => [each.label, each.note])).toEqual([
			["alice", undefined],
			["zoe", "dinner"],
		]);
		await removeContact(file, "zoe", note);
		expect(await contactNamed(file, "zoe")).toBeUndefined();
		await expect(removeContact(file, "zoe", note)).rejects.toThrow('there is no contact "zoe"');
	});

	it.each(["two words", "-x", "@x", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HD", "0x12", "41".repeat(21), ""])(
		'refuses the label "%s"',
		async (label) => {
			await expect(addContact(file, contact(label), note)).rejects.toThrow(/label/);
		},
	);

	it.each(["1f".repeat(32), `x${"1f".repeat(32)}`.slice(0, 65)])("keeps no key as a label", async (label) => {
		await expect(addContact(file, contact(label), note)).rejects.toThrow("a secret is never an argument");
	});

	it.each(["1000001", "Coin", "c0in", "sun", "ledger", "bob\u200b", "bob\u0007"])(
		"has no label that means something else, or has what can't be seen: %j",
		async (label) => {
			await expect(addContact(file, contact(label), note)).rejects.toThrow(/label/);
		},
	);

	it.each(["BOB", "b\u043eb", "b\u03bfb", "b0b", "bób", "\uff42ob"])(
		"takes no label that looks like another one: %s",
		async (label) => {
			await addContact(file, contact("bob"), note);
			await expect(addContact(file, contact(label), note)).rejects.toThrow(/looks like|mistaken/);
		},
	);

	it("and the keystore don't take labels of each other", async () => {
		const keystoreDirectory = join(directory, "keystore");
		const settings = { contactsFile: file, keystoreDirectory };
		await watchAddress(keystoreDirectory, address, "bob");
		await addContact(file, contact("gold"), note);
		await expect(checkNewContact(settings, "Bob")).rejects.toThrow(
			'"Bob" looks like "bob", the label of a key',
		);
		await expect(checkNewKeyLabel(settings, "Gold")).rejects.toThrow('there is a contact "gold" already');
		await expect(checkNewKeyLabel(settings, "B0b")).rejects.toThrow("looks the same");
		await checkNewKeyLabel(settings, "Bob", address);
		await checkNewContact(settings, "zoe");
	});

	it("takes no label twice", async () => {
		await addContact(file, contact("zoe"), note);
		await expect(addContact(file, contact("zoe"), note)).rejects.toThrow("already");
	});

	it("loses nothing when several processes add at once", async () => {
		const labels = Array.from({ length: 12 }, (_, index) => `friend${index}`);
		await Promise.all(labels.map((label) => addContact(file, contact(label), note)));
		expect(await readContacts(file)).toHaveLength(labels.length);
	});

	it("waits for others in turn, but for none longer than five seconds", async () => {
		const lock = `${file}.lock`;
		const take = (): void => {
			rmSync(lock, { force: true });
			writeFileSync(lock, `${process.pid}\n`);
		};
		mkdirSync(dirname(file));
		take();
		let ms = 0;
		// Another one takes it every two seconds of this clock, eight times.
		const inTurn = (): number => {
			ms += 1_000;
			if (ms === 16_000) rmSync(lock);
			else if (ms < 16_000 && ms % 2_000 === 0) take();
			return ms;
		};
		expect(await withFileLock(file, note, async () => "done", inTurn)).toBe("done");
		take();
		const held = withFileLock(
			file,
			note,
			async () => "done",
			() => (ms += 1_000),
		);
		await expect(held).rejects.toThrow(`is being changed by the process ${process.pid}`);
		rmSync(lock);
	});

	it("breaks the lock of a process that is gone, and says so", async () => {
		await addContact(file, contact("zoe"), note);
		writeFileSync(`${file}.lock`, "2147483646\n");
		await addContact(file, contact("alice"), note);
		expect(notes).toEqual([expect.stringContaining("of a process that is gone was removed")]);
	});

	it.each(["{", "{}", '[{"label":"x"}]', '[{"label":5,"address":"TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC"}]'])(
		"refuses to touch a damaged file: %s",
		async (text) => {
			await addContact(file, contact("zoe"), note);
			writeFileSync(file, text);
			await expect(addContact(file, contact("alice"), note)).rejects.toThrow("is not an address book");
			expect(readFileSync(file, "utf8")).toBe(text);
		},
	);
});
