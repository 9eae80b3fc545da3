/** History API rows derived from the state: accounts, ORC-10 tokens, block totals (protocol/history §6). */

import { toBase58Check } from "../../../protocol/address.js";
import { fromUtf8, toHex, utf8 } from "../../../protocol/bytes.js";
import { type Dialect, spell } from "../../../protocol/dialect.js";
import { mapOrderedMessage } from "../../../protocol/json/message-writer.js";
import {
	AccountResourceMessage,
	type AssetIssueContract,
	type ResourceReceipt,
} from "../../../protocol/messages.js";
import { blockByNumber, transactionInfosOfBlock } from "../../chain/block-store.js";
import { allTokens, tokenById, tokensByName, tokensOfAccount } from "../../tokens/queries.js";
import { plainStyle } from "../answers.js";
import { accountReply } from "../endpoints/accounts.js";
import { accountByAddress, accountResources } from "../queries/account-view.js";
import { numberOfBlock } from "./event-rows.js";
import { type AnswerRow, type AnswerValue, answerText, type HistoryRequest, WrittenJson } from "./page.js";
import { HistoryRequestError, invalidParameter, readHistoryAddress } from "./parameters.js";
import { accountBalances } from "./token-rows.js";

/** An account as in the wallet API, with its tokens; no row if it isn't activated. */
export async function accountRows(request: HistoryRequest, address: Uint8Array): Promise<AnswerRow[]> {
	const { context, parameters } = request;
	const isConfirmed = parameters.flag("only_confirmed");
	if (isConfirmed && parameters.flag("only_unconfirmed")) {
		throw new HistoryRequestError("Conflicting parameters passed.");
	}
	const server = isConfirmed ? "solidity" : "full";
	const account = accountByAddress(context.node.view(server), address);
	if (!account) return [];
	const text = accountReply({ ...context, style: plainStyle(context.node.config) }, account).trim();
	const tokens = context.node.history ? await accountBalances(context, address, server) : [];
	const name = spell("orc20", context.node.config.node.dialect);
	return [new WrittenJson(`${answerText({ [name]: tokens }).slice(0, -1)},${text.slice(1)}`)];
}

export function resourceRows({ context }: HistoryRequest, address: Uint8Array): AnswerRow[] {
	const resources = accountResources(context.node.view("full"), address);
	if (!resources) return [];
	return [
		new WrittenJson(mapOrderedMessage(AccountResourceMessage, resources, plainStyle(context.node.config))),
	];
}

type Token = Readonly<AssetIssueContract>;

const ORDERS: Readonly<Record<string, (token: Token) => bigint>> = {
	total_supply: (token) => token.total_supply,
	start_time: (token) => token.start_time,
	end_time: (token) => token.end_time,
	id: (token) => BigInt(/^\d{1,18}$/.test(token.id) ? token.id : "0"),
};

/** All ORC-10 tokens, in the requested order. */
export function assetRows(request: HistoryRequest): AnswerRow[] {
	const { context, parameters } = request;
	const match = /^(\w+),(asc|desc)$/.exec(parameters.text("order_by") ?? "id,asc");
	const key = match && ORDERS[match[1] as string];
	if (!match || !key) throw invalidParameter("order_by");
	const sign = match[2] === "asc" ? 1 : -1;
	const tokens = [...(allTokens(context.node.view("full"))?.assetIssue ?? [])];
	tokens.sort((a, b) => (key(a) === key(b) ? 0 : key(a) < key(b) ? -sign : sign));
	return rowsOf(request, tokens);
}

/** The tokens with a number, or of an issuer. */
export function assetsNamed(request: HistoryRequest, name: string): AnswerRow[] {
	const { context, parameters } = request;
	const state = context.node.view(parameters.flag("only_confirmed") ? "solidity" : "full");
	if (/^\d{1,18}$/.test(name)) {
		const token = tokenById(state, utf8(name));
		return rowsOf(request, token ? [token] : []);
	}
	const issuer = readHistoryAddress(name);
	if (!issuer) throw new HistoryRequestError("A valid asset id or account address is required.");
	return rowsOf(request, tokensOfAccount(state, issuer)?.assetIssue ?? []);
}

export function assetsByName(request: HistoryRequest, name: string): AnswerRow[] {
	return rowsOf(request, tokensByName(request.context.node.view("full"), utf8(name))?.assetIssue ?? []);
}

function rowsOf({ context }: HistoryRequest, tokens: readonly Token[]): AnswerRow[] {
	const { dialect } = context.node.config.node;
	return tokens.map((token) => assetRow(token, dialect));
}

function assetRow(token: Token, dialect: Dialect): AnswerRow {
	return {
		id: token.id,
		name: fromUtf8(token.name),
		abbr: fromUtf8(token.abbr),
		description: fromUtf8(token.description),
		url: fromUtf8(token.url),
		owner_address: toHex(token.owner_address),
		precision: token.precision,
		total_supply: token.total_supply,
		[spell("coin_num", dialect)]: token.coin_num,
		num: token.num,
		start_time: token.start_time,
		end_time: token.end_time,
	};
}

/** A contract's source code, if stored by the node's owner. */
export function sourceRows({ context }: HistoryRequest, contract: Uint8Array): AnswerRow[] {
	const source = context.node.sources?.get(contract);
	if (!source) return [];
	const { contract: name, compiler, match, language } = source;
	return [
		{
			contract_address: toBase58Check(contract),
			contract: name,
			compiler,
			match,
			language,
			settings: new WrittenJson(JSON.stringify(source.settings)),
			sources: source.sources,
			abi: new WrittenJson(JSON.stringify(source.abi)),
			storage_layout: source.storage_layout && new WrittenJson(JSON.stringify(source.storage_layout)),
		},
	];
}

/** Contracts found by name or selector in the sources stored by the node's owner. */
export function namedContractRows({ context, parameters }: HistoryRequest): AnswerRow[] {
	const name = parameters.text("name");
	if (name === undefined) throw invalidParameter("name");
	const found = context.node.sources?.named(name) ?? [];
	return found.map(({ address, contract }) => ({ contract_address: toBase58Check(address), contract }));
}

/** Total costs and usage of a block's transactions. */
export function blockStatistics({ context }: HistoryRequest, name: string): AnswerRow[] {
	const state = context.node.view("full");
	const number = numberOfBlock(state, name);
	const block = number === undefined ? undefined : blockByNumber(state, BigInt(number));
	if (!block) return [];
	const sums: Record<string, AnswerValue> = {
		block_number: block.number,
		block_timestamp: block.timestampMs,
		transactions: block.transactions.length,
	};
	const infos = transactionInfosOfBlock(state, block.number);
	const sum = (read: (receipt: Readonly<ResourceReceipt>) => bigint): bigint =>
		infos.reduce((total, { receipt }) => total + (receipt ? read(receipt) : 0n), 0n);
	sums["fee"] = infos.reduce((total, { fee }) => total + fee, 0n);
	sums["net_usage"] = sum((receipt) => receipt.net_usage);
	sums["net_fee"] = sum((receipt) => receipt.net_fee);
	sums["energy_usage"] = sum((receipt) => receipt.energy_usage);
	sums["energy_fee"] = sum((receipt) => receipt.energy_fee);
	sums["energy_usage_total"] = sum((receipt) => receipt.energy_usage_total);
	return [sums];
}
