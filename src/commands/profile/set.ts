import { Args } from "@oclif/core";
import { ConfigurationCommand } from "../../terminal/base/configuration-command.js";
import { PROFILE_KEYS } from "../../wallet/configuration/configuration.js";
import type { ConfigurationEdit } from "../../wallet/configuration/configuration-edit.js";
import { Failure } from "../../wallet/failure.js";
import { nearest } from "../../wallet/values/suggestion.js";

export default class ProfileSet extends ConfigurationCommand {
	static override summary = "Set keys of a profile, making it if it is new";
	static override description = [
		"key=value sets a key, key= takes it out again. The keys:",
		...Object.entries(PROFILE_KEYS).map(([key, about]) => `  ${key}: ${about}`),
		"  tokens.<SYMBOL>: id or contract of a token",
	].join("\n");
	static override examples = [
		"<%= config.bin %> profile set gate http=https://gateway.example solidity=https://gateway.example dialect=deployed",
		"<%= config.bin %> profile set local tokens.GOLD=1000001 confirm=true",
	];
	static override strict = false;
	static override args = {
		name: Args.string({ description: "the profile", required: true, ignoreStdin: true }),
		setting: Args.string({ description: "key=value, repeatable", required: true, ignoreStdin: true }),
	};

	async run(): Promise<void> {
		const { args, flags, argv } = await this.parse(ProfileSet);
		if (!/^[\w-]+$/.test(args.name)) {
			throw new Failure(
				"bad_value",
				`"${args.name}" is not a name for a profile: use letters, digits and dashes`,
			);
		}
		const edits = (argv as string[]).slice(1).map((word) => editOf(args.name, word));
		await this.edit(flags, edits, args.name);
		this.printRecord({ profile: args.name, set: edits.map(({ path }) => path.slice(2).join(".")) });
	}
}

/** @throws {Failure} `bad_value` */
function editOf(profile: string, word: string): ConfigurationEdit {
	const [, key = "", value = ""] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
	const symbol = /^tokens\.([\w-]+)$/.exec(key)?.[1];
	if (symbol === undefined && !Object.hasOwn(PROFILE_KEYS, key)) {
		if (key === "") throw new Failure("bad_value", `"${word}" sets nothing: write key=value`);
		const [near] = nearest(key, Object.keys(PROFILE_KEYS));
		throw new Failure("bad_value", `a profile has no key "${key}"`, {
			hint: near ? `did you mean ${near}?` : `the keys are ${Object.keys(PROFILE_KEYS).join(", ")}`,
		});
	}
	const path = ["profiles", profile, ...(symbol === undefined ? [key] : ["tokens", symbol])];
	return { path, value: value === "" ? undefined : value };
}
