/** What happened to an account, with filters, and as a file for spreadsheets. */

import { type Json, objectOf, objectsOf, textOf, wholeOf } from "../../answer.js";
import { Contracts } from "../../contracts.js";
import { csvText } from "../../csv.js";
import { decimal, grouped } from "../../format.js";
import { CSV_HEADS, csvRow, type HistoryFilter, historyPath } from "../../history-rows.js";
import { NodeError } from "../../node-client.js";
import {
	addressLink,
	amount,
	badge,
	button,
	type Child,
	field,
	link,
	make,
	note,
	section,
	time,
	transactionLink,
} from "../elements.js";
import { NO_INDEX, pages } from "../pages.js";
import type { ViewContext } from "../view.js";
import { TRANSACTION_HEADS, transactionRow } from "./home.js";

const PAGE = 25;
/** Rows of a file. */
const MAX_CSV = 10_000;
const CSV_PAGE = 200;

const HEADS: Readonly<Record<HistoryFilter["kind"], readonly string[]>> = {
	transactions: [...TRANSACTION_HEADS, "Fee", "Time"],
	tokens: ["Transaction", "Kind", "From", "To", "Amount", "Token", "Time"],
	internal: ["Transaction", "From", "To", "Moved", "", "Time"],
};

function cells(kind: HistoryFilter["kind"], row: Json, contracts: Contracts): readonly Child[] {
	const when = time(Number(wholeOf(row, "block_timestamp")));
	if (kind === "transactions") {
		const fee = wholeOf(objectsOf(row, "ret")[0] ?? {}, "fee");
		return transactionRow(row, contracts, [fee === 0n ? "" : amount(fee), when]);
	}
	if (kind === "tokens") {
		const token = objectOf(row, "token_info");
		return [
			transactionLink(textOf(row, "transaction_id")),
			textOf(row, "type"),
			addressLink(textOf(row, "from"), false),
			addressLink(textOf(row, "to"), false),
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
		addressLink(textOf(row, "from_address"), false),
		addressLink(textOf(row, "to_address"), false),
		moved,
		data["rejected"] === true ? badge("rejected", "bad") : "",
		when,
	];
}

/** What is in no list of transactions: whoever looks for a payment would miss it. */
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

/** All rows of a filter, page by page. */
async function allRows(
	{ client, signal }: ViewContext,
	address: string,
	filter: HistoryFilter,
): Promise<readonly Json[]> {
	const rows: Json[] = [];
	let fingerprint = "";
	do {
		const more = fingerprint === "" ? "" : `&fingerprint=${encodeURIComponent(fingerprint)}`;
		const page = await client.history(historyPath(address, filter, CSV_PAGE) + more);
		const data = page["data"];
		if (Array.isArray(data)) rows.push(...(data as Json[]));
		fingerprint = textOf(objectOf(page, "meta"), "fingerprint");
	} while (fingerprint !== "" && rows.length < MAX_CSV && !signal.aborted);
	return rows.slice(0, MAX_CSV);
}

function save(name: string, text: string): void {
	const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
	const anchor = make("a");
	anchor.href = url;
	anchor.download = name;
	anchor.click();
	window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
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
	const contracts = new Contracts(context.client);
	const place = make("div", { "aria-live": "polite" });
	const said = make("p", { role: "status" });
	const show = (): void => {
		const wanted = filter();
		place.replaceChildren(
			wanted.kind === "transactions" ? note(ELSEWHERE) : "",
			pages({
				client: context.client,
				caption: "History",
				heads: HEADS[wanted.kind],
				path: () => historyPath(address, wanted, PAGE),
				row: (row) => cells(wanted.kind, row, contracts),
				none: "Nothing that this node has indexed.",
				missing: NO_INDEX,
			}),
		);
	};
	for (const { select } of [kind, direction, final]) select.addEventListener("change", show);
	for (const { input } of [since, until]) input.addEventListener("change", show);
	const csv = button("Save as CSV", () => {
		const wanted = filter();
		said.className = "";
		said.replaceChildren("The rows are being read…");
		allRows(context, address, wanted).then(
			(rows) => {
				save(
					`${address}-${wanted.kind}.csv`,
					csvText(
						CSV_HEADS,
						rows.map((row) => csvRow(wanted.kind, row)),
					),
				);
				said.replaceChildren(
					`${grouped(rows.length)} rows${rows.length === MAX_CSV ? ", of more: choose fewer days" : ""}`,
				);
			},
			(error: unknown) => {
				if (!(error instanceof NodeError)) throw error;
				said.className = "bad";
				said.replaceChildren(error.message);
			},
		);
	});
	show();
	return section(
		"History",
		make("div", { class: "row" }, kind.row, direction.row, since.row, until.row, final.row, csv),
		said,
		place,
	);
}
