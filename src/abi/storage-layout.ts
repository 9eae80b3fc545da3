/**
 * Decodes storage by the compiler's layout (https://docs.soliditylang.org, "Layout of State Variables in
 * Storage"): the slot of each variable, and its value there. Doesn't depend on Node.js: the explorer uses it.
 */

import { keccak_256 } from "@noble/hashes/sha3.js";

/** Maximum number of variables reported. */
const MAX_VARIABLES = 200;
/** Maximum nesting of structs. */
const MAX_DEPTH = 16;
/** Maximum number of entries visited, as the structs of a malicious layout can branch without end. */
const MAX_ENTRIES = MAX_VARIABLES * MAX_DEPTH;
const SLOT_BYTES = 32;
const WORD_DIGITS = 2 * SLOT_BYTES;

interface LayoutType {
	/** Source notation: `uint256`, `mapping(address => uint256)`. */
	readonly label: string;
	readonly bytes: number;
	/** For mappings: type ids of key and value. */
	readonly mapping?: { readonly key: string; readonly value: string };
	/** For arrays: type id of the element, and whether the slot holds the length. */
	readonly list?: { readonly element: string; readonly isDynamic: boolean };
	/** For structs. */
	readonly members: readonly LayoutEntry[];
}

interface LayoutEntry {
	readonly name: string;
	readonly type: string;
	readonly slot: bigint;
	readonly offset: number;
}

/** A validated `storageLayout` from a compiler. */
export interface StorageLayout {
	readonly variables: readonly LayoutEntry[];
	readonly types: ReadonlyMap<string, LayoutType>;
}

/** A variable or struct member, with its location. */
export interface Variable {
	readonly name: string;
	/** Source notation. */
	readonly type: string;
	readonly slot: bigint;
	/** Bytes from the low-order end of the word. */
	readonly offset: number;
	readonly bytes: number;
	/** For mappings: the key type in source notation, and the type id of the values. */
	readonly mapping?: { readonly keyType: string; readonly valueType: string };
	readonly list?: LayoutType["list"];
}

/** Parses and formats addresses, given as 40 hex digits without prefix. */
export interface LayoutAddresses {
	/** @returns undefined if the text isn't an address */
	read(text: string): string | undefined;
	write(digits: string): string;
}

type Members = { readonly [name: string]: unknown };

function membersOf(value: unknown): Members {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

function wholeOf(value: unknown): bigint {
	if (typeof value === "bigint") return value;
	if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
	return typeof value === "string" && /^\d{1,78}$/.test(value) ? BigInt(value) : 0n;
}

function textOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}

function entriesOf(value: unknown): LayoutEntry[] {
	if (!Array.isArray(value)) return [];
	return value.slice(0, MAX_VARIABLES).map((item: unknown) => {
		const { label, type, slot, offset } = membersOf(item);
		return { name: textOf(label), type: textOf(type), slot: wholeOf(slot), offset: Number(wholeOf(offset)) };
	});
}

/** @param json a compiler's `storageLayout` @returns undefined if malformed */
export function readStorageLayout(json: unknown): StorageLayout | undefined {
	const { storage, types } = membersOf(json);
	if (!Array.isArray(storage)) return undefined;
	const read = Object.entries(membersOf(types)).map(([key, type]): [string, LayoutType] => {
		const { label, numberOfBytes, encoding, key: keyType, value, base, members } = membersOf(type);
		const isMapping = encoding === "mapping";
		const list = { element: textOf(base), isDynamic: encoding === "dynamic_array" };
		return [
			key,
			{
				label: textOf(label),
				bytes: Number(wholeOf(numberOfBytes)),
				members: entriesOf(members),
				...(isMapping ? { mapping: { key: textOf(keyType), value: textOf(value) } } : {}),
				...(list.element === "" ? {} : { list }),
			},
		];
	});
	return { variables: entriesOf(storage), types: new Map(read) };
}

/** All variables, with structs expanded into members; one that contains itself is left out. */
export const variablesOf = ({ variables, types }: StorageLayout): readonly Variable[] =>
	expanded(types, variables);

