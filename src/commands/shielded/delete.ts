import { Args, Flags } from "@oclif/core";
import { deleteShielded, findShielded } from "../../keystore/shielded-keystore.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags } from "../../terminal/flags/flags.js";
import { agree } from "../../terminal/prompt/confirmation.js";
import { one } from "../../terminal/schema/result-shape.js";
import { shieldedKeyShape, shieldedRecord } from "../../terminal/shielded/shielded-output.js";

export default class ShieldedDelete extends CoinCommand {
	static override summary = "Remove a key of shielded addresses for good";
	static override description =
		"Without another copy of a spending key its notes are lost: coin shielded export spending-key makes one.";
	static override result = one(shieldedKeyShape);
	static override args = {
		key: Args.string({ description: "label or address", required: true, ignoreStdin: true }),
	};
	static override flags = {
		...keystoreFlags,
		yes: Flags.boolean({ char: "y", description: "don't ask" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ShieldedDelete);
		const settings = await this.settings(flags);
		const entry = await findShielded(settings.keystoreDirectory, args.key);
		const record = shieldedRecord(entry, settings.dialect);
		await agree(2, [`the ${entry.reach} key ${entry.name} is removed`], flags.yes, "Remove it for good?");
		await deleteShielded(entry);
		this.printRecord(record);
	}
}
