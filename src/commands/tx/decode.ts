import { Flags } from "@oclif/core";
import { decodeValues, keyedValues } from "../../abi/coder.js";
import type { ContractInterface } from "../../abi/parameter.js";
import { hashedSignature } from "../../abi/parameter.js";
import { toHex } from "../../protocol/bytes.js";
import { TriggerSmartContract } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { interfaceFlag } from "../../terminal/contract/contract-input.js";
import { readEnvelopes, transactionArgument } from "../../terminal/input/envelope-stream.js";
import { itemBySelector } from "../../wallet/abi/interface.js";
import { viewTransaction } from "../../wallet/transaction/transaction-view.js";

export default class TxDecode extends CoinCommand {
	static override summary = "Decode a transaction without a node";
	static override description =
		"Takes JSON or hex, checks that id, JSON and bytes agree, and recovers the signers. With --abi the call of a contract is decoded too.";
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
		const items = await interfaceFlag(flags.abi);
		for (const { transaction } of await readEnvelopes(args.transaction, flags.raw)) {
			const call = items && (await this.callOf(transaction, items));
			this.printRecord({ ...viewTransaction(transaction), call });
		}
	}

	/** The function that a transaction calls, with its arguments by name; undefined for other transactions. */
	private async callOf(
		transaction: SignedTransaction,
		items: ContractInterface,
	): Promise<object | undefined> {
		const { parameter } = transaction;
		if (!(parameter instanceof TriggerSmartContract)) return undefined;
		const { data } = parameter;
		const item = itemBySelector(items, data.subarray(0, 4), "function");
		if (!item) {
			this.note(`no function of the interface has the selector 0x${toHex(data.subarray(0, 4))}`);
			return undefined;
		}
		const values = await decodeValues(item.inputs, data.subarray(4));
		return { signature: hashedSignature(item), arguments: keyedValues(item.inputs, values) };
	}
}
