/** The base of the commands on snapshots: signing one, and whom it has to be signed by. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Flags, type Interfaces } from "@oclif/core";
import { checkRecoverable, unlockKey } from "../../keystore/keystore.js";
import { sign } from "../../protocol/signature.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { messageHash, signatureText } from "../../wallet/transaction/signed-message.js";
import { openableKey } from "../../wallet/transaction/signing.js";
import { keystoreFlags, passwordFlags } from "../flags/flags.js";
import { agentSignature } from "../keys/agent-signature.js";
import { withPassword } from "../keys/secrets.js";
import { withProgress } from "../progress/progress.js";
import { CoinCommand } from "./coin-command.js";

export const signerFlags = {
	...keystoreFlags,
	...passwordFlags,
	signer: Flags.string({
		description: "key of the keystore that signs the manifest",
		helpValue: "<wallet>",
	}),
};

type SignerFlags = Interfaces.InferredFlags<typeof signerFlags>;

export abstract class SnapshotCommand extends CoinCommand {
	/** The user's settings: `--config` names the configuration of the chain in these commands. */
	protected ownSettings(flags: { readonly "keystore-dir"?: string | undefined }): Promise<Settings> {
		return this.settings({ config: process.env["COIN_CONFIG"], "keystore-dir": flags["keystore-dir"] });
	}

	/**
	 * Signs a text, and writes the signature into a file of a snapshot.
	 * @returns the address that signed, in Base58
	 * @throws {Failure | KeystoreError}
	 */
	protected async signText(
		text: Uint8Array,
		path: { readonly directory: string; readonly name: string },
		signer: string,
		flags: SignerFlags,
	): Promise<string> {
		const settings = await this.ownSettings(flags);
		const key = await openableKey(settings, signer);
		checkRecoverable(key, "a signed manifest");
		const hash = messageHash(text);
		const open = (password: string): Promise<Uint8Array> =>
			withProgress("opening the key", this.chatty, async () => {
				const privateKey = await unlockKey(key, password);
				try {
					return sign(hash, privateKey);
				} finally {
					privateKey.fill(0);
				}
			});
		const signature =
			(await agentSignature(key, hash)) ??
			(await withPassword(this.passwordSource(flags, settings), key.name, open));
		await writeFile(join(path.directory, path.name), `${signatureText(signature)}\n`);
		return key.base58;
	}
}
