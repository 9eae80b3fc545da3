import { Args, Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { MessageCommand, messageFlags } from "../../terminal/base/message-command.js";
import { signerOf } from "../../wallet/transaction/signed-message.js";
import { accountNamed } from "../../wallet/transaction/signing.js";

export default class MessageVerify extends MessageCommand {
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
