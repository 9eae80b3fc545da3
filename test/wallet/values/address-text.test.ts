import { expect, test } from "vitest";
import { readAddress, shownAddress } from "../../../src/wallet/values/address-text.js";

test.each([
	["https://ann:secret@gate.example/x", "https://***@gate.example/x"],
	["http://token@127.0.0.1:8090", "http://***@127.0.0.1:8090"],
	["ann:p@ss@gate.example", "***@gate.example"],
	["https://gate.example/a@b?c=d@e", "https://gate.example/a@b?c=d@e"],
	["127.0.0.1:50051", "127.0.0.1:50051"],
	[undefined, undefined],
])("user and password of %s are not shown", (address, shown) => {
	expect(shownAddress(address)).toBe(shown);
});

// Addresses of EIP-55 itself.
test.each([
	"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
	"0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
	"0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
])("0x and mixed letters have to match their checksum: %s", (text) => {
	expect(readAddress(text)).toHaveLength(21);
	expect(readAddress(text.toLowerCase())).toEqual(readAddress(text));
	expect(readAddress(`0x${text.slice(2).toUpperCase()}`)).toEqual(readAddress(text));
	const wrong = text.replace(/[A-F]/, (letter) => letter.toLowerCase());
	expect(() => readAddress(wrong)).toThrow("checksum");
});
