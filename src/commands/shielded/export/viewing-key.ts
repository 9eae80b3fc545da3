import { Flags } from "@oclif/core";
import { findShielded, unlockShielded } from "../../../keystore/shielded-keystore.js";
import { narrowed } from "../../../protocol/sapling/key-set.js";
import { ExportCommand, exportArguments, exportFlags } from "../../../terminal/base/export-command.js";
import { withPassword } from "../../../terminal/keys/secrets.js";
import { withProgress } from "../../../terminal/progress/progress.js";
import { Failure } from "../../../wallet/failure.js";
import { viewingKeyText } from "../../../wallet/shielded/key-text.js";

export default class ShieldedExportViewingKey extends ExportCommand {
	static override summary = "Print or write the viewing key of shielded addresses";
	static override description =
		"Whoever has it sees every amount and memo that comes and goes, and can spend nothing; with --incoming only what comes.";
	static override examples = [
		"<%= config.bin %> shielded export viewing-key ann --yes | ssh shop coin shielded import ann -",
	];
	static override args = exportArguments;
	static override flags = {
		...exportFlags,
		incoming: Flags.boolean({ description: "only what comes: neither what is sent nor what is spent" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ShieldedExportViewingKey);
		const settings = await this.settings(flags);
		const entry = await findShielded(settings.keystoreDirectory, args.wallet);
		if (entry.reach === "incoming" && !flags.incoming)
			throw new Failure("watch_only", `${entry.name} is an incoming viewing key: --incoming exports it`);
		await this.confirmExport(
			`the viewing key of ${entry.name}`,
			flags.yes,
			"Whoever reads it sees the notes.",
		);
		const keys = await withPassword(this.passwordSource(flags, settings), entry.name, (password) =>
			withProgress("opening the key", this.chatty, () => unlockShielded(entry, password)),
		);
		const { ovk: _, ...incoming } = narrowed(keys, "incoming");
		const given = flags.incoming ? incoming : narrowed(keys, "viewing");
		await this.deliver(viewingKeyText(given), "the viewing key", flags.out);
	}
}
