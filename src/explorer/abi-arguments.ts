/** What people type as arguments, as the data of a call (the contract ABI specification). Lists and tuples are typed as JSON. */

import { type AbiParameter, arrayParts, integerType } from "../abi/parameter.js";
import { toNeutral } from "../protocol/dialect.js";
import { DEEPEST, isDynamic, membersOf, sizeOf, WORD_DIGITS } from "./abi-values.js";
import { addressText, bytesOf, hexAddress, hexOf } from "./address-text.js";
import { isJson, readJson } from "./answer.js";

/** A typed argument didn't fit its type. */
export class ArgumentError extends Error {
	override readonly name = "ArgumentError";
}

/** Whether a value is typed as JSON. */
const isStructure = (parameter: AbiParameter): boolean =>
	arrayParts(parameter) !== undefined || parameter.type === "tuple";

/** How a value is typed, in a few words. */
export function hintFor(parameter: AbiParameter): string {
	if (arrayParts(parameter)) return "a JSON list: [1, 2]";
	if (parameter.type === "tuple") {
		const names = (parameter.components ?? []).map(({ name }, index) => name || String(index));
		return `a JSON list or object: {${names.map((name) => `"${name}": …`).join(", ")}}`;
	}
	if (parameter.type === "address") return "T… or 41…";
	if (parameter.type === "bool") return "true or false";
	return parameter.type.startsWith("bytes") ? "hexadecimal" : "";
}

/** Arguments as a call's data without selector, hexadecimal. @throws {ArgumentError} */
export function encodeArguments(parameters: readonly AbiParameter[], typed: readonly string[]): string {
	const values = parameters.map((parameter, index) => {
		const text = (typed[index] ?? "").trim();
		if (!isStructure(parameter)) return text;
		try {
			return readJson(text);
		} catch {
			throw new ArgumentError(`${parameter.name || parameter.type} is not JSON: ${hintFor(parameter)}`);
		}
	});
	try {
		return encodeMembers(parameters, values, 0);
	} catch (error) {
		// Types whose members aren't known, or that are nobody's.
		if (error instanceof RangeError)
			throw new ArgumentError(`these arguments can't be typed here: ${error.message}`);
		throw error;
	}
}

/** Values one after the other, those without a size of their own behind them. */
function encodeMembers(
	parameters: readonly AbiParameter[],
	values: readonly unknown[],
	depth: number,
): string {
	if (depth > DEEPEST) throw new RangeError("a type is nested too deep");
	const headWords = parameters.reduce((sum, parameter) => sum + sizeOf(parameter), 0);
	let head = "";
	let tail = "";
	for (const [index, parameter] of parameters.entries()) {
		const encoded = encodeValue(parameter, values[index], depth);
		if (isDynamic(parameter)) {
			head += numberWord(BigInt(headWords * 32 + tail.length / 2));
			tail += encoded;
		} else head += encoded;
	}
	return head + tail;
}

function encodeValue(parameter: AbiParameter, value: unknown, depth: number): string {
	const { type } = parameter;
	const array = arrayParts(parameter);
	if (array) {
		if (!Array.isArray(value)) throw new ArgumentError(`${type} needs a list`);
		if (array.length !== undefined && value.length !== array.length)
			throw new ArgumentError(`${type} needs ${array.length} values, not ${value.length}`);
		const elements = encodeMembers(
			value.map(() => array.element),
			value,
			depth + 1,
		);
		return array.length === undefined ? numberWord(BigInt(value.length)) + elements : elements;
	}
	if (type === "tuple") return encodeMembers(membersOf(parameter), tupleValues(parameter, value), depth + 1);
	if (typeof value === "object" || value === undefined) throw new ArgumentError(`${type} needs one value`);
	const text = String(value);
	if (!isDynamic(parameter)) return wordOf(type, text);
	const bytes = type === "string" ? new TextEncoder().encode(text) : bytesOf(text);
	if (!bytes) throw new ArgumentError(`"${text}" is not hexadecimal`);
	const digits = hexOf(bytes);
	return (
		numberWord(BigInt(bytes.length)) +
		digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, "0")
	);
}

/** The members of a tuple in their order, from a list or by name. */
function tupleValues(parameter: AbiParameter, value: unknown): readonly unknown[] {
	const members = membersOf(parameter);
	const values = isJson(value) ? members.map(({ name }, index) => value[name || String(index)]) : value;
	if (!Array.isArray(values) || values.length !== members.length)
		throw new ArgumentError(`${parameter.name || "the tuple"} needs ${members.length} values`);
	return values;
}

function numberWord(value: bigint): string {
	return BigInt.asUintN(256, value).toString(16).padStart(WORD_DIGITS, "0");
}

function wordOf(type: string, text: string): string {
	if (type === "address") {
		const hex = hexAddress(addressText(text) ?? "");
		if (hex === undefined) throw new ArgumentError(`"${text}" is not an address`);
		return hex.slice(2).padStart(WORD_DIGITS, "0");
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
		return hexOf(bytes).padEnd(WORD_DIGITS, "0");
	}
	const whole = integerType(toNeutral(type));
	if (!whole) throw new ArgumentError(`${type} can't be typed here`);
	if (!/^(-?\d{1,78}|0x[\da-f]{1,64})$/i.test(text))
		throw new ArgumentError(`"${text}" is not a whole number`);
	const value = BigInt(text);
	const fits = whole.signed
		? BigInt.asIntN(whole.bits, value) === value
		: BigInt.asUintN(whole.bits, value) === value;
	if (!fits) throw new ArgumentError(`${text} is beyond ${type}`);
	return numberWord(value);
}
