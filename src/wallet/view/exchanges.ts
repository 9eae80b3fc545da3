/** Exchange pairs as a node describes them (protocol/http-endpoints §3.5, protocol/exchange). */

import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, fromUtf8 } from "../../protocol/bytes.js";
import { Exchange, ExchangeList } from "../../protocol/messages.js";
import { Failure } from "../failure.js";
import { messageFrom } from "../node/answer.js";
import type { NodeClient, NodeView } from "../node/node-client.js";

export type ExchangePair = Readonly<Exchange>;

/** Fetches a pair by its number; undefined if there is none. */
export async function exchangeById(
	client: NodeClient,
	id: bigint,
	view: NodeView = "full",
): Promise<ExchangePair | undefined> {
	try {
		const answer = await client.call("getexchangebyid", { id }, view);
		return Object.keys(answer).length === 0 ? undefined : messageFrom(Exchange, answer);
	} catch (error) {
		// The network's nodes answer a query for a missing pair with an internal exception.
		if (error instanceof Failure && error.facts.node?.code === "NullPointerException") return undefined;
		throw error;
	}
}

/** Like {@link exchangeById}, for a pair that must exist. @throws {Failure} `not_found` */
export async function existingExchange(
	client: NodeClient,
	id: bigint,
	view: NodeView = "full",
): Promise<ExchangePair> {
	const exchange = await exchangeById(client, id, view);
	if (!exchange) throw new Failure("not_found", `there is no exchange ${id}`);
	return exchange;
}

/** All pairs, newest first. */
export async function listExchanges(client: NodeClient, view: NodeView): Promise<readonly ExchangePair[]> {
	return messageFrom(ExchangeList, await client.call("listexchanges", {}, view)).exchanges;
}

/** Pairs by number, after the first `offset` numbers. */
export async function exchangePage(
	client: NodeClient,
	offset: bigint,
	limit: bigint,
): Promise<readonly ExchangePair[]> {
	const answer = await client.call("getpaginatedexchangelist", { offset, limit });
	return messageFrom(ExchangeList, answer).exchanges;
}

/** A pair seen from one of its tokens; amounts in smallest units. */
export interface ExchangeSide {
	readonly balance: bigint;
	readonly otherToken: Uint8Array;
	readonly otherBalance: bigint;
}

/** @throws {Failure} `bad_value` if the token is not one of the two */
export function exchangeSide(exchange: ExchangePair, token: Uint8Array): ExchangeSide {
	const { first_token_id, first_token_balance, second_token_id, second_token_balance } = exchange;
	if (equalBytes(token, first_token_id)) {
		return { balance: first_token_balance, otherToken: second_token_id, otherBalance: second_token_balance };
	}
	if (equalBytes(token, second_token_id)) {
		return { balance: second_token_balance, otherToken: first_token_id, otherBalance: first_token_balance };
	}
	const [first, second] = [first_token_id, second_token_id].map((id) => fromUtf8(id));
	throw new Failure(
		"bad_value",
		`the exchange ${exchange.exchange_id} trades ${first} and ${second}, not ${fromUtf8(token)}`,
	);
}

/** The amount of the other token that is injected or withdrawn with `units` of this one (protocol/exchange §4, §5). */
export function otherAmount({ balance, otherBalance }: ExchangeSide, units: bigint): bigint {
	return balance > 0n ? (otherBalance * units) / balance : 0n;
}

interface ExchangeView {
	readonly id: bigint;
	readonly creator: string;
	/** Epoch milliseconds. */
	readonly created: bigint;
	readonly firstToken: string;
	/** Smallest units. */
	readonly firstBalance: bigint;
	readonly secondToken: string;
	readonly secondBalance: bigint;
	/** Whether a side is empty, which ends trading. */
	readonly closed: boolean;
}

export function viewExchange(exchange: ExchangePair): ExchangeView {
	return {
		id: exchange.exchange_id,
		creator: toBase58Check(exchange.creator_address),
		created: exchange.create_time,
		firstToken: fromUtf8(exchange.first_token_id),
		firstBalance: exchange.first_token_balance,
		secondToken: fromUtf8(exchange.second_token_id),
		secondBalance: exchange.second_token_balance,
		closed: exchange.first_token_balance === 0n || exchange.second_token_balance === 0n,
	};
}
