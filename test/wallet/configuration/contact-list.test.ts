import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toBase58Check } from "../../../src/protocol/address.js";
import { fromHex, utf8 } from "../../../src/protocol/bytes.js";
import { addressOfPrivateKey, sign } from "../../../src/protocol/signature.js";
import {
	checkRedirections,
	compareContacts,
	contactChanges,
	contactsText,
	ownNames,
	readContactList,
	refusals,
	withInterfaces,
	writeContactList,
} from "../../../src/wallet/configuration/contact-list.js";
import {
	addContact,
	type Contact,
	checkNewContact,
	contactLabelFrom,
	contactNamed,
	readContacts,
} from "../../../src/wallet/configuration/contacts.js";
import { keepInterface } from "../../../src/wallet/configuration/own-interfaces.js";
import { messageHash, signatureText } from "../../../src/wallet/transaction/signed-message.js";

const key = fromHex("01".repeat(32));
const signer = addressOfPrivateKey(key);
const [ann, bob] = [fromHex(`41${"11".repeat(20)}`), fromHex(`41${"22".repeat(20)}`)];
const contacts = [
	{ label: "ann", address: ann, note: undefined },
	{ label: "bob", address: bob, note: "lunch" },
];
const signature = signatureText(sign(messageHash(utf8(contactsText(contacts))), key));
const signed = writeContactList(contacts, { signer, signature });

describe("a list of contacts", () => {
	test("is read as it was written, with who signed it", () => {
		expect(readContactList(JSON.stringify(signed))).toEqual({ contacts, interfaces: [], signer });
		const unsigned = writeContactList(contacts);
		expect(readContactList(JSON.stringify(unsigned))).toEqual({
			contacts,
			interfaces: [],
			signer: undefined,
		});
	});

	const abi = [{ type: "function", name: "get", inputs: [], outputs: [] }];
	const layout = { storage: [], types: null };
	const contract = "ab".repeat(32);

	test("keeps what is known of a contract: its chain, interface and layout", async () => {
		const folder = await mkdtemp(join(tmpdir(), "coin-contacts-"));
		const settings = { contactsFile: join(folder, "contacts.json") };
		await keepInterface(settings, bob, abi, layout);
		const known = { label: "bob", address: bob, note: undefined, contract };
		const listed = await withInterfaces(settings, [contacts[0] as Contact, known], () => undefined);
		await rm(folder, { recursive: true });
		const own = signatureText(sign(messageHash(utf8(contactsText(listed))), key));
		const text = JSON.stringify(writeContactList(listed, { signer, signature: own }));
		expect(readContactList(text)).toEqual({
			contacts: [contacts[0], known],
			interfaces: [{ ...known, abi, layout }],
			signer,
		});
		expect(() => readContactList(text.replace('"get"', '"set"'))).toThrow("the signature");
		// A list without it takes nothing away.
		expect(compareContacts([known], [{ ...known, contract: undefined }])).toMatchObject({ same: [known] });
	});

	const entry = { label: "ann", address: toBase58Check(ann) };
	test.each<[string, object, string]>([
		["other contacts than were signed", { ...signed, contacts: [entry] }, "not_authorized"],
		["another signer", { ...signed, signer: toBase58Check(bob) }, "not_authorized"],
		["a signer without a signature", { ...signed, signature: undefined }, "bad_value"],
		[
			"an address without a checksum",
			{ version: 1, contacts: [{ ...entry, address: `0x${"11".repeat(20)}` }] },
			"bad_address",
		],
		[
			"a wrong checksum",
			{ version: 1, contacts: [{ ...entry, address: `${entry.address.slice(0, -1)}1` }] },
			"bad_address",
		],
		["a label twice", { version: 1, contacts: [entry, entry] }, "bad_value"],
		[
			"a label that looks like an address",
			{ version: 1, contacts: [{ ...entry, label: entry.address }] },
			"bad_value",
		],
		["a long note", { version: 1, contacts: [{ ...entry, note: "x".repeat(501) }] }, "bad_value"],
		["too many", { version: 1, contacts: Array(2_001).fill(entry) }, "bad_value"],
		["a chain that isn't one", { version: 1, contacts: [{ ...entry, contract: "x" }] }, "bad_value"],
		["no interface", { version: 1, contacts: [{ ...entry, abi: { a: 1 } }] }, "bad_value"],
		[
			"an interface that could not be read again",
			{ version: 1, contacts: [{ ...entry, abi: [{ ...abi[0], name: "é".repeat(1 << 21) }] }] },
			"bad_value",
		],
		["a layout alone", { version: 1, contacts: [{ ...entry, layout }] }, "bad_value"],
		[
			"two interfaces of an address",
			{
				version: 1,
				contacts: [
					{ ...entry, abi },
					{ ...entry, label: "bob", abi: [] },
				],
			},
			"bad_value",
		],
		["members that mean nothing", { version: 1, contacts: [], chain: "x" }, "bad_value"],
	])("is refused with %s", (_, list, code) => {
		expect(() => readContactList(JSON.stringify(list))).toThrow(expect.objectContaining({ code }));
	});

	test("is refused with an address twice", () => {
		const text = JSON.stringify({ version: 1, contacts: [entry] });
		const twice = text.replace('"address"', `"address":"${toBase58Check(bob)}","address"`);
		expect(() => readContactList(twice)).toThrow('the member "address" is there twice');
	});

	test("says before it is written why it would be refused", () => {
		const own = ["c0in", "口", "shop", "ロ"].map((label) => ({ label, address: ann, note: undefined }));
		expect([...refusals(own).keys()]).toEqual(["c0in", "ロ"]);
	});

	test("is compared by labels", () => {
		const own = [
			{ label: "ann", address: ann, note: undefined },
			{ label: "bob", address: ann, note: "lunch" },
		];
		const list = [...contacts, { label: "eve", address: bob, note: undefined }];
		expect(contactChanges(compareContacts(own, list))).toEqual([
			`  new         eve  ${toBase58Check(bob)}`,
			`  changed     bob  ${toBase58Check(ann)}  "lunch" becomes ${toBase58Check(bob)}  "lunch"`,
			"  same        1",
		]);
		const contract = `${"0".repeat(56)}12345678`;
		expect(contactChanges(compareContacts([], [{ ...(own[0] as Contact), contract }]))[0]).toContain(
			"a contract of chain …12345678",
		);
	});
});

