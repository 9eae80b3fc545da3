/** `coin account …`: balances and resources of accounts. */

import { Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { fromUtf8, toHex } from "../../protocol/bytes.js";
import {
	accountArgument,
	accountQuery,
	accountQueryFlags,
	command,
	query,
} from "../../terminal/base/command-row.js";
import { readEach } from "../../terminal/base/node-questions.js";
import {
	blockFlag,
	keystoreFlags,
	nodeFlags,
	optional,
	required,
	solidityFlag,
} from "../../terminal/flags/flags.js";
import { argumentOrStdin } from "../../terminal/input/stdin.js";
import { localTime, printJson, printLine } from "../../terminal/output/output.js";
import { either, lines, map, one, orNull, record } from "../../terminal/schema/result-shape.js";
import { accountShape, delegationShape, resourcesShape } from "../../terminal/schema/view-shapes.js";
import { Failure } from "../../wallet/failure.js";
import { existingAccount, fetchAccount } from "../../wallet/node/chain-query.js";
import { NodeClient, type NodeView, type StateBlock } from "../../wallet/node/node-client.js";
import { Orc20, tokenContract } from "../../wallet/token/orc20.js";
import { fetchToken, tokenNamed } from "../../wallet/token/token.js";
import { accountNamed, accountOrActive, activeAccount } from "../../wallet/transaction/signing.js";
import { formatCoin, formatDecimal } from "../../wallet/values/amount.js";
import { resourcesOf, viewAccount } from "../../wallet/view/account-view.js";
import { delegationsOf } from "../../wallet/view/delegations.js";
import { viewOf } from "../../wallet/view/message-view.js";

// Balance of an account at a past block, from nodes that keep the history (protocol/http-endpoints §3.6).

/**
 * The balance in sun right after a block.
 * @throws {Failure} the node's; also if it has no record of the block, since without a history it returns the
 * genesis balance, or 0
 */
export async function balanceAt(client: NodeClient, address: Uint8Array, block: StateBlock): Promise<bigint> {
	const identifier = { hash: toHex(block.id), number: block.number };
	await client.call("getblockbalance", identifier);
	const { balance } = await client.call("getaccountbalance", {
		account_identifier: { address: toHex(address) },
		block_identifier: identifier,
	});
	return typeof balance === "bigint" ? balance : 0n;
}

export const AccountBalance = query({
	summary: "Print the balance of an account",
	aliases: ["balance"],
	description: "Coins with their unit for people, sun with --json. An account that doesn't exist has 0.",
	examples: ["<%= config.bin %> account balance", "<%= config.bin %> balance alice --unit sun"],
	args: {
		account: optional("address or label, - for a list on standard input (default: the active wallet)"),
	},
	result: lines(either("int64", record({ account: "address", balance: "int64" }))),
	flags: {
		...nodeFlags,
		...blockFlag,
		...solidityFlag,
		...keystoreFlags,
		token: Flags.string({
			description: "ORC-10 token by id, name or symbol, ORC-20 token by its contract",
			helpValue: "<token>",
		}),
		unit: Flags.option({ options: ["coin", "sun"] as const, description: "unit to print" })(),
	},
	run: async ({ args, flags, settings, client, view, json }) => {
		const input = await argumentOrStdin(args.account, "the accounts", false);
		const addresses = input
			? await readEach(input, (name) => accountOrActive(settings, name))
			: [await accountOrActive(settings, undefined)];
		const token = flags.token === undefined ? undefined : await tokenOf(client, flags.token, view, json);
		const printBalance = (account: string | undefined, balance: bigint | string, text: string): void => {
			if (json) printJson(account === undefined ? balance : { account, balance });
			else printLine(account === undefined ? text : `${account}  ${text}`);
		};
		for (const address of addresses) {
			const account = input?.fromStdin ? toBase58Check(address) : undefined;
			if (token) {
				const amount = await token.balanceOf(address);
				printBalance(account, amount, formatDecimal(amount, token.decimals));
				continue;
			}
			const sun = await balanceOf(client, address, view);
			const value = flags.unit === "coin" ? formatDecimal(sun, 6) : sun;
			printBalance(account, value, flags.unit === "sun" ? `${sun}sun` : formatCoin(sun));
		}
	},
});

/** A token whose balances can be queried. @throws {Failure} `not_found`, `ambiguous` */
async function tokenOf(
	client: NodeClient,
	text: string,
	view: NodeView,
	json: boolean,
): Promise<{ readonly decimals: number; balanceOf(address: Uint8Array): Promise<bigint> }> {
	const contract = await tokenContract(client.settings, text);
	if (contract) {
		const token = new Orc20(client, contract, view);
		const decimals = json ? 0 : await token.decimals();
		return { decimals, balanceOf: (address) => token.balanceOf(address) };
	}
	const { id, precision } = await tokenNamed(client, text, view);
	const balanceOf = async (address: Uint8Array): Promise<bigint> =>
		(await fetchAccount(client, address, view))?.assetV2.get(id) ?? 0n;
	return { decimals: precision, balanceOf };
}

/** In sun; for past blocks, also from nodes that keep only the balance history. */
async function balanceOf(client: NodeClient, address: Uint8Array, view: NodeView): Promise<bigint> {
	try {
		return (await fetchAccount(client, address, view))?.balance ?? 0n;
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

export const AccountDelegated = accountQuery({
	summary: "List the stakes that an account has delegated, or got from others",
	examples: [
		"<%= config.bin %> account delegated ann --to bob",
		"<%= config.bin %> account delegated bob --from-others",
	],
	args: accountArgument,
	result: lines(delegationShape),
	flags: {
		...accountQueryFlags,
		to: Flags.string({
			description: "only to this account",
			helpValue: "<account>",
			exclusive: ["from-others"],
		}),
		"from-others": Flags.boolean({ description: "what others have delegated to the account" }),
	},
	run: async ({ flags, settings, client, view, address, print }) => {
		const receiver =
			flags.to === undefined ? undefined : toBase58Check(await accountNamed(settings, flags.to));
		const found = await delegationsOf(client, address, view, flags["from-others"] ? "received" : "given");
		const rows = found.filter(({ to }) => receiver === undefined || to === receiver);
		print.list(
			rows,
			["from", "to", "resource", "amount", "lockedUntil"],
			"no delegations",
			rows.map((row) => ({
				...row,
				amount: formatCoin(row.amount),
				lockedUntil: row.lockedUntil === undefined ? "" : localTime(row.lockedUntil),
			})),
		);
	},
});

export const AccountResolve = command({
	summary: "Print the address that a label or another form of an address means",
	examples: [
		"<%= config.bin %> account resolve alice",
		"<%= config.bin %> account resolve 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
	],
	args: {
		name: required("label of a key or contact, or an address"),
	},
	flags: keystoreFlags,
	run: async ({ args, settings, print }) =>
		print.scalar(toBase58Check(await accountNamed(await settings(), args.name))),
});

export const AccountResources = accountQuery({
	summary: "Show the bandwidth, energy and votes of an account",
	description: "Used amounts recover over a day; they are shown as they stand now.",
	examples: ["<%= config.bin %> account resources alice"],
	args: accountArgument,
	result: one(resourcesShape),
	flags: accountQueryFlags,
	run: async ({ client, view, address, print }) => {
		await existingAccount(client, address, view);
		print.record(await resourcesOf(client, address, view));
	},
});

export const AccountShow = query({
	summary: "Show an account",
	examples: ["<%= config.bin %> account show alice"],
	args: accountArgument,
	result: orNull(either(accountShape, map("any"))),
	flags: {
		...nodeFlags,
		...blockFlag,
		...solidityFlag,
		...keystoreFlags,
		raw: Flags.boolean({ description: "all fields as the node stores them" }),
		"or-null": Flags.boolean({ description: "print null if the account doesn't exist" }),
	},
	run: async ({ args, flags, settings, client, view, print }) => {
		const address =
			args.account === undefined ? await activeAccount(settings) : await accountNamed(settings, args.account);
		const account = await fetchAccount(client, address, view);
		if (!account) {
			if (flags["or-null"]) return print.scalar(null);
			throw new Failure("not_found", `the account ${toBase58Check(address)} does not exist on this chain`);
		}
		if (flags.raw) return print.record(viewOf(account));
		const shown = viewAccount(account);
		print.record(shown, { ...shown, balance: formatCoin(shown.balance) });
	},
});

export const AccountTokens = accountQuery({
	summary: "List the ORC-10 tokens of an account",
	description: "Amounts are in the token's own decimals for people, in smallest units with --json.",
	examples: ["<%= config.bin %> account tokens alice"],
	args: accountArgument,
	result: lines(record({ token: "text", name: "text", amount: "int64", decimals: "integer" })),
	flags: accountQueryFlags,
	run: async ({ client, view, address, print }) => {
		const held = [...((await fetchAccount(client, address, view))?.assetV2 ?? [])].filter(
			([, amount]) => amount > 0n,
		);
		const rows = [];
		for (const [token, amount] of held) {
			const { name, precision } = await fetchToken(client, token);
			rows.push({ token, name: fromUtf8(name), amount, decimals: precision });
		}
		print.list(
			rows,
			["token", "name", "amount"],
			"no tokens",
			rows.map((row) => ({ ...row, amount: formatDecimal(row.amount, row.decimals) })),
		);
	},
});
