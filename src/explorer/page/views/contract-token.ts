/** The token that a contract is: what it says of itself, who holds most of it, and its transfers. */

import { type AbiItem, hashedSignature } from "../../../abi/parameter.js";
import { type Json, objectOf, objectsOf, textOf, wholeOf } from "../../answer.js";
import { decimal, grouped, share } from "../../format.js";
import { knownEvent } from "../../history-rows.js";
import type { NodeClient } from "../../node-client.js";
import { kindOf, tokenInfos } from "../../tokens.js";
import { addressLink, facts, make, note, section, table, time, transactionLink } from "../elements.js";
import { NO_INDEX, pages } from "../pages.js";

const TRANSFER_EVENT = "Transfer(address,address,uint256)";

/** Nothing for what isn't a token. @param contract Base58Check */
export async function tokenSections(
	client: NodeClient,
	contract: string,
	items: readonly AbiItem[],
): Promise<HTMLElement[]> {
	const [infos, answer] = await Promise.all([
		tokenInfos(client, [contract]),
		client.history(`contracts/${contract}/tokens?limit=20`).catch((): Json => ({})),
	]);
	const info = infos.get(contract) ?? {};
	const holders = objectsOf(answer, "data");
	const isToken = textOf(info, "symbol") !== "" && textOf(info, "total_supply") !== "";
	if (!isToken && holders.length === 0) {
		const has = (signature: string) => items.some((item) => hashedSignature(item) === signature);
		const isUnasked = !infos.has(contract) && has(TRANSFER_EVENT) && has("balanceOf(address)");
		return isUnasked ? [section("Token", note(`By its interface it is a token. ${NO_INDEX}`))] : [];
	}
	const decimals = Number(wholeOf(info, "decimals"));
	const supply = wholeOf(info, "total_supply");
	const rows = holders.flatMap((each) =>
		Object.keys(each).map((holder) => {
			const held = wholeOf(each, holder);
			return [addressLink(holder), decimal(held, decimals), share(held, supply)];
		}),
	);
	const isPart = objectOf(answer, "meta")["complete"] === false;
	return [
		section(
			"Token",
			facts(
				["Name", textOf(info, "name")],
				["Symbol", textOf(info, "symbol")],
				["Kind", kindOf(info)],
				["Decimals", String(decimals)],
				["Supply", decimal(supply, decimals)],
			),
			make("h3", {}, "Holders"),
			table("Holders", ["Account", "Amount", "Share"], rows, "None that this node has indexed."),
			isPart
				? note("Transfers name more accounts than the node asks for: larger holders may be missing.")
				: undefined,
			make("h3", {}, "Transfers"),
			transfers(client, contract, items, kindOf(info) === "ORC-20" ? decimals : undefined),
		),
	];
}

/** @param decimals undefined for single things, which have numbers */
function transfers(
	client: NodeClient,
	contract: string,
	items: readonly AbiItem[],
	decimals: number | undefined,
): HTMLElement {
	const asked = new URLSearchParams({ limit: "25", event_name: TRANSFER_EVENT });
	return pages({
		client,
		caption: "Transfers",
		heads: ["Transaction", "From", "To", decimals === undefined ? "Number" : "Amount", "Time"],
		path: () => `contracts/${contract}/events?${asked}`,
		row: (event) => {
			const [from = "", to = "", value = ""] = (knownEvent(items, event)?.values ?? []).map((each) =>
				each.value.kind === "text" ? each.value.text : "",
			);
			const whole = /^\d+$/.test(value) ? BigInt(value) : 0n;
			return [
				transactionLink(textOf(event, "transaction_id")),
				addressLink(from, false),
				addressLink(to, false),
				decimals === undefined ? grouped(whole) : decimal(whole, decimals),
				time(Number(wholeOf(event, "block_timestamp"))),
			];
		},
		none: "None that this node has indexed.",
		missing: NO_INDEX,
	});
}
