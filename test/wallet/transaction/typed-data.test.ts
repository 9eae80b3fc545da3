import { describe, expect, it } from "vitest";
import { toHex, utf8 } from "../../../src/protocol/bytes.js";
import { keccak256 } from "../../../src/protocol/hash.js";
import {
	messageHash,
	messageHashV1,
	signerOf,
	typedDataDigest,
} from "../../../src/wallet/transaction/signed-message.js";

/** The example of the EIP-712 standard, with its hash. */
const MAIL = {
	types: {
		EIP712Domain: [
			{ name: "name", type: "string" },
			{ name: "version", type: "string" },
			{ name: "chainId", type: "uint256" },
			{ name: "verifyingContract", type: "address" },
		],
		Person: [
			{ name: "name", type: "string" },
			{ name: "wallet", type: "address" },
		],
		Mail: [
			{ name: "from", type: "Person" },
			{ name: "to", type: "Person" },
			{ name: "contents", type: "string" },
		],
	},
	primaryType: "Mail",
	domain: {
		name: "Ether Mail",
		version: "1",
		chainId: 1,
		verifyingContract: "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
	},
	message: {
		from: { name: "Cow", wallet: "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826" },
		to: { name: "Bob", wallet: "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB" },
		contents: "Hello, Bob!",
	},
};
const MAIL_HASH = "be609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2";

const hashOf = (document: object): string => toHex(typedDataDigest(JSON.stringify(document)).hash);
const one = (type: string, value: unknown, types: object = {}): object => ({
	types: { ...types, Box: [{ name: "value", type }] },
	primaryType: "Box",
	domain: { name: "x" },
	message: { value },
});

describe("hashing structured data", () => {
	it("gives the hash of the standard's example, whether or not the domain is declared", () => {
		expect(hashOf(MAIL)).toBe(MAIL_HASH);
		const { EIP712Domain: _, ...types } = MAIL.types;
		expect(hashOf({ ...MAIL, types })).toBe(MAIL_HASH);
	});

	it.each([
		["Permit", "uint256", (2n ** 256n - 1n).toString(), true],
		["PermitSingle", "uint160", `0x${"ff".repeat(20)}`, true],
		["Permit", "uint256", ` ${2n ** 256n - 1n}`, true],
		["Permit", "uint256", "5000000", false],
		["Box", "uint256", (2n ** 256n - 1n).toString(), false],
	])("tells a permit without a limit: %s of %s %s", (primaryType, type, value, allowsAll) => {
		const document = {
			types: { [primaryType]: [{ name: "value", type }] },
			primaryType,
			domain: {},
			message: { value },
		};
		expect(typedDataDigest(JSON.stringify(document)).allowsAll).toBe(allowsAll);
	});

	it("knows no contract of a domain whose address is a structure", () => {
		const types = {
			...{ Box: [], address: [{ name: "toString", type: "string" }] },
			EIP712Domain: [{ name: "verifyingContract", type: "address" }],
		};
		const domain = { verifyingContract: { toString: "T" } };
		const document = JSON.stringify({ types, primaryType: "Box", domain, message: {} });
		expect(typedDataDigest(document).domain).toEqual({});
	});

	it("counts an address the same in every form that it may be written in", () => {
		const forms = [
			"TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC",
			"417e5f4552091a69125d5dfcb7b8c2659029395bdf",
			"0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
		];
		expect(new Set(forms.map((form) => hashOf(one("address", form)))).size).toBe(1);
	});

	it("hashes the token type under one name in both spellings, and not as a plain number", () => {
		const [neutral, deployed] = ["orcToken", "trcToken"].map((type) => hashOf(one(type, "1000001")));
		expect(neutral).toBe(deployed);
		expect(hashOf(one("trcToken[]", ["1000001"]))).toBe(hashOf(one("orcToken[]", [1000001])));
		expect(neutral).not.toBe(hashOf(one("uint256", "1000001")));
	});

	it("keeps every digit of numbers beyond 2^53", () => {
		const text = JSON.stringify(one("uint256", 0)).replace('"value":0', '"value":9007199254740993');
		expect(toHex(typedDataDigest(text).hash)).toBe(hashOf(one("uint256", "9007199254740993")));
		expect(toHex(typedDataDigest(text).hash)).not.toBe(hashOf(one("uint256", "9007199254740992")));
	});

	it.each([
		[one("uint8", 256), "message.value = 256 doesn't fit uint8"],
		[one("int8", -129), "message.value = -129 doesn't fit int8"],
		[one("uint7", 1), "message.value: there is no type uint7"],
		[one("bytes4", "0x00"), "message.value is not of the type bytes4"],
		[one("Lost", {}), "message.value: there is no type Lost"],
		[one("uint8[2]", [1]), "message.value must be a list of 2"],
		[one("string", 5), "message.value is not of the type string"],
		[{ ...one("string", "a"), message: {} }, "message.value is missing"],
		[
			{ ...one("string", "a"), types: { Box: [{ name: "__proto__", type: "No" }], No: [] }, message: {} },
			"message.__proto__ is missing",
		],
		[{ ...one("string", "a"), primaryType: "Lid" }, "message: the type Lid is not declared"],
		[{ types: {} }, "typed data has the members types, primaryType, domain and message"],
	])("refuses %j", (document, message) => {
		expect(() => hashOf(document)).toThrow(message);
	});

	it("refuses a value that is there twice", () => {
		const text = JSON.stringify(one("uint8", 5)).replace('"value":5', '"value":1,"value":5');
		expect(() => typedDataDigest(text)).toThrow('the typed data has the member "value" twice');
	});
});

