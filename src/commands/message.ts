/** `coin message …`: signed messages. */

import { Args, Flags } from "@oclif/core";
import { checkRecoverable, unlockKey } from "../keystore/keystore.js";
import { toBase58Check } from "../protocol/address.js";
import { equalBytes, toHex } from "../protocol/bytes.js";
import { sign } from "../protocol/signature.js";
import { MessageCommand, messageFlags } from "../terminal/base/message-command.js";
import { yesFlag } from "../terminal/flags/acting-flags.js";
import { passwordFlags } from "../terminal/flags/flags.js";
import { agentSignature } from "../terminal/keys/agent-signature.js";
import { Devices, onDevice } from "../terminal/keys/devices.js";
import { withPassword } from "../terminal/keys/secrets.js";
import { withProgress } from "../terminal/progress/progress.js";
import { agree, present } from "../terminal/prompt/confirmation.js";
import { canAsk } from "../terminal/prompt/controlling-terminal.js";
import type { Settings } from "../wallet/configuration/settings.js";
import { Failure } from "../wallet/failure.js";
import { namesDevice } from "../wallet/signers/device-name.js";
import { messageDigest } from "../wallet/signers/ledger.js";
import { signatureText, signerOf } from "../wallet/transaction/signed-message.js";
import { accountNamed, activeAccount, keyNamed } from "../wallet/transaction/signing.js";

export class MessageSign extends MessageCommand {
	static override summary = "Sign a message with a key of the keystore";
	static override description =
		"A text, bytes as 0x…, @file for the bytes of a file, or - for standard input. A hash that is signed as it is " +
		"(--hash) can be that of a transaction, so it needs agreement.";
	static override examples = ["<%= config.bin %> message sign 'I own this account' --json"];
	static override args = {
		text: Args.string({ description: "the message", ignoreStdin: true }),
	};
	static override flags = {
		...messageFlags,
		...passwordFlags,
		...yesFlag,
		signer: Flags.string({
			description: "key that signs (default: the active wallet's), or ledger[:<index or path>]",
			helpValue: "<wallet>",
		}),
		from: Flags.string({
			description: "account whose own key signs",
			helpValue: "<account>",
			env: "COIN_FROM",
		}),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(MessageSign);
		const settings = await this.settings(flags);
		const { scheme, hash, shown, leftOut, message } = await this.hashed(args.text, flags);
		if (leftOut > 0) {
			const summary = [...shown, "  all of it is signed"];
			await agree(2, summary, flags.yes, `Sign it with the ${leftOut} characters that are not shown?`);
		}
		const device = flags.signer ?? flags.from;
		if (device !== undefined && namesDevice(device)) {
			if (message === undefined)
				throw new Failure("bad_value", "a device signs texts only, by the scheme v2");
			return this.signOnDevice(settings, device, message, { hash, shown });
		}
		const name = flags.signer ?? toBase58Check(await activeAccount(settings));
		const key = await keyNamed(settings, name);
		checkRecoverable(key, "a signed message");
		if (scheme === "hash") {
			const summary = [
				`${key.name} (${key.base58}) signs the hash ${toHex(hash)}`,
				"  whatever has this hash, a transaction too, is then signed",
			];
			await agree(2, summary, flags.yes, "Sign?");
		}
		const byAgent = await agentSignature(key, hash);
		if (byAgent) this.note(`${key.name} signs (unlocked) the hash ${toHex(hash)}`);
		const source = this.passwordSource(flags, settings);
		if (canAsk() && (byAgent || source.file === undefined)) {
			await present([`${key.name} (${key.base58}) signs the message (${scheme}):`, ...shown]);
		}
		const open = (password: string): Promise<Uint8Array> =>
			withProgress("opening the key", this.chatty, async () => {
				const privateKey = await unlockKey(key, password);
				try {
					return sign(hash, privateKey);
				} finally {
					privateKey.fill(0);
				}
			});
		const signature = byAgent ?? (await withPassword(source, key.name, open));
		this.printRecord({
			signature: signatureText(signature),
			address: key.base58,
			hash: toHex(hash),
			scheme,
		});
	}

	private async signOnDevice(
		settings: Settings,
		name: string,
		message: Uint8Array,
		{ hash, shown }: { readonly hash: Uint8Array; readonly shown: readonly string[] },
	): Promise<void> {
		const devices = new Devices();
		try {
			const device = await devices.open(settings, name);
			const lines = [
				`${device.name} (${device.base58}) signs the message (v2); compare on its screen:`,
				...shown,
				`or, by older versions of its app, the beginning and end of ${messageDigest(message)}`,
			];
			if (canAsk()) await present(lines);
			else for (const line of lines) this.note(line);
			const signature = await onDevice(this.chatty, () => device.signMessage(message));
			const address = device.base58;
			this.printRecord({ signature: signatureText(signature), address, hash: toHex(hash), scheme: "v2" });
		} finally {
			await devices.close();
		}
	}
}

export class MessageVerify extends MessageCommand {
	static override summary = "Tell who signed a message, or whether an account did";
	static override description =
		"Without a message, or with -, it is read from standard input. With --address the answer is true or false, and " +
		"false exits with 1.";
	static override usage = "message verify [text] <signature>";
	static override args = {
		text: Args.string({
			description: "the message; alone: the signature",
			required: true,
			ignoreStdin: true,
		}),
		signature: Args.string({ description: "65 bytes as hex", ignoreStdin: true }),
	};
	static override flags = {
		...messageFlags,
		address: Flags.string({ description: "account that should have signed", helpValue: "<account>" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(MessageVerify);
		const [text, signature] =
			args.signature === undefined ? [undefined, args.text] : [args.text, args.signature];
		const { hash } = await this.hashed(text, flags);
		const signer = signerOf(hash, signature);
		if (flags.address === undefined) return this.printScalar(toBase58Check(signer));
		const expected = await accountNamed(await this.settings(flags), flags.address);
		const matches = equalBytes(signer, expected);
		this.printScalar(matches);
		if (!matches) process.exitCode = 1;
	}
}
