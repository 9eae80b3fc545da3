/**
 * Contract interfaces as nodes keep them, and the values of calls and events by them (the contract ABI specification):
 * only what a page shows, small enough for a page, bounded against data that was made to be large.
 */

import { keccak_256 } from "@noble/hashes/sha3.js";
import { spell, toNeutral } from "../protocol/dialect.js";
import { addressText, bytesOf, hexAddress, hexOf } from "./address-text.js";
import { type Json, objectOf, objectsOf, textOf } from "./answer.js";

interface Parameter {
	readonly name: string;
	readonly type: string;
	readonly indexed: boolean;
}

/** Longer types are nobody's. */
const LONGEST_TYPE = 64;

export interface Entry {
	readonly kind: "function" | "event" | "error";
	readonly name: string;
	readonly inputs: readonly Parameter[];
	readonly outputs: readonly Parameter[];
	/** Whether calling it changes nothing. */
	readonly reads: boolean;
}

/** One value with its name, as text. */
export interface Decoded {
	readonly name: string;
	readonly type: string;
	readonly text: string;
}

const WORD = 64;
/** Elements of all lists of one value. */
const MAX_ELEMENTS = 500;
const MOST_SHOWN_ENTRIES = 2_000;

/** The entries of the record that `getcontract` answers with. */
export function entriesOf(contract: Json): readonly Entry[] {
	return objectsOf(objectOf(contract, "abi"), "entrys")
		.slice(0, MOST_SHOWN_ENTRIES)
		.flatMap((entry) => {
			const kind = textOf(entry, "type").toLowerCase();
			if (kind !== "function" && kind !== "event" && kind !== "error") return [];
			const reads = /^(view|pure)$/i.test(textOf(entry, "stateMutability")) || entry["constant"] === true;
			const parameters = (name: string): Parameter[] =>
				objectsOf(entry, name).map((each) => ({
					name: textOf(each, "name"),
					type: textOf(each, "type"),
					indexed: each["indexed"] === true,
				}));
			const types = [...parameters("inputs"), ...parameters("outputs")].map(({ type }) => type);
			if (types.some((type) => type.length > LONGEST_TYPE)) return [];
			return [
				{
					kind,
					name: textOf(entry, "name"),
					inputs: parameters("inputs"),
					outputs: parameters("outputs"),
					reads,
				},
			];
		});
}

/** The token type is hashed under the name that the network's compilers write. */
function hashedType(type: string): string {
	return type.startsWith("orcToken") ? spell(type, "deployed") : type;
}

export function signatureOf({ name, inputs }: Entry): string {
	return `${name}(${inputs.map(({ type }) => hashedType(type)).join(",")})`;
}

function hashOf(entry: Entry): string {
	return hexOf(keccak_256(new TextEncoder().encode(signatureOf(entry))));
}

/** The first four bytes of a call, 8 digits. */
export function selectorOf(entry: Entry): string {
	return hashOf(entry).slice(0, 8);
}

/** Well-known entries, for contracts that have no stored interface. */
const KNOWN: readonly Entry[] = [
	event("Transfer", "address indexed from, address indexed to, uint256 value"),
	event("Transfer", "address indexed from, address indexed to, uint256 indexed tokenId"),
	event("Approval", "address indexed owner, address indexed spender, uint256 value"),
	call("transfer", "address to, uint256 value"),
	call("transferFrom", "address from, address to, uint256 value"),
	call("approve", "address spender, uint256 value"),
];

function parametersOf(text: string): Parameter[] {
	return text.split(", ").map((each) => {
		const words = each.split(" ");
		return { type: words[0] ?? "", indexed: words.includes("indexed"), name: words.at(-1) ?? "" };
	});
}

function event(name: string, inputs: string): Entry {
	return { kind: "event", name, inputs: parametersOf(inputs), outputs: [], reads: false };
}

function call(name: string, inputs: string): Entry {
	return { kind: "function", name, inputs: parametersOf(inputs), outputs: [], reads: false };
}

