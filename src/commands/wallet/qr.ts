import { Args, Flags, type Interfaces } from "@oclif/core";
import { writePrivateFile } from "../../keystore/private-file.js";
import { toBase58Check } from "../../protocol/address.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags } from "../../terminal/flags/flags.js";
import { readStdin } from "../../terminal/input/stdin.js";
import { printLine, printText } from "../../terminal/output/output.js";
import { Failure } from "../../wallet/failure.js";
import { accountOrActive } from "../../wallet/transaction/signing.js";
import { formatCoin, parseCoinAmount } from "../../wallet/values/amount.js";
import { qrSvg, qrText } from "../../wallet/view/qr-code.js";

export default class WalletQr extends CoinCommand {
	static override summary = "Show an address or a transaction as a QR code";
	static override description =
		"The code of an address holds nothing else, so any wallet can read it. --stdin makes a code of any text up to 2,900 bytes, such as a transaction for a machine without network.";
	static override examples = [
		"<%= config.bin %> wallet qr alice",
		"<%= config.bin %> wallet qr --stdin < signed.json",
		"<%= config.bin %> wallet qr alice --svg alice.svg",
	];
	static override args = {
		account: Args.string({ description: "address or label (default: the active wallet)", ignoreStdin: true }),
	};
	static override flags = {
		...keystoreFlags,
		stdin: Flags.boolean({ description: "encode the text on standard input" }),
		amount: Flags.string({
			description: "shown beside the code for the payer; not part of it",
			helpValue: "<amount>",
			exclusive: ["stdin"],
		}),
		svg: Flags.string({ description: "new file to write the picture to", helpValue: "<path>" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(WalletQr);
		const { text, caption } = flags.stdin
			? await textOfStdin(args.account)
			: await this.address(args.account, flags);
		if (flags.svg !== undefined) {
			await writePrivateFile(flags.svg, await qrSvg(text));
			return this.printRecord({ file: flags.svg, text });
		}
		const code = await qrText(text);
		if (this.json) return this.printRecord({ text });
		printText(code);
		for (const line of caption) printLine(line);
	}

	private async address(
		account: string | undefined,
		flags: Interfaces.InferredFlags<typeof WalletQr.flags>,
	): Promise<{ readonly text: string; readonly caption: readonly string[] }> {
		const text = toBase58Check(await accountOrActive(await this.settings(flags), account));
		const amount = flags.amount === undefined ? [] : [formatCoin(parseCoinAmount(flags.amount))];
		return { text, caption: [text, ...amount] };
	}
}

async function textOfStdin(
	account: string | undefined,
): Promise<{ readonly text: string; readonly caption: readonly string[] }> {
	if (account !== undefined) throw new Failure("conflicting_flags", "give an account or --stdin, not both");
	const text = (await readStdin("the text")).trim();
	if (text === "") throw new Failure("stdin_empty", "stdin was empty: did the command before it fail?");
	return { text, caption: [] };
}
