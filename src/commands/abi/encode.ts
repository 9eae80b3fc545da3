import { Args, Flags } from "@oclif/core";
import { encodeCall, encodeValues } from "../../abi/coder.js";
import { toHex } from "../../protocol/bytes.js";
import { AbiCommand } from "../../terminal/base/abi-command.js";
import { abiFlag, interfaceFlag } from "../../terminal/contract/contract-input.js";
import { keystoreFlags } from "../../terminal/flags/flags.js";
import { readArguments } from "../../wallet/abi/argument.js";
import { findItem } from "../../wallet/abi/interface.js";
import { accountNamed } from "../../wallet/transaction/signing.js";

export default class AbiEncode extends AbiCommand {
	static override summary = "Encode the call of a function, or bare values";
	static override description =
		"A signature with a name gives call data, selector first; a list of types, such as (uint256,address), the values " +
		"alone. Arguments follow in order, or all of them as name=value.";
	static override usage = "abi encode <signature> [<argument>...]";
	static override examples = [
		"<%= config.bin %> abi encode 'transfer(address,uint256)' TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC 5",
		"<%= config.bin %> abi encode '(uint256[],string)' '[1,2]' hello",
	];
	static override strict = false;
	static override args = {
		signature: Args.string({ description: "function or list of types", required: true, ignoreStdin: true }),
	};
	static override flags = {
		...keystoreFlags,
		...abiFlag,
		"no-selector": Flags.boolean({ description: "the arguments alone" }),
	};

	async run(): Promise<void> {
		const { args, argv, flags } = await this.parse(AbiEncode);
		const settings = await this.settings(flags);
		const item = findItem((await interfaceFlag(flags.abi)) ?? [], args.signature, "function");
		const texts = (argv as string[]).slice(1);
		const values = await readArguments(item.inputs, texts, (text) => accountNamed(settings, text));
		const bare = item.name === "" || flags["no-selector"];
		const bytes = bare ? await encodeValues(item.inputs, values) : await encodeCall(item, values);
		this.printScalar(`0x${toHex(bytes)}`);
	}
}
