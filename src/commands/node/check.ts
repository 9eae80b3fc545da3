import { existsSync } from "node:fs";
import { Flags } from "@oclif/core";
import { checkConfiguration } from "../../launch/configuration-check.js";
import { DEFAULT_CONFIG } from "../../launch/network-options.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { lines, record } from "../../terminal/schema/result-shape.js";

export default class NodeCheck extends CoinCommand {
	static override summary = "Check a node's configuration without starting it";
	static override description =
		"Tells of unknown keys, wrong values, ports in use and a data directory that belongs to another chain. The exit " +
		"code is 1 if node start would fail.";
	static override examples = ["<%= config.bin %> node check -c config.conf -d /var/lib/coin"];
	static override result = lines(record({ level: "text", place: "text", message: "text" }));
	static override flags = {
		config: Flags.string({
			char: "c",
			description: `configuration of the node (default ./${DEFAULT_CONFIG})`,
			helpValue: "<file>",
		}),
		"output-directory": Flags.string({
			char: "d",
			description: "data directory",
			helpValue: "<dir>",
			default: "output-directory",
		}),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(NodeCheck);
		if (flags.config === undefined && !existsSync(DEFAULT_CONFIG)) {
			return this.note(`there is no ./${DEFAULT_CONFIG}: node start starts a development chain`);
		}
		const file = flags.config ?? DEFAULT_CONFIG;
		const findings = await checkConfiguration(file, flags["output-directory"]);
		this.printList(findings, ["level", "place", "message"], `${file}: no problems found`);
		if (findings.some(({ level }) => level === "error")) process.exitCode = 1;
	}
}
