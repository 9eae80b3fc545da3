import { describe, expect, it } from "vitest";
import { addressWord, createdAddress, saltedAddress, toAddress } from "../../../src/node/vm/addresses.js";
import { InternalTransactions } from "../../../src/node/vm/internal-transactions.js";
import { storageRowKey } from "../../../src/node/vm/storage-keys.js";
import { toWord } from "../../../src/node/vm/word.js";
import { contractAddress } from "../../../src/protocol/address.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { CALLER, CONTRACT, ROOT_ID } from "./machine-fixture.js";

describe("addresses of contracts", () => {
	it("follow from the transaction and its sender", () => {
		expect(toHex(contractAddress(ROOT_ID, CALLER))).toBe("41c8720d6fe21bf58c2b4277304191ddc34fc6a210");
	});

	it.each([
		[0, "41619eb63aabf593807d5ccdda04d6345b51cb92bb"],
		[1, "41591af7e274e40e63f6c7db67f443efa2f6765fc2"],
	])("follow from the transaction and the counter %s", (nonce, address) => {
		expect(toHex(createdAddress(ROOT_ID, nonce))).toBe(address);
	});

	it("follow from sender, salt and code", () => {
		expect(toHex(saltedAddress(CALLER, 1, fromHex("6000")))).toBe(
			"41518d05e818838fb9800d72e008674a28dfd652a4",
		);
	});

	it("stand in the last 20 bytes of a word, whatever is above", () => {
		const word = toWord(BigInt(`0x${"ff".repeat(12)}${"33".repeat(20)}`));
		expect(toHex(toAddress(word))).toBe(toHex(CONTRACT));
		expect(addressWord(CONTRACT)).toBe(BigInt(`0x${"33".repeat(20)}`));
	});

	it("stand there in words of every length, each in bytes of its own", () => {
		const addresses: { readonly address: Uint8Array; readonly expected: string }[] = [];
		for (let bits = 0n; bits < 256n; bits++) {
			for (const value of [1n << bits, (1n << bits) - 1n, (1n << bits) | 0x0102030405n]) {
				const expected = `41${value.toString(16).padStart(40, "0").slice(-40)}`;
				addresses.push({ address: toAddress(toWord(value)), expected });
			}
		}
		for (const { address, expected } of addresses) expect(toHex(address)).toBe(expected);
	});
});

describe("keys of storage rows", () => {
	const none = new Uint8Array(0);
	it.each([
		["version 0", none, 0, "c44bcb8bbfff632c22bc1bf2b5ccda0d00000000000000000000000000000005"],
		["version 1", none, 1, "c44bcb8bbfff632c22bc1bf2b5ccda0d0604c104a5fb6f4eb0703f3154bb3db0"],
		[
			"version 0, made by CREATE2",
			ROOT_ID,
			0,
			"7494e252194a5e81f47fdd1b7d76d16700000000000000000000000000000005",
		],
		[
			"version 0, a creation id of zeros",
			new Uint8Array(32),
			0,
			"c44bcb8bbfff632c22bc1bf2b5ccda0d00000000000000000000000000000005",
		],
	])("of %s", (_, creationId, version, key) => {
		expect(toHex(storageRowKey({ address: CONTRACT, creationId, version }, 5))).toBe(key);
	});
});

describe("hashes of internal transactions", () => {
	it("cover opener, receiver, data, value and counter", () => {
		const { id } = new InternalTransactions().add(
			{ id: ROOT_ID },
			CALLER,
			CONTRACT,
			"call",
			{ value: 7n },
			fromHex("deadbeef"),
		);
		expect(toHex(id)).toBe("c83dd652b94775d86599ee657e2d62699eeeb64a77614f4dc15599813a5f8838");
	});

	it("leave out the receiver of a creation", () => {
		const { id } = new InternalTransactions().add(
			{ id: ROOT_ID },
			CALLER,
			CONTRACT,
			"create",
			{ value: 0n },
			fromHex("6000"),
		);
		expect(toHex(id)).toBe("ca3195e05835b181e6f2b44e5e103010fb7cc2597e9294591e722bc917f2733a");
	});
});
