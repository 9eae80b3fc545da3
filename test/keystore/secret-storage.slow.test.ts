import { describe, expect, it } from "vitest";
import { parseKeyFile } from "../../src/keystore/key-file.js";
import { scryptByLibrary, scryptByRuntime } from "../../src/keystore/scrypt.js";
import {
	checkPrivateKey,
	decryptSecret,
	encryptSecret,
	parsePrivateKey,
	passwordBytes,
} from "../../src/keystore/secret-storage.js";
import { fromHex, toHex, utf8 } from "../../src/protocol/bytes.js";

/** The two vectors of the Web3 Secret Storage definition, which geth writes and reads. */
const PBKDF2 = `{"crypto":{"cipher":"aes-128-ctr","cipherparams":{"iv":"6087dab2f9fdbbfaddc31a909735c1e6"},
"ciphertext":"5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46","kdf":"pbkdf2",
"kdfparams":{"c":262144,"dklen":32,"prf":"hmac-sha256","salt":"ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd"},
"mac":"517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2"},
"id":"3198bc9c-6672-5ab3-d995-4942343ae5b6","version":3}`;
const SCRYPT = `{"crypto":{"cipher":"aes-128-ctr","cipherparams":{"iv":"83dbcc02d8ccb40e466191a123791e0e"},
"ciphertext":"d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c","kdf":"scrypt",
"kdfparams":{"dklen":32,"n":262144,"r":1,"p":8,"salt":"ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19"},
"mac":"2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097"},
"id":"3198bc9c-6672-5ab3-d995-4942343ae5b6","version":3}`;
const SECRET = "7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d";

async function open(text: string, password: string): Promise<string> {
	return toHex(await decryptSecret(parseKeyFile(text, "vector"), passwordBytes(password), "vector"));
}

describe("opening key files of other programs", () => {
	it.each([
		["PBKDF2", PBKDF2],
		["scrypt", SCRYPT],
	])("opens %s", async (_, text) => {
		expect(await open(text, "testpassword")).toBe(SECRET);
	});

	it.each([
		["the old member name Crypto", SCRYPT.replace('"crypto"', '"Crypto"')],
		["member names without quotes", SCRYPT.replace(/"(crypto|kdfparams|n|version|salt)":/g, "$1 :")],
		["hex with 0x", SCRYPT.replace('"mac":"', '"mac":"0x').replace('"salt":"', '"salt":"0x')],
		["a byte-order mark and unknown members", `\uFEFF${SCRYPT.replace("{", '{"colour":"red",')}`],
	])("reads %s", (_, text) => {
		const { members: _members, ...read } = parseKeyFile(text, "vector");
		expect(parseKeyFile(SCRYPT, "vector")).toMatchObject(read);
	});

	it("refuses a wrong password with one sentence that doesn't repeat it", async () => {
		const file = await encryptSecret(fromHex(SECRET), passwordBytes("one"), { address: "T" }, "light");
		await expect(open(file, "sesame-open")).rejects.toMatchObject({
			code: "bad_password",
			message: "Invalid password provided: vector doesn't open with it",
		});
	});

	it.each([
		["", "not a keystore file, or a truncated one"],
		[SCRYPT.slice(0, 200), "not a keystore file, or a truncated one"],
		["[]", "not a keystore file, or a truncated one"],
		['{"hello":1}', "it has no member crypto"],
		[SCRYPT.replace('"version":3', '"version":1'), "Wallet version is not supported"],
		[SCRYPT.replace("aes-128-ctr", "aes-128-cbc"), "Wallet cipher is not supported"],
		[SCRYPT.replace('"scrypt"', '"argon2"'), "KDF type is not supported"],
		[PBKDF2.replace("hmac-sha256", "hmac-sha1"), "Unsupported prf:hmac-sha1"],
		[SCRYPT.replace(/"mac":"[0-9a-f]{64}"/, '"mac":"00"'), "member mac has 1 bytes instead of 32"],
		[SCRYPT.replace(/"iv":"[0-9a-f]{32}"/, '"iv":"xyz"'), "member iv is not hexadecimal"],
		[SCRYPT.replace(/,"salt":"[0-9a-f]+"/, ""), "has no member salt"],
		[SCRYPT.replace('"n":262144', '"n":262143'), "scrypt cost 262143 is not a power of two"],
		[SCRYPT.replace('"n":262144', '"n":1073741824'), "of memory, the limit is 1024"],
		[SCRYPT.replace('"r":1', '"r":0'), "member r is not a count"],
		[SCRYPT.replace(/"p":\d+/, '"p":65536'), "·65536, the limit is 33554432"],
		[PBKDF2.replace(/"c":\d+/, '"c":99999999'), "99999999 rounds for 32 bytes are not supported"],
		[PBKDF2.replace(/"c":\d+/, '"c":1000000').replace('"dklen":32', '"dklen":1024'), "for 1024 bytes"],
	])("says what is wrong with %j", (text, sentence) => {
		let message = "";
		try {
			parseKeyFile(text, "FILE");
		} catch (error) {
			expect(error).toMatchObject({ code: "keystore_format" });
			message = (error as Error).message;
		}
		expect(message).toContain(sentence);
		expect(message.startsWith("FILE: ")).toBe(true);
		expect(message).not.toContain("\n");
	});
});

