/** Slots of a contract's storage: by number, and by name where the source that is stored with the node tells the layout. */

import {
	isAddressType,
	type StorageLayout,
	slotOfKey,
	type Variable,
	valueIn,
	valueOfKey,
	variablesOf,
} from "../../../abi/storage-layout.js";
import { ADDRESS_FORMS, hexAddress } from "../../address-text.js";
import type { NodeClient } from "../../node-client.js";
import { isMissing, NodeError } from "../../node-client.js";
import { QUESTIONS_AT_ONCE } from "../../one-at-a-time.js";
import { addressLink, button, type Child, field, make, note, section, table } from "../elements.js";

async function wordAt(client: NodeClient, contract: string, slot: bigint): Promise<string> {
	const address = `0x${(hexAddress(contract) ?? "").slice(2)}`;
	const word = await client.rpc("eth_getStorageAt", [address, `0x${slot.toString(16)}`, "latest"]);
	return String(word).replace(/^0x/, "").padStart(64, "0");
}

function shown(variable: Variable, word: string): Child {
	const text = valueIn(variable, word, ADDRESS_FORMS);
	return isAddressType(variable.type) ? addressLink(text) : make("span", { class: "mono" }, text);
}

/** @param variables their words are asked for, a few at a time */
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

/** The slot of a mapping's value by a key whose kind is seen by how it is typed. */
function keyed(slot: bigint, key: string): bigint | undefined {
	if (key === "") return slot;
	const [, quoted] = /^"(.*)"$/.exec(key) ?? [];
	if (quoted !== undefined) return slotOfKey(slot, "string", quoted, ADDRESS_FORMS);
	return /^(-?\d+|0x[\da-f]+)$/i.test(key)
		? slotOfKey(slot, "uint256", key, ADDRESS_FORMS)
		: slotOfKey(slot, "address", key, ADDRESS_FORMS);
}

/** @param layout what the stored source tells; undefined: nothing */
export function storage(
	client: NodeClient,
	contract: string,
	layout: StorageLayout | undefined,
): HTMLElement {
	const named = layout
		? byLayout(client, contract, layout)
		: [note("Names of variables need a source that is stored with the node: coin contract verify --store.")];
	return section("Storage", ...named, make("h3", {}, "A slot by hand"), byHand(client, contract));
}
