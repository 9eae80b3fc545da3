import { listShielded } from "../../keystore/shielded-keystore.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags } from "../../terminal/flags/flags.js";
import { lines } from "../../terminal/schema/result-shape.js";
import { shieldedKeyShape, shieldedRecord } from "../../terminal/shielded/shielded-output.js";

export default class ShieldedList extends CoinCommand {
	static override summary = "List the keys of shielded addresses";
	static override result = lines(shieldedKeyShape);
	static override flags = keystoreFlags;

	async run(): Promise<void> {
		const { flags } = await this.parse(ShieldedList);
		const settings = await this.settings(flags);
		const { entries, unusable } = await listShielded(settings.keystoreDirectory);
		for (const { file, reason } of unusable) this.warning(`${file} is left out: ${reason}`);
		const records = entries.map((entry) => shieldedRecord(entry, settings.dialect));
		this.printList(records, ["name", "kind", "address"], "no keys of shielded addresses: coin shielded new");
	}
}