test("contacts and tokens of the profile have names that a list can't forge", async () => {
	const folder = await mkdtemp(join(tmpdir(), "coin-contacts-"));
	const settings = { contactsFile: join(folder, "contacts.json"), keystoreDirectory: folder };
	await addContact(settings.contactsFile, contacts[0] as Contact, () => undefined);
	const names = await ownNames({ ...settings, tokens: { GOLD: toBase58Check(bob), OLD: "1000001" } });
	expect([...names.values()].sort()).toEqual(["GOLD", "ann"]);
	const decomposed = { label: "Zoë".normalize("NFD"), address: bob, note: undefined };
	await addContact(settings.contactsFile, decomposed, () => undefined);
	expect(await contactNamed(settings.contactsFile, "Zoë")).toMatchObject({ address: bob });
	expect(["Zoë", "Zoë’s café €", "zoe's", "-x"].map(contactLabelFrom)).toEqual([
		"Zoë",
		...Array(3).fill("<label>"),
	]);
	const composed = { ...decomposed, label: "Zoë".normalize("NFC") };
	expect(compareContacts([decomposed], [composed])).toMatchObject({
		added: [],
		changed: [],
		same: [decomposed],
	});
	const after = { ...decomposed, address: ann };
	const changed = compareContacts([decomposed], [{ ...composed, address: ann }]);
	expect(changed).toEqual({ added: [], changed: [{ before: decomposed, after }], same: [] });
	await expect(checkNewContact(settings, composed.label)).rejects.toThrow(/already$/);
	// A file of an earlier release may have both.
	const old = [decomposed, composed].map((one) => ({ ...one, address: toBase58Check(bob) }));
	await writeFile(join(folder, "old.json"), JSON.stringify(old));
	await addContact(join(folder, "old.json"), { ...composed, address: ann }, () => undefined, true);
	const both = (await readContacts(join(folder, "old.json"))).map(({ label, address }) => [label, address]);
	expect(both).toEqual([
		[decomposed.label, bob],
		[composed.label, ann],
	]);
	await addContact(settings.contactsFile, composed, () => undefined, true);
	// A label that is free again says whose it was.
	const notes: string[] = [];
	for (const address of [bob, bob])
		await addContact(
			settings.contactsFile,
			{ ...(contacts[0] as Contact), address },
			(n) => notes.push(n),
			true,
		);
	expect(notes).toEqual([`ann was ${toBase58Check(ann)} until now, which this chain doesn't have`]);
	await rm(folder, { recursive: true });
});

test("nobody's agreement in advance gives a label another address", () => {
	const [first] = contacts as [(typeof contacts)[0]];
	const check = (list: typeof contacts) => () =>
		checkRedirections(compareContacts([first], list), "nobody", ["BOB2", "GOLD"]);
	expect(check([{ ...first, address: bob }])).toThrow('gives "ann" another address');
	const names = new Map([[toBase58Check(ann), "ann"]]);
	const innocent = [{ ...first, label: "innocent" }];
	const interfaces = () =>
		checkRedirections(compareContacts([first], innocent), "nobody", [], innocent, names);
	expect(interfaces).toThrow('gives "ann" an interface');
	const behind = () => checkRedirections(compareContacts([], innocent), "nobody", [], innocent);
	expect(behind).toThrow('gives "innocent" an interface');
	const chain = () =>
		checkRedirections(compareContacts([first], [{ ...first, contract: "ab" }]), "nobody", []);
	expect(chain).toThrow('gives "ann" another chain');
	expect(check([{ ...first, note: "new" }, ...contacts.slice(1)])).not.toThrow();
	expect(check([{ ...first, label: "g0ld" }])).toThrow("mistaken for the profile's token GOLD");
});