/** Entries that may still be visited. */
type Budget = { left: number };

function expanded(
	types: StorageLayout["types"],
	top: readonly LayoutEntry[],
	budget: Budget = { left: MAX_ENTRIES },
): readonly Variable[] {
	const found: Variable[] = [];
	const within = new Set<string>();
	const add = (entries: readonly LayoutEntry[], prefix: string, base: bigint): void => {
		for (const { name, type, slot, offset } of entries) {
			if (found.length >= MAX_VARIABLES || within.size > MAX_DEPTH || budget.left-- <= 0) return;
			const members = types.get(type)?.members ?? [];
			if (members.length > 0) {
				if (within.has(type)) continue;
				within.add(type);
				add(members, `${prefix}${name}.`, base + slot);
				within.delete(type);
			} else found.push(variableAt(types, type, prefix + name, base + slot, offset));
		}
	};
	add(top, "", 0n);
	return found;
}

function variableAt(
	types: StorageLayout["types"],
	key: string,
	name: string,
	slot: bigint,
	offset: number,
): Variable {
	const { label = "", bytes = 0, mapping, list } = types.get(key) ?? {};
	const values = mapping && { keyType: types.get(mapping.key)?.label ?? "", valueType: mapping.value };
	const parts = { ...(values ? { mapping: values } : {}), ...(list ? { list } : {}) };
	return { name, type: label, slot, offset, bytes, ...parts };
}

/**
 * Locations of a mapping value by key, or of an array element by index; several if it is a struct.
 * @param budget reduced by the entries visited, for callers that ask for many keys
 * @returns none if the text is not a valid key, or beyond an array of fixed length; how long others are is in the storage
 */
export function valueOfKey(
	{ types }: StorageLayout,
	{ name, type, slot, mapping, list }: Variable,
	typedKey: string,
	forms: LayoutAddresses,
	budget?: Budget,
): readonly Variable[] {
	const at = (value: string, place: bigint, offset: number): readonly Variable[] =>
		expanded(types, [{ name: `${name}[${typedKey}]`, type: value, slot: place, offset }], budget);
	if (mapping) {
		const place = slotOfKey(slot, mapping.keyType, typedKey, forms);
		return place === undefined ? [] : at(mapping.valueType, place, 0);
	}
	if (!list || !/^\d{1,78}$/.test(typedKey.trim())) return [];
	if (!list.isDynamic && BigInt(typedKey) >= (elementCount(type) ?? Number.POSITIVE_INFINITY)) return [];
	const first = list.isDynamic ? firstElement(slot) : slot;
	const { words, offset } = placeInList(BigInt(typedKey), types.get(list.element)?.bytes ?? SLOT_BYTES);
	return at(list.element, first + words, offset);
}

/** Number of elements of a type such as `uint256[2]`; undefined for other types. */
export function elementCount(type: string): bigint | undefined {
	const digits = /\[(\d{1,78})\]$/.exec(type)?.[1];
	return digits === undefined ? undefined : BigInt(digits);
}

/** Elements of at most half a word are packed; larger ones start a new word. */
function placeInList(index: bigint, bytes: number): { readonly words: bigint; readonly offset: number } {
	const perWord = BigInt(Math.floor(SLOT_BYTES / Math.max(bytes, 1)));
	if (perWord < 2n) return { words: index * BigInt(Math.ceil(bytes / SLOT_BYTES)), offset: 0 };
	return { words: index / perWord, offset: Number(index % perWord) * bytes };
}

/** Slot of a dynamic array's first element, or of a long string's bytes. */
export function firstElement(slot: bigint): bigint {
	return BigInt(`0x${digitsOf(keccak_256(bytesOfDigits(wordOf(slot))))}`);
}

/** Slot of a mapping's value; undefined if the text is not a valid key. */
export function slotOfKey(
	slot: bigint,
	keyType: string,
	typedKey: string,
	forms: LayoutAddresses,
): bigint | undefined {
	const key = keyDigits(keyType, keyType === "string" ? typedKey : typedKey.trim(), forms);
	if (key === undefined) return undefined;
	const hash = keccak_256(bytesOfDigits(key + wordOf(slot)));
	return BigInt(`0x${digitsOf(hash)}`);
}

