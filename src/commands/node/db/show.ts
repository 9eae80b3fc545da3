import { databaseDirectory } from "../../../launch/database-work.js";
import { listSegments } from "../../../launch/segment-work.js";
import { CoinCommand } from "../../../terminal/base/coin-command.js";
import { directoryFlags } from "../../../terminal/flags/directory-flags.js";
import { lines, record } from "../../../terminal/schema/result-shape.js";

export default class NodeDbShow extends CoinCommand {
	static override summary = "List the segments of old blocks";
	static override description =
		"The directory must not be in use by a node. What is not moved yet is in the database too; a running node goes on with it.";
	static override examples = ["<%= config.bin %> node db show -d /var/lib/coin"];
	static override result = lines(
		record({ first: "int64", last: "int64", blocks: "integer", bytes: "integer", moved: "boolean" }),
	);
	static override flags = directoryFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(NodeDbShow);
		const directory = flags["output-directory"];
		const segments = await listSegments(directory, databaseDirectory(flags.config, directory));
		const rows = segments.map(({ first, last, bytes, isMoved }) => ({
			first,
			last,
			blocks: Number(last - first) + 1,
			bytes,
			moved: isMoved,
		}));
		this.printList(
			rows,
			["first", "last", "blocks", "bytes", "moved"],
			"no segments: every block that is kept is in the database, or where it was adopted in place",
		);
	}
}