describe("writing key files", () => {
	const fixed = { bytes: (length: number) => new Uint8Array(length).fill(length), uuid: () => "the-id" };

	it("writes the members of the network's wallets in their order, hex in lower case", async () => {
		const key = fromHex("00".repeat(31).concat("01"));
		const label = { address: "TAddress", extra: { name: "ann", path: undefined } };
		const text = await encryptSecret(key, passwordBytes("pass word"), label, "light", fixed);
		expect(text).toMatch(
			/^\{"address":"TAddress","id":"the-id","version":3,"crypto":\{"cipher":"aes-128-ctr","ciphertext":"[0-9a-f]{64}","cipherparams":\{"iv":"(10){16}"\},"kdf":"scrypt","kdfparams":\{"dklen":32,"n":4096,"p":6,"r":8,"salt":"(20){32}"\},"mac":"[0-9a-f]{64}"\},"name":"ann"\}$/,
		);
		expect(await open(text, "pass word")).toBe(toHex(key));
	});

	it("writes the standard cost unless told otherwise, and takes any password, also an empty one", async () => {
		const text = await encryptSecret(utf8("some words"), passwordBytes(""), { address: "T" });
		expect(text).toContain('"n":262144,"p":1,"r":8');
		expect(await open(text, "")).toBe(toHex(utf8("some words")));
	});

	it("uses a new salt and iv for every file", async () => {
		const write = () => encryptSecret(new Uint8Array(32), passwordBytes("x"), { address: "T" }, "light");
		const [one, two] = [await write(), await write()];
		expect(parseKeyFile(one, "").iv).not.toEqual(parseKeyFile(two, "").iv);
		expect(parseKeyFile(one, "").derivation.salt).not.toEqual(parseKeyFile(two, "").derivation.salt);
	});
});

describe("scrypt", () => {
	// RFC 7914 §12.
	it.each([
		[
			"",
			"",
			16,
			1,
			1,
			"77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906",
		],
		[
			"password",
			"NaCl",
			1024,
			8,
			16,
			"fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
		],
	])("gives the standard's bytes for %j with both engines", async (password, salt, n, r, p, expected) => {
		for (const engine of [scryptByRuntime, scryptByLibrary]) {
			expect(toHex(await engine(utf8(password), utf8(salt), { n, r, p, dklen: 64 }))).toBe(expected);
		}
	});
});

describe("private keys", () => {
	it.each([
		"00".repeat(32),
		"ff".repeat(32),
		"fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
	])("refuses %s, which is not a number of the curve", (hex) => {
		expect(() => checkPrivateKey(fromHex(hex))).toThrow(/between 1 and the curve's order/);
	});

	it("reads hex with or without 0x and never repeats a bad text", () => {
		expect(toHex(parsePrivateKey(`0x${SECRET}\n`))).toBe(SECRET);
		const typo = `${SECRET.slice(0, 63)}z`;
		expect(() => parsePrivateKey(typo)).toThrow(
			"a private key is 64 hexadecimal digits; this text has 64 characters",
		);
	});
});
