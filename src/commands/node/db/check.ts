import { databaseDirectory } from "../../../launch/database-work.js";
import { checkSegments } from "../../../launch/segment-work.js";
import { CoinCommand } from "../../../terminal/base/coin-command.js";
import { directoryFlags } from "../../../terminal/flags/directory-flags.js";
import { progressFlag } from "../../../terminal/flags/flags.js";
import { withProgress } from "../../../terminal/progress/progress.js";
import { endInterrupted, takeOverSignals } from "../../../terminal/prompt/interrupt.js";
import { one, record } from "../../../terminal/schema/result-shape.js";

export default class NodeDbCheck extends CoinCommand {
	static override summary = "Check every group of every segment of old blocks";
	static override description =
		"Each is compared with its checksum and unpacked; each block has the id that the segment says, and follows the one " +
		"before. The directory must not be in use by a node.";
	static override examples = ["<%= config.bin %> node db check -d /var/lib/coin"];
	static override result = one(record({ segments: "integer", blocks: "integer", bytes: "integer" }));
	static override flags = { ...directoryFlags, ...progressFlag };

	async run(): Promise<void> {
		const { flags } = await this.parse(NodeDbCheck);
		const directory = flags["output-directory"];
		let interrupted = false;
		takeOverSignals(() => {
			interrupted = true;
		});
		const checked = await withProgress("checking", this.audience(flags), (progress) =>
			checkSegments(directory, databaseDirectory(flags.config, directory), (blocks, of) => {
				progress.update(`checking: ${blocks.toLocaleString("en")} of ${of.toLocaleString("en")} blocks`);
				return !interrupted;
			}),
		);
		if (!checked) return endInterrupted();
		this.printRecord(checked);
	}
}
