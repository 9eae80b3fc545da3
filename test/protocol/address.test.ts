import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import {
	addressFromHash,
	addressFromPublicKey,
	Base58Error,
	contractAddress,
	fromBase58Check,
	isAddress,
	MAIN_PREFIX,
	parseAddress,
	setAddressPrefix,
	TEST_PREFIX,
	toBase58Check,
} from "../../src/protocol/address.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import { addressOfPrivateKey } from "../../src/protocol/signature.js";
import { processorMs } from "../processor-time.js";

afterEach(() => setAddressPrefix(MAIN_PREFIX));

const one = Buffer.alloc(32);
one[31] = 1;

describe("addresses of keys", () => {
	test("are the prefix and the end of the hash of the public key", () => {
		expect(toHex(addressOfPrivateKey(one))).toBe("417e5f4552091a69125d5dfcb7b8c2659029395bdf");
		expect(toBase58Check(addressOfPrivateKey(one))).toBe("TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC");
	});

	test("are the same with and without the tag of the public key", () => {
		const point = fromHex(
			"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8",
		);
		expect(addressFromPublicKey(Buffer.concat([Buffer.of(4), point]))).toEqual(addressFromPublicKey(point));
		expect(addressFromPublicKey(point)).toEqual(addressOfPrivateKey(one));
	});

	test("carry the prefix of the network that was selected", () => {
		setAddressPrefix(TEST_PREFIX);
		const address = addressOfPrivateKey(one);
		expect(address[0]).toBe(0xa0);
		expect(isAddress(address)).toBe(true);
		setAddressPrefix(MAIN_PREFIX);
		expect(isAddress(address)).toBe(false);
	});
});

test("the address of a contract follows from its transaction and its owner", () => {
	const owner = addressOfPrivateKey(one);
	const address = contractAddress(Buffer.alloc(32, 1), owner);
	expect(isAddress(address)).toBe(true);
	expect(contractAddress(Buffer.alloc(32, 2), owner)).not.toEqual(address);
	expect(contractAddress(Buffer.alloc(32, 1), Buffer.alloc(21, 0x41))).not.toEqual(address);
});

describe("what counts as an address", () => {
	test.each([
		["21 bytes with the prefix", "41".padEnd(42, "0"), true],
		["another prefix", "40".padEnd(42, "0"), false],
		["20 bytes", "41".padEnd(40, "0"), false],
		["22 bytes", "41".padEnd(44, "0"), false],
		["nothing", "", false],
	])("%s: %s is %s", (_, text, expected) => {
		expect(isAddress(fromHex(text))).toBe(expected);
	});
});

describe("Base58Check text", () => {
	test("gives back any bytes, leading zeros too", () => {
		fc.assert(
			fc.property(fc.nat(3), fc.uint8Array({ minLength: 1, maxLength: 40 }), (zeros, tail) => {
				const bytes = Buffer.concat([Buffer.alloc(zeros), tail]);
				expect(Buffer.from(fromBase58Check(toBase58Check(bytes)) ?? [])).toEqual(bytes);
			}),
		);
	});

	test.each(["0", "O", "I", "l", " ", "é", "\u0000"])(
		"with the character %j is refused, with its place",
		(character) => {
			const text = `TMVQGm1q${character}QYVdetCeGRRkTWYYrLXuHK2HC`;
			expect(() => fromBase58Check(text)).toThrow(new Base58Error(`Illegal character ${character} at 8`));
		},
	);

	test("names the first half of a pair of surrogates, as the network counts characters", () => {
		expect(() => fromBase58Check("1😀")).toThrow("Illegal character \ud83d at 1");
	});

	test.each([
		["empty", ""],
		["four bytes or fewer", "11"],
		["one wrong character", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HD"],
		["one character lost", "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2H"],
		["a leading one added", "1TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC"],
	])("that is damaged gives nothing: %s", (_, text) => {
		expect(fromBase58Check(text)).toBeUndefined();
	});

	test("with one changed character never passes", () => {
		const good = "TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy";
		const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
		fc.assert(
			fc.property(fc.nat(good.length - 1), fc.constantFrom(...alphabet), (at, character) => {
				const text = good.slice(0, at) + character + good.slice(at + 1);
				expect(parseAddress(text) !== undefined).toBe(text === good);
			}),
		);
	});
});

describe("reading an address", () => {
	test("accepts this network's only", () => {
		expect(toHex(parseAddress("TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC") ?? new Uint8Array(0))).toBe(
			"417e5f4552091a69125d5dfcb7b8c2659029395bdf",
		);
		expect(parseAddress(toBase58Check(Buffer.alloc(21, 0xa0)))).toBeUndefined();
		expect(parseAddress(toBase58Check(Buffer.alloc(20, 0x41)))).toBeUndefined();
		expect(parseAddress("not an address")).toBeUndefined();
	});

	test("of a megabyte of text takes no quadratic time", () => {
		const ms = processorMs(() => {
			expect(parseAddress("z".repeat(1_000_000))).toBeUndefined();
			expect(fromBase58Check("z".repeat(1_000_000))).toBeUndefined();
		});
		expect(ms).toBeLessThan(2_000);
	});

	test("of a hash has 20 bytes of it, never what memory held", () => {
		expect(toHex(addressFromHash(new Uint8Array(32).fill(7)))).toBe(`41${"07".repeat(20)}`);
		expect(() => addressFromHash(new Uint8Array(19))).toThrow(RangeError);
	});
});
