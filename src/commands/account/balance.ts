import { Args, Flags } from "@oclif/core";
import { keystoreFlags, nodeFlags, solidityFlag } from "../../terminal/flags.js";
import { printJson, printLine } from "../../terminal/output.js";
import { QueryCommand } from "../../terminal/query-command.js";
import { lines } from "../../terminal/result-shape.js";
import { argumentOrStdin, listLines } from "../../terminal/stdin.js";
import { formatCoin, formatDecimal } from "../../wallet/amount.js";
import { balanceAt } from "../../wallet/balance.js";
import { accountOf } from "../../wallet/chain-query.js";
import { NodeClient } from "../../wallet/node-client.js";
import { accountNamed, activeAccount } from "../../wallet/signing.js";
import { tokenDecimals } from "../../wallet/token.js";

export default class AccountBalance extends QueryCommand {
	static override summary = "Print the balance of an account";
	static override aliases = ["balance"];
	static override description =
		"Coins with their unit for people, sun with --json. An account that doesn't exist has 0.";
	static override examples = [
		"<%= config.bin %> account balance",
		"<%= config.bin %> balance alice --unit sun",
	];
	static override args = {
		account: Args.string({
			description: "address or label, - for a list on standard input (default: the active wallet)",
			ignoreStdin: true,
		}),
	};
	static override result = lines("int64");
	static override flags = {
		...nodeFlags,
		...solidityFlag,
		...keystoreFlags,
		token: Flags.string({ description: "ORC-10 token by id", helpValue: "<id>" }),
		block: Flags.string({
			description: "balance right after a block",
			helpValue: "<block>",
			exclusive: ["token", "solidity"],
		}),
		unit: Flags.option({ options: ["coin", "sun"] as const, description: "unit to print" })(),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AccountBalance);
		const settings = await this.settings(flags);
		const client = new NodeClient(settings);
		const input = await argumentOrStdin(args.account, "the accounts", false);
		const names = input?.fromStdin ? listLines(input.text) : input ? [input.text] : [undefined];
		const decimals = flags.token === undefined || this.json ? 0 : await tokenDecimals(client, flags.token);
		for (const name of names) {
			const address = name === undefined ? await activeAccount(settings) : await accountNamed(settings, name);
			if (flags.token !== undefined) {
				const amount = (await accountOf(client, address, this.view(flags)))?.assetV2.get(flags.token) ?? 0n;
				if (this.json) printJson(amount);
				else printLine(formatDecimal(amount, decimals));
				continue;
			}
			const sun =
				flags.block === undefined
					? ((await accountOf(client, address, this.view(flags)))?.balance ?? 0n)
					: await balanceAt(client, address, await this.blockNamed(client, flags.block, "full"));
			if (this.json) printJson(flags.unit === "coin" ? formatDecimal(sun, 6) : sun);
			else printLine(flags.unit === "sun" ? `${sun}sun` : formatCoin(sun));
		}
	}
}
