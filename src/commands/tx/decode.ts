import { Flags } from "@oclif/core";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { interfaceFlag } from "../../terminal/contract/contract-input.js";
import { readEnvelopes, transactionArgument } from "../../terminal/input/envelope-stream.js";
import { callMembers, describedCall } from "../../wallet/transaction/described-call.js";
import { viewTransaction } from "../../wallet/transaction/transaction-view.js";

export default class TxDecode extends CoinCommand {
	static override summary = "Decode a transaction without a node";
	static override description =
		"Takes JSON or hex, checks that id, JSON and bytes agree, and recovers the signers. The call of a contract is decoded by --abi, an interface that you have kept, or the list of common signatures.";
	static override examples = [
		"<%= config.bin %> tx decode < signed.json",
		"<%= config.bin %> tx decode --abi @Store.abi < signed.json",
	];
	static override args = transactionArgument;
	static override flags = {
		abi: Flags.string({ description: "the contract's interface: @file or JSON", helpValue: "<json>" }),
		raw: Flags.boolean({ description: "hexadecimal input is raw data alone, not a whole transaction" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(TxDecode);
		const given = await interfaceFlag(flags.abi);
		const { contactsFile } = await this.settings(flags);
		for (const { transaction } of await readEnvelopes(args.transaction, flags.raw)) {
			const call = await describedCall(transaction.parameter, { client: undefined, contactsFile, given });
			if (call && call.signature === undefined) this.note("no interface names the call: --abi gives one");
			this.printRecord({ ...viewTransaction(transaction), call: call && callMembers(call) });
		}
	}
}
