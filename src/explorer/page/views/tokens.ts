/** ORC-10 tokens. */

import { objectsOf, textOf, wholeOf } from "../../answer.js";
import { coins, decimal } from "../../format.js";
import { NodeError } from "../../node-client.js";
import { addressLink, button, type Child, facts, link, make, note, table, time } from "../elements.js";
import type { ViewMaker } from "../view.js";

const PAGE = 50;

export const tokensView: ViewMaker = async ({ client }) => {
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
				addressLink(textOf(token, "owner_address"), false),
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
	await load(0);
	return {
		title: "Tokens",
		body: [
			note(
				"ORC-10 tokens. Tokens of contracts (ORC-20, ORC-721) are found by the contract's address, and in the accounts that hold them.",
			),
			place,
		],
	};
};

export const tokenView: ViewMaker = async ({ client }, value) => {
	const token = await client.call("getassetissuebyid", { value });
	if (textOf(token, "id") === "") throw new NodeError("there is no such token", 404);
	const precision = Number(wholeOf(token, "precision"));
	return {
		title: `Token ${textOf(token, "name")}`,
		body: facts(
			["Number", textOf(token, "id")],
			["Short name", textOf(token, "abbr")],
			["Description", textOf(token, "description")],
			// Whoever issued it wrote this: it isn't a link.
			["Address on the web", textOf(token, "url")],
			["Supply", decimal(wholeOf(token, "total_supply"), precision)],
			["Decimals", String(precision)],
			["Issuer", addressLink(textOf(token, "owner_address"))],
			["Sold from", time(Number(wholeOf(token, "start_time")))],
			["Sold until", time(Number(wholeOf(token, "end_time")))],
			[
				"Price",
				`${decimal(wholeOf(token, "num"), precision)} for ${coins(wholeOf(token, "coin_num") || wholeOf(token, "trx_num"))}`,
			],
		),
	};
};
