import { Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { accountArgument, accountQuery, type CommandContext } from "../../terminal/base/command-row.js";
import { historyFlags, keystoreFlags, nodeFlags, requestedHistory } from "../../terminal/flags/flags.js";
import {
	type Cell,
	csvLine,
	HISTORY_COLUMNS,
	HISTORY_SHAPE,
	historyCells,
	inCoins,
} from "../../terminal/output/history-table.js";
import { localTime, printLine } from "../../terminal/output/output.js";
import { either, lines, record } from "../../terminal/schema/result-shape.js";
import { isRecord, type JsonRecord, member } from "../../wallet/json.js";
import { fetchAccount } from "../../wallet/node/chain-query.js";
import { historyPath, historyRows } from "../../wallet/node/history-client.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { formatCoin, formatDecimal } from "../../wallet/values/amount.js";
import { utcTime } from "../../wallet/values/moment.js";
import { BalanceCount, type BalancedEntry, entryOf } from "../../wallet/view/history-entries.js";

const COLUMNS = [...HISTORY_COLUMNS, "balance"] as const;
const TOKEN_COLUMNS = ["time", "txID", "direction", "counterparty", "amount", "symbol", "balance"] as const;

/** Which of the matching entries are printed. */
interface Window {
	readonly limit: number;
	readonly sinceMs: bigint | undefined;
	readonly untilMs: bigint | undefined;
	readonly csv: boolean;
	readonly confirmed: boolean;
	readonly out: Pick<CommandContext<never, never>, "json" | "print" | "warning">;
}

export const AccountHistory = accountQuery({
	summary: "List what changed the balance of an account, with the balance after each change",
	description:
		"The newest first, counted back from the present balance: transactions, what contracts paid, stakes, rewards and fees; with --token " +
		"the transfers of one ORC-20 token. Amounts are in coins for people and with --format csv, in sun with --json, and without the fee, " +
		"which is beside them. A change whose amount no history tells (trades) leaves the older balances empty; a rest before the first one is " +
		"reported. The node must keep a history (node.history.index = on; development chains do).",
	examples: [
		"<%= config.bin %> account history alice --limit 10",
		"<%= config.bin %> account history alice --since 2026-01-01T00:00:00Z --until 2026-03-31T23:59:59Z --format csv",
	],
	args: accountArgument,
	result: lines(
		either(
			record({
				...HISTORY_SHAPE,
				"balance?": "int64",
			}),
			record({
				time: "int64",
				txID: "hex",
				direction: "text",
				counterparty: "address",
				amount: "text",
				balance: "text",
				symbol: "text",
				decimals: "integer",
			}),
		),
	),
	flags: {
		...nodeFlags,
		...keystoreFlags,
		...historyFlags,
		token: Flags.string({ description: "an ORC-20 token instead of coins", helpValue: "<contract>" }),
	},
	run: async ({ flags, settings, client, address, json, print, warning }) => {
		const wish = requestedHistory(flags, Number.POSITIVE_INFINITY);
		const window = {
			...wish,
			out: { json, print, warning },
			csv: flags.format === "csv",
			confirmed: flags.confirmed,
		};
		if (flags.token === undefined) return printCoins(client, address, window);
		const token = await accountNamed(settings, flags.token);
		await printTokens(client, address, toBase58Check(token), window);
	},
});

async function printCoins(client: NodeClient, address: Uint8Array, window: Window): Promise<void> {
	const view = window.confirmed ? "solidity" : "full";
	const count = new BalanceCount((await fetchAccount(client, address, view))?.balance ?? 0n);
	const own = toHex(address);
	const printed: BalancedEntry[] = [];
	let given = 0;
	let unknownBefore: string | undefined;
	const parameters = {
		only_confirmed: window.confirmed ? "true" : undefined,
		min_timestamp: window.sinceMs?.toString(),
	};
	if (window.csv) printLine(csvLine(COLUMNS));
	for await (const row of historyRows(client, historyPath("accounts", address, "transactions"), parameters)) {
		const entry = count.add(entryOf(row, own));
		if (count.before === undefined) unknownBefore ??= entry.txID;
		if (!isWithin(entry.time, window)) continue;
		if (given++ >= window.limit) return printEntries(printed, window);
		if (window.csv) printLine(csvLine(COLUMNS.map((column) => coinCells(entry)[column])));
		else if (window.out.json) window.out.print.record(entry);
		else printed.push(entry);
	}
	printEntries(printed, window);
	if (unknownBefore !== undefined) {
		window.out.warning(
			`balances before ${unknownBefore} are not known: the history doesn't tell what it moved`,
		);
	} else if (window.sinceMs === undefined && count.before !== 0n) {
		const waiting = window.confirmed ? 0 : await pendingCount(client);
		window.out.warning(
			waiting > 0
				? `${formatCoin(count.before ?? 0n)} are not explained: transactions wait for a block (${waiting} at this node), and what they do to the account is in its balance already; ask again once they are in a block, or leave out what can change (--confirmed)`
				: `${formatCoin(count.before ?? 0n)} are not explained: the account had them before its first transaction, or they came without one`,
		);
	}
}

function printEntries(entries: readonly BalancedEntry[], { csv, out }: Window): void {
	if (csv || out.json) return;
	out.print.list(
		entries,
		["time", "type", "direction", "counterparty", "amount", "fee", "balance", "txID"],
		"nothing happened",
		entries.map((entry) => ({ ...entry, ...coinCells(entry), time: localTime(entry.time) })),
	);
}

async function printTokens(
	client: NodeClient,
	address: Uint8Array,
	token: string,
	window: Window,
): Promise<void> {
	let balance = await tokenBalanceNow(client, address, token);
	const own = toBase58Check(address);
	const printed: TokenEntry[] = [];
	let given = 0;
	if (window.csv) printLine(csvLine(TOKEN_COLUMNS));
	const parameters = { contract_address: token, min_timestamp: window.sinceMs?.toString() };
	const path = historyPath("accounts", address, "transactions/orc20");
	for await (const row of historyRows(client, path, parameters)) {
		const found = tokenEntry(row, own, balance);
		if (!found) continue;
		balance = found.before;
		if (!isWithin(found.entry.time, window)) continue;
		if (given++ >= window.limit) break;
		if (window.csv) printLine(csvLine(TOKEN_COLUMNS.map((column) => tokenCells(found.entry)[column])));
		else if (window.out.json) window.out.print.record(found.entry);
		else printed.push(found.entry);
	}
	if (window.csv || window.out.json) return;
	window.out.print.list(
		printed,
		["time", "direction", "counterparty", "amount", "symbol", "balance", "txID"],
		"no transfers",
		printed.map((entry) => ({ ...tokenCells(entry), time: localTime(entry.time) })),
	);
}

/** The number of transactions pending at the node; 0 if it doesn't report them. */
async function pendingCount(client: NodeClient): Promise<number> {
	const size = await client.call("getpendingsize", {}).catch(() => ({}));
	return Number(member(size, "pendingSize") ?? 0);
}

const isWithin = (timeMs: bigint, { untilMs }: Window): boolean => untilMs === undefined || timeMs <= untilMs;

type Cells<T extends string> = Readonly<Record<T, Cell>>;

function coinCells(entry: BalancedEntry): Cells<(typeof COLUMNS)[number]> {
	return { ...historyCells(entry), balance: inCoins(entry.balance) };
}

function tokenCells(entry: TokenEntry): Cells<(typeof TOKEN_COLUMNS)[number]> {
	return {
		...entry,
		time: utcTime(entry.time),
		amount: formatDecimal(entry.amount, entry.decimals),
		balance: formatDecimal(entry.balance, entry.decimals),
	};
}

/** A transfer of one ORC-20 token with the balance after it, computed backwards from the current one. */
interface TokenEntry {
	readonly time: bigint;
	readonly txID: string;
	readonly direction: "in" | "out" | "self";
	/** Base58. */
	readonly counterparty: string;
	/** In smallest units, negative for outgoing transfers. */
	readonly amount: bigint;
	readonly balance: bigint;
	readonly symbol: string;
	readonly decimals: number;
}

/** The current balance. @param contract 21 bytes @param shown the contract in Base58 */
async function tokenBalanceNow(client: NodeClient, account: Uint8Array, shown: string): Promise<bigint> {
	const path = historyPath("accounts", account, "orc20/balance");
	for await (const row of historyRows(client, path, { contract_address: shown })) {
		const balance = row[shown];
		if (typeof balance === "string" && /^\d{1,78}$/.test(balance)) return BigInt(balance);
	}
	return 0n;
}

/**
 * Converts a row, and computes the balance before it; undefined for approvals.
 * @param own Base58
 * @param balance after it
 */
function tokenEntry(
	row: JsonRecord,
	own: string,
	balance: bigint,
): { readonly entry: TokenEntry; readonly before: bigint } | undefined {
	const { value, from, to, type } = row;
	if (type !== "Transfer" || typeof value !== "string" || !/^\d{1,78}$/.test(value)) return undefined;
	const info = row["token_info"];
	const decimals = isRecord(info) ? member(info, "decimals") : undefined;
	const symbol = isRecord(info) ? member(info, "symbol") : undefined;
	const direction = from === to ? "self" : to === own ? "in" : "out";
	const amount = direction === "self" ? 0n : direction === "in" ? BigInt(value) : -BigInt(value);
	const entry = {
		time: typeof row["block_timestamp"] === "bigint" ? row["block_timestamp"] : 0n,
		txID: String(row["transaction_id"] ?? ""),
		direction,
		counterparty: String((direction === "in" ? from : to) ?? ""),
		amount,
		balance,
		symbol: typeof symbol === "string" ? symbol : "",
		decimals: typeof decimals === "bigint" && decimals < 100n ? Number(decimals) : 0,
	} as const;
	return { entry, before: balance - amount };
}
