import { compactDatabase, databaseDirectory, sizeOf } from "../../../launch/database-work.js";
import { removeStrays } from "../../../launch/segment-work.js";
import { CoinCommand } from "../../../terminal/base/coin-command.js";
import { directoryFlags } from "../../../terminal/flags/directory-flags.js";
import { progressFlag } from "../../../terminal/flags/flags.js";
import { withProgress } from "../../../terminal/progress/progress.js";
import { one, record } from "../../../terminal/schema/result-shape.js";

export default class NodeDbCompact extends CoinCommand {
	static override summary = "Rewrite a database without what was deleted or replaced";
	static override description =
		"Files that a kill left of segments go too. The directory must not be in use by a node.";
	static override examples = ["<%= config.bin %> node db compact -d /var/lib/coin"];
	static override result = one(record({ directory: "text", bytesBefore: "integer", bytesAfter: "integer" }));
	static override flags = { ...directoryFlags, ...progressFlag };

	async run(): Promise<void> {
		const { flags } = await this.parse(NodeDbCompact);
		const directory = databaseDirectory(flags.config, flags["output-directory"]);
		const bytesBefore = sizeOf(directory);
		await withProgress("compacting", this.audience(flags), async () => {
			await compactDatabase(directory);
			await removeStrays(flags["output-directory"], directory);
		});
		this.printRecord({ directory, bytesBefore, bytesAfter: sizeOf(directory) });
	}
}
