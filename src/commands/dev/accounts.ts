import { Flags } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { isRecord } from "../../wallet/json.js";
import { formatCoin } from "../../wallet/values/amount.js";

export default class DevAccounts extends DevelopmentCommand {
	static override summary = "List the funded accounts of a development chain";
	static override description =
		"Their keys are public by design: never use them elsewhere. --keys prints them.";
	static override flags = {
		...developmentFlags,
		keys: Flags.boolean({ description: "print the private keys too" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(DevAccounts);
		const answer = await this.ask(flags, "dev_accounts", []);
		const records = (Array.isArray(answer) ? answer : []).filter(isRecord).map((account) => {
			const { address, hex, path, balance, privateKey } = account;
			return { address, hex, path, balance: BigInt(String(balance)), ...(flags.keys ? { privateKey } : {}) };
		});
		const columns = ["address", "balance", "path", ...(flags.keys ? ["privateKey"] : [])];
		const text = records.map((record) => ({ ...record, balance: formatCoin(record.balance) }));
		this.printList(records, columns, "no funded accounts", text);
	}
}
