import { describe, expect, test } from "vitest";
import { toBase58Check } from "../../../src/protocol/address.js";
import { fromHex, utf8 } from "../../../src/protocol/bytes.js";
import { addressOfPrivateKey, sign } from "../../../src/protocol/signature.js";
import {
	checkRedirections,
	compareContacts,
	contactChanges,
	contactsText,
	readContactList,
	writeContactList,
} from "../../../src/wallet/configuration/contact-list.js";
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
		expect(readContactList(JSON.stringify(signed))).toEqual({ contacts, signer });
		const unsigned = writeContactList(contacts);
		expect(readContactList(JSON.stringify(unsigned))).toEqual({ contacts, signer: undefined });
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
		["members that mean nothing", { version: 1, contacts: [], chain: "x" }, "bad_value"],
	])("is refused with %s", (_, list, code) => {
		expect(() => readContactList(JSON.stringify(list))).toThrow(expect.objectContaining({ code }));
	});

	test("is refused with an address twice", () => {
		const text = JSON.stringify({ version: 1, contacts: [entry] });
		const twice = text.replace('"address"', `"address":"${toBase58Check(bob)}","address"`);
		expect(() => readContactList(twice)).toThrow('the member "address" is there twice');
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
	});
});

test("nobody's agreement in advance gives a label another address", () => {
	const [first] = contacts as [(typeof contacts)[0]];
	const check = (list: typeof contacts) => () =>
		checkRedirections(compareContacts([first], list), "nobody", ["BOB2", "GOLD"]);
	expect(check([{ ...first, address: bob }])).toThrow('gives "ann" another address');
	expect(check([{ ...first, note: "new" }, ...contacts.slice(1)])).not.toThrow();
	expect(check([{ ...first, label: "g0ld" }])).toThrow("mistaken for the profile's token GOLD");
});
