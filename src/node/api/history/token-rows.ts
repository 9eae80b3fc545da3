/** Transfers, balances and holders of ORC-20 and ORC-721 tokens (protocol/history §5). */

import { fromKey, toHex, toKey } from "../../../protocol/bytes.js";
import { spell } from "../../../protocol/dialect.js";
import { ownerKey } from "../../history/history-index.js";
import { type HistoryRow, readTokenValue } from "../../history/rows.js";
import type { ApiContext, ServerKind } from "../context.js";
import {
	type AnswerPage,
	type AnswerRow,
	type HistoryRequest,
	headNumber,
	heightsOf,
	indexedPage,
	indexOf,
	pageOfList,
} from "./page.js";
import { type Cursor, invalidParameter, readContract, readHistoryAddress } from "./parameters.js";
import { base58Of, isKnownToken, TokenQuestions } from "./token-facts.js";
import { directionFilter } from "./transaction-rows.js";

/** Tokens whose names are looked up per page; others are shown without. */
const MAX_NAMED = 20;
/** Calls for the facts of one token: its name, symbol and decimals; two more for everything that is shown of one. */
const FACTS = 3;
const ALL_FACTS = 5;
/** Contracts that are asked for an account's balance. */
const MAX_HOLDINGS = 200;
/** Oldest movements of an account whose contracts come first. */
const OLDEST_MOVEMENTS = 500;
/** Accounts whose balance a contract is asked for. */
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
export async function tokenPage(request: HistoryRequest, address: Uint8Array): Promise<AnswerPage> {
	const { context } = request;
	const contract = namedContract(request);
	const isWay = directionFilter(request);
	const wanted = contract && toHex(contract.subarray(1));
	const accepts = (row: HistoryRow): boolean => {
		if (isWay && !isWay(row)) return false;
		return wanted === undefined || toHex(readTokenValue(row.value).contract) === wanted;
	};
	const questions = new TokenQuestions(context, FACTS * MAX_NAMED);
	const asked = new Set<string>();
	const isAsked = (token: Uint8Array): boolean => {
		if (isKnownToken(context, token)) return true;
		if (asked.size < MAX_NAMED) asked.add(toKey(token));
		return asked.has(toKey(token));
	};
	return indexedPage(request, {
		lists: [{ kind: "token", owner: ownerKey(address) }],
		heights: await heightsOf(request),
		accepts,
		write: async (row) => {
			const movement = readTokenValue(row.value);
			const facts = isAsked(movement.contract) ? await questions.facts(movement.contract) : undefined;
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

/** A contract whose tokens an account may hold, 20 bytes as text, and its place in the list of them. */
interface Holding {
	readonly contract: string;
	readonly at: Cursor;
}

/**
 * Contracts whose transfers named an account: those of its oldest movements come first, as nobody can put others before them, then
 * all others by address.
 */
async function holdingsOf(
	context: ApiContext,
	owner: string,
	after: Cursor | undefined,
): Promise<readonly Holding[]> {
	const index = indexOf(context);
	const { rows } = await index.page({
		lists: [{ kind: "token", owner }],
		from: 0,
		to: headNumber(context),
		descending: false,
		limit: OLDEST_MOVEMENTS,
	});
	const oldest = new Map<string, Cursor>();
	for (const { kind, suffix, value } of rows) {
		const { contract, type } = readTokenValue(value);
		const key = toKey(contract);
		if (type.startsWith("Transfer") && !oldest.has(key)) oldest.set(key, { kind, suffix });
	}
	const isBehind = after?.kind === "holding";
	const wanted = MAX_HOLDINGS + 1 + oldest.size;
	const members = await index.members("holding", owner, wanted, isBehind ? after.suffix : undefined);
	// Nobody's address has movements, and holds nothing.
	if (members.length === 0) return [];
	const first = [...oldest]
		.filter(([, { suffix }]) => !isBehind && (!after || suffix > after.suffix))
		.map(([contract, at]) => ({ contract, at }));
	const others = members
		.filter((contract) => !oldest.has(contract))
		.map((contract) => ({ contract, at: { kind: "holding" as const, suffix: contract } }));
	return [...first, ...others].slice(0, MAX_HOLDINGS + 1);
}

interface Balances {
	readonly rows: readonly AnswerRow[];
	/** Whether each contract that was asked had the energy to answer. */
	readonly isComplete: boolean;
	/** The last contract that was asked, where there are more. */
	readonly next: Cursor | undefined;
}

interface BalanceQuery {
	/** The only contract that is asked. */
	readonly only?: Uint8Array | undefined;
	readonly after?: Cursor | undefined;
	/** Balances that are enough. */
	readonly limit?: number;
}

/** Balances of an account in the tokens whose transfers named it; those that are 0 are left out. */
export async function accountBalances(
	context: ApiContext,
	address: Uint8Array,
	server: ServerKind,
	{ only, after, limit = MAX_HOLDINGS }: BalanceQuery = {},
): Promise<Balances> {
	const owner = ownerKey(address);
	const holdings = only ? [] : await holdingsOf(context, owner, after);
	const contracts = only ? [ownerKey(only)] : holdings.slice(0, MAX_HOLDINGS).map(({ contract }) => contract);
	const questions = new TokenQuestions(context, contracts.length, server);
	const rows: AnswerRow[] = [];
	let asked = 0;
	for (const contract of contracts) {
		if (rows.length >= limit) break;
		asked++;
		const balance = await questions.balance(fromKey(contract), fromKey(owner));
		if (balance !== undefined && balance !== 0n) rows.push({ [base58Of(contract)]: String(balance) });
	}
	const next = asked < holdings.length ? holdings[asked - 1]?.at : undefined;
	return { rows, isComplete: questions.isComplete, next };
}

/** A page, and whether nothing is missing in it that could not be found out. */
export interface CheckedPage {
	readonly page: AnswerPage;
	readonly isComplete: boolean;
}

export async function balancePage(request: HistoryRequest, address: Uint8Array): Promise<CheckedPage> {
	const { context, parameters } = request;
	const { limit, after } = parameters;
	const only = namedContract(request);
	const server = parameters.flag("only_confirmed") ? "solidity" : "full";
	const { rows, isComplete, next } = await accountBalances(context, address, server, { only, after, limit });
	return { page: { rows, fingerprint: next && parameters.fingerprintOf(next) }, isComplete };
}

/** Holders of a token, those with the most first. */
export async function holderPage(request: HistoryRequest, contract: Uint8Array): Promise<CheckedPage> {
	const { context, parameters } = request;
	const order = parameters.text("order_by") ?? "balance,desc";
	if (!/^balance,(asc|desc)$/.test(order)) throw invalidParameter("order_by");
	const server = parameters.flag("only_confirmed") ? "solidity" : "full";
	const bytes = contract.subarray(1);
	const holders = await indexOf(context).members("holder", ownerKey(contract), MAX_HOLDERS + 1);
	const found: { readonly holder: string; readonly balance: bigint }[] = [];
	// All is one contract's energy: the first take what they need.
	const questions = new TokenQuestions(context, 1, server);
	for (const holder of holders.slice(0, MAX_HOLDERS)) {
		const balance = await questions.balance(bytes, fromKey(holder));
		if (balance) found.push({ holder, balance });
	}
	const sign = order.endsWith("asc") ? 1 : -1;
	found.sort((a, b) => (a.balance === b.balance ? 0 : a.balance < b.balance ? -sign : sign));
	const { rows, fingerprint } = pageOfList(request, found);
	const shown = rows.map(({ holder, balance }) => ({ [base58Of(holder)]: String(balance) }));
	const isComplete = questions.isComplete && holders.length <= MAX_HOLDERS;
	return { page: { rows: shown, fingerprint }, isComplete };
}

/** Facts of named token contracts. */
export async function tokenInfoPage({ context, parameters }: HistoryRequest): Promise<CheckedPage> {
	const names = (parameters.text("contract_list") ?? "").split(",").filter((name) => name !== "");
	if (names.length === 0 || names.length > MAX_LISTED) throw invalidParameter("contract_list");
	const questions = new TokenQuestions(context, ALL_FACTS * names.length);
	const rows: AnswerRow[] = [];
	for (const name of names) {
		const contract = readContract(name);
		if (!context.node.view("full").contract.has(contract)) continue;
		const info = await questions.info(contract.subarray(1));
		const { symbol, name: text, decimals, type, totalSupply } = info;
		rows.push({
			contract_address: base58Of(contract.subarray(1)),
			symbol,
			name: text,
			decimals: decimals === undefined ? undefined : String(decimals),
			type: spell(type, context.node.config.node.dialect),
			total_supply: totalSupply === undefined ? undefined : String(totalSupply),
		});
	}
	return { page: { rows }, isComplete: questions.isComplete };
}
