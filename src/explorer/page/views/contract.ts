/** What an account has beside when it is a contract: its interface, values that can be read, events. */

import {
	ArgumentError,
	type Decoded,
	decodeValues,
	type Entry,
	encodeArguments,
	entriesOf,
	selectorOf,
	signatureOf,
} from "../../abi.js";
import { type Json, objectOf, objectsOf, textOf, textsOf, wholeOf } from "../../answer.js";
import { grouped, plain, textOfHex } from "../../format.js";
import { NodeError } from "../../node-client.js";
import {
	addressLink,
	type Child,
	facts,
	field,
	make,
	note,
	section,
	table,
	time,
	transactionLink,
} from "../elements.js";
import type { ViewContext } from "../view.js";
import { valuesTable } from "./transaction.js";

/** Source files that are shown. */
const MAX_FILES = 100;
/** Functions that get a form. */
const MAX_FORMS = 100;

async function read(
	{ client }: ViewContext,
	contract: string,
	entry: Entry,
	typed: readonly string[],
): Promise<Child> {
	const data = `${selectorOf(entry)}${encodeArguments(entry.inputs, typed)}`;
	const answer = await client.call("triggerconstantcontract", {
		owner_address: contract,
		contract_address: contract,
		data,
	});
	const result = objectOf(answer, "result");
	const message = textOf(result, "message");
	if (message !== "") return make("span", { class: "bad" }, textOfHex(message));
	const [hex = ""] = textsOf(answer, "constant_result");
	const values = decodeValues(entry.outputs, hex);
	if (!values) return make("pre", {}, hex);
	const [only] = values;
	if (values.length === 1 && only)
		return only.type === "address"
			? addressLink(only.text)
			: make("span", { class: "mono" }, plain(only.text));
	return valuesTable(`Result of ${entry.name}`, values satisfies readonly Decoded[]);
}

function reader(context: ViewContext, contract: string, entry: Entry, index: number): HTMLElement {
	const fields = entry.inputs.map(({ name, type }, at) =>
		field(`${name || `#${at}`} (${type})`, `r${index}-${at}`),
	);
	const out = make("div", { "aria-live": "polite" });
	const form = make(
		"form",
		{},
		fields.map(({ row }) => row),
		make("button", { type: "submit" }, `Read ${entry.name}`),
		out,
	);
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		read(
			context,
			contract,
			entry,
			fields.map(({ input }) => input.value),
		).then(
			(child) => out.replaceChildren(make("p", {}, child)),
			(error: unknown) => {
				if (!(error instanceof ArgumentError) && !(error instanceof NodeError)) throw error;
				out.replaceChildren(make("p", { class: "bad" }, error.message));
			},
		);
	});
	return make("details", {}, make("summary", {}, signatureOf(entry)), form);
}

/** Events of the index, or how to get one. */
function events({ client }: ViewContext, contract: string): HTMLElement {
	const place = make("div");
	client.history(`contracts/${contract}/events?limit=25`).then(
		(page) => {
			const rows = objectsOf(page, "data").map((event) => [
				textOf(event, "event_name") || "unknown",
				make("span", { class: "mono" }, JSON.stringify(event["result"] ?? {})),
				transactionLink(textOf(event, "transaction_id")),
				time(Number(wholeOf(event, "block_timestamp"))),
			]);
			place.replaceChildren(
				table("Events", ["Event", "Values", "Transaction", "Time"], rows, "None that this node has indexed."),
			);
		},
		() =>
			place.replaceChildren(note("Events by contract need the index of history: node.history.index = on.")),
	);
	return section("Events", place);
}

/** The files that were compared with the contract's code, where somebody stored them with the node (protocol/history §7). */
function source({ client }: ViewContext, contract: string): HTMLElement {
	const place = make("div");
	const nothing = (): void =>
		place.replaceChildren(note("Nobody has given this node sources: coin contract verify --store does."));
	client.history(`contracts/${contract}/source`).then((answer) => {
		const [record] = objectsOf(answer, "data");
		if (!record) return nothing();
		const files = Object.entries(objectOf(record, "sources")).slice(0, MAX_FILES);
		place.replaceChildren(
			note(
				`${textOf(record, "contract")}, compiled by ${textOf(record, "compiler")}: ${textOf(record, "match") === "exact" ? "every byte is the same" : "the same but for the metadata"}`,
			),
			...files.flatMap(([name, text]) => [make("h3", {}, name), make("pre", {}, String(text))]),
		);
	}, nothing);
	return section("Source", place);
}

/** @param contract of `getcontract` */
export function contractParts(context: ViewContext, contract: Json, address: string): HTMLElement[] {
	const entries = entriesOf(contract);
	const readers = entries.filter((entry) => entry.kind === "function" && entry.reads).slice(0, MAX_FORMS);
	const rows = entries.map((entry) => [
		entry.kind,
		signatureOf(entry),
		entry.kind === "function" ? selectorOf(entry) : "",
		entry.reads ? "reads" : "",
	]);
	const code = textOf(contract, "bytecode");
	return [
		facts(
			["Created by", addressLink(textOf(contract, "origin_address"))],
			["Energy paid by callers", `${textOf(contract, "consume_user_resource_percent") || "0"} %`],
			["Energy its owner gives a call", grouped(wholeOf(contract, "origin_energy_limit"))],
			["Creation code", `${grouped(code.length / 2)} bytes`],
		),
		section(
			"Read",
			...(readers.length > 0
				? readers.map((entry, index) => reader(context, address, entry, index))
				: [note("Its stored interface has nothing to read.")]),
		),
		section(
			"Interface",
			table("Interface", ["Kind", "Signature", "Selector", ""], rows, "It was stored without one."),
		),
		source(context, address),
		events(context, address),
	];
}
