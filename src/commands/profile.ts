/** `coin profile …`: node and defaults used by commands. */

import { Flags } from "@oclif/core";
import { command } from "../terminal/base/command-row.js";
import { editSettings } from "../terminal/base/configuration.js";
import { keystoreFlags, nodeFlags, optional, required } from "../terminal/flags/flags.js";
import { BUILT_IN, PROFILE_KEYS, readConfiguration } from "../wallet/configuration/configuration.js";
import type { ConfigurationEdit } from "../wallet/configuration/configuration-edit.js";
import { type Settings, withoutCredentials } from "../wallet/configuration/settings.js";
import { Failure } from "../wallet/failure.js";
import { formatCoin } from "../wallet/values/amount.js";
import { nearest } from "../wallet/values/suggestion.js";

export const ProfileList = command({
	summary: "List the network profiles",
	examples: ["<%= config.bin %> profile list"],
	run: async ({ settings: load, print }) => {
		const settings = await load();
		const { profiles } = await readConfiguration(settings.configurationFile, "", false);
		const names = [...new Set([...Object.keys(BUILT_IN), ...Object.keys(profiles)])].sort();
		const rows = names.map((name) => ({
			name,
			active: name === settings.profile,
			http: withoutCredentials(profiles[name]?.text["http"] ?? BUILT_IN[name]?.["http"]),
			source: sourceOf(Object.hasOwn(BUILT_IN, name), Object.hasOwn(profiles, name)),
		}));
		const text = rows.map((row) => ({ ...row, active: row.active ? "active" : "" }));
		print.list(rows, ["name", "active", "http", "source"], "no profiles", text);
	},
});

function sourceOf(builtIn: boolean, own: boolean): string {
	if (!own) return "built in";
	return builtIn ? "built in, changed by the configuration" : "configuration";
}

export const ProfileRemove = command({
	summary: "Remove a profile from the configuration",
	description: "A built-in profile loses what the configuration changed.",
	examples: ["<%= config.bin %> profile remove gate"],
	args: {
		name: required("the profile"),
	},
	run: async ({ args, ...terminal }) => {
		const settings = await terminal.settings();
		const { profiles, top } = await readConfiguration(settings.configurationFile, "", false);
		if (!(args.name in profiles)) {
			const why = args.name in BUILT_IN ? "is built in and unchanged" : "doesn't exist";
			throw new Failure("not_found", `the profile "${args.name}" ${why}`);
		}
		if (top["profile"] === args.name && !(args.name in BUILT_IN)) {
			throw new Failure("bad_value", `the profile "${args.name}" is in use`, {
				hint: "coin profile use chooses another one first",
			});
		}
		await editSettings(terminal, [{ path: ["profiles", args.name], value: undefined }]);
		terminal.print.record({ profile: args.name, removed: true });
	},
});

export const ProfileSet = command({
	summary: "Set keys of a profile, making it if it is new",
	description: [
		"key=value sets a key, key= takes it out again. The keys:",
		...Object.entries(PROFILE_KEYS).map(([key, about]) => `  ${key}: ${about}`),
		"  tokens.<SYMBOL>: id or contract of a token",
	].join("\n"),
	examples: [
		"<%= config.bin %> profile set gate http=https://gateway.example solidity=https://gateway.example dialect=deployed",
		"<%= config.bin %> profile set local tokens.GOLD=1000001 confirm=true",
	],
	strict: false,
	args: {
		name: required("the profile"),
		setting: required("key=value, repeatable"),
	},
	run: async ({ args, argv, ...terminal }) => {
		if (!/^[\w-]+$/.test(args.name)) {
			throw new Failure(
				"bad_value",
				`"${args.name}" is not a name for a profile: use letters, digits and dashes`,
			);
		}
		const edits = argv.slice(1).map((word) => editOf(args.name, word));
		await editSettings(terminal, edits, args.name);
		terminal.print.record({ profile: args.name, set: edits.map(({ path }) => path.slice(2).join(".")) });
	},
});

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

export const ProfileShow = command({
	summary: "Show the settings that a profile gives",
	description:
		"Flags and environment count too, as for any command. Headers are named, their values are not shown.",
	examples: ["<%= config.bin %> profile show", "<%= config.bin %> profile show dev --origins"],
	args: {
		name: optional("the profile (default: the one in use)"),
	},
	flags: {
		...nodeFlags,
		...keystoreFlags,
		origins: Flags.boolean({ description: "with where each value is from" }),
	},
	run: async ({ args, flags, settings: load, print }) => {
		const settings = await load({ ...flags, profile: args.name ?? flags.profile });
		const values = valuesOf(settings);
		// Next to feeLimit, it would look like a limit on the command typed.
		const shown = {
			...values,
			maxFeeLimit: `${values["maxFeeLimit"]} at most where feeLimit or --fee-limit is auto`,
		};
		if (!flags.origins) return print.record(values, shown);
		const rows = Object.entries(values)
			.filter(([, value]) => value !== undefined)
			.map(([key, value]) => ({ key, value, origin: settings.origins[key] ?? "built in" }));
		print.list(rows, ["key", "value", "origin"], "no settings");
	},
});

/** By configuration key. */
function valuesOf(
	settings: Settings,
): Record<string, string | number | boolean | readonly string[] | undefined> {
	const { profile, http, solidity, jsonrpc, genesis, dialect, confirm, wallet, passwordFile, explorer } =
		settings;
	const headers = Object.keys(settings.headers);
	const tokens = Object.entries(settings.tokens).map(([symbol, id]) => `${symbol} ${id}`);
	return {
		profile,
		http: withoutCredentials(http),
		solidity: withoutCredentials(solidity),
		jsonrpc: withoutCredentials(jsonrpc),
		grpc: withoutCredentials(settings.grpc),
		grpcSolidity: withoutCredentials(settings.grpcSolidity),
		gateway: withoutCredentials(settings.gateway),
		visible: settings.visible,
		genesis,
		referenceNode: withoutCredentials(settings.referenceNode),
		dialect,
		timeout: `${settings.timeoutMs}ms`,
		confirm,
		confirmOver: formatCoin(settings.confirmOverSun),
		maxFeeLimit: formatCoin(settings.maxFeeLimitSun),
		feeLimit: settings.feeLimit,
		wallet,
		keystoreDir: settings.keystoreDirectory,
		passwordFile,
		explorer: withoutCredentials(explorer),
		headers: headers.length > 0 ? headers : undefined,
		tokens: tokens.length > 0 ? tokens : undefined,
		configuration: settings.configurationFile,
	};
}

export const ProfileUse = command({
	summary: "Choose the profile that commands use",
	examples: ["<%= config.bin %> profile use dev"],
	args: {
		name: required("the profile"),
	},
	run: async ({ args, ...terminal }) => {
		const { http } = await editSettings(terminal, [{ path: ["profile"], value: args.name }], args.name);
		const { COIN_PROFILE } = process.env;
		if (COIN_PROFILE && COIN_PROFILE !== args.name) {
			terminal.warning(`the variable COIN_PROFILE says ${COIN_PROFILE}, and it comes first`);
		}
		terminal.print.record({ profile: args.name, http: withoutCredentials(http) });
	},
});
