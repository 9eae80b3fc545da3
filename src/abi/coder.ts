/** Call data, results, logs and errors of contracts in bytes, and their values as people and other programs read them. */

import { addressPrefix, toBase58Check } from "../protocol/address.js";
import { concatBytes, equalBytes, fromHex, toHex } from "../protocol/bytes.js";
import {
	AbiDataError,
	type CodecLimits,
	type CodecValue,
	decode,
	encode,
	USUAL_LIMITS,
	type ValueMaker,
	wordValue,
} from "./codec.js";
import { type AbiItem, type AbiParameter, arrayParts } from "./parameter.js";
import { selectorOf } from "./selector.js";

/** A value for a parameter. */
export type AbiValue = bigint | boolean | string | readonly AbiValue[];

/** A decoded value for printing: whole numbers as bigint, addresses in Base58, bytes as `0x…`. */
export type AbiView = bigint | boolean | string | readonly AbiView[] | { readonly [name: string]: AbiView };

/** @throws {RangeError} if a value was not made for its parameter */
export function encodeValues(parameters: readonly AbiParameter[], values: readonly AbiValue[]): Uint8Array {
	return encode(
		parameters,
		values.map((value, index) => codecValue(parameters[index], value)),
	);
}

/** Call data of a function: selector and arguments. */
export function encodeCall(item: AbiItem, values: readonly AbiValue[]): Uint8Array {
	return concatBytes(selectorOf(item), encodeValues(item.inputs, values));
}

/** Bytes are texts of hexadecimal digits here, and bytes to the codec. */
function codecValue(parameter: AbiParameter | undefined, value: AbiValue): CodecValue {
	const array = parameter && arrayParts(parameter);
	if (Array.isArray(value))
		return value.map((item, index) =>
			codecValue(array ? array.element : parameter?.components?.[index], item),
		);
	if (typeof value !== "string" || array || parameter?.type === "string") return value as CodecValue;
	if (!/^0x(?:[\da-f]{2})*$/i.test(value)) throw new RangeError("bytes are not written as 0x…");
	return fromHex(value.slice(2));
}

/** What people and other programs are shown. */
const VIEWS: ValueMaker<AbiView> = {
	word: (type, word) => {
		const value = wordValue(type, word);
		if (!(value instanceof Uint8Array)) return value;
		return type === "address" ? viewAddress(value) : `0x${toHex(value)}`;
	},
	bytes: (bytes) => `0x${toHex(bytes)}`,
	text: (text) => text,
	list: (items) => items,
	tuple: namedValues,
};

/**
 * Reads values.
 * @returns one value a parameter
 * @throws {AbiDataError} if the bytes don't fit
 */
export function decodeValues(
	parameters: readonly AbiParameter[],
	data: Uint8Array,
	limits: CodecLimits = USUAL_LIMITS,
): readonly AbiView[] {
	return decode(parameters, data, VIEWS, limits);
}

/** Values as {@link viewText} has them, with texts in quotes. @throws {AbiDataError} if the bytes don't fit */
export function decodeTexts(
	parameters: readonly AbiParameter[],
	data: Uint8Array,
	limits: CodecLimits,
): readonly string[] {
	return decode(parameters, data, { ...VIEWS, text: (text) => JSON.stringify(text) }, limits).map(viewText);
}

/** What is encoded again. */
const CODED: ValueMaker<CodecValue> = {
	word: wordValue,
	bytes: (bytes) => bytes,
	text: (text) => text,
	list: (items) => items,
	tuple: (_, values) => values,
};

/**
 * Whether bytes are what encoding their values gives, so that the values say all of them.
 */
export function isCanonical(parameters: readonly AbiParameter[], data: Uint8Array): boolean {
	if (parameters.length === 0) return data.length === 0;
	try {
		return equalBytes(encode(parameters, decode(parameters, data, CODED)), data);
	} catch (error) {
		if (error instanceof AbiDataError || error instanceof RangeError) return false;
		throw error;
	}
}

/** The 20 bytes of a contract's address, in Base58. */
export function viewAddress(bytes: Uint8Array): string {
	return toBase58Check(concatBytes(Uint8Array.of(addressPrefix()), bytes));
}

/** Values by the names of their parameters; as a list where a name is missing or comes twice. */
export function namedValues(
	parameters: readonly AbiParameter[],
	values: readonly AbiView[],
): readonly AbiView[] | { readonly [name: string]: AbiView } {
	const names = new Set(parameters.map(({ name }) => name));
	if (names.has("") || names.size !== parameters.length) return values;
	return Object.fromEntries(parameters.map(({ name }, index) => [name, values[index] as AbiView]));
}

/** Values by name, and by position where a parameter has none: for records that need a key for each. */
export function keyedValues(
	parameters: readonly AbiParameter[],
	values: readonly AbiView[],
): { readonly [name: string]: AbiView } {
	return Object.fromEntries(
		parameters.map(({ name }, index) => [name === "" ? String(index) : name, values[index] as AbiView]),
	);
}

/** A view as people and other commands read it on one line: `5`, `T…`, `[1,2]`, `(a,b)`. */
export function viewText(view: AbiView): string {
	if (Array.isArray(view)) return `[${view.map(viewText).join(",")}]`;
	if (typeof view === "object")
		return `(${Object.entries(view)
			.map(([name, value]) => `${name}: ${viewText(value)}`)
			.join(", ")})`;
	return String(view);
}
