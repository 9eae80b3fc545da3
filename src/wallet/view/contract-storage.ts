/** Reads a contract's variables by name from its storage, using the compiler's storage layout. */

import {
	elementCount,
	firstElement,
	type LayoutAddresses,
	longLength,
	longValue,
	type StorageLayout,
	type Variable,
	valueIn,
	valueOfKey,
	variablesOf,
} from "../../abi/storage-layout.js";
import { addressPrefix, toBase58Check } from "../../protocol/address.js";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { Failure } from "../failure.js";
import { givenJson } from "../json.js";
import { shorten } from "../values/bytes-text.js";
import { nearest } from "../values/suggestion.js";

/** The most words read of a long text; for a longer one only its length is given. */
const MAX_TEXT_WORDS = 64;
/** The most elements shown of an array. */
const MAX_ELEMENTS = 100;
/** No more elements are shown beyond this many variables: a layout is untrusted and may nest arrays of structs. */
const MAX_SHOWN = 2_000;
/** Maximum entries of layouts visited for them: structs within structs may yield few. */
const MAX_VISITED = 16 * MAX_SHOWN;
/** Words requested concurrently. */
const WORDS_AT_ONCE = 16;

/** Reads a word: 64 hexadecimal digits. */
type ReadWord = (slot: bigint) => Promise<string>;

/** A variable with its value, for printing. */
interface StoredVariable {
	readonly name: string;
	readonly type: string;
	readonly slot: string;
	readonly value: string;
}

/** @param read parses an address in any form into the 40 digits of its 20 bytes */
export function walletForms(read: (text: string) => string | undefined): LayoutAddresses {
	const prefix = toHex(Uint8Array.of(addressPrefix()));
	// An untrusted layout may give an address any number of bytes.
	return { read, write: (digits) => toBase58Check(fromHex(prefix + digits)) };
}

/** A step behind the name of a variable: `.member`, `[key]`. */
const STEP = /\.([^.[\]]+)|\[("(?:[^"\\]|\\.)*"|[^\]]*)\]/g;

/**
 * The variables selected by a path: `owner`, `balances[bob]`, `orders[3].range.low`; without a path, the whole layout.
 * @param read reads the lengths of lists on the way
 * @throws {Failure} `bad_value`, also for an index beyond an array
 */
export async function variablesNamed(
	layout: StorageLayout,
	path: string | undefined,
	read: ReadWord,
	forms: LayoutAddresses,
): Promise<readonly Variable[]> {
	const all = variablesOf(layout);
	if (path === undefined) return all;
	const [name = ""] = path.split(/[.[]/, 1);
	let at = name;
	let found = startingWith(all, name);
	if (found.length === 0) {
		const near = nearest(
			name,
			all.map((variable) => variable.name),
		);
		throw new Failure("bad_value", `the contract has no variable ${name}`, {
			hint: near.length > 0 ? `did you mean ${near[0]}?` : "coin contract storage <contract> lists them",
		});
	}
	const unread = path.slice(name.length).replace(STEP, "");
	if (unread !== "")
		throw new Failure("bad_value", `${shorten(unread)} in ${shorten(path)} is neither a .member nor a [key]`);
	for (const [part, member, typed = ""] of path.matchAll(STEP)) {
		if (member !== undefined) {
			found = startingWith(found, at + part);
			if (found.length === 0) throw new Failure("bad_value", `there is no member ${member} in ${at}`);
			at += part;
			continue;
		}
		const [only, second] = found;
		if (!only || second)
			throw new Failure("bad_value", `${part} is behind a structure: name one of its members`);
		const key = typed.startsWith('"')
			? String(givenJson(typed, `${part} is not a text in quotes`))
			: typed.trim();
		if (only.list && /^\s*\d+\s*$/.test(key)) {
			const count = await lengthOf(only, read);
			const range =
				count > 1n ? `${count} elements, 0 to ${count - 1n}` : count === 1n ? "1 element, 0" : "no elements";
			if (BigInt(key) >= count) throw new Failure("bad_value", `${only.name} has ${range}`);
		}
		found = valueOfKey(layout, only, key, forms);
		if (found.length === 0)
			throw new Failure("bad_value", `${part} is not a key of ${only.name}, which is ${only.type}`);
		at = `${only.name}[${key}]`;
	}
	return found;
}

/**
 * The path of a mapping's value, one key deeper; undefined for other variables.
 * @param path of the variable
 */
export function formOfKey(path: string, { mapping }: Variable): string | undefined {
	return mapping && `'${path}[<${mapping.keyType}>]'`;
}

/** Number of elements; 0 for what is not an array. */
async function lengthOf({ list, slot, type }: Variable, read: ReadWord): Promise<bigint> {
	return list?.isDynamic ? BigInt(`0x${await read(slot)}`) : (list && elementCount(type)) || 0n;
}

/** The variable of that name, or the members of the struct. */
function startingWith(all: readonly Variable[], name: string): readonly Variable[] {
	return all.filter((variable) => variable.name === name || variable.name.startsWith(`${name}.`));
}

/**
 * Adds the elements of arrays, the first {@link MAX_ELEMENTS} of each. They follow a dynamic array, and
 * replace a fixed one that is shown completely.
 */
export async function withElements(
	layout: StorageLayout,
	variables: readonly Variable[],
	read: ReadWord,
	forms: LayoutAddresses,
): Promise<readonly Variable[]> {
	const found: Variable[] = [];
	const budget = { left: MAX_VISITED };
	for (const variable of variables) {
		const { list } = variable;
		const length = await lengthOf(variable, read);
		const elements: Variable[] = [];
		let shown = 0;
		for (; shown < Math.min(Number(length), MAX_ELEMENTS); shown++) {
			if (found.length + elements.length >= MAX_SHOWN) break;
			const inside = valueOfKey(layout, variable, String(shown), forms, budget);
			if (inside.length === 0) break;
			elements.push(...inside);
		}
		if (!list || list.isDynamic || BigInt(shown) < length) found.push(variable);
		found.push(...elements);
	}
	return found;
}

/** Reads the values of variables, each word once. */
export async function storedValues(
	variables: readonly Variable[],
	read: ReadWord,
	forms: LayoutAddresses,
): Promise<readonly StoredVariable[]> {
	const words = new Map<bigint, Promise<string>>();
	const wordAt = (slot: bigint): Promise<string> => {
		const known = words.get(slot) ?? read(slot);
		words.set(slot, known);
		return known;
	};
	const rows: StoredVariable[] = [];
	for (let at = 0; at < variables.length; at += WORDS_AT_ONCE) {
		const some = variables.slice(at, at + WORDS_AT_ONCE).map(async (variable): Promise<StoredVariable> => {
			const { name, type, slot } = variable;
			const place = slot < 1n << 32n ? slot.toString() : `0x${slot.toString(16)}`;
			const value = variable.mapping ? "by key" : await valueAt(variable, wordAt, forms);
			return { name, type, slot: place, value };
		});
		rows.push(...(await Promise.all(some)));
	}
	return rows;
}

async function valueAt(variable: Variable, wordAt: ReadWord, forms: LayoutAddresses): Promise<string> {
	const word = await wordAt(variable.slot);
	const length = longLength(variable, word);
	if (length === undefined || length > BigInt(32 * MAX_TEXT_WORDS)) return valueIn(variable, word, forms);
	const first = firstElement(variable.slot);
	const parts: string[] = [];
	for (let at = 0; at < Math.ceil(Number(length) / 32); at++) parts.push(await wordAt(first + BigInt(at)));
	return longValue(variable, parts.join(""), Number(length));
}
