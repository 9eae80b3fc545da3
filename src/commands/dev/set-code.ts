import { Args } from "@oclif/core";
import { toHex } from "../../protocol/bytes.js";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { flagText } from "../../terminal/contract/contract-input.js";
import { parseHexBytes } from "../../wallet/values/bytes-text.js";

export default class DevSetCode extends DevelopmentCommand {
	static override summary = "Make an account of a development chain a contract with this code";
	static override args = {
		account: Args.string({ description: "address or label", required: true, ignoreStdin: true }),
		code: Args.string({
			description: "0x…, @file of hex, or -; 0x removes it",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevSetCode);
		const code = parseHexBytes(await flagText(args.code, "the code"));
		const account = await this.account(flags, args.account);
		this.printDone(
			await this.change(flags, "dev_setCode", [account, `0x${toHex(code)}`]),
			code.length === 0
				? `${args.account} has no code`
				: `${args.account} is a contract with ${code.length} bytes of code`,
		);
	}
}
