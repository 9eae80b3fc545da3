import { expect, test } from "vitest";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import {
	Bech32Error,
	readPaymentAddress,
	writePaymentAddress,
} from "../../../src/protocol/sapling/payment-address.js";

const address = {
	diversifier: fromHex("987adf3b4d8da446327d17"),
	transmissionKey: fromHex("09f3c4576c4f836b3472a6a5738606866607a6ffcd1c7299e31ec40455b1cd35"),
};
const deployed = "ztron1npad7w6d3kjyvvnazuyl83zhd38cx6e5w2n22uuxq6rxvpaxllx3cu5euv0vgpz4k8xn2rsga28";
const neutral = writePaymentAddress(address, "neutral");

test("an address is written as the network's wallets write it", () => {
	expect(writePaymentAddress(address, "deployed")).toBe(deployed);
	expect(neutral).toMatch(/^zcoin1[0-9a-z]{75}$/);
});

test.each([deployed, neutral, deployed.toUpperCase()])(
	"both spellings are read, capitals too: %s",
	(text) => {
		const read = readPaymentAddress(text);
		expect(toHex(read.diversifier)).toBe(toHex(address.diversifier));
		expect(toHex(read.transmissionKey)).toBe(toHex(address.transmissionKey));
	},
);

test("every changed letter is found", () => {
	for (let at = 0; at < deployed.length; at++) {
		const text = `${deployed.slice(0, at)}${deployed[at] === "q" ? "p" : "q"}${deployed.slice(at + 1)}`;
		expect(() => readPaymentAddress(text), text).toThrow();
	}
});

test.each([
	["abc", "Input too short: 3"],
	[`a1${"q".repeat(90)}`, "Input too long: 92"],
	["ztron1 qqqqqqq", "InvalidCharacter( , 6)"],
	["ztron1Qqqqqqqq", "InvalidCharacter(Q, 6)"],
	["qqqqqqqqqq", "Missing human-readable part"],
	["1qqqqqqqqqq", "Missing human-readable part"],
	["zcoin1xyz", "Data part too short: 3"],
	["ztron1qqqqqqbq", "InvalidCharacter(b, 651)"],
	["ztron1qqqqqqqq", "InvalidChecksum:"],
])("what is not Bech32 is refused as the network refuses it: %s", (text, message) => {
	expect(() => readPaymentAddress(text)).toThrow(new Bech32Error(message));
});

test.each(["", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"])(
	"what is not an address is refused: %j",
	(text) => {
		expect(() => readPaymentAddress(text)).toThrow("paymentAddress format is wrong");
	},
);