describe("hashing messages", () => {
	it("puts the prefix and the length in bytes before a text", () => {
		const prefix = "\x19TRON Signed Message:\n";
		expect(messageHash(utf8("hé"))).toEqual(keccak256(utf8(`${prefix}3hé`)));
		expect(messageHashV1(utf8("hé"))).toEqual(keccak256(utf8(`${prefix}32hé`)));
	});

	it("refuses signatures of another length, and those that yield no key", () => {
		const hash = messageHash(utf8("x"));
		expect(() => signerOf(hash, "0x00")).toThrow("a signature has 65 bytes, this one 1");
		expect(() => signerOf(hash, `0x${"ff".repeat(65)}`)).toThrow("the signature yields no key");
	});

	it("shows each value that is hashed, and addresses in one form", () => {
		expect(typedDataDigest(JSON.stringify(MAIL)).fields).toEqual([
			"domain: EIP712Domain",
			'domain.name (string): "Ether Mail"',
			'domain.version (string): "1"',
			"domain.chainId (uint256): 1",
			"domain.verifyingContract (address): TUe6BwpA7sVTDKaJQoia7FWZpC9sK8WM2t",
			"message: Mail",
			"message.from: Person",
			'message.from.name (string): "Cow"',
			expect.stringMatching(/^message\.from\.wallet \(address\): T/),
			"message.to: Person",
			'message.to.name (string): "Bob"',
			expect.stringMatching(/^message\.to\.wallet \(address\): T/),
			'message.contents (string): "Hello, Bob!"',
		]);
		const list = typedDataDigest(JSON.stringify(one("uint8[2]", [1, 2]))).fields;
		expect(list.slice(-3)).toEqual([
			"message.value: 2 of uint8",
			"message.value[0] (uint8): 1",
			"message.value[1] (uint8): 2",
		]);
	});

	it.each<[what: string, document: object, said: string]>([
		["the message", { ...MAIL, message: { ...MAIL.message, amount: 5 } }, 'message has the member "amount"'],
		[
			"a structure in it",
			{ ...MAIL, message: { ...MAIL.message, to: { ...MAIL.message.to, memo: "x" } } },
			'message.to has the member "memo"',
		],
		["the domain", { ...MAIL, domain: { ...MAIL.domain, salt: "0x00" } }, 'domain has the member "salt"'],
		[
			"a domain without a type",
			{ ...MAIL, types: { Mail: MAIL.types.Mail, Person: MAIL.types.Person }, domain: { chain: 1 } },
			'domain has the member "chain"',
		],
		["a message beside a domain alone", { ...MAIL, primaryType: "EIP712Domain" }, "it would not be signed"],
	])("refuses members of %s that would be shown and not signed", (_, document, said) => {
		expect(() => hashOf(document)).toThrow(said);
	});

	it("refuses names that are none, such as one that fills the screen", () => {
		const name = "A".repeat(129);
		expect(() => hashOf({ ...MAIL, types: { ...MAIL.types, [name]: [] } })).toThrow("not a name of a type");
		expect(() => hashOf(one("Box,uint8", 1))).toThrow("name or type that is none");
	});
});
