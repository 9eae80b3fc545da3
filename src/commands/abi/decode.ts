import { Args, Flags } from "@oclif/core";
import { decodeValues } from "../../abi/coder.js";
import { selectorOf } from "../../abi/selector.js";
import { equalBytes } from "../../protocol/bytes.js";
import { AbiCommand } from "../../terminal/base/abi-command.js";
import { parseSignature } from "../../wallet/abi/signature.js";
import { Failure } from "../../wallet/failure.js";

export default class AbiDecode extends AbiCommand {
	static override summary = "Decode the arguments of a call, or with --output what it returned";
	static override examples = [
		"<%= config.bin %> abi decode '(uint256,address)' 0x00000000000000000000000000000000000000000000000000000000000000070000000000000000000000007e5f4552091a69125d5dfcb7b8c2659029395bdf",
		"<%= config.bin %> abi decode --output 'get() returns (uint256)' 0x0000000000000000000000000000000000000000000000000000000000000007",
	];
	static override args = {
		signature: Args.string({ description: "function or list of types", required: true, ignoreStdin: true }),
		data: Args.string({ description: "0x…, - or none for standard input", ignoreStdin: true }),
	};
	static override flags = {
		output: Flags.boolean({ description: "the data is what the function returned" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AbiDecode);
		const item = parseSignature(args.signature);
		const data = await this.bytesArgument(args.data, "data");
		if (flags.output) {
			if (!item.outputs) throw new Failure("usage", "the signature names no results: add returns (…)");
			return this.printValues(await decodeValues(item.outputs, data));
		}
		const isCall = item.name !== "" && data.length % 32 === 4;
		if (isCall && !equalBytes(data.subarray(0, 4), selectorOf(item))) {
			throw new Failure("bad_value", "the data calls another function than the signature names");
		}
		this.printValues(await decodeValues(item.inputs, isCall ? data.subarray(4) : data));
	}
}
