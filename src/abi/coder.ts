/**
 * Call data, results, logs and errors of contracts in bytes. The coder is ox's; it is loaded with the first value, so
 * that no other command waits for it.
 */

import { addressPrefix, toBase58Check } from "../protocol/address.js";
import { concatBytes, fromHex, toHex } from "../protocol/bytes.js";
import { AbiDataError } from "./abi-data-error.js";
import { checkDecodedSize } from "./decoded-size.js";
import { type AbiItem, type AbiParameter, arrayParts, TOKEN_TYPE } from "./parameter.js";
import { selectorOf } from "./selector.js";

/** A value for a parameter. */
export type AbiValue = bigint | boolean | string | readonly AbiValue[];

/** A decoded value for printing: whole numbers as bigint, addresses in Base58, bytes as `0x…`. */
export type AbiView = bigint | boolean | string | readonly AbiView[] | { readonly [name: string]: AbiView };

/** A parameter as the coder knows it. */
interface CoderParameter {
	readonly type: string;
	readonly components?: readonly CoderParameter[];
}

interface Coder {
	encode(parameters: readonly CoderParameter[], values: readonly AbiValue[]): string;
	decode(parameters: readonly CoderParameter[], data: `0x${string}`): readonly unknown[];
}

async function loadCoder(): Promise<Coder> {
	return (await import("ox/AbiParameters")) as unknown as Coder;
}

/** Names are left out, so that tuples are lists in both directions. */
function coderParameter({ type, components }: AbiParameter): CoderParameter {
	const known = type.startsWith(TOKEN_TYPE) ? `uint256${type.slice(TOKEN_TYPE.length)}` : type;
	return {
		type: known.replace(/^function/, "bytes24"),
		...(components ? { components: components.map(coderParameter) } : {}),
	};
}

/** @throws {Error} if a value was not made for its parameter */
export async function encodeValues(
	parameters: readonly AbiParameter[],
	values: readonly AbiValue[],
): Promise<Uint8Array> {
	const { encode } = await loadCoder();
	return fromHex(encode(parameters.map(coderParameter), values).slice(2));
}

/** Call data of a function: selector and arguments. */
export async function encodeCall(item: AbiItem, values: readonly AbiValue[]): Promise<Uint8Array> {
	return concatBytes(selectorOf(item), await encodeValues(item.inputs, values));
}

/**
 * Reads values.
 * @returns one value a parameter
 * @throws {AbiDataError} if the bytes don't fit
 */
export async function decodeValues(
	parameters: readonly AbiParameter[],
	data: Uint8Array,
): Promise<readonly AbiView[]> {
	if (parameters.length === 0) return [];
	checkDecodedSize(parameters, data);
	const { decode } = await loadCoder();
	let values: readonly unknown[];
	try {
		values = decode(parameters.map(coderParameter), `0x${toHex(data)}`);
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		const [why = ""] = error.message.split("\n");
		throw new AbiDataError(`the data doesn't fit: ${why}`);
	}
	return values.map((value, index) => viewValue(parameters[index] as AbiParameter, value));
}

/**
 * Whether bytes are what encoding their values gives, so that the values say all of them.
 * @throws {AbiDataError} if they are too long to be read
 */
export async function isCanonical(parameters: readonly AbiParameter[], data: Uint8Array): Promise<boolean> {
	if (parameters.length === 0) return data.length === 0;
	checkDecodedSize(parameters, data);
	const { decode, encode } = await loadCoder();
	const types = parameters.map(coderParameter);
	try {
		return encode(types, decode(types, `0x${toHex(data)}`) as never) === `0x${toHex(data)}`;
	} catch (error) {
		if (error instanceof Error) return false;
		throw error;
	}
}

function viewValue(parameter: AbiParameter, value: unknown): AbiView {
	const array = arrayParts(parameter);
	if (array) return (value as readonly unknown[]).map((item) => viewValue(array.element, item));
	const { components, type } = parameter;
	if (components) {
		return namedValues(
			components,
			components.map((member, index) => viewValue(member, (value as readonly unknown[])[index])),
		);
	}
	if (typeof value === "number") return BigInt(value);
	if (type === "address") return viewAddress(fromHex((value as string).slice(2)));
	return value as bigint | boolean | string;
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
