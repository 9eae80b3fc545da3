/** What an account has beside when it is a contract: its functions as forms, interface, source, storage, events. */

import { type AbiItem, hashedSignature } from "../../../abi/parameter.js";
import { readStorageLayout } from "../../../abi/storage-layout.js";
import { decodeEvent, hashOf, type Reading, reads, selectorOf } from "../../abi.js";
import { isJson, type Json, objectOf, objectsOf, textOf, wholeOf } from "../../answer.js";
import { kindOf } from "../../contract-search.js";
import { allItems, itemsBehind, joined, sourceOf } from "../../contracts.js";
import { decimal, grouped, plainLines } from "../../format.js";
import type { NodeClient } from "../../node-client.js";
import { readingLine } from "../abi-elements.js";
import {
	addressLink,
	badge,
	type Child,
	facts,
	link,
	make,
	note,
	section,
	table,
	time,
	transactionLink,
} from "../elements.js";
import { pages } from "../pages.js";
import type { ViewContext } from "../view.js";
import { callForms } from "./call-forms.js";
import { storage } from "./storage.js";

/** Source files that are shown. */
const MAX_FILES = 100;

/** An event that the node had no interface for, by the one that is known now or those that are common: it lists topics and data. */
function knownEvent(items: readonly AbiItem[], event: Json): Reading | undefined {
	const parts = Object.values(objectOf(event, "result")).map(String);
	return decodeEvent(items, parts.slice(0, -1), parts.at(-1) ?? "") ?? decodeEvent(items, parts, "");
}

function eventCells(items: readonly AbiItem[], event: Json): readonly Child[] {
	const name = textOf(event, "event_name");
	const known = name === "" ? knownEvent(items, event) : undefined;
	return known ? [known.item.name, readingLine(known)] : [name || "unknown", eventValues(event)];
}

function eventValues(event: Json): Child {
	const result = event["result"];
	const types = objectOf(event, "result_type");
	if (!isJson(result)) return "";
	const named = Object.entries(result).filter(([name]) => !/^\d+$/.test(name));
	const shown = named.length > 0 ? named : Object.entries(result);
	return shown.map(([name, value], index) => [
		index > 0 ? ", " : "",
		`${name}: `,
		textOf(types, name) === "address"
			? addressLink(String(value), false)
			: make("span", { class: "mono" }, String(value)),
	]);
}

/** Events of the index, or how to get one. */
function events({ client }: ViewContext, contract: string, items: readonly AbiItem[]): HTMLElement {
	return section(
		"Events",
		pages({
			client,
			caption: "Events",
			heads: ["Event", "Values", "Transaction", "Block", "Time"],
			path: () => `contracts/${contract}/events?limit=25`,
			row: (event) => [
				...eventCells(items, event),
				transactionLink(textOf(event, "transaction_id")),
				link(`block/${textOf(event, "block_number")}`, textOf(event, "block_number")),
				time(Number(wholeOf(event, "block_timestamp"))),
			],
			none: "None that this node has indexed.",
			missing: "Events by contract need the index of history: node.history.index = on.",
		}),
	);
}

/** The files that were compared with the contract's code, where somebody stored them with the node (protocol/history §7). */
function sourceFiles(source: Json | undefined): HTMLElement {
	if (!source)
		return section("Source", note("Nobody has given this node sources: coin contract verify --store does."));
	// The contract's own file first, those that it imports by their names.
	const own = textOf(source, "contract").replace(/:[^:]*$/, "");
	const files = Object.entries(objectOf(source, "sources"))
		.sort(([a], [b]) => Number(b === own) - Number(a === own))
		.slice(0, MAX_FILES);
	const match =
		textOf(source, "match") === "exact" ? "every byte is the same" : "the same but for the metadata";
	return section(
		"Source",
		note(`${textOf(source, "contract")}, compiled by ${textOf(source, "compiler")}: ${match}`),
		...files.map(([name, text], index) => {
			const shown = make("pre", { class: "source", tabindex: "0", "aria-label": name }, "");
			// A source may be longer than any other text, and its lines are its own.
			shown.textContent = plainLines(String(text));
			const details = make("details", {}, make("summary", {}, name), shown);
			details.open = index === 0;
			return details;
		}),
	);
}

/** The token that the contract is, where it is one, and who holds most of it. */
async function token(client: NodeClient, contract: string): Promise<HTMLElement[]> {
	const answer = await client.history(`contracts/${contract}/tokens?limit=20`).catch((): Json => ({}));
	const holders = objectsOf(answer, "data");
	if (holders.length === 0) return [];
	const infos = await client.history(`orc20/info?contract_list=${contract}`).catch((): Json => ({}));
	const [info = {}] = objectsOf(infos, "data");
	const decimals = Number(wholeOf(info, "decimals"));
	const rows = holders.flatMap((each) =>
		Object.keys(each).map((holder) => [addressLink(holder), decimal(wholeOf(each, holder), decimals)]),
	);
	return [
		section(
			"Token",
			facts(
				["Name", textOf(info, "name")],
				["Symbol", textOf(info, "symbol")],
				["Kind", kindOf(info)],
				["Decimals", String(decimals)],
				["Supply", decimal(wholeOf(info, "total_supply"), decimals)],
			),
			make("h3", {}, "Holders"),
			table("Holders", ["Account", "Amount"], rows),
		),
	];
}

/** What a contract's page has beside that of an account. */
interface ContractParts {
	readonly overview: readonly HTMLElement[];
	readonly events: HTMLElement;
	readonly read: HTMLElement;
	readonly write: HTMLElement;
	readonly code: readonly HTMLElement[];
	readonly storage: HTMLElement;
}

/** @param contract of `getcontract` */
export async function contractParts(
	context: ViewContext,
	contract: Json,
	address: string,
): Promise<ContractParts> {
	const { client } = context;
	const [source, held] = await Promise.all([sourceOf(client, address), token(client, address)]);
	const own = allItems(contract, source);
	const behind = await itemsBehind(client, address, own);
	const items = joined(own, behind?.items ?? []);
	const rows = items.map((item) => [
		item.kind,
		make("span", { class: "mono" }, hashedSignature(item)),
		make(
			"span",
			{ class: "mono" },
			item.kind === "event" ? `${hashOf(item).slice(0, 16)}…` : item.name === "" ? "" : selectorOf(item),
		),
		item.kind !== "function" ? "" : reads(item) ? "reads" : (item.mutability ?? ""),
	]);
	const code = textOf(contract, "bytecode");
	const [read, write] = await callForms(context, address, items);
	return {
		overview: [
			facts(
				["Created by", addressLink(textOf(contract, "origin_address"))],
				behind ? ["Runs the code of", addressLink(behind.implementation)] : undefined,
				[
					"Source",
					source
						? [badge("verified", "good"), " by the owner of this node"]
						: "none is stored with this node: coin contract verify --store does that",
				],
				["Energy paid by callers", `${textOf(contract, "consume_user_resource_percent") || "0"} %`],
				["Energy its owner gives a call", grouped(wholeOf(contract, "origin_energy_limit"))],
				["Creation code", `${grouped(code.length / 2)} bytes`],
			),
			...held,
		],
		events: events(context, address, items),
		read,
		write,
		code: [
			section(
				"Interface",
				table("Interface", ["Kind", "Signature", "Selector", "Effect"], rows, "It was stored without one."),
			),
			sourceFiles(source),
		],
		storage: storage(client, address, readStorageLayout(source?.["storage_layout"])),
	};
}
