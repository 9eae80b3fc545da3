import { Flags } from "@oclif/core";
import { keyWarnings } from "../../launch/configuration-check.js";
import { startFailure } from "../../launch/run-node.js";
import { loadConfig, type NodeConfig, type SettingValue } from "../../node/config/config.js";
import { spell } from "../../protocol/dialect.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { either, lines, list, record } from "../../terminal/schema/result-shape.js";

export default class NodeShowConfig extends CoinCommand {
	static override summary = "Show what a node takes from its configuration";
	static override description =
		"Every key with its value and the line that sets it. Values are those that hold: limits and defaults are applied, " +
		"secrets are masked.";
	static override examples = [
		"<%= config.bin %> node config -c config.conf",
		"<%= config.bin %> node config -c config.conf --show-defaults",
	];
	static override result = lines(
		record({ key: "text", "value?": either("text", "boolean", list("text")), origin: "text" }),
	);
	static override flags = {
		config: Flags.string({
			char: "c",
			description: "configuration of the node",
			helpValue: "<file>",
			default: "config.conf",
		}),
		"show-defaults": Flags.boolean({ description: "show keys that the file doesn't set too" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(NodeShowConfig);
		const config = this.read(flags.config);
		for (const warning of keyWarnings(config)) this.warning(warning);
		const rows = config.settings
			.filter(({ line }) => flags["show-defaults"] || line !== undefined)
			.map(({ path, value, line }) => ({
				key: spell(path, config.node.dialect),
				value: plain(value),
				origin: line === undefined ? "default" : `${config.file}:${line}`,
			}));
		const text = rows.map((row) => ({
			...row,
			value: Array.isArray(row.value) ? row.value.join(", ") : row.value,
		}));
		this.printList(rows, ["key", "value", "origin"], `${config.file} sets nothing`, text);
	}

	private read(file: string): NodeConfig {
		try {
			return loadConfig(file);
		} catch (error) {
			throw startFailure(error);
		}
	}
}

/** Numbers as text: some are longer than what JSON readers keep. */
function plain(value: SettingValue): string | boolean | readonly string[] | undefined {
	return typeof value === "number" || typeof value === "bigint" ? String(value) : value;
}
