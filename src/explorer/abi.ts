/** Contract ABIs as nodes and compilers write them, and decoding of calls, events and errors. */

import { keccak_256 } from "@noble/hashes/sha3.js";
import { COMMON_SIGNATURES, PANICS } from "../abi/common-signatures.js";
import {
	ABI_KINDS,
	type AbiItem,
	type AbiKind,
	type AbiParameter,
	hashedSignature,
	isComplete,
} from "../abi/parameter.js";
import { type Decoded, decodeValues, PAGE_LIMITS, topicValue } from "./abi-values.js";
import { hexOf } from "./address-text.js";
import { type Json, objectOf, objectsOf, textOf } from "./answer.js";

/** No valid type is longer. */
const LONGEST_TYPE = 64;
const MAX_ITEMS = 2_000;

/** Data decoded by an item. */
export interface Reading {
	readonly item: AbiItem;
	readonly values: readonly Decoded[];
}

/** The items of an answer to `getcontract`. */
export function itemsOf(contract: Json): readonly AbiItem[] {
	return itemsOfList(objectsOf(objectOf(contract, "abi"), "entrys"));
}

/** The items of a list, as the chain (`Function`, `View`) or compilers write them. */
export function itemsOfList(list: readonly Json[]): readonly AbiItem[] {
	return list.slice(0, MAX_ITEMS).flatMap((entry) => {
		const kind = textOf(entry, "type").toLowerCase() as AbiKind;
		const inputs = parametersOf(entry, "inputs");
		const outputs = parametersOf(entry, "outputs");
		if (!ABI_KINDS.includes(kind) || !inputs || !outputs) return [];
		const stated = textOf(entry, "stateMutability").toLowerCase();
		const mutability = stated || (entry["constant"] === true ? "view" : "nonpayable");
		const anonymous = entry["anonymous"] === true;
		return [{ kind, name: textOf(entry, "name"), inputs, outputs, mutability, anonymous }];
	});
}

/** Undefined if a type is invalid. */
function parametersOf(entry: Json, name: string, depth = 0): AbiParameter[] | undefined {
	if (depth > PAGE_LIMITS.depth) return undefined;
	const found: AbiParameter[] = [];
	for (const each of objectsOf(entry, name)) {
		const type = textOf(each, "type");
		if (type.length > LONGEST_TYPE) return undefined;
		const isTuple = type.startsWith("tuple") && Array.isArray(each["components"]);
		const components = isTuple ? parametersOf(each, "components", depth + 1) : undefined;
		if (isTuple && !components) return undefined;
		const indexed = each["indexed"] === true;
		found.push({ name: textOf(each, "name"), type, indexed, ...(components ? { components } : {}) });
	}
	return found;
}

/** Whether calling it changes no state. */
export const reads = ({ mutability }: AbiItem): boolean => mutability === "view" || mutability === "pure";

/** Whether all its types are known, so that it can be encoded and decoded. */
export const isKnown = ({ inputs }: AbiItem): boolean => isComplete(inputs);

const hashes = new WeakMap<AbiItem, string>();

/** First topic of an event, hexadecimal. */
export function hashOf(item: AbiItem): string {
	let hash = hashes.get(item);
	if (hash === undefined) {
		hash = hexOf(keccak_256(new TextEncoder().encode(hashedSignature(item))));
		hashes.set(item, hash);
	}
	return hash;
}

/** The first four bytes of a call or an error, 8 digits. */
export const selectorOf = (item: AbiItem): string => hashOf(item).slice(0, 8);

/** Common items, for contracts without a stored interface. */
export const COMMON: readonly AbiItem[] = [
	...Object.entries(COMMON_SIGNATURES).flatMap(([kind, list]) =>
		list
			.trim()
			.split("\n")
			.flatMap((line) => known(kind as AbiKind, line)),
	),
	// ORC-721 transfers have the token's number as a topic.
	...known("event", "Transfer(address indexed from, address indexed to, uint256 indexed tokenId)"),
	...known("event", "Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)"),
];

/** A signature of the list as an item; empty for the few with tuples. */
function known(kind: AbiKind, line: string): AbiItem[] {
	const [, name, inputs = ""] = /^(\w+)\(([^()]*)\)/.exec(line) ?? [];
	if (name === undefined) return [];
	const parameters = (inputs === "" ? [] : inputs.split(", ")).map((each) => {
		const words = each.split(" ");
		return { type: words[0] ?? "", indexed: words.includes("indexed"), name: words.at(-1) ?? "" };
	});
	return [{ kind, name, inputs: parameters, outputs: [], mutability: "nonpayable" }];
}

function readingOf(items: readonly AbiItem[], kind: AbiKind, data: string): Reading | undefined {
	const selector = data.slice(0, 8).toLowerCase();
	for (const item of items) {
		if (item.kind !== kind || !isKnown(item) || selectorOf(item) !== selector) continue;
		const values = decodeValues(item.inputs, data.slice(8));
		if (values) return { item, values };
	}
	return undefined;
}

/** A call's function and arguments; undefined if no item matches. @param data hexadecimal */
export function decodeCall(items: readonly AbiItem[], data: string): Reading | undefined {
	return readingOf([...items, ...COMMON], "function", data);
}

/** A log's event and values; undefined if no item matches. @param topics, data hexadecimal */
export function decodeEvent(
	items: readonly AbiItem[],
	topics: readonly string[],
	data: string,
): Reading | undefined {
	const [first, ...rest] = topics;
	for (const item of [...items, ...COMMON]) {
		if (item.kind !== "event" || item.anonymous || !isKnown(item) || hashOf(item) !== first) continue;
		const values = eventValues(item, rest, data);
		if (values) return { item, values };
	}
	return undefined;
}

function eventValues({ inputs }: AbiItem, topics: readonly string[], data: string): Decoded[] | undefined {
	if (inputs.filter(({ indexed }) => indexed).length !== topics.length) return undefined;
	const fromData = decodeValues(
		inputs.filter(({ indexed }) => !indexed),
		data,
	)?.values();
	if (!fromData) return undefined;
	const fromTopics = topics.values();
	const values: Decoded[] = [];
	for (const input of inputs) {
		const { name, type } = input;
		const value = input.indexed
			? topicValue(input, fromTopics.next().value ?? "")
			: (fromData.next().value as Decoded).value;
		if (!value) return undefined;
		values.push({ name, type, value });
	}
	return values;
}

/** Why a call reverted. */
export type Refusal =
	| { readonly kind: "reason" | "panic"; readonly text: string }
	| ({ readonly kind: "error" } & Reading)
	| { readonly kind: "unknown"; readonly data: string };

/** A contract's revert reason; undefined if it gives none. @param data hexadecimal */
export function refusalOf(items: readonly AbiItem[], data: string): Refusal | undefined {
	if (data === "") return undefined;
	const own = readingOf([...items, ...COMMON], "error", data);
	const [first] = own?.values ?? [];
	const signature = own ? hashedSignature(own.item) : "";
	// Compilers emit these for `require`, `revert` and failed checks.
	if (first?.value.kind === "text" && (signature === "Error(string)" || signature === "Panic(uint256)")) {
		const { text } = first.value;
		if (own?.item.name === "Error") return { kind: "reason", text };
		const code = `0x${BigInt(text).toString(16).padStart(2, "0")}`;
		return { kind: "panic", text: `${PANICS[text] ?? "a fault without a name"} (panic ${code})` };
	}
	return own ? { kind: "error", ...own } : { kind: "unknown", data };
}
