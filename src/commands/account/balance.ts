import { Args, Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { blockFlag, keystoreFlags, nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { argumentOrStdin, listLines } from "../../terminal/input/stdin.js";
import { printJson, printLine } from "../../terminal/output/output.js";
import { either, lines, record } from "../../terminal/schema/result-shape.js";
import { Failure } from "../../wallet/failure.js";
import { accountOf } from "../../wallet/node/chain-query.js";
import { NodeClient, type NodeView } from "../../wallet/node/node-client.js";
import { Orc20, tokenContract } from "../../wallet/token/orc20.js";
import { tokenNamed } from "../../wallet/token/token.js";
import { accountNamed, activeAccount } from "../../wallet/transaction/signing.js";
import { formatCoin, formatDecimal } from "../../wallet/values/amount.js";
import { balanceAt } from "../../wallet/view/balance.js";

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
	static override result = lines(either("int64", record({ account: "address", balance: "int64" })));
	static override flags = {
		...nodeFlags,
		...blockFlag,
		...solidityFlag,
		...keystoreFlags,
		token: Flags.string({
			description: "ORC-10 token by id, name or symbol, ORC-20 token by its contract",
			helpValue: "<token>",
		}),
		unit: Flags.option({ options: ["coin", "sun"] as const, description: "unit to print" })(),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AccountBalance);
		const settings = await this.settings(flags);
		const client = await this.stateClient(settings, flags.block);
		const input = await argumentOrStdin(args.account, "the accounts", false);
		const names = input?.fromStdin ? listLines(input.text) : input ? [input.text] : [undefined];
		const token =
			flags.token === undefined ? undefined : await this.tokenOf(client, flags.token, this.view(flags));
		// A name that means nothing is told before the first answer.
		const addresses: Uint8Array[] = [];
		for (const name of names)
			addresses.push(name === undefined ? await activeAccount(settings) : await accountNamed(settings, name));
		for (const address of addresses) {
			const account = input?.fromStdin ? toBase58Check(address) : undefined;
			if (token) {
				const amount = await token.balanceOf(address);
				this.printBalance(account, amount, formatDecimal(amount, token.decimals));
				continue;
			}
			const sun = await balanceOf(client, address, this.view(flags));
			const value = flags.unit === "coin" ? formatDecimal(sun, 6) : sun;
			this.printBalance(account, value, flags.unit === "sun" ? `${sun}sun` : formatCoin(sun));
		}
	}

	/** @param account whose line it is; undefined where only one is asked for */
	private printBalance(account: string | undefined, balance: bigint | string, text: string): void {
		if (this.json) printJson(account === undefined ? balance : { account, balance });
		else printLine(account === undefined ? text : `${account}  ${text}`);
	}

	/** A token whose balances can be asked. @throws {Failure} `not_found`, `ambiguous` */
	private async tokenOf(
		client: NodeClient,
		text: string,
		view: NodeView,
	): Promise<{ readonly decimals: number; balanceOf(address: Uint8Array): Promise<bigint> }> {
		const contract = await tokenContract(client.settings, text);
		if (contract) {
			const token = new Orc20(client, contract, view);
			const decimals = this.json ? 0 : await token.decimals();
			return { decimals, balanceOf: (address) => token.balanceOf(address) };
		}
		const { id, precision } = await tokenNamed(client, text, view);
		const balanceOf = async (address: Uint8Array): Promise<bigint> =>
			(await accountOf(client, address, view))?.assetV2.get(id) ?? 0n;
		return { decimals: precision, balanceOf };
	}
}

/** In sun; of a past block also from nodes that keep no more than the history of balances. */
async function balanceOf(client: NodeClient, address: Uint8Array, view: NodeView): Promise<bigint> {
	try {
		return (await accountOf(client, address, view))?.balance ?? 0n;
	} catch (error) {
		const { stateBlock, settings } = client;
		if (!stateBlock || !(error instanceof Failure) || error.code !== "not_served") throw error;
		try {
			return await balanceAt(new NodeClient(settings), address, stateBlock);
		} catch {
			throw error;
		}
	}
}
