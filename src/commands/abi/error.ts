import { Args } from "@oclif/core";
import { hashedSignature } from "../../abi/parameter.js";
import { selectorOf } from "../../abi/selector.js";
import { toHex } from "../../protocol/bytes.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { abiFlag, interfaceFlag } from "../../terminal/contract/contract-input.js";
import { itemBySelector } from "../../wallet/abi/interface.js";
import { revertReason } from "../../wallet/abi/revert.js";
import { isSignature, parseSignature } from "../../wallet/abi/signature.js";
import { Failure } from "../../wallet/failure.js";
import { parseHexBytes } from "../../wallet/values/bytes-text.js";

export default class AbiError extends CoinCommand {
	static override summary = "Print the selector of an error, or say what a revert means";
	static override examples = [
		"<%= config.bin %> abi error 'NotOwner(address)'",
		"<%= config.bin %> abi error 0x08c379a00000000000000000000000000000000000000000000000000000000000000020000000000000000000000000000000000000000000000000000000000000000b6e6f7420616c6c6f776564000000000000000000000000000000000000000000",
		"<%= config.bin %> abi error 'NotOwner(address caller)' 0x245aecd30000000000000000000000007e5f4552091a69125d5dfcb7b8c2659029395bdf",
	];
	static override args = {
		error: Args.string({
			description: "signature, or what a revert returned",
			required: true,
			ignoreStdin: true,
		}),
		data: Args.string({ description: "what a revert returned", ignoreStdin: true }),
	};
	static override flags = abiFlag;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AbiError);
		const signed = isSignature(args.error) ? parseSignature(args.error, "error") : undefined;
		if (signed && args.data === undefined) return this.printScalar(`0x${toHex(selectorOf(signed))}`);
		const items = [...((await interfaceFlag(flags.abi)) ?? []), ...(signed ? [signed] : [])];
		const data = signed ? args.data : args.error;
		if (!signed && args.data !== undefined) throw new Failure("usage", `"${args.error}" is not a signature`);
		const bytes = parseHexBytes(data ?? "");
		const known = bytes.length === 4 ? itemBySelector(items, bytes, "error") : undefined;
		if (known && known.inputs.length > 0 && !this.json) return this.printScalar(hashedSignature(known));
		const reason = await revertReason(bytes, items);
		if (this.json) this.printRecord(reason);
		else this.printScalar(reason.reason);
	}
}