/** A call's function and arguments; undefined where no interface fits. @param data hexadecimal */
export function decodeCall(
	entries: readonly Entry[],
	data: string,
): { readonly entry: Entry; readonly values: readonly Decoded[] } | undefined {
	const selector = data.slice(0, 8).toLowerCase();
	for (const entry of [...entries, ...KNOWN]) {
		if (entry.kind !== "function" || selectorOf(entry) !== selector) continue;
		const values = decodeValues(entry.inputs, data.slice(8));
		if (values) return { entry, values };
	}
	return undefined;
}

/** A log's event and values; undefined where no interface fits. @param topics, data hexadecimal */
export function decodeEvent(
	entries: readonly Entry[],
	topics: readonly string[],
	data: string,
): { readonly entry: Entry; readonly values: readonly Decoded[] } | undefined {
	const [first, ...rest] = topics;
	for (const entry of [...entries, ...KNOWN]) {
		if (entry.kind !== "event" || hashOf(entry) !== first) continue;
		const indexed = entry.inputs.filter((input) => input.indexed);
		if (indexed.length !== rest.length) continue;
		const plain = decodeValues(
			entry.inputs.filter((input) => !input.indexed),
			data,
		);
		if (!plain) continue;
		const fromData = [...plain];
		const fromTopics = [...rest];
		const values = entry.inputs.map((input): Decoded => {
			if (!input.indexed) return fromData.shift() as Decoded;
			const topic = fromTopics.shift() ?? "";
			const { name, type } = input;
			// Of what isn't a single word, the topic has a hash.
			return {
				name,
				type,
				text: isDynamic(type) || type.endsWith("]") ? `hash ${topic}` : staticText(type, topic),
			};
		});
		return { entry, values };
	}
	return undefined;
}

/** Values by their parameters; undefined where the data doesn't fit. @param data hexadecimal */
export function decodeValues(parameters: readonly Parameter[], data: string): readonly Decoded[] | undefined {
	const budget = { left: MAX_ELEMENTS };
	try {
		let offset = 0;
		return parameters.map(({ name, type }) => {
			const text = valueAt(type, data, 0, offset, budget);
			offset += sizeOf(type) * WORD;
			return { name, type, text };
		});
	} catch (error) {
		if (error instanceof RangeError) return undefined;
		throw error;
	}
}

interface Budget {
	left: number;
}

function arrayOf(
	type: string,
): { readonly element: string; readonly length: number | undefined } | undefined {
	const [, element, length] = /^(.*)\[(\d{0,6})\]$/.exec(type) ?? [];
	if (element === undefined) return undefined;
	return { element, length: length === "" ? undefined : Number(length) };
}

function isDynamic(type: string): boolean {
	const array = arrayOf(type);
	if (array) return array.length === undefined || isDynamic(array.element);
	return type === "bytes" || type === "string";
}

/** Words in the head. */
function sizeOf(type: string): number {
	if (isDynamic(type)) return 1;
	const array = arrayOf(type);
	return array?.length === undefined ? 1 : array.length * sizeOf(array.element);
}

function wordAt(data: string, at: number): string {
	const word = data.slice(at, at + WORD);
	if (word.length !== WORD) throw new RangeError("the data ends early");
	return word;
}

function smallAt(data: string, at: number): number {
	const value = BigInt(`0x${wordAt(data, at)}`);
	if (value > BigInt(data.length)) throw new RangeError("beyond the data");
	return Number(value);
}

