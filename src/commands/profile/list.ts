import { CoinCommand } from "../../terminal/base/coin-command.js";
import { BUILT_IN, readConfiguration } from "../../wallet/configuration/configuration.js";
import { shownAddress } from "../../wallet/values/shown-address.js";

export default class ProfileList extends CoinCommand {
	static override summary = "List the network profiles";
	static override examples = ["<%= config.bin %> profile list"];

	async run(): Promise<void> {
		const { flags } = await this.parse(ProfileList);
		const settings = await this.settings(flags);
		const { profiles } = await readConfiguration(settings.configurationFile, "", false);
		const names = [...new Set([...Object.keys(BUILT_IN), ...Object.keys(profiles)])].sort();
		const rows = names.map((name) => ({
			name,
			active: name === settings.profile,
			http: shownAddress(profiles[name]?.text["http"] ?? BUILT_IN[name]?.["http"]),
			source: sourceOf(name in BUILT_IN, name in profiles),
		}));
		const text = rows.map((row) => ({ ...row, active: row.active ? "active" : "" }));
		this.printList(rows, ["name", "active", "http", "source"], "no profiles", text);
	}
}

function sourceOf(builtIn: boolean, own: boolean): string {
	if (!own) return "built in";
	return builtIn ? "built in, changed by the configuration" : "configuration";
}