function digitsOf(bytes: Uint8Array): string {
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bytesOfDigits(digits: string): Uint8Array {
	return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

const BYTES = /^0x(?:[\da-f]{2})*$/i;

function keyDigits(type: string, text: string, forms: LayoutAddresses): string | undefined {
	if (type === "string") return digitsOf(new TextEncoder().encode(text));
	if (type === "bytes") return BYTES.test(text) ? text.slice(2) : undefined;
	if (/^bytes\d/.test(type)) {
		if (!BYTES.test(text) || text.length - 2 !== 2 * Number(type.slice(5))) return undefined;
		return text.slice(2).padEnd(WORD_DIGITS, "0");
	}
	if (type === "address" || type.startsWith("contract ")) return forms.read(text)?.padStart(WORD_DIGITS, "0");
	if (type === "bool")
		return text === "true" || text === "false" ? wordOf(text === "true" ? 1n : 0n) : undefined;
	if (!/^(-?\d{1,78}|0x[\da-f]{1,64})$/i.test(text)) return undefined;
	const [, sign, bits] = /^(u?)int(\d{1,3})$/.exec(type.startsWith("enum ") ? "uint8" : type) ?? [];
	const within = sign === "u" ? BigInt.asUintN : BigInt.asIntN;
	const value = BigInt(text);
	return bits === undefined || within(Number(bits), value) === value ? wordOf(value) : undefined;
}

/** A slot or number as a word of 64 digits. */
export function wordOf(value: bigint): string {
	return BigInt.asUintN(8 * SLOT_BYTES, value)
		.toString(16)
		.padStart(WORD_DIGITS, "0");
}

/** Whether the variable holds an account or contract address. */
export function isAddressType(type: string): boolean {
	return type.startsWith("address") || type.startsWith("contract ");
}

/** A variable's value from its slot's word. @param word 64 digits */
export function valueIn({ type, offset, bytes }: Variable, word: string, forms: LayoutAddresses): string {
	if (type.startsWith("mapping")) return "by key";
	if (type === "string" || type === "bytes") return shortBytes(type, word);
	if (/\[\]$/.test(type)) return `a list of ${BigInt(`0x${word}`)}`;
	const count = elementCount(type);
	if (count !== undefined) return `${count} element${count === 1n ? "" : "s"}`;
	if (bytes > SLOT_BYTES || bytes < 1) return `0x${word}`;
	const end = 2 * (SLOT_BYTES - offset);
	const part = word.slice(Math.max(0, end - 2 * bytes), end);
	if (type === "bool") return BigInt(`0x${part}`) === 0n ? "false" : "true";
	if (isAddressType(type)) return forms.write(part);
	if (/^bytes\d/.test(type)) return `0x${part}`;
	const value = BigInt(`0x${part}`);
	return (/^int\d*$/.test(type) ? BigInt.asIntN(8 * bytes, value) : value).toString();
}

/** Length of a string stored from {@link firstElement} on because it exceeds its word; else undefined. */
export function longLength({ type }: Variable, word: string): bigint | undefined {
	const isLong = (type === "string" || type === "bytes") && Number.parseInt(word.slice(-2), 16) % 2 === 1;
	return isLong ? (BigInt(`0x${word}`) - 1n) / 2n : undefined;
}

/** A string that spans several words. @param digits at least all of its bytes */
export function longValue({ type }: Pick<Variable, "type">, digits: string, length: number): string {
	const own = digits.slice(0, 2 * length);
	return type === "string" ? JSON.stringify(new TextDecoder().decode(bytesOfDigits(own))) : `0x${own}`;
}

/** Up to 31 bytes are stored in the word itself, with twice their length in the last byte. */
function shortBytes(type: string, word: string): string {
	const last = Number.parseInt(word.slice(-2), 16);
	if (last % 2 === 1) return `${(BigInt(`0x${word}`) - 1n) / 2n} bytes, in other slots`;
	return longValue({ type }, word, last / 2);
}

/** Candidate locations per set of slots, as entries visited: each key costs one and a hash, and its struct's members. */
const MAX_PLACES = 6_000;
/** Maximum words of an array or long string that are searched. */
const MAX_REACH = 1n << 40n;

/**
 * Identifies the variables stored in slots. Mapping slots are hashes of keys, which can't be inverted, so
 * candidate keys are tried.
 * @param words 64 digits each, such as arguments and addresses of the calls that touched the slots
 * @returns the identified variables by slot
 */
export function variablesAt(
	layout: StorageLayout,
	slots: Iterable<bigint>,
	words: readonly string[],
	forms: LayoutAddresses,
): ReadonlyMap<bigint, readonly Variable[]> {
	const found = new Map<bigint, Variable[]>([...slots].map((slot) => [slot, []]));
	const budget = { left: MAX_PLACES };
	const visit = (variable: Variable, depth: number): void => {
		found.get(variable.slot)?.push(variable);
		if (budget.left <= 0 || depth > MAX_DEPTH) return;
		for (const key of keysInto(layout, variable, found.keys(), words, forms)) {
			if (budget.left <= 0) return;
			for (const inner of valueOfKey(layout, variable, key, forms, budget)) visit(inner, depth + 1);
		}
		for (const part of longParts(variable, found.keys())) found.get(part.slot)?.push(part);
	};
	for (const variable of variablesOf(layout)) visit(variable, 0);
	return new Map([...found].filter(([, variables]) => variables.length > 0));
}

/** Candidate keys of a mapping, or the indexes of array elements in the slots. */
function keysInto(
	{ types }: StorageLayout,
	{ slot, bytes, mapping, list }: Variable,
	slots: Iterable<bigint>,
	words: readonly string[],
	forms: LayoutAddresses,
): readonly string[] {
	if (mapping) return words.flatMap((word) => keyText(mapping.keyType, word, forms) ?? []);
	if (!list) return [];
	const element = types.get(list.element)?.bytes ?? SLOT_BYTES;
	const perWord = BigInt(Math.max(1, Math.floor(SLOT_BYTES / Math.max(element, 1))));
	const wordsEach = BigInt(Math.max(1, Math.ceil(element / SLOT_BYTES)));
	const first = list.isDynamic ? firstElement(slot) : slot;
	const reach = list.isDynamic ? MAX_REACH : BigInt(Math.ceil(bytes / SLOT_BYTES));
	const indexes = new Set<bigint>();
	for (const at of slots) {
		if (at < first || at - first >= reach) continue;
		const begin = perWord > 1n ? (at - first) * perWord : (at - first) / wordsEach;
		for (let index = begin; index < begin + perWord; index++) indexes.add(index);
	}
	return [...indexes].map(String);
}

/** The words of a long string stored in the slots. */
function longParts({ name, type, slot }: Variable, slots: Iterable<bigint>): readonly Variable[] {
	if (type !== "string" && type !== "bytes") return [];
	const first = firstElement(slot);
	return [...slots]
		.filter((at) => at >= first && at - first < MAX_REACH)
		.map((at) => {
			const label = `${name}, bytes from ${BigInt(SLOT_BYTES) * (at - first)}`;
			return { name: label, type: "bytes32", slot: at, offset: 0, bytes: SLOT_BYTES };
		});
}

/** A word formatted as a key of a type; undefined if it can't be one. */
function keyText(type: string, word: string, forms: LayoutAddresses): string | undefined {
	const value = BigInt(`0x${word}`);
	// Callers may include the network's prefix byte before the 20 address bytes.
	if (isAddressType(type)) return value >> 168n === 0n ? forms.write(word.slice(-40)) : undefined;
	if (type === "bool") return value > 1n ? undefined : String(value === 1n);
	if (/^bytes\d/.test(type)) return `0x${word.slice(0, 2 * Number(type.slice(5)))}`;
	if (/^int\d*$/.test(type)) return BigInt.asIntN(8 * SLOT_BYTES, value).toString();
	return /^(uint\d*|enum )/.test(type) ? value.toString() : undefined;
}
