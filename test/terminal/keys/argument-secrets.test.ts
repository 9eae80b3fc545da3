import { describe, expect, it } from "vitest";
import { withoutArgumentSecrets } from "../../../src/terminal/keys/argument-secrets.js";
import { Failure, type FailureCode } from "../../../src/wallet/failure.js";

const KEY = "1f".repeat(32);

const message = (code: FailureCode, text: string, command: string, words: string[]): string =>
	withoutArgumentSecrets(new Failure(code, text), command, words).message;

describe("a message about an argument", () => {
	it.each<[FailureCode, string, string]>([
		["usage", "keystore:import:key", `Expected ${KEY} to be one of: -`],
		["usage", "keystore:import:key", `Unexpected argument: ${KEY}`],
		["bad_value", "keystore:import:key", `the label 0x${KEY} is too long`],
		["wallet_not_found", "wallet:send", `no key "${KEY}" in the keystore`],
		["bad_address", "account:show", `"${KEY}" is not an address`],
	])("doesn't repeat a private key (%s of %s)", (code, command, text) => {
		expect(message(code, text, command, [KEY, `0x${KEY}`])).not.toContain(KEY);
	});

	it("doesn't repeat the words of a sentence", () => {
		const words = "test test test test test test test test test test test junk".split(" ");
		const text = `Unexpected arguments: ${words.slice(1).join(", ")}`;
		expect(message("usage", text, "keystore:import:mnemonic", words)).not.toContain("junk");
	});

	it.each<[FailureCode, string]>([
		["not_found", `there is no transaction ${KEY}`],
		["bad_value", `"${KEY}" is not a number of a block`],
	])("names the id of a transaction or block (%s)", (code, text) => {
		expect(message(code, text, "tx:show", [KEY])).toBe(text);
	});
});
