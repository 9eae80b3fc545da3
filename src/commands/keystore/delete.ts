import { Flags } from "@oclif/core";
import { deleteEntry } from "../../keystore/editing.js";
import type { KeystoreEntry } from "../../keystore/keystore.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags } from "../../terminal/flags/flags.js";
import { walletArgument } from "../../terminal/flags/wallet-argument.js";
import { canAsk } from "../../terminal/prompt/controlling-terminal.js";
import { askText } from "../../terminal/prompt/prompts.js";
import { Failure } from "../../wallet/failure.js";
import { keyNamed } from "../../wallet/transaction/signing.js";

/** Letters of the address that are typed to agree. */
const TYPED = 6;

export default class KeystoreDelete extends CoinCommand {
	static override summary = "Take a key out of the keystore";
	static override description =
		"The file moves to .deleted/ inside the keystore, with the mnemonic that is kept under its address; --purge removes both for good. On a terminal the last six characters of the address are asked for.";
	static override examples = ["<%= config.bin %> keystore delete bob --yes"];
	static override args = walletArgument;
	static override flags = {
		...keystoreFlags,
		purge: Flags.boolean({ description: "remove the file instead of moving it away" }),
		yes: Flags.boolean({ char: "y", description: "don't ask" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(KeystoreDelete);
		const settings = await this.settings(flags);
		const entry = await keyNamed(settings, args.wallet);
		if (!flags.yes) await confirmDeletion(entry, flags.purge);
		const files = await deleteEntry(settings.keystoreDirectory, entry, flags.purge);
		this.printRecord({ name: entry.name, address: entry.base58, deleted: true, movedTo: files });
	}
}

/** @throws {Failure} `confirmation_needed`, `confirmation_refused` */
async function confirmDeletion({ name, base58 }: KeystoreEntry, purge: boolean): Promise<void> {
	if (!canAsk())
		throw new Failure("confirmation_needed", "deleting a key needs --yes without a terminal to ask on");
	const how = purge ? "for good" : "(its file is kept in .deleted)";
	const typed = await askText(`Type the last ${TYPED} characters of ${base58} to delete ${name} ${how}:`);
	if (typed.trim() !== base58.slice(-TYPED)) {
		throw new Failure("confirmation_refused", "those are other characters; nothing was deleted");
	}
}
