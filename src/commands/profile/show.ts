import { Args, Flags } from "@oclif/core";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags, nodeFlags } from "../../terminal/flags/flags.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { shownAddress } from "../../wallet/values/shown-address.js";

export default class ProfileShow extends CoinCommand {
	static override summary = "Show the settings that a profile gives";
	static override description =
		"Flags and environment count too, as for any command. Headers are named, their values are not shown.";
	static override examples = [
		"<%= config.bin %> profile show",
		"<%= config.bin %> profile show dev --origins",
	];
	static override args = {
		name: Args.string({ description: "the profile (default: the one in use)", ignoreStdin: true }),
	};
	static override flags = {
		...nodeFlags,
		...keystoreFlags,
		origins: Flags.boolean({ description: "with where each value is from" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ProfileShow);
		const settings = await this.settings({ ...flags, profile: args.name ?? flags.profile });
		const values = valuesOf(settings);
		if (!flags.origins) return this.printRecord(values);
		const rows = Object.entries(values)
			.filter(([, value]) => value !== undefined)
			.map(([key, value]) => ({ key, value, origin: settings.origins[key] ?? "built in" }));
		this.printList(rows, ["key", "value", "origin"], "no settings");
	}
}

/** By the keys of the configuration. */
function valuesOf(
	settings: Settings,
): Record<string, string | number | boolean | readonly string[] | undefined> {
	const { profile, http, solidity, jsonrpc, genesis, dialect, confirm, wallet, passwordFile, explorer } =
		settings;
	const headers = Object.keys(settings.headers);
	const tokens = Object.entries(settings.tokens).map(([symbol, id]) => `${symbol} ${id}`);
	return {
		profile,
		http: shownAddress(http),
		solidity: shownAddress(solidity),
		jsonrpc: shownAddress(jsonrpc),
		grpc: shownAddress(settings.grpc),
		grpcSolidity: shownAddress(settings.grpcSolidity),
		gateway: shownAddress(settings.gateway),
		visible: settings.visible,
		genesis,
		referenceNode: shownAddress(settings.referenceNode),
		dialect,
		timeout: `${settings.timeoutMs}ms`,
		confirm,
		confirmOver: formatCoin(settings.confirmOverSun),
		maxFeeLimit: formatCoin(settings.maxFeeLimitSun),
		feeLimit: settings.feeLimit,
		wallet,
		keystoreDir: settings.keystoreDirectory,
		passwordFile,
		explorer: shownAddress(explorer),
		headers: headers.length > 0 ? headers : undefined,
		tokens: tokens.length > 0 ? tokens : undefined,
		configuration: settings.configurationFile,
	};
}
