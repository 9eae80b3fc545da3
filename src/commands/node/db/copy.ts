import { relative } from "node:path";
import { Flags } from "@oclif/core";
import { copyDirectory, databaseDirectory } from "../../../launch/database-work.js";
import { CoinCommand } from "../../../terminal/base/coin-command.js";
import { directoryFlags } from "../../../terminal/flags/directory-flags.js";
import { progressFlag } from "../../../terminal/flags/flags.js";
import { withProgress } from "../../../terminal/progress/progress.js";
import { endInterrupted, interruption } from "../../../terminal/prompt/interrupt.js";
import { one, record } from "../../../terminal/schema/result-shape.js";

export default class NodeDbCopy extends CoinCommand {
	static override summary = "Copy a data directory";
	static override description =
		"A node can be started on the copy. It appears whole or not at all; the original must not be in use by a node.";
	static override examples = ["<%= config.bin %> node db copy -d /var/lib/coin --to /backup/coin"];
	static override result = one(record({ from: "text", to: "text", entries: "integer" }));
	static override flags = {
		...directoryFlags,
		...progressFlag,
		to: Flags.string({ description: "new data directory", helpValue: "<dir>", required: true }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(NodeDbCopy);
		const from = flags["output-directory"];
		const name = relative(from, databaseDirectory(flags.config, from));
		const interrupted = interruption();
		const entries = await withProgress("copying", this.audience(flags), (progress) =>
			copyDirectory(from, name, flags.to, (count) => {
				progress.update(`copying: ${count.toLocaleString("en")} entries`);
				return !interrupted.aborted;
			}),
		);
		if (entries === undefined) return endInterrupted();
		this.printRecord({ from, to: flags.to, entries });
	}
}
