import { Flags } from "@oclif/core";
import { toHex } from "../../protocol/bytes.js";
import { accountArgument, accountQuery } from "../../terminal/base/command-row.js";
import { keystoreFlags, nodeFlags } from "../../terminal/flags/flags.js";
import { historyFlags, requestedHistory } from "../../terminal/flags/history-flags.js";
import {
	csvLine,
	HISTORY_COLUMNS,
	HISTORY_SHAPE,
	historyCells,
	inCoins,
} from "../../terminal/output/history-table.js";
import { localTime, printLine } from "../../terminal/output/output.js";
import { lines, record } from "../../terminal/schema/result-shape.js";
import { historyPath, historyRows } from "../../wallet/node/history-client.js";
import { formatCoinNumber } from "../../wallet/values/amount.js";
import { entryOf, type HistoryEntry } from "../../wallet/view/history-entries.js";

const USUAL_COUNT = 20;

export const TxHistory = accountQuery({
	summary: "List the transactions of an account, the newest first",
	description:
		"The node must keep a history (node.history.index = on; development chains do), or be the public gateway. Amounts are " +
		"in coins for people and with --format csv, in sun with --json; what left the account is negative, and its fee is beside it.",
	examples: [
		"<%= config.bin %> tx history alice --limit 5",
		"<%= config.bin %> tx history alice --since 2026-01-01T00:00:00Z --format csv > alice.csv",
	],
	args: accountArgument,
	result: lines(record(HISTORY_SHAPE)),
	flags: {
		...nodeFlags,
		...keystoreFlags,
		...historyFlags,
		direction: Flags.option({
			options: ["in", "out"] as const,
			description: "only what the account received, or only what it sent",
		})(),
		internal: Flags.boolean({ description: "also what contracts sent and received" }),
	},
	run: async ({ flags, client, address, json, print }) => {
		const wish = requestedHistory(flags, USUAL_COUNT);
		const rows = historyRows(
			client,
			historyPath("accounts", address, "transactions"),
			{
				search_internal: String(flags.internal === true),
				only_confirmed: flags.confirmed ? "true" : undefined,
				only_from: flags.direction === "out" ? "true" : undefined,
				only_to: flags.direction === "in" ? "true" : undefined,
				min_timestamp: wish.sinceMs?.toString(),
				max_timestamp: wish.untilMs?.toString(),
			},
			wish.limit,
		);
		const own = toHex(address);
		if (flags.format === "csv") printLine(csvLine(HISTORY_COLUMNS));
		const entries: HistoryEntry[] = [];
		for await (const row of rows) {
			const entry = entryOf(row, own);
			if (flags.format === "csv")
				printLine(csvLine(HISTORY_COLUMNS.map((column) => historyCells(entry)[column])));
			else if (json) print.record(entry);
			else entries.push(entry);
		}
		if (flags.format === "csv" || json) return;
		print.list(
			entries,
			["time", "type", "direction", "counterparty", "amount", "fee", "result", "txID"],
			"no transactions",
			entries.map((entry) => ({ ...entry, ...texts(entry), time: localTime(entry.time) })),
		);
	},
});

function texts({ amount, fee }: HistoryEntry): { readonly amount: string; readonly fee: string } {
	return { amount: inCoins(amount) ?? "?", fee: formatCoinNumber(fee) };
}
