import { randomBytes } from "node:crypto";
import { Flags } from "@oclif/core";
import { addKey } from "../../keystore/keystore.js";
import { checkPrivateKey, parsePrivateKey } from "../../keystore/secret-storage.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { passwordFlags } from "../../terminal/flags/flags.js";
import { newPassword, readSecretFile } from "../../terminal/keys/secrets.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { one, record } from "../../terminal/schema/result-shape.js";

export default class NodeKey extends CoinCommand {
	static override summary = "Make a block producer's key file";
	static override description =
		"The file goes into the directory Wallet and is named by localwitnesskeystore in the node's configuration.";
	static override examples = [
		"<%= config.bin %> node key --password-file pw",
		"<%= config.bin %> node key --key-file key.txt --directory keys --password-file pw",
	];
	static override result = one(record({ address: "address", file: "text", setting: "text" }));
	static override flags = {
		...passwordFlags,
		directory: Flags.string({ description: "where the file goes", helpValue: "<dir>", default: "Wallet" }),
		"key-file": Flags.string({
			description: "take the private key in this file (64 hex digits, - for standard input), make no new one",
			helpValue: "<path>",
		}),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(NodeKey);
		const key = await this.key(flags["key-file"]);
		const source = {
			file: flags["password-file"],
			warn: (message: string): void => this.warning(message),
		};
		const password = await newPassword(source, "the producer's key");
		const entry = await withProgress("encrypting the key", this.chatty, () =>
			addKey(flags.directory, key, password),
		);
		key.fill(0);
		const setting = `localwitnesskeystore = [${JSON.stringify(entry.file)}]`;
		this.printRecord({ address: entry.base58, file: entry.file, setting });
	}

	private async key(file: string | undefined): Promise<Uint8Array> {
		if (file === undefined) return checkPrivateKey(randomBytes(32));
		const text = await readSecretFile(file, "the producer's key", (message) => this.warning(message));
		return parsePrivateKey(text.trim());
	}
}
