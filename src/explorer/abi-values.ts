/** Decodes values of calls, results and logs. Data that the codec can't decode is left unchanged. */

import { AbiDataError, type CodecLimits, decode, type ValueMaker, wordValue } from "../abi/codec.js";
import { type AbiParameter, arrayParts, isElementaryType } from "../abi/parameter.js";
import { addressText, bytesOf, hexOf } from "./address-text.js";

/** One value: text, or nested values. */
export type Value =
	/** `amount`: the value in a token's own unit. */
	| { readonly kind: "text"; readonly text: string; readonly amount?: string }
	| { readonly kind: "list"; readonly items: readonly Value[] }
	| { readonly kind: "tuple"; readonly members: readonly Decoded[] };

/** A value with the name and type of its parameter. */
export interface Decoded {
	readonly name: string;
	readonly type: string;
	readonly value: Value;
}

/** Limits of what a page shows of one call or log. */
export const PAGE_LIMITS: CodecLimits = { depth: 16, items: 500, slack: 1 << 20 };

/** A value on one line. */
export function valueText(value: Value): string {
	if (value.kind === "text") return value.text;
	if (value.kind === "list") return `[${value.items.map(valueText).join(", ")}]`;
	const members = value.members.map((member) =>
		member.name === "" ? valueText(member.value) : `${member.name}: ${valueText(member.value)}`,
	);
	return `(${members.join(", ")})`;
}

const VALUES: ValueMaker<Value> = {
	word: (type, word) => ({ kind: "text", text: wordText(type, word) }),
	bytes: (bytes) => ({ kind: "text", text: `0x${hexOf(bytes)}` }),
	text: (text) => ({ kind: "text", text }),
	list: (items) => ({ kind: "list", items }),
	tuple: (members, values) => ({ kind: "tuple", members: namedValues(members, values) }),
};

/** A word of an unknown type is shown as a whole number. @throws {AbiDataError} */
function wordText(type: string, word: Uint8Array): string {
	const value = wordValue(isElementaryType(type) ? type : "uint256", word);
	if (!(value instanceof Uint8Array)) return String(value);
	const digits = hexOf(value);
	return type === "address" ? (addressText(digits) ?? digits) : `0x${digits}`;
}

function namedValues(parameters: readonly AbiParameter[], values: readonly Value[]): Decoded[] {
	return parameters.map(({ name, type }, index) => ({ name, type, value: values[index] as Value }));
}

/** Decodes values by their parameters; undefined if the data doesn't match. @param data hexadecimal */
export function decodeValues(
	parameters: readonly AbiParameter[],
	data: string,
): readonly Decoded[] | undefined {
	const bytes = bytesOf(data);
	if (!bytes) return undefined;
	try {
		return namedValues(parameters, decode(parameters, bytes, VALUES, PAGE_LIMITS));
	} catch (error) {
		if (error instanceof AbiDataError) return undefined;
		throw error;
	}
}

/** An indexed value from its topic; for dynamic types only its hash. Undefined if it isn't a topic. */
export function topicValue(parameter: AbiParameter, topic: string): Value | undefined {
	const isWord = !arrayParts(parameter) && !/^(string|bytes|tuple)$/.test(parameter.type);
	return isWord ? decodeValues([parameter], topic)?.[0]?.value : { kind: "text", text: `hash ${topic}` };
}
