import { Args, Flags } from "@oclif/core";
import { addKeyFile, changePassword, checkNewKeyFile, checkNewLabel } from "../../../keystore/keystore.js";
import { CoinCommand } from "../../../terminal/base/coin-command.js";
import { keystoreFlags, passwordFlags } from "../../../terminal/flags/flags.js";
import { newPassword, withPassword } from "../../../terminal/keys/secrets.js";
import { withProgress } from "../../../terminal/progress/progress.js";

export default class KeystoreImportFile extends CoinCommand {
	static override summary = "Store a key file of another wallet";
	static override description =
		"Any version 3 key file: of the network's node and wallets, and of Ethereum's programs. It is opened once to check the password and the address.";
	static override examples = [
		"<%= config.bin %> keystore import file UTC--2026-11-21T09-30-00.000Z--7e5f4552091a69125d5dfcb7b8c2659029395bdf geth",
	];
	static override args = {
		path: Args.string({ description: "the key file", required: true, ignoreStdin: true }),
		name: Args.string({ description: "label of the key", ignoreStdin: true }),
	};
	static override flags = {
		...keystoreFlags,
		...passwordFlags,
		"new-password-file": Flags.string({
			description: "file with another password for the stored copy",
			helpValue: "<path>",
			exclusive: ["keep-password"],
		}),
		"keep-password": Flags.boolean({ description: "keep the file's password (default)" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(KeystoreImportFile);
		const settings = await this.settings(flags);
		const source = this.passwordSource(flags, settings);
		await checkNewLabel(settings.keystoreDirectory, args.name);
		await checkNewKeyFile(settings.keystoreDirectory, args.path, args.name);
		const changed = flags["new-password-file"];
		const replacement =
			changed === undefined ? undefined : await newPassword({ ...source, file: changed }, "the stored copy");
		const entry = await withPassword(source, args.path, (password) =>
			withProgress("opening the key file", this.chatty, async () => {
				const stored = await addKeyFile(settings.keystoreDirectory, args.path, password, args.name);
				if (replacement !== undefined) await changePassword(stored, password, replacement);
				return stored;
			}),
		);
		this.printRecord({ name: entry.name, address: entry.base58, kind: entry.kind, file: entry.file });
	}
}
