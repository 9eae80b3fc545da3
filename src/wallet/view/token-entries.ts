/** Transfers of one ORC-20 token of an account, with the balance after each, counted back from the present one. */

import { isRecord, type JsonRecord, member } from "../json.js";
import { historyPath, historyRows } from "../node/history-client.js";
import type { NodeClient } from "../node/node-client.js";

export interface TokenEntry {
	readonly time: bigint;
	readonly txID: string;
	readonly direction: "in" | "out" | "self";
	/** Base58. */
	readonly counterparty: string;
	/** In smallest units, negative for what left. */
	readonly amount: bigint;
	readonly balance: bigint;
	readonly symbol: string;
	readonly decimals: number;
}

/** What the account has now. @param contract 21 bytes @param shown the contract in Base58 */
export async function tokenBalanceNow(
	client: NodeClient,
	account: Uint8Array,
	shown: string,
): Promise<bigint> {
	const path = historyPath("accounts", account, "orc20/balance");
	for await (const row of historyRows(client, path, { contract_address: shown })) {
		const balance = row[shown];
		if (typeof balance === "string" && /^\d{1,78}$/.test(balance)) return BigInt(balance);
	}
	return 0n;
}

/**
 * An entry of a row, and what the balance was before it; undefined for approvals.
 * @param own Base58
 * @param balance after it
 */
export function tokenEntry(
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
