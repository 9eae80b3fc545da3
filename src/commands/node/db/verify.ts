import { databaseDirectory, readAllEntries, verifyBlocks } from "../../../launch/database-work.js";
import { openOffline } from "../../../launch/offline-chain.js";
import { CoinCommand } from "../../../terminal/base/coin-command.js";
import { directoryFlags } from "../../../terminal/flags/directory-flags.js";
import { one, record } from "../../../terminal/schema/result-shape.js";

export default class NodeDbVerify extends CoinCommand {
	static override summary = "Check that a data directory is whole";
	static override description =
		"Reads every entry of the database, takes up the block log as a start does, and walks all blocks: each must be " +
		"there, follow the one before, and hold the transactions of its header. The directory must not be in use.";
	static override examples = ["<%= config.bin %> node db verify -c config.conf -d /var/lib/coin"];
	static override result = one(
		record({
			entries: "integer",
			bytes: "integer",
			blocks: "integer",
			transactions: "integer",
			head: "int64",
		}),
	);
	static override flags = directoryFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(NodeDbVerify);
		const directory = flags["output-directory"];
		const read = await readAllEntries(databaseDirectory(flags.config, directory));
		const offline = await openOffline(flags.config, directory, 0);
		let [blocks, transactions] = [0, 0];
		try {
			verifyBlocks(offline, (_number, _head, count) => {
				blocks++;
				transactions += count;
				return true;
			});
			this.printRecord({ ...read, blocks, transactions, head: offline.open.chain.head.number });
		} finally {
			await offline.close();
		}
	}
}
