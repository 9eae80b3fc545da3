import { Args, Flags } from "@oclif/core";
import { describeItem, isComplete } from "../../abi/parameter.js";
import { selectorOf, topicOf } from "../../abi/selector.js";
import { toHex } from "../../protocol/bytes.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { keystoreFlags, nodeFlags } from "../../terminal/flags/flags.js";
import { printJson, printLine } from "../../terminal/output/output.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { storedInterface } from "../../wallet/view/contract-record.js";

export default class ContractAbi extends QueryCommand {
	static override summary = "Print what is known of a contract's interface";
	static override description =
		"The interface that you have kept, that of stored sources, that of the contract's record, in this order. A list as compilers " +
		"write it, which --abi of other commands reads; with --human a line for each entry.";
	static override args = {
		address: Args.string({ description: "the contract", required: true, ignoreStdin: true }),
	};
	static override flags = {
		...nodeFlags,
		...keystoreFlags,
		human: Flags.boolean({ description: "signatures, with selectors and topics", exclusive: ["json"] }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ContractAbi);
		const settings = await this.settings(flags);
		const items = await storedInterface(new NodeClient(settings), await accountNamed(settings, args.address));
		if (!flags.human) {
			return printJson(
				items.map(({ kind, name, inputs, outputs, mutability, anonymous }) => ({
					type: kind,
					...(name === "" ? {} : { name }),
					inputs,
					outputs,
					stateMutability: mutability,
					anonymous,
				})),
			);
		}
		for (const item of items) {
			const hash = !isComplete(item.inputs)
				? ""
				: item.kind === "event"
					? toHex(topicOf(item))
					: item.kind === "function" || item.kind === "error"
						? toHex(selectorOf(item))
						: "";
			printLine(`${describeItem(item)}${hash === "" ? "" : `  0x${hash}`}`);
		}
	}
}
