import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

	it("doesn't repeat anything of a longer key", () => {
		const long = "9e".repeat(1280);
		expect(message("bad_address", `"${long}" is not an address`, "account:show", [long])).not.toContain(
			"9e9e",
		);
	});

	it("doesn't repeat it in the hint or the details either", () => {
		const hint = `coin contact add ${KEY} <address> makes it one`;
		const failure = new Failure("wallet_not_found", KEY, { hint, details: { refused: [{ message: KEY }] } });
		const hidden = withoutArgumentSecrets(failure, "account:balance", [KEY]);
		expect(JSON.stringify([hidden.message, hidden.facts])).not.toContain(KEY);
		expect(hidden.facts.hint).toContain("keystore import");
	});

	it("doesn't repeat a mnemonic that is one argument, or many of another command", () => {
		const words = "test test test test test test test test test test test junk".split(" ");
		const sentence = words.join(" ");
		expect(message("wallet_not_found", `"${sentence}" is not`, "account:show", [sentence])).not.toContain(
			"junk",
		);
		expect(message("usage", `Unexpected arguments: ${words}`, "account:show", words)).not.toContain("junk");
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

	it.each<[FailureCode, string, string[], boolean]>([
		["not_found", `the node doesn't know ${KEY}`, [KEY], true],
		["not_found", `it isn't there: ${KEY}`, ["ann", "--block", KEY], false],
		["not_found", `it isn't there: ${KEY}`, ["ann", `--block=${KEY}`], false],
	])("names what is declared as an id (%s: %s)", (code, text, words, takesIds) => {
		const failure = new Failure(code, text);
		expect(withoutArgumentSecrets(failure, "any:command", words, takesIds).message).toBe(text);
	});

	it("has the bytes of a transaction that waits for an approval, and what to do", () => {
		const raw = "0a02c0de".repeat(40);
		const hint = `coin signer approve ${KEY} gives it; then coin wallet sign --raw ${raw}`;
		const failure = new Failure("approval_pending", `${KEY} awaits the approval`, {
			hint,
			details: { raw_data_hex: raw },
		});
		const shown = withoutArgumentSecrets(failure, "wallet:sign", ["--raw", raw, "--signer", "treasury"]);
		expect(shown.facts).toMatchObject({ hint, details: { raw_data_hex: raw } });
	});

	it("is told by every command whose argument is such an id", () => {
		const silent = readdirSync("src/commands", { recursive: true, encoding: "utf8" })
			.filter((path) => path.endsWith(".ts"))
			.flatMap((path) => readFileSync(join("src/commands", path), "utf8").split(/\nexport const /))
			.filter((row) => {
				const args = /\n\targs: \{[^}]*\}/.exec(row)?.[0] ?? "";
				const isId = /"[^"]*(transaction id|earliest or id|its id \(|id of the (order|transaction))/.test(
					args,
				);
				return isId && !row.includes("takesIds: true");
			})
			.map((row) => row.slice(0, row.indexOf(" ")));
		expect(silent).toEqual([]);
	});
});
