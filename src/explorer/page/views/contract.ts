/** The additional parts of a contract's page: functions as forms, interface, source, storage, events. */

import { type AbiItem, hashedSignature } from "../../../abi/parameter.js";
import {
	isAddressType,
	type StorageLayout,
	slotOfKey,
	type Variable,
	valueIn,
	valueOfKey,
	variablesOf,
} from "../../../abi/storage-layout.js";
import { hashOf, isKnown, reads, selectorOf } from "../../abi.js";
import { ADDRESS_FORMS, hexAddress } from "../../address-text.js";
import { isJson, type Json, objectOf, textOf, wholeOf } from "../../answer.js";
import { allItems, itemsBehind, joined, layoutOf, sourceOf } from "../../contracts.js";
import { grouped, plainLines } from "../../format.js";
import { knownEvent } from "../../history-rows.js";
import { isMissing, type NodeClient, NodeError } from "../../node-client.js";
import { QUESTIONS_AT_ONCE } from "../../one-at-a-time.js";
import type { TokenUnits } from "../../tokens.js";
import { readingLine } from "../abi-elements.js";
import {
	addressLink,
	ago,
	badge,
	button,
	type Child,
	facts,
	field,
	link,
	make,
	note,
	section,
	table,
	transactionLink,
} from "../elements.js";
import { PAGE, pages } from "../pages.js";
import type { ViewContext } from "../view.js";
import { callForms } from "./call-forms.js";
import { tokenSections } from "./contract-token.js";

/** The most source files shown. */
const MAX_FILES = 100;

/** @param units format amounts of the contract's own token, once they are known */
function eventCells(
	items: readonly AbiItem[],
	event: Json,
	contract: string,
	units: TokenUnits,
): readonly Child[] {
	const known = knownEvent(items, event);
	if (!known) return [textOf(event, "event_name") || "unknown", eventValues(event)];
	const line = make("span", {}, readingLine(known));
	void units
		.counted(contract, known)
		.then((counted) => line.replaceChildren(make("span", {}, readingLine(counted))));
	return [known.item.name, line];
}

async function wordAt(client: NodeClient, contract: string, slot: bigint): Promise<string> {
	const address = `0x${(hexAddress(contract) ?? "").slice(2)}`;
	const word = await client.rpc("eth_getStorageAt", [address, `0x${slot.toString(16)}`, "latest"]);
	return String(word).replace(/^0x/, "").padStart(64, "0");
}

function shown(variable: Variable, word: string): Child {
	const text = valueIn(variable, word, ADDRESS_FORMS);
	return isAddressType(variable.type) ? addressLink(text) : make("span", { class: "mono" }, text);
}

/** Reads the variables from storage with limited concurrency. */
async function valuesOf(
	client: NodeClient,
	contract: string,
	variables: readonly Variable[],
): Promise<Child[][]> {
	const words = new Map<bigint, Promise<string>>();
	const rows: Child[][] = [];
	for (let at = 0; at < variables.length; at += QUESTIONS_AT_ONCE) {
		const some = variables.slice(at, at + QUESTIONS_AT_ONCE);
		const read = await Promise.all(
			some.map((variable) => {
				if (variable.mapping) return "";
				const word = words.get(variable.slot) ?? wordAt(client, contract, variable.slot);
				words.set(variable.slot, word);
				return word;
			}),
		);
		for (const [index, variable] of some.entries()) {
			const { name, type, slot } = variable;
			const place = slot < 1_000_000n ? slot.toString() : `0x${slot.toString(16)}`;
			rows.push([
				name,
				make("span", { class: "mono" }, type),
				make("span", { class: "mono", title: place }, place.length > 20 ? `${place.slice(0, 10)}…` : place),
				shown(variable, read[index] ?? ""),
			]);
		}
	}
	return rows;
}

function whyNot(error: unknown): HTMLElement {
	if (!(error instanceof NodeError)) throw error;
	const isOff = isMissing(error);
	return note(
		isOff
			? "Storage is read by JSON-RPC, which this node doesn't answer here: node.jsonrpc.httpFullNodeEnable = true."
			: error.message,
	);
}

const HEADS = ["Variable", "Type", "Slot", "Value"] as const;

function byLayout(client: NodeClient, contract: string, layout: StorageLayout): HTMLElement[] {
	const variables = variablesOf(layout);
	const place = make("div");
	valuesOf(client, contract, variables).then(
		(rows) => place.replaceChildren(table("Variables", HEADS, rows, "It has no variables.")),
		(error: unknown) => place.replaceChildren(whyNot(error)),
	);
	const forms = variables
		.filter(({ mapping }) => mapping !== undefined)
		.map((variable, index) => {
			const key = field(`${variable.name} of (${variable.mapping?.keyType})`, `key-${index}`);
			const out = make("div", { "aria-live": "polite" });
			const look = button(`Look up ${variable.name}`, () => {
				const places = valueOfKey(layout, variable, key.input.value, ADDRESS_FORMS);
				if (places.length === 0) {
					out.replaceChildren(make("p", { class: "bad" }, `this is no ${variable.mapping?.keyType}`));
					return;
				}
				valuesOf(client, contract, places).then(
					(rows) => out.replaceChildren(table(`Value of ${variable.name}`, HEADS, rows)),
					(error: unknown) => out.replaceChildren(whyNot(error)),
				);
			});
			return make("div", {}, make("div", { class: "row" }, key.row, look), out);
		});
	return [place, ...forms];
}

