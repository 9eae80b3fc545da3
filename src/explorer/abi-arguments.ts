/** Encodes typed arguments as call data (contract ABI specification). Arrays and tuples are JSON. */

import { AbiDataError, type CodecValue, encode } from "../abi/codec.js";
import { type AbiParameter, arrayParts, integerType, plainDigits } from "../abi/parameter.js";
import { toNeutral } from "../protocol/dialect.js";
import { PAGE_LIMITS } from "./abi-values.js";
import { addressText, bytesOf, hexAddress, hexOf } from "./address-text.js";
import { isJson, readJson } from "./answer.js";
import { wholeCoins } from "./format.js";

/** A typed argument doesn't match its type. */
export class ArgumentError extends Error {
	override readonly name = "ArgumentError";
}

/** Whether a value is typed as JSON. */
const isStructure = (parameter: AbiParameter): boolean =>
	arrayParts(parameter) !== undefined || parameter.type === "tuple";

/** A hint how to type a value. */
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

/** Encodes arguments as call data without selector, hexadecimal. @throws {ArgumentError} */
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
		const made = parameters.map((parameter, index) => argumentValue(parameter, values[index], 0));
		return hexOf(encode(parameters.map(neutral), made, PAGE_LIMITS.depth));
	} catch (error) {
		// Types with unknown components, or nested too deeply.
		if (error instanceof AbiDataError)
			throw new ArgumentError(`these arguments can't be typed here: ${error.message}`);
		throw error;
	}
}

/** Converts types to the names that the codec knows. */
function neutral({ type, components, ...rest }: AbiParameter): AbiParameter {
	return { ...rest, type: toNeutral(type), ...(components ? { components: components.map(neutral) } : {}) };
}

function argumentValue(parameter: AbiParameter, value: unknown, depth: number): CodecValue {
	if (depth > PAGE_LIMITS.depth) throw new ArgumentError("a type is nested too deep to be typed here");
	const { type } = parameter;
	const array = arrayParts(parameter);
	if (array) {
		if (!Array.isArray(value)) throw new ArgumentError(`${type} needs a list`);
		if (array.length !== undefined && value.length !== array.length)
			throw new ArgumentError(`${type} needs ${array.length} values, not ${value.length}`);
		return value.map((item) => argumentValue(array.element, item, depth + 1));
	}
	if (type === "tuple") {
		const { components } = parameter;
		if (!components) throw new ArgumentError("the members of a tuple aren't known");
		const values = tupleValues(parameter, components, value);
		return components.map((member, index) => argumentValue(member, values[index], depth + 1));
	}
	if (typeof value === "object" || value === undefined) throw new ArgumentError(`${type} needs one value`);
	return plainValue(type, String(value));
}

/** The members of a tuple in their order, from a list or by name. */
function tupleValues(
	parameter: AbiParameter,
	members: readonly AbiParameter[],
	value: unknown,
): readonly unknown[] {
	const values = isJson(value) ? members.map(({ name }, index) => value[name || String(index)]) : value;
	if (!Array.isArray(values) || values.length !== members.length)
		throw new ArgumentError(`${parameter.name || "the tuple"} needs ${members.length} values`);
	return values;
}

function plainValue(type: string, text: string): CodecValue {
	if (type === "string") return text;
	if (type === "address") {
		const hex = hexAddress(addressText(text) ?? "");
		const bytes = hex === undefined ? undefined : bytesOf(hex);
		if (!bytes) throw new ArgumentError(`"${text}" is not an address`);
		return bytes.subarray(1);
	}
	if (type === "bool") {
		if (text !== "true" && text !== "false") throw new ArgumentError(`"${text}" is neither true nor false`);
		return text === "true";
	}
	const [isBytes, size] = /^bytes(\d{0,2})$/.exec(type) ?? [];
	if (isBytes !== undefined) {
		const bytes = bytesOf(text);
		if (!bytes) throw new ArgumentError(`"${text}" is not hexadecimal`);
		if (size !== "" && bytes.length !== Number(size))
			throw new ArgumentError(`"${text}" is not ${size} bytes in hexadecimal`);
		return bytes;
	}
	const whole = integerType(toNeutral(type));
	if (!whole) throw new ArgumentError(`${type} can't be typed here`);
	const digits = /coin$/i.test(text) ? String(wholeCoins(text)) : (plainDigits(text) ?? "");
	if (!/^(-?\d{1,78}|0x[\da-f]{1,64})$/i.test(digits))
		throw new ArgumentError(`"${text}" is not a whole number, such as 5, 1.5e18 or 5coin`);
	const value = BigInt(digits);
	const { signed, bits } = whole;
	if ((signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)) !== value)
		throw new ArgumentError(`${text} is beyond ${type}`);
	return value;
}
