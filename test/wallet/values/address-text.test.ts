import { expect, test } from "vitest";
import { readAddress } from "../../../src/wallet/values/address-text.js";

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
