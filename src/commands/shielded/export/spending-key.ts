import { findShielded, unlockShielded } from "../../../keystore/shielded-keystore.js";
import { toHex } from "../../../protocol/bytes.js";
import { ExportCommand, exportArguments, exportFlags } from "../../../terminal/base/export-command.js";
import { withPassword } from "../../../terminal/keys/secrets.js";
import { withProgress } from "../../../terminal/progress/progress.js";
import { Failure } from "../../../wallet/failure.js";

export default class ShieldedExportSpendingKey extends ExportCommand {
	static override summary = "Print or write the spending key of shielded addresses";
	static override examples = ["<%= config.bin %> shielded export spending-key ann --yes --out ann.key"];
	static override args = exportArguments;
	static override flags = exportFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ShieldedExportSpendingKey);
		const settings = await this.settings(flags);
		const entry = await findShielded(settings.keystoreDirectory, args.wallet);
		if (entry.reach !== "spending")
			throw new Failure("watch_only", `${entry.name} is a viewing key: its spending key isn't here`);
		await this.confirmExport(`the spending key of ${entry.name}`, flags.yes);
		const { spending } = await withPassword(this.passwordSource(flags, settings), entry.name, (password) =>
			withProgress("opening the key", this.chatty, () => unlockShielded(entry, password)),
		);
		if (!spending) throw new Failure("watch_only", `${entry.name} is a viewing key`);
		await this.deliver(toHex(spending.sk), "the spending key", flags.out);
	}
}
