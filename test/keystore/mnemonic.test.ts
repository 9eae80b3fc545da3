import { describe, expect, it } from "vitest";
import { accountPath, checkMnemonic, deriveKey, newMnemonic } from "../../src/keystore/mnemonic.js";
import { toHex } from "../../src/protocol/bytes.js";

const JUNK = "test test test test test test test test test test test junk";

describe("a mnemonic sentence", () => {
	it("gives the key that every wallet derives for a path", async () => {
		// The first account of this sentence on Ethereum's path, known from its development tools.
		expect(toHex(await deriveKey(JUNK, "m/44'/60'/0'/0/0"))).toBe(
			"ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
		);
	});

	it("gives another key for each account, and for a passphrase", async () => {
		const keys = await Promise.all([
			deriveKey(JUNK),
			deriveKey(JUNK, accountPath(1)),
			deriveKey(JUNK, accountPath(0), "extension"),
		]);
		expect(new Set(keys.map(toHex)).size).toBe(3);
		expect(toHex(await deriveKey(JUNK, accountPath(0)))).toBe(toHex(keys[0]));
	});

	it.each([12, 15, 18, 21, 24] as const)("is made of %d words with a valid checksum", async (count) => {
		const sentence = await newMnemonic(count);
		expect(sentence.split(" ")).toHaveLength(count);
		expect(await checkMnemonic(`  ${sentence.toUpperCase().replaceAll(" ", "\n")} `)).toBe(sentence);
	});

	it.each([
		["test test", "a mnemonic has 12, 15, 18, 21 or 24 words; this one has 2"],
		[JUNK.replace("junk", "jnuk"), "word 12 of the mnemonic is not in the English list"],
		[JUNK.replace("junk", "test"), "the mnemonic's checksum is wrong"],
	])("is refused without being repeated: %s", async (text, message) => {
		await expect(checkMnemonic(text)).rejects.toThrow(message);
	});

	it.each(["", "44/195", "m/44'/x", "m/99999999999"])("is not derived along %j", async (path) => {
		await expect(deriveKey(JUNK, path)).rejects.toThrow();
	});
});
