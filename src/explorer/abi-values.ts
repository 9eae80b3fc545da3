/**
 * Values in the bytes of calls, results and logs (the contract ABI specification), as a page shows them: bounded against data that
 * was made to be large. What this doesn't understand is left as it is.
 */

import { type AbiParameter, arrayParts } from "../abi/parameter.js";
import { addressText, bytesOf } from "./address-text.js";

/** One value: a text, or the values that it is made of. */
export type Value =
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "list"; readonly items: readonly Value[] }
	| { readonly kind: "tuple"; readonly members: readonly Decoded[] };

/** A value with the name and type of its parameter. */
export interface Decoded {
	readonly name: string;
	readonly type: string;
	readonly value: Value;
}

/** Digits of a word. */
export const WORD_DIGITS = 64;
/** Elements of all lists of one value. */
const MAX_ELEMENTS = 500;
/** Deeper types are nobody's. */
export const DEEPEST = 16;

/** A value on one line. */
export function valueText(value: Value): string {
	if (value.kind === "text") return value.text;
	if (value.kind === "list") return `[${value.items.map(valueText).join(", ")}]`;
	const members = value.members.map((member) =>
		member.name === "" ? valueText(member.value) : `${member.name}: ${valueText(member.value)}`,
	);
	return `(${members.join(", ")})`;
}

/** Values by their parameters; undefined where the data doesn't fit. @param data hexadecimal */
export function decodeValues(
	parameters: readonly AbiParameter[],
	data: string,
): readonly Decoded[] | undefined {
	try {
		return new Reader(data).members(parameters, 0, 0);
	} catch (error) {
		if (error instanceof RangeError) return undefined;
		throw error;
	}
}

/** What a topic says of an indexed value; of what isn't a single word it has a hash. @throws {RangeError} */
export function topicValue(parameter: AbiParameter, topic: string): Value {
	const isWord = !isDynamic(parameter) && !arrayParts(parameter) && !parameter.components;
	return { kind: "text", text: isWord ? staticText(parameter.type, topic) : `hash ${topic}` };
}

/** Whether a value stands elsewhere than where its parameter does. @throws {RangeError} for types that are nobody's */
export function isDynamic(parameter: AbiParameter, depth = 0): boolean {
	checkDepth(depth);
	const array = arrayParts(parameter);
	if (array) return array.length === undefined || isDynamic(array.element, depth + 1);
	if (parameter.type === "tuple") return membersOf(parameter).some((member) => isDynamic(member, depth + 1));
	return parameter.type === "bytes" || parameter.type === "string";
}

/** Words in the place of the parameter. @throws {RangeError} */
export function sizeOf(parameter: AbiParameter, depth = 0): number {
	checkDepth(depth);
	if (isDynamic(parameter, depth)) return 1;
	const array = arrayParts(parameter);
	if (array) return (array.length ?? 0) * sizeOf(array.element, depth + 1);
	if (parameter.type !== "tuple") return 1;
	return membersOf(parameter).reduce((sum, member) => sum + sizeOf(member, depth + 1), 0);
}

function checkDepth(depth: number): void {
	if (depth > DEEPEST) throw new RangeError("a type is nested too deep");
}

/** @throws {RangeError} contracts' records of the chain don't keep the members of tuples */
export function membersOf({ components }: AbiParameter): readonly AbiParameter[] {
	if (!components) throw new RangeError("the members of a tuple aren't known");
	return components;
}

class Reader {
	private left = MAX_ELEMENTS;

	/** @param data hexadecimal */
	constructor(private readonly data: string) {}

	/** Values one after the other. @param base where offsets are counted from, in digits */
	members(parameters: readonly AbiParameter[], base: number, depth: number): Decoded[] {
		let at = base;
		return parameters.map((parameter) => {
			const value = this.value(parameter, base, at, depth);
			at += sizeOf(parameter) * WORD_DIGITS;
			return { name: parameter.name, type: parameter.type, value };
		});
	}

	private value(parameter: AbiParameter, base: number, at: number, depth: number): Value {
		checkDepth(depth);
		const start = isDynamic(parameter) ? base + 2 * this.small(at) : at;
		const array = arrayParts(parameter);
		if (array) {
			const length = array.length ?? this.small(start);
			this.spend(length);
			const first = array.length === undefined ? start + WORD_DIGITS : start;
			const elements = Array.from({ length }, () => array.element);
			return { kind: "list", items: this.members(elements, first, depth + 1).map(({ value }) => value) };
		}
		if (parameter.type === "tuple") {
			const members = membersOf(parameter);
			this.spend(members.length);
			return { kind: "tuple", members: this.members(members, start, depth + 1) };
		}
		const { type } = parameter;
		const isBytes = type === "bytes" || type === "string";
		return { kind: "text", text: isBytes ? this.bytes(type, start) : staticText(type, this.word(at)) };
	}

	private spend(elements: number): void {
		this.left -= elements;
		if (this.left < 0) throw new RangeError("too many elements");
	}

	private word(at: number): string {
		const word = this.data.slice(at, at + WORD_DIGITS);
		if (!/^[\da-f]{64}$/i.test(word)) throw new RangeError("the data ends early");
		return word;
	}

	private small(at: number): number {
		const value = BigInt(`0x${this.word(at)}`);
		if (value > BigInt(this.data.length)) throw new RangeError("beyond the data");
		return Number(value);
	}

	private bytes(type: string, start: number): string {
		const length = this.small(start);
		const digits = this.data.slice(start + WORD_DIGITS, start + WORD_DIGITS + 2 * length);
		if (digits.length !== 2 * length) throw new RangeError("the data ends early");
		const bytes = bytesOf(digits);
		if (!bytes) throw new RangeError("not hexadecimal");
		return type === "string" ? new TextDecoder().decode(bytes) : `0x${digits}`;
	}
}

/** @throws {RangeError} */
function staticText(type: string, word: string): string {
	if (!/^[\da-f]{64}$/i.test(word)) throw new RangeError("not a word");
	if (type === "address") return addressText(word.slice(24)) ?? word;
	if (type === "bool") return /1$/.test(word) ? "true" : "false";
	const [, size] = /^bytes(\d{1,2})$/.exec(type) ?? [];
	if (size !== undefined) return `0x${word.slice(0, 2 * Number(size))}`;
	const value = BigInt(`0x${word}`);
	return (type.startsWith("int") ? BigInt.asIntN(256, value) : value).toString();
}
