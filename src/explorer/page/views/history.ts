/** An account's history with filters, exportable as CSV. */

import { type Json, objectOf, objectsOf, textOf, wholeOf } from "../../answer.js";
import { decimal, grouped } from "../../format.js";
import { CSV_HEADS, csvRow, type HistoryFilter, historyPath } from "../../history-rows.js";
import {
	ago,
	amount,
	badge,
	type Child,
	field,
	link,
	make,
	note,
	party,
	section,
	transactionLink,
} from "../elements.js";
import { CSV_PAGE, PAGE, pages } from "../pages.js";
import type { ViewContext } from "../view.js";
import { TRANSACTION_HEADS, transactionRow } from "./home.js";

const HEADS: Readonly<Record<HistoryFilter["kind"], readonly string[]>> = {
	transactions: [...TRANSACTION_HEADS, "Fee", "Age"],
	tokens: ["Transaction", "Kind", "From", "To", "Amount", "Token", "Age"],
	internal: ["Transaction", "From", "To", "Moved", "", "Age"],
};

function cells(kind: HistoryFilter["kind"], row: Json, { contracts, nowMs }: ViewContext): readonly Child[] {
	const when = ago(Number(wholeOf(row, "block_timestamp")), nowMs());
	if (kind === "transactions") {
		const fee = wholeOf(objectsOf(row, "ret")[0] ?? {}, "fee");
		return transactionRow(row, contracts, [fee === 0n ? "" : amount(fee), when]);
	}
	if (kind === "tokens") {
		const token = objectOf(row, "token_info");
		return [
			transactionLink(textOf(row, "transaction_id")),
			textOf(row, "type"),
			party(textOf(row, "from"), contracts),
			party(textOf(row, "to"), contracts),
			decimal(wholeOf(row, "value"), Number(wholeOf(token, "decimals"))),
			link(`account/${textOf(token, "address")}`, textOf(token, "symbol") || "token"),
			when,
		];
	}
	const data = objectOf(row, "data");
	const moved = Object.entries(objectOf(data, "call_value")).map(([unit]) => {
		const value = wholeOf(objectOf(data, "call_value"), unit);
		return unit === "_" ? amount(value) : [grouped(value), " of ", link(`token/${unit}`, `token ${unit}`)];
	});
	return [
		transactionLink(textOf(row, "tx_id")),
		party(textOf(row, "from_address"), contracts),
		party(textOf(row, "to_address"), contracts),
		moved,
		data["rejected"] === true ? badge("rejected", "bad") : "",
		when,
	];
}

/** Points to transfers that the list of transactions omits, so that nobody misses a payment. */
const ELSEWHERE =
	"What contracts paid is listed as internal transactions, and what came in tokens of contracts as their transfers: choose the kind above.";

function choice(label: string, name: string, entries: readonly (readonly [value: string, text: string])[]) {
	const select = make(
		"select",
		{ id: `f-${name}`, name },
		entries.map(([value, text]) => make("option", { value }, text)),
	);
	return { row: make("div", { class: "field" }, make("label", { for: `f-${name}` }, label), select), select };
}

export function history(context: ViewContext, address: string): HTMLElement {
	const kind = choice("Kind", "history-kind", [
		["transactions", "transactions"],
		["tokens", "ORC-20 and ORC-721 transfers"],
		["internal", "internal transactions"],
	]);
	const direction = choice("Direction", "history-direction", [
		["all", "sent and received"],
		["from", "sent"],
		["to", "received"],
	]);
	const since = field("Since (day)", "history-since", "", "2026-01-31");
	const until = field("Until (day)", "history-until", "", "2026-12-31");
	const final = choice("Finality", "history-final", [
		["all", "all"],
		["final", "final alone"],
	]);
	since.input.type = "date";
	until.input.type = "date";
	const filter = (): HistoryFilter => ({
		kind: kind.select.value as HistoryFilter["kind"],
		direction: direction.select.value as HistoryFilter["direction"],
		since: since.input.value,
		until: until.input.value,
		isFinal: final.select.value === "final",
	});
	const place = make("div", { "aria-live": "polite" });
	const show = (): void => {
		const wanted = filter();
		place.replaceChildren(
			wanted.kind === "transactions" ? note(ELSEWHERE) : "",
			pages({
				context,
				caption: "History",
				heads: HEADS[wanted.kind],
				path: historyPath(address, wanted, PAGE),
				row: (row) => cells(wanted.kind, row, context),
				file: {
					name: `${address}-${wanted.kind}`,
					heads: CSV_HEADS,
					path: historyPath(address, wanted, CSV_PAGE),
					row: (row) => csvRow(wanted.kind, row),
				},
			}),
		);
	};
	for (const { select } of [kind, direction, final]) select.addEventListener("change", show);
	for (const { input } of [since, until]) input.addEventListener("change", show);
	show();
	return section(
		"History",
		make("div", { class: "row" }, kind.row, direction.row, since.row, until.row, final.row),
		place,
	);
}
