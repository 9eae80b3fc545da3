import { existsSync } from "node:fs";
import { databaseDirectory, readStoredChain, sizesOf } from "../../../launch/database-work.js";
import { openOffline } from "../../../launch/offline-chain.js";
import { readFounding } from "../../../node/development/directory.js";
import { toHex } from "../../../protocol/bytes.js";
import { CoinCommand } from "../../../terminal/base/coin-command.js";
import { directoryFlags } from "../../../terminal/flags/directory-flags.js";
import { one, record } from "../../../terminal/schema/result-shape.js";
import { Failure } from "../../../wallet/failure.js";

export default class NodeDbStat extends CoinCommand {
	static override summary = "Show what a data directory holds";
	static override description =
		"The directory must not be in use by a node. Without the configuration of its network it tells what the database " +
		"holds: the chain up to the block of its database; the blocks after it lie in the journal.";
	static override examples = [
		"<%= config.bin %> node db stat -d /var/lib/coin",
		"<%= config.bin %> node db stat -c config.conf -d /var/lib/coin",
	];
	static override result = one(
		record({
			directory: "text",
			genesis: "hex",
			"head?": "int64",
			"headId?": "hex",
			timestamp: "time",
			"stored?": "int64",
			"solid?": "int64",
			databaseBytes: "integer",
			journalBytes: "integer",
			segmentBytes: "integer",
			historyBytes: "integer",
		}),
	);
	static override flags = directoryFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(NodeDbStat);
		const directory = flags["output-directory"];
		const database = databaseDirectory(flags.config, directory);
		const sizes = sizesOf(directory, database);
		if (!existsSync(flags.config) && readFounding(directory) === undefined) {
			if (flags.config !== directoryFlags.config.default)
				throw new Failure("bad_value", `there is no configuration ${flags.config}`);
			const { genesisId, number, timestampMs } = await readStoredChain(directory, database);
			this.note(
				"no configuration: blocks after the one of the database, which lie in the journal, are not read",
			);
			return this.printRecord({
				directory,
				genesis: toHex(genesisId),
				timestamp: timestampMs,
				stored: number,
				...sizes,
			});
		}
		const offline = await openOffline(flags.config, directory, 0);
		const { chain, rules } = offline.open;
		const found = {
			directory,
			genesis: toHex(rules.genesisId),
			head: chain.head.number,
			headId: chain.head.idHex,
			timestamp: chain.head.timestampMs,
			solid: chain.solidifiedNumber,
		};
		await offline.close();
		this.printRecord({ ...found, ...sizes });
	}
}
