import { readFile, stat } from "node:fs/promises";
import { type KeyFile, parseKeyFile } from "../../keystore/key-file.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags } from "../../terminal/flags/flags.js";
import { entryRecord, walletArgument } from "../../terminal/flags/wallet-argument.js";
import { keyNamed } from "../../wallet/transaction/signing.js";

export default class KeystoreShow extends CoinCommand {
	static override summary = "Show what is known about a key without opening it";
	static override examples = ["<%= config.bin %> keystore show ann"];
	static override args = walletArgument;
	static override flags = keystoreFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(KeystoreShow);
		const entry = await keyNamed(await this.settings(flags), args.wallet);
		const { mode } = await stat(entry.file);
		const encryption =
			entry.kind === "watch"
				? {}
				: encryptionOf(parseKeyFile(await readFile(entry.file, "utf8"), entry.file));
		this.printRecord({
			...entryRecord(entry),
			...encryption,
			mode: (mode & 0o777).toString(8).padStart(4, "0"),
		});
	}
}

function encryptionOf({ derivation }: KeyFile): object {
	if (derivation.kdf === "pbkdf2") return { kdf: "pbkdf2", strength: `${derivation.c} rounds` };
	const { n, r, p } = derivation;
	return { kdf: "scrypt", strength: strengthOf(n), n, r, p };
}

/** What the cost means: the two levels that wallets write, and everything between. */
function strengthOf(n: number): string {
	if (n >= 262144) return "standard";
	return n > 4096 ? "between light and standard" : "light";
}
