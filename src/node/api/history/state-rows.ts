/** History API rows derived from the state: accounts, ORC-10 tokens, block totals (protocol/history §6). */

import { toBase58Check } from "../../../protocol/address.js";
import { fromUtf8, toHex, utf8 } from "../../../protocol/bytes.js";
import { type Dialect, spell } from "../../../protocol/dialect.js";
import { mapOrderedMessage } from "../../../protocol/json/message-writer.js";
import { AccountResourceMessage, type AssetIssueContract } from "../../../protocol/messages.js";
import { blockByNumber, receiptsCost, receiptsInTurn } from "../../chain/block-store.js";
import type { ContractSource } from "../../history/contract-sources.js";
import { tokenById, tokenRecords, tokensByName, tokensOfAccount } from "../../tokens/queries.js";
import { plainStyle } from "../answers.js";
import { accountReply } from "../endpoints/accounts.js";
import { LongAnswer, listPieces } from "../long-answer.js";
import { accountByAddress, accountResources } from "../queries/account-view.js";
import { numberOfBlock } from "./event-rows.js";
import {
	type AnswerPage,
	type AnswerRow,
	answerText,
	ENVELOPE_BEGIN,
	envelopeEnd,
	envelopePieces,
	type HistoryRequest,
	pageOfList,
	WrittenJson,
} from "./page.js";
import { HistoryRequestError, invalidParameter, readHistoryAddress } from "./parameters.js";
import { accountBalances, type CheckedPage } from "./token-rows.js";

/** An account as the wallet's interface shows it, and its tokens; no row for one that isn't activated. */
export async function accountPage(request: HistoryRequest, address: Uint8Array): Promise<CheckedPage> {
	const { context, parameters } = request;
	const isConfirmed = parameters.flag("only_confirmed");
	if (isConfirmed && parameters.flag("only_unconfirmed")) {
		throw new HistoryRequestError("Conflicting parameters passed.");
	}
	const server = isConfirmed ? "solidity" : "full";
	const account = accountByAddress(context.node.view(server), address);
	if (!account) return { page: { rows: [] }, isComplete: true };
	const text = accountReply({ ...context, style: plainStyle(context.node.config) }, account).trim();
	const tokens = context.node.history ? await accountBalances(context, address, server) : undefined;
	const name = spell("orc20", context.node.config.node.dialect);
	const balances = answerText({ [name]: tokens?.rows ?? [] });
	return {
		page: { rows: [new WrittenJson(`${balances.slice(0, -1)},${text.slice(1)}`)] },
		isComplete: !tokens || (tokens.isComplete && !tokens.next),
	};
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

/** ORC-10 tokens in the order that is asked for. PERF: sorts all of them. */
export function assetPage(request: HistoryRequest): AnswerPage {
	const { context, parameters } = request;
	const match = /^(\w+),(asc|desc)$/.exec(parameters.text("order_by") ?? "id,asc");
	const key = match && ORDERS[match[1] as string];
	if (!match || !key) throw invalidParameter("order_by");
	const sign = match[2] === "asc" ? 1 : -1;
	const all = tokenRecords(context.node.view("full")).map((token) => ({ token, by: key(token) }));
	all.sort((a, b) => (a.by === b.by ? 0 : a.by < b.by ? -sign : sign));
	const { rows, fingerprint } = pageOfList(request, all);
	const tokens = rows.map(({ token }) => token);
	return { rows: rowsOf(request, tokens), fingerprint };
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

export function assetsByName(request: HistoryRequest, name: string): AnswerPage {
	const all = tokensByName(request.context.node.view("full"), utf8(name))?.assetIssue ?? [];
	const { rows, fingerprint } = pageOfList(request, all);
	return { rows: rowsOf(request, rows), fingerprint };
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

/** A record of sources that is longer is not made before there is room for it, as text and as bytes. */
const LONG_SOURCE = 256 << 10;

/** The sources of a contract that the node's owner has stored: one file after the other. */
export function sourceAnswer(request: HistoryRequest, contract: Uint8Array): LongAnswer {
	const { sources } = request.context.node;
	function* pieces(): Generator<string> {
		const source = sources?.get(contract);
		yield ENVELOPE_BEGIN;
		if (source) yield* sourcePieces(contract, source);
		yield envelopeEnd(request, { size: source ? 1 : 0 });
	}
	const size = sources?.sizeOf(contract) ?? 0;
	return new LongAnswer(pieces(), size > LONG_SOURCE ? 2 * size : undefined);
}

function* sourcePieces(contract: Uint8Array, source: ContractSource): Generator<string> {
	const { contract: name, compiler, match, language, settings, sources, abi, storage_layout } = source;
	const head = answerText({
		contract_address: toBase58Check(contract),
		contract: name,
		compiler,
		match,
		language,
		settings: new WrittenJson(JSON.stringify(settings)),
	});
	const file = ([path, text]: [string, string]): string => `${JSON.stringify(path)}:${JSON.stringify(text)}`;
	yield* listPieces(`${head.slice(0, -1)},"sources":{`, Object.entries(sources), file, "}");
	yield* listPieces(',"abi":[', abi, (entry) => JSON.stringify(entry), "]");
	yield `${storage_layout ? `,"storage_layout":${JSON.stringify(storage_layout)}` : ""}}`;
}

/** Contracts found by name or selector in the sources stored by the node's owner. */
export function namedContracts(request: HistoryRequest): LongAnswer {
	const name = request.parameters.text("name");
	if (name === undefined) throw invalidParameter("name");
	const found = request.context.node.sources?.named(name) ?? [];
	let size = 0;
	function* rows(): Generator<AnswerRow | undefined> {
		for (const one of found) {
			if (one) size++;
			yield one && { contract_address: toBase58Check(one.address), contract: one.contract };
		}
	}
	return new LongAnswer(envelopePieces(request, rows(), () => ({ size })));
}

/** What the transactions of a block cost and used together. */
export function blockStatistics(request: HistoryRequest, name: string): LongAnswer {
	const view = () => request.context.node.view("full");
	const number = numberOfBlock(view(), name);
	const block = number === undefined ? undefined : blockByNumber(view(), BigInt(number));
	if (!block) return new LongAnswer(envelopePieces(request, [], () => ({ size: 0 })));
	const facts = {
		block_number: block.number,
		block_timestamp: block.timestampMs,
		transactions: block.transactions.length,
	};
	function* pieces(): Generator<string> {
		let fee = 0n;
		const sums = { net_usage: 0n, net_fee: 0n, energy_usage: 0n, energy_fee: 0n, energy_usage_total: 0n };
		for (const info of receiptsInTurn(view(), facts.block_number)) {
			fee += info.fee;
			for (const each of Object.keys(sums) as (keyof typeof sums)[]) sums[each] += info.receipt?.[each] ?? 0n;
			// Others come between two receipts.
			yield "";
		}
		yield* envelopePieces(request, [{ ...facts, fee, ...sums }], () => ({ size: 1 }));
	}
	return new LongAnswer(pieces(), receiptsCost(view(), facts.block_number));
}
