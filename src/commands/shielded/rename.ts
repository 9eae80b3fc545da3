import { Args } from "@oclif/core";
import { findShielded, renameShielded } from "../../keystore/shielded-keystore.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags } from "../../terminal/flags/flags.js";
import { one } from "../../terminal/schema/result-shape.js";
import { shieldedKeyShape, shieldedRecord } from "../../terminal/shielded/shielded-output.js";

export default class ShieldedRename extends CoinCommand {
	static override summary = "Give a key of shielded addresses another label";
	static override examples = ["<%= config.bin %> shielded rename ann savings"];
	static override result = one(shieldedKeyShape);
	static override args = {
		key: Args.string({ description: "label or address", required: true, ignoreStdin: true }),
		name: Args.string({ description: "the new label", required: true, ignoreStdin: true }),
	};
	static override flags = keystoreFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ShieldedRename);
		const settings = await this.settings(flags);
		const { keystoreDirectory } = settings;
		const entry = await findShielded(keystoreDirectory, args.key);
		this.printRecord(
			shieldedRecord(await renameShielded(keystoreDirectory, entry, args.name), settings.dialect),
		);
	}
}
