/** Transfers, balances and holders of ORC-20 and ORC-721 tokens (protocol/history §5). */

import { fromKey, toHex } from "../../../protocol/bytes.js";
import { spell } from "../../../protocol/dialect.js";
import { ownerKey } from "../../history/history-index.js";
import { type HistoryRow, readTokenValue } from "../../history/rows.js";
import type { ApiContext, ServerKind } from "../context.js";
import {
	type AnswerPage,
	type AnswerRow,
	type HistoryRequest,
	heightsOf,
	indexedPage,
	indexOf,
	pageOfList,
} from "./page.js";
import { invalidParameter, readContract, readHistoryAddress } from "./parameters.js";
import { askTokenBalance, base58Of, isKnownToken, tokenFacts, tokenInfo } from "./token-facts.js";
import { directionFilter } from "./transaction-rows.js";

/** Tokens whose names are looked up per page; others are shown without. */
const MAX_NAMED = 20;
/** Maximum contracts queried for an account's balance. */
const MAX_HOLDINGS = 200;
/** Maximum accounts whose balance a contract is queried for. */
const MAX_HOLDERS = 1_000;
const MAX_LISTED = 20;

/** The contract named in a request; undefined if none. @throws {HistoryRequestError} */
function namedContract({ parameters }: HistoryRequest): Uint8Array | undefined {
	const named = parameters.text("contract_address");
	const contract = named === undefined ? undefined : readHistoryAddress(named);
	if (named !== undefined && !contract) throw invalidParameter("contract_address");
	return contract;
}

/** Transfers of an account. */
export function tokenPage(request: HistoryRequest, address: Uint8Array): Promise<AnswerPage> {
	const { context } = request;
	const contract = namedContract(request);
	const isWay = directionFilter(request);
	const wanted = contract && toHex(contract.subarray(1));
	const accepts = (row: HistoryRow): boolean => {
		if (isWay && !isWay(row)) return false;
		return wanted === undefined || toHex(readTokenValue(row.value).contract) === wanted;
	};
	let asked = 0;
	return indexedPage(request, {
		lists: [{ kind: "token", owner: ownerKey(address) }],
		heights: heightsOf(request),
		accepts,
		write: async (row) => {
			const movement = readTokenValue(row.value);
			const isAsked = isKnownToken(context, movement.contract) || asked++ < MAX_NAMED;
			const facts = isAsked ? await tokenFacts(context, movement.contract) : undefined;
			return {
				transaction_id: toHex(movement.transactionId),
				token_info: {
					symbol: facts?.symbol,
					address: base58Of(movement.contract),
					decimals: facts?.decimals,
					name: facts?.name,
				},
				block_timestamp: movement.timeMs,
				from: base58Of(movement.from),
				to: base58Of(movement.to),
				type: movement.type.replace("721", ""),
				value: String(movement.amount),
			};
		},
	});
}

/** Balances of an account in all tokens it has transferred or received; zero balances are omitted. */
export async function accountBalances(
	context: ApiContext,
	address: Uint8Array,
	server: ServerKind,
	only?: Uint8Array,
): Promise<AnswerRow[]> {
	const owner = ownerKey(address);
	const contracts = only ? [ownerKey(only)] : await indexOf(context).members("holding", owner, MAX_HOLDINGS);
	const rows: AnswerRow[] = [];
	for (const contract of contracts) {
		const balance = await askTokenBalance(context, fromKey(contract), fromKey(owner), server);
		if (balance !== undefined && balance !== 0n) rows.push({ [base58Of(contract)]: String(balance) });
	}
	return rows;
}

export async function balancePage(request: HistoryRequest, address: Uint8Array): Promise<AnswerPage> {
	const { context, parameters } = request;
	const only = namedContract(request);
	const server = parameters.flag("only_confirmed") ? "solidity" : "full";
	return pageOfList(request, await accountBalances(context, address, server, only));
}

/** Holders of a token, largest balance first by default. */
export async function holderPage(
	request: HistoryRequest,
	contract: Uint8Array,
): Promise<{ readonly page: AnswerPage; readonly isComplete: boolean }> {
	const { context, parameters } = request;
	const order = parameters.text("order_by") ?? "balance,desc";
	if (!/^balance,(asc|desc)$/.test(order)) throw invalidParameter("order_by");
	const server = parameters.flag("only_confirmed") ? "solidity" : "full";
	const bytes = contract.subarray(1);
	const holders = await indexOf(context).members("holder", ownerKey(contract), MAX_HOLDERS + 1);
	const found: { readonly holder: string; readonly balance: bigint }[] = [];
	for (const holder of holders.slice(0, MAX_HOLDERS)) {
		const balance = await askTokenBalance(context, bytes, fromKey(holder), server);
		if (balance) found.push({ holder, balance });
	}
	const sign = order.endsWith("asc") ? 1 : -1;
	found.sort((a, b) => (a.balance === b.balance ? 0 : a.balance < b.balance ? -sign : sign));
	const rows = found.map(({ holder, balance }) => ({ [base58Of(holder)]: String(balance) }));
	return { page: pageOfList(request, rows), isComplete: holders.length <= MAX_HOLDERS };
}

/** Metadata of the listed token contracts. */
export async function tokenInfoRows({ context, parameters }: HistoryRequest): Promise<AnswerRow[]> {
	const names = (parameters.text("contract_list") ?? "").split(",").filter((name) => name !== "");
	if (names.length === 0 || names.length > MAX_LISTED) throw invalidParameter("contract_list");
	const rows: AnswerRow[] = [];
	for (const name of names) {
		const contract = readContract(name);
		if (!context.node.view("full").contract.has(contract)) continue;
		const {
			symbol,
			name: text,
			decimals,
			type,
			totalSupply,
		} = await tokenInfo(context, contract.subarray(1));
		rows.push({
			contract_address: base58Of(contract.subarray(1)),
			symbol,
			name: text,
			decimals: decimals === undefined ? undefined : String(decimals),
			type: spell(type, context.node.config.node.dialect),
			total_supply: totalSupply === undefined ? undefined : String(totalSupply),
		});
	}
	return rows;
}
