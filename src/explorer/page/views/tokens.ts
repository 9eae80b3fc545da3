/** Tokens: ORC-10, and those of known contracts. */

import { addressText } from "../../address-text.js";
import { type Json, objectsOf, textOf, wholeOf } from "../../answer.js";
import { seenContracts } from "../../contract-search.js";
import { decimal, share } from "../../format.js";
import { type NodeClient, NodeError } from "../../node-client.js";
import { fewAtATime } from "../../one-at-a-time.js";
import { issuedUnit, kindOf, priceText, tokenInfos } from "../../tokens.js";
import {
	addressLink,
	button,
	type Child,
	facts,
	link,
	make,
	note,
	party,
	section,
	table,
	time,
} from "../elements.js";
import { NO_INDEX } from "../pages.js";
import type { ViewContext, ViewMaker } from "../view.js";
import { transfers } from "./contract-token.js";

const PAGE = 50;

export const tokensView: ViewMaker = async ({ client, contracts }) => {
	const rows: Child[][] = [];
	const place = make("div");
	const load = async (offset: number): Promise<void> => {
		const answer = await client.call("getpaginatedassetissuelist", { offset, limit: PAGE });
		const page = objectsOf(answer, "assetIssue");
		for (const token of page) {
			const id = textOf(token, "id");
			rows.push([
				link(`token/${encodeURIComponent(id)}`, id),
				textOf(token, "name"),
				textOf(token, "abbr"),
				decimal(wholeOf(token, "total_supply"), Number(wholeOf(token, "precision"))),
				party(textOf(token, "owner_address"), contracts),
			]);
		}
		place.replaceChildren(
			table(
				"Tokens",
				["Number", "Name", "Short", "Supply", "Issuer"],
				rows,
				"This chain has no ORC-10 tokens.",
			),
			...(page.length < PAGE ? [] : [button("More", () => void load(offset + PAGE))]),
		);
	};
	const ofContracts = make(
		"div",
		{ "aria-live": "polite" },
		note("The newest blocks are being looked through…"),
	);
	void contractTokens(client).then(
		(found) => ofContracts.replaceChildren(...found),
		(error: unknown) => {
			if (!(error instanceof NodeError)) throw error;
			ofContracts.replaceChildren(note(error.message));
		},
	);
	await load(0);
	return {
		title: "Tokens",
		body: [section("Tokens of contracts, seen lately", ofContracts), section("ORC-10 tokens", place)],
	};
};

const ELSEWHERE =
	"No node lists all: these are among the contracts that the newest blocks call or create. Others are found by their addresses, and in the accounts that hold them.";

/** Tokens among the contracts of the newest blocks. @throws {NodeError} */
async function contractTokens(client: NodeClient): Promise<readonly HTMLElement[]> {
	const { addresses } = await seenContracts(client);
	const infos = await tokenInfos(client, addresses);
	const rows = addresses.flatMap((address): Child[][] => {
		const info = infos.get(address);
		// A contract that implements only some of these functions isn't a token.
		if (!info || textOf(info, "symbol") === "" || textOf(info, "total_supply") === "") return [];
		return [
			[
				link(`account/${address}`, textOf(info, "symbol")),
				textOf(info, "name"),
				kindOf(info),
				decimal(wholeOf(info, "total_supply"), Number(wholeOf(info, "decimals"))),
				addressLink(address, false),
			],
		];
	});
	const heads = ["Short", "Name", "Kind", "Supply", "Contract"];
	return [table("Tokens of contracts", heads, rows, "None that this node knows of."), note(ELSEWHERE)];
}

/** Holders and transfers, from the issuer's history: there is no list by ORC-10 token. */
function moves(context: ViewContext, token: Json): HTMLElement[] {
	const holding = make("div", {}, note(NO_INDEX));
	const issuer = addressText(textOf(token, "owner_address")) ?? "";
	const moved = section(
		"Transfers from and to its issuer",
		note(
			"The history has lists by account, and none by ORC-10 token: other transfers stand in the accounts that made them.",
		),
		transfers(context, {
			token: textOf(token, "id"),
			path: `accounts/${issuer}/transactions/orc10?${new URLSearchParams({ token_id: textOf(token, "id") })}`,
			rowOf: (row) => row,
			info: { decimals: textOf(token, "precision"), symbol: textOf(token, "abbr") },
			loaded: (rows) => {
				const parties = rows.flatMap((row) => [textOf(row, "from"), textOf(row, "to")]);
				void holders(context, token, [...new Set([issuer, ...parties])]).then((found) =>
					holding.replaceChildren(note(PARTIES), found),
				);
			},
		}),
	);
	return [section("Holders", holding), moved];
}

const PARTIES =
	"The chain has no list of them: these are the issuer and those of the transfers below, with what they hold now.";

/** The most accounts whose balances are fetched. */
const MAX_HOLDERS = 30;

/** Those of the given accounts that hold the token, largest balance first. */
async function holders(
	{ client, contracts }: ViewContext,
	token: Json,
	accounts: readonly string[],
): Promise<HTMLElement> {
	const held: (readonly [address: string, units: bigint])[] = [];
	await fewAtATime(accounts.slice(0, MAX_HOLDERS), async (address) => {
		const account = await client.call("getaccount", { address, visible: true }).catch((): Json => ({}));
		const own = objectsOf(account, "assetV2").find((each) => textOf(each, "key") === textOf(token, "id"));
		if (own) held.push([address, wholeOf(own, "value")]);
	});
	const rows = held
		.sort(([, a], [, b]) => Number(b - a))
		.map(([address, units]) => [
			party(address, contracts),
			decimal(units, Number(wholeOf(token, "precision"))),
			share(units, wholeOf(token, "total_supply")),
		]);
	return table("Holders", ["Account", "Amount", "Share"], rows, "None of them holds any now.");
}

export const tokenView: ViewMaker = async (context, value) => {
	const { client } = context;
	const token = await client.call("getassetissuebyid", { value });
	if (textOf(token, "id") === "") throw new NodeError("there is no such token", 404);
	const precision = Number(wholeOf(token, "precision"));
	return {
		title: `Token ${textOf(token, "name")}`,
		body: [
			facts(
				["Number", textOf(token, "id")],
				["Short name", textOf(token, "abbr")],
				["Description", textOf(token, "description")],
				// The URL is set by the issuer and untrusted: not a link.
				["Address on the web", textOf(token, "url")],
				["Supply", decimal(wholeOf(token, "total_supply"), precision)],
				["Decimals", String(precision)],
				["Issuer", addressLink(textOf(token, "owner_address"))],
				["Sold from", time(Number(wholeOf(token, "start_time")))],
				["Sold until", time(Number(wholeOf(token, "end_time")))],
				[
					"Price",
					priceText(
						wholeOf(token, "coin_num") || wholeOf(token, "trx_num"),
						wholeOf(token, "num"),
						issuedUnit(token),
					),
				],
			),
			...moves(context, token),
		],
	};
};
