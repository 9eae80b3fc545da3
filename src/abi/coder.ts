/** Converts call data, results, logs and errors of contracts between their ABI encoding and values that people and programs read. */

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

/** A value to encode for a parameter: `bigint` for integers, text for addresses, bytes and strings, a list for arrays and tuples. */
export type AbiValue = bigint | boolean | string | readonly AbiValue[];

/** A decoded value for printing: whole numbers as bigint, addresses in Base58, bytes as `0x…`. */
export type AbiView = bigint | boolean | string | readonly AbiView[] | { readonly [name: string]: AbiView };

/** ABI-encodes one value per parameter. @throws {RangeError} if a value doesn't fit its parameter */
export function encodeValues(parameters: readonly AbiParameter[], values: readonly AbiValue[]): Uint8Array {
	return encode(
		parameters,
		values.map((value, index) => codecValue(parameters[index], value)),
	);
}

/** Call data of a function: the selector followed by the encoded arguments. */
export function encodeCall(item: AbiItem, values: readonly AbiValue[]): Uint8Array {
	return concatBytes(selectorOf(item), encodeValues(item.inputs, values));
}

/** Converts a value for the codec: bytes are hexadecimal text here, and byte arrays there. */
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

/** Makes the values that people and other programs are shown. */
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
 * Decodes ABI-encoded values.
 * @returns one value per parameter
 * @throws {AbiDataError} if the bytes don't match the parameters
 */
export function decodeValues(
	parameters: readonly AbiParameter[],
	data: Uint8Array,
	limits: CodecLimits = USUAL_LIMITS,
): readonly AbiView[] {
	return decode(parameters, data, VIEWS, limits);
}

/** Decodes values into texts as {@link viewText} writes them, with strings in quotes. @throws {AbiDataError} if the bytes don't match */
export function decodeTexts(
	parameters: readonly AbiParameter[],
	data: Uint8Array,
	limits: CodecLimits,
): readonly string[] {
	return decode(parameters, data, { ...VIEWS, text: (text) => JSON.stringify(text) }, limits).map(viewText);
}

/** Makes values in the form that is encoded again. */
const CODED: ValueMaker<CodecValue> = {
	word: wordValue,
	bytes: (bytes) => bytes,
	text: (text) => text,
	list: (items) => items,
	tuple: (_, values) => values,
};

/** Whether re-encoding gives the same bytes, so that the values show everything the bytes contain. */
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

/** Values keyed by parameter name; a list if a name is missing, occurs twice, or is a number, which objects would move to the front. */
export function namedValues(
	parameters: readonly AbiParameter[],
	values: readonly AbiView[],
): readonly AbiView[] | { readonly [name: string]: AbiView } {
	const keys = parameterKeys(parameters);
	if (keys.some((key) => /^\d+$/.test(key))) return values;
	return Object.fromEntries(keys.map((key, index) => [key, values[index] as AbiView]));
}

/** Values by {@link parameterKeys}: for records in which each value needs a key. */
export function keyedValues(
	parameters: readonly AbiParameter[],
	values: readonly AbiView[],
): { readonly [name: string]: AbiView } {
	return Object.fromEntries(parameterKeys(parameters).map((key, index) => [key, values[index] as AbiView]));
}

/**
 * A distinct key for each parameter: its name, or its position if it has none, shares it, or is called by a number. Interfaces are
 * written by whoever deploys a contract, and no value may hide another.
 */
export function parameterKeys(parameters: readonly AbiParameter[]): readonly string[] {
	const [names, repeated] = [new Set<string>(), new Set<string>()];
	for (const { name } of parameters) (names.has(name) ? repeated : names).add(name);
	return parameters.map(({ name }, index) =>
		name === "" || repeated.has(name) || /^\d+$/.test(name) ? String(index) : name,
	);
}

/** Writes a view on one line, as people and other commands read it: `5`, `T…`, `[1,2]`, `(a,b)`. */
export function viewText(view: AbiView): string {
	if (Array.isArray(view)) return `[${view.map(viewText).join(",")}]`;
	if (typeof view === "object")
		return `(${Object.entries(view)
			.map(([name, value]) => `${name}: ${viewText(value)}`)
			.join(", ")})`;
	return String(view);
}
