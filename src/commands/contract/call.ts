import { Flags } from "@oclif/core";
import { isComplete } from "../../abi/parameter.js";
import { addressPrefix } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { callArguments, callFlags, namedCall, valuesOf } from "../../terminal/contract/contract-input.js";
import { blockFlag, keystoreFlags, nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { printJson } from "../../terminal/output/output.js";
import { callConstant } from "../../wallet/node/constant-call.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { explainRevert, outputView } from "../../wallet/view/contract-outcome.js";

export default class ContractCallCommand extends QueryCommand {
	static override summary = "Ask a contract: run a function without effect, print its result";
	static override aliases = ["call"];
	static override description =
		"The function is a signature, such as balanceOf(address) or get() returns (uint256), or a bare name of the " +
		"contract's interface. Arguments follow in order, or all of them as name=value.";
	static override usage = "contract call <address> <function> [<argument>...]";
	static override examples = [
		"<%= config.bin %> contract call store 'value() returns (uint256)'",
		"<%= config.bin %> call store div a=7 b=2",
	];
	static override strict = false;
	static override args = callArguments;
	static override flags = {
		...nodeFlags,
		...blockFlag,
		...solidityFlag,
		...keystoreFlags,
		...callFlags,
		from: Flags.string({
			description: "account that calls (default: the zero address)",
			helpValue: "<account>",
		}),
		raw: Flags.boolean({ description: "print the returned bytes" }),
	};

	async run(): Promise<void> {
		const { args, argv, flags } = await this.parse(ContractCallCommand);
		const { from, ...own } = flags;
		const settings = await this.settings(own);
		const client = await this.stateClient(settings, flags.block);
		const call = await namedCall(
			{
				address: args.address,
				signature: args.function,
				arguments: (argv as string[]).slice(2),
				abi: flags.abi,
				data: flags.data,
				as: flags.as,
			},
			settings,
			client,
		);
		const owner = from === undefined ? zeroAddress() : await accountNamed(settings, from);
		const request = { owner, contract: call.contract, data: call.data, ...valuesOf(flags) };
		let output: Uint8Array;
		try {
			({ data: output } = await callConstant(client, request, this.view(flags)));
		} catch (error) {
			throw await explainRevert(error, call.items);
		}
		if (!flags.raw && call.item?.outputs && !isComplete(call.item.outputs)) {
			this.note(
				"the interface doesn't say what the tuples of the result hold: --abi with the compiler's interface does",
			);
		}
		const view = flags.raw ? `0x${toHex(output)}` : await outputView(call.item, output);
		// A function without results has nothing to print for people.
		if (Array.isArray(view) && view.length === 0 && !this.json) return;
		if (typeof view === "object") printJson(view);
		else this.printScalar(view);
	}
}

function zeroAddress(): Uint8Array {
	const address = new Uint8Array(21);
	address[0] = addressPrefix();
	return address;
}