function byHand(client: NodeClient, contract: string): HTMLElement {
	const slot = field("Slot", "slot", "0", "a number, or 0x…");
	const key = field(
		"Key of a mapping in it (may be empty)",
		"slot-key",
		"",
		"T…, a number, or text in quotes",
	);
	const out = make("p", { class: "mono", "aria-live": "polite" });
	const read = button("Read the slot", () => {
		const typed = slot.input.value.trim();
		if (!/^(\d{1,78}|0x[\da-f]{1,64})$/i.test(typed)) {
			out.replaceChildren("this is not a slot");
			return;
		}
		const place = keyed(BigInt(typed), key.input.value.trim());
		if (place === undefined) {
			out.replaceChildren("this is not a key");
			return;
		}
		wordAt(client, contract, place).then(
			(word) => out.replaceChildren(`0x${word}${/^0{40}/.test(word) ? ` = ${BigInt(`0x${word}`)}` : ""}`),
			(error: unknown) => out.replaceChildren(whyNot(error)),
		);
	});
	return make("div", {}, make("div", { class: "row" }, slot.row, key.row, read), out);
}

/** The storage slot of a mapping's value; the key's type is inferred from how it is typed. */
function keyed(slot: bigint, key: string): bigint | undefined {
	if (key === "") return slot;
	const [, quoted] = /^"(.*)"$/.exec(key) ?? [];
	if (quoted !== undefined) return slotOfKey(slot, "string", quoted, ADDRESS_FORMS);
	return /^(-?\d+|0x[\da-f]+)$/i.test(key)
		? slotOfKey(slot, "uint256", key, ADDRESS_FORMS)
		: slotOfKey(slot, "address", key, ADDRESS_FORMS);
}

/** @param layout from the stored source, or that of a proxy's implementation; undefined if unknown */
function storage(client: NodeClient, contract: string, layout: StorageLayout | undefined): HTMLElement {
	const named = layout
		? byLayout(client, contract, layout)
		: [note("Names of variables need a source that is stored with the node: coin contract verify --store.")];
	return section("Storage", ...named, make("h3", {}, "A slot by hand"), byHand(client, contract));
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

/** Events from the history index, or a note how to enable it. */
function events(context: ViewContext, contract: string, items: readonly AbiItem[]): HTMLElement {
	return section(
		"Events",
		pages({
			context,
			caption: "Events",
			heads: ["Event", "Values", "Transaction", "Block", "Age"],
			path: `contracts/${contract}/events?limit=${PAGE}`,
			row: (event) => [
				...eventCells(items, event, contract, context.contracts.units),
				transactionLink(textOf(event, "transaction_id")),
				link(`block/${textOf(event, "block_number")}`, textOf(event, "block_number")),
				ago(Number(wholeOf(event, "block_timestamp")), context.nowMs()),
			],
		}),
	);
}

/** The source files verified against the contract's code, if stored with the node (protocol/history §7). */
function sourceFiles(source: Json | undefined): HTMLElement {
	if (!source)
		return section("Source", note("Nobody has given this node sources: coin contract verify --store does."));
	// The contract's own file first, then its imports by name.
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
			// Not `plain`: a source may be longer than its limit, and has line breaks.
			shown.textContent = plainLines(String(text));
			const details = make("details", {}, make("summary", {}, name), shown);
			details.open = index === 0;
			return details;
		}),
	);
}

/** The parts of a contract's page that other accounts don't have. */
interface ContractParts {
	readonly overview: readonly HTMLElement[];
	readonly events: HTMLElement;
	readonly read: HTMLElement;
	readonly write: HTMLElement;
	readonly code: readonly HTMLElement[];
	readonly storage: HTMLElement;
}

/** @param contract answer to `getcontract` */
export async function contractParts(
	context: ViewContext,
	contract: Json,
	address: string,
): Promise<ContractParts> {
	const { client } = context;
	const source = await sourceOf(client, address);
	const own = allItems(contract, source);
	const behind = await itemsBehind(client, address, own);
	const items = joined(own, behind?.items ?? []);
	const held = await tokenSections(context, address, items);
	const rows = items.map((item) => [
		item.kind,
		make("span", { class: "mono" }, isKnown(item) ? hashedSignature(item) : recordedSignature(item)),
		make(
			"span",
			{ class: "mono" },
			item.name === "" || !isKnown(item)
				? ""
				: item.kind === "event"
					? `${hashOf(item).slice(0, 16)}…`
					: selectorOf(item),
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
		storage: storage(client, address, layoutOf(source, behind)),
	};
}

/** The chain's record lacks tuple components, so the actual signature may differ. */
const recordedSignature = ({ name, inputs }: AbiItem): string =>
	`${name}(${inputs.map(({ type }) => type).join(",")})`;
