import { describe, expect, it } from "vitest";
import {
	completionScript,
	completionSteps,
	isPlainWord,
	namedByArguments,
	valuesOfFlags,
} from "../../../src/terminal/command-line/completion.js";

describe("names in completion", () => {
	it.each([
		["wallet use", ["wallet"], "keys"],
		["keystore unlock", ["name"], "keys"],
		["account show", ["account"], "accounts"],
		["wallet send", ["to", "amount"], "accounts"],
		["contact remove", ["label"], "accounts"],
		["profile use", ["name"], "profiles"],
		["keystore new", ["name"], undefined],
		["keystore import watch", ["address", "name"], undefined],
		["network probe", ["address"], undefined],
		["tx show", ["id"], undefined],
		["shielded rename", ["key", "name"], "shielded"],
		["shielded export viewing-key", ["wallet"], "shielded"],
		["shielded send", ["to", "amount"], "payees"],
		["shielded new", ["name"], undefined],
		["shielded import", ["name", "key"], undefined],
	] as const)("%s takes %j", (command, words, kind) => {
		expect(namedByArguments(command, words)).toBe(kind);
	});

	it.each(["$(id)", "`id`", "a b", "a;b", "-x", "a'b", 'a"b', "a\\b", "*", ""])(
		"never gives %j to a shell",
		(name) => {
			expect(isPlainWord(name)).toBe(false);
		},
	);

	it("gives ordinary labels", () => {
		expect(["ann", "dev-2", "shop.eu", "ünal", "_x"].every(isPlainWord)).toBe(true);
	});

	it("offer words for values from the flag's options, its alternatives in help, or the kind of value", () => {
		const option = { type: "option" };
		const flags = {
			for: { ...option, helpValue: "bandwidth|energy" },
			format: { ...option, options: ["csv"] },
			block: { ...option, helpValue: "<block>" },
			words: { ...option, helpValue: "$(id)|x", options: ["12", "$(id)", "-"] },
			memo: { ...option, helpValue: "<text>" },
			json: { type: "boolean" },
		};
		const values = valuesOfFlags(flags);
		expect(values).toEqual({
			"--for": ["bandwidth", "energy"],
			"--format": ["csv"],
			"--block": ["earliest", "head", "solid"],
			"--words": ["12"],
		});
		const steps = completionSteps([{ name: "stake max", flags: ["--for"], values }]);
		for (const shell of ["bash", "zsh"] as const)
			expect(completionScript(shell, steps)).toMatch(
				/"stake max --for"\) kind="" words_?="bandwidth energy" ;;/,
			);
		expect(completionScript("fish", steps)).toContain(
			"case 'stake max --for'\n\t\t\tset kind ''\n\t\t\tset found bandwidth energy",
		);
		expect(completionScript("powershell", steps)).toContain("'stake max --for' = 'bandwidth energy'");
	});

	it("stand in each POSIX shell's script where they belong", () => {
		const steps = completionSteps([
			{ name: "wallet use", flags: ["--json"], names: "keys" },
			{ name: "tx show", flags: [], names: undefined },
		]);
		expect(completionScript("bash", steps)).toContain('"wallet use") words="--json"; kind=keys ;;');
		expect(completionScript("zsh", steps)).toContain('"wallet use") words_="--json"; kind=keys ;;');
		const fish = completionScript("fish", steps);
		expect(fish).toContain("case 'wallet use'\n\t\t\tset found --json\n\t\t\tset kind keys");
		expect(fish).toContain("case --signer\n\t\t\tset kind keys");
		expect(fish.match(/^\s*(function|if|for|switch)\b/gm)?.length).toBe(fish.match(/^\s*end$/gm)?.length);
	});
});
