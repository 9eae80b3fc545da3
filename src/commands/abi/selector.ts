import { Args } from "@oclif/core";
import { selectorOf } from "../../abi/selector.js";
import { toHex } from "../../protocol/bytes.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { parseSignature } from "../../wallet/abi/signature.js";

export default class AbiSelector extends CoinCommand {
	static override summary = "Print the selector of a function";
	static override examples = ["<%= config.bin %> abi selector 'transfer(address,uint256)'"];
	static override args = {
		signature: Args.string({ description: "the function", required: true, ignoreStdin: true }),
	};

	async run(): Promise<void> {
		const { args } = await this.parse(AbiSelector);
		this.printScalar(`0x${toHex(selectorOf(parseSignature(args.signature)))}`);
	}
}
