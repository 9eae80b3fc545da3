import { Args, Flags } from "@oclif/core";
import { decodeValues } from "../../abi/coder.js";
import { hashedSignature } from "../../abi/parameter.js";
import { selectorOf } from "../../abi/selector.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { AbiCommand } from "../../terminal/base/abi-command.js";
import { abiFlag, interfaceFlag } from "../../terminal/contract/contract-input.js";
import { itemBySelector } from "../../wallet/abi/interface.js";
import { parseSignature } from "../../wallet/abi/signature.js";
import { Failure } from "../../wallet/failure.js";

export default class AbiCalldataDecode extends AbiCommand {
	static override summary = "Decode a call: which function, and its arguments by name";
	static override examples = [
		"<%= config.bin %> abi calldata-decode --signature 'transfer(address to,uint256 value)' 0xa9059cbb0000000000000000000000007e5f4552091a69125d5dfcb7b8c2659029395bdf0000000000000000000000000000000000000000000000000000000000000005",
		"<%= config.bin %> abi calldata-decode --abi @Token.abi < call.hex",
	];
	static override args = {
		data: Args.string({ description: "call data: 0x…, - or none for standard input", ignoreStdin: true }),
	};
	static override flags = {
		...abiFlag,
		signature: Flags.string({ description: "the function", exclusive: ["abi"] }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AbiCalldataDecode);
		const items =
			flags.signature === undefined ? await interfaceFlag(flags.abi) : [parseSignature(flags.signature)];
		if (!items)
			throw new Failure("usage", "which functions are there? name one with --signature, or give --abi");
		const data = await this.bytesArgument(args.data, "call data");
		const selector = data.subarray(0, 4);
		const item = itemBySelector(items, selector, "function");
		if (!item || !equalBytes(selector, selectorOf(item))) {
			throw new Failure("bad_value", `no function there has the selector 0x${toHex(selector)}`);
		}
		this.printDecoded(item, hashedSignature(item), await decodeValues(item.inputs, data.subarray(4)));
	}
}