/** @param base where offsets are counted from, in digits */
function valueAt(type: string, data: string, base: number, at: number, budget: Budget): string {
	if (type.startsWith("tuple")) throw new RangeError("members of tuples aren't kept");
	if (!isDynamic(type) && !type.endsWith("]")) return staticText(type, wordAt(data, base + at));
	const array = arrayOf(type);
	const start = isDynamic(type) ? base + 2 * smallAt(data, base + at) : base + at;
	if (!array) return bytesText(type, data, start);
	const length = array.length ?? smallAt(data, start);
	budget.left -= length;
	if (budget.left < 0) throw new RangeError("too many elements");
	const head = array.length === undefined ? start + WORD : start;
	const size = sizeOf(array.element) * WORD;
	const values = Array.from({ length }, (_, index) =>
		valueAt(array.element, data, head, index * size, budget),
	);
	return `[${values.join(", ")}]`;
}

function bytesText(type: string, data: string, start: number): string {
	const length = smallAt(data, start);
	const digits = data.slice(start + WORD, start + WORD + 2 * length);
	if (digits.length !== 2 * length) throw new RangeError("the data ends early");
	const bytes = bytesOf(digits);
	if (!bytes) throw new RangeError("not hexadecimal");
	return type === "string" ? new TextDecoder().decode(bytes) : `0x${digits}`;
}

function staticText(type: string, word: string): string {
	if (!/^[\da-f]{64}$/i.test(word)) throw new RangeError("not a word");
	if (type === "address") return addressText(word.slice(24)) ?? word;
	if (type === "bool") return /1$/.test(word) ? "true" : "false";
	const [, size] = /^bytes(\d{1,2})$/.exec(type) ?? [];
	if (size !== undefined) return `0x${word.slice(0, 2 * Number(size))}`;
	const value = BigInt(`0x${word}`);
	return (type.startsWith("int") ? BigInt.asIntN(256, value) : value).toString();
}

/** A typed argument didn't fit its type. */
export class ArgumentError extends Error {
	override readonly name = "ArgumentError";
}

/** Arguments as a call's data without selector, hexadecimal: for parameters that are a single word or bytes. @throws {ArgumentError} */
export function encodeArguments(parameters: readonly Parameter[], typed: readonly string[]): string {
	const heads: string[] = [];
	let tail = "";
	for (const [index, { type }] of parameters.entries()) {
		const text = (typed[index] ?? "").trim();
		if (!isDynamic(type)) {
			heads.push(wordOf(type, text));
			continue;
		}
		if (arrayOf(type)) throw new ArgumentError(`lists such as ${type} can't be typed here`);
		const bytes = type === "string" ? new TextEncoder().encode(text) : bytesOf(text);
		if (!bytes) throw new ArgumentError(`"${text}" is not hexadecimal`);
		heads.push(numberWord(BigInt(parameters.length * 32 + tail.length / 2)));
		const digits = hexOf(bytes);
		tail += numberWord(BigInt(bytes.length)) + digits.padEnd(Math.ceil(digits.length / WORD) * WORD, "0");
	}
	return heads.join("") + tail;
}

function numberWord(value: bigint): string {
	return BigInt.asUintN(256, value).toString(16).padStart(WORD, "0");
}

function wordOf(type: string, text: string): string {
	if (type === "address") {
		const hex = hexAddress(addressText(text) ?? "");
		if (hex === undefined) throw new ArgumentError(`"${text}" is not an address`);
		return hex.slice(2).padStart(WORD, "0");
	}
	if (type === "bool") {
		if (text !== "true" && text !== "false") throw new ArgumentError(`"${text}" is neither true nor false`);
		return numberWord(text === "true" ? 1n : 0n);
	}
	const [, size] = /^bytes(\d{1,2})$/.exec(type) ?? [];
	if (size !== undefined) {
		const bytes = bytesOf(text);
		if (bytes?.length !== Number(size))
			throw new ArgumentError(`"${text}" is not ${size} bytes in hexadecimal`);
		return hexOf(bytes).padEnd(WORD, "0");
	}
	if (!/^(u?int\d*|orcToken)$/.test(toNeutral(type))) throw new ArgumentError(`${type} can't be typed here`);
	if (!/^-?\d{1,78}$/.test(text)) throw new ArgumentError(`"${text}" is not a whole number`);
	return numberWord(BigInt(text));
}
