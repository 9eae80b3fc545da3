import { Flags } from "@oclif/core";
import { listKeystore } from "../../keystore/keystore.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags } from "../../terminal/flags/flags.js";
import { printLine } from "../../terminal/output/output.js";

export default class KeystoreList extends CoinCommand {
	static override summary = "List the keys of the keystore";
	static override aliases = ["wallet:list"];
	static override flags = {
		...keystoreFlags,
		kind: Flags.option({
			options: ["key", "mnemonic", "watch"] as const,
			description: "only keys of this kind",
		})(),
		addresses: Flags.boolean({ description: "print bare addresses, one a line" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(KeystoreList);
		const settings = await this.settings(flags);
		const { entries, unusable } = await listKeystore(settings.keystoreDirectory);
		for (const { file, reason } of unusable) this.warning(`${file} is left out: ${reason}`);
		const shown = entries.filter((entry) => flags.kind === undefined || entry.kind === flags.kind);
		if (flags.addresses) {
			for (const entry of shown) printLine(entry.base58);
			return;
		}
		const records = shown.map(({ name, base58, kind, path, file }) => ({
			name,
			address: base58,
			kind,
			path,
			file,
			active: settings.wallet === name || settings.wallet === base58 || entries.length === 1,
		}));
		const text = records.map((record) => ({ ...record, active: record.active ? "active" : "" }));
		const columns = ["name", "address", "kind", "path", "active"];
		this.printList(records, columns, `no keys in ${settings.keystoreDirectory}`, text);
	}
}
