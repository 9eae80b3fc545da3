/**
 * Encodes and decodes ABI values in calls, results and logs (the contract ABI specification). Decoded size is
 * limited: ABI data contains offsets, so a thousand strings can share bytes, and a few megabytes from a
 * malicious contract could exhaust memory. Doesn't depend on Node.js: the explorer's page uses it too.
 */

import { type AbiParameter, arrayParts, integerType } from "./parameter.js";

/** The bytes don't match the types. */
export class AbiDataError extends Error {
	override readonly name = "AbiDataError";
}

const WORD = 32;

/** A value to encode: addresses and `bytes…` as byte arrays, lists and tuples as arrays. */
export type CodecValue = bigint | boolean | string | Uint8Array | readonly CodecValue[];

/** Limits on decoded values. */
export interface CodecLimits {
	/** Maximum nesting of types. */
	readonly depth: number;
	/** Maximum elements of all lists and tuples together. */
	readonly items: number;
	/** Bytes by which values may exceed {@link MAX_TIMES} their data; each value counts at least a word. */
	readonly slack: number;
}

/** Maximum ratio of decoded size to data size. */
export const MAX_TIMES = 8;

/** Limits for values inspected by programs; the data itself is bounded by its source. */
export const USUAL_LIMITS: CodecLimits = { depth: 64, items: Number.POSITIVE_INFINITY, slack: 1 << 20 };

/** Creates the output values. */
export interface ValueMaker<T> {
	/** A one-word value: integer, address, boolean, `bytes1` to `bytes32`, function. */
	word(type: string, word: Uint8Array): T;
	bytes(bytes: Uint8Array): T;
	text(text: string): T;
	list(items: readonly T[]): T;
	tuple(members: readonly AbiParameter[], values: readonly T[]): T;
}

/** A parsed type. */
type Shape = {
	/** Whether the head only contains an offset to the value. */
	readonly isDynamic: boolean;
	/** Size in the head, in bytes. */
	readonly size: number;
} & (
	| { readonly kind: "word"; readonly type: string }
	| { readonly kind: "bytes" | "string" }
	| { readonly kind: "list"; readonly element: Shape; readonly length: number | undefined }
	| { readonly kind: "tuple"; readonly members: readonly AbiParameter[]; readonly shapes: readonly Shape[] }
);

function shapeOf(parameter: AbiParameter, limit: number, depth = 0): Shape {
	if (depth > limit) throw misfit(`a type is nested more than ${limit} deep`);
	const array = arrayParts(parameter);
	if (array) {
		const { length } = array;
		const element = shapeOf(array.element, limit, depth + 1);
		const isDynamic = length === undefined || element.isDynamic;
		return {
			kind: "list",
			element,
			length,
			isDynamic,
			size: isDynamic ? WORD : (length ?? 0) * element.size,
		};
	}
	const { type, components } = parameter;
	if (type === "tuple") {
		if (!components) throw misfit("the members of a tuple aren't known");
		const shapes = components.map((member) => shapeOf(member, limit, depth + 1));
		const isDynamic = shapes.some((shape) => shape.isDynamic);
		return { kind: "tuple", members: components, shapes, isDynamic, size: isDynamic ? WORD : sizeOf(shapes) };
	}
	if (type === "bytes" || type === "string") return { kind: type, isDynamic: true, size: WORD };
	return { kind: "word", type, isDynamic: false, size: WORD };
}

const sizeOf = (shapes: readonly Shape[]): number => shapes.reduce((sum, { size }) => sum + size, 0);

function misfit(why: string): AbiDataError {
	return new AbiDataError(`the data doesn't fit: ${why}`);
}

/**
 * Decodes values.
 * @returns one value per parameter
 * @throws {AbiDataError} if the bytes don't match, or the values exceed the limits
 */
export function decode<T>(
	parameters: readonly AbiParameter[],
	data: Uint8Array,
	maker: ValueMaker<T>,
	limits: CodecLimits = USUAL_LIMITS,
): T[] {
	if (parameters.length === 0) return [];
	const shapes = parameters.map((parameter) => shapeOf(parameter, limits.depth));
	if (data.length < WORD) throw misfit("it is shorter than one value");
	return new Reader(data, maker, limits).members(shapes, 0);
}

class Reader<T> {
	private bytesLeft: number;
	private itemsLeft: number;

	constructor(
		private readonly data: Uint8Array,
		private readonly maker: ValueMaker<T>,
		{ items, slack }: CodecLimits,
	) {
		this.bytesLeft = MAX_TIMES * data.length + slack;
		this.itemsLeft = items;
	}

	/** Consecutive values. @param base origin of their offsets */
	members(shapes: readonly Shape[], base: number): T[] {
		let at = base;
		return shapes.map((shape) => {
			const value = this.value(shape, at, base);
			at += shape.size;
			return value;
		});
	}

	private value(shape: Shape, at: number, base: number): T {
		this.spend(WORD);
		const start = shape.isDynamic ? base + this.number(at) : at;
		switch (shape.kind) {
			case "word":
				return this.maker.word(shape.type, this.word(shape.type, at));
			case "bytes":
				return this.maker.bytes(this.counted(start));
			case "string":
				return this.maker.text(new TextDecoder().decode(this.counted(start)));
			case "tuple":
				this.count(shape.shapes.length);
				return this.maker.tuple(shape.members, this.members(shape.shapes, start));
			case "list": {
				const { element, length } = shape;
				const count = length ?? this.number(start);
				this.count(count);
				const first = length === undefined ? start + WORD : start;
				const items: T[] = [];
				for (let i = 0; i < count; i++) items.push(this.value(element, first + i * element.size, first));
				return this.maker.list(items);
			}
		}
	}

	/** The last word may be truncated after its significant bytes. */
	private word(type: string, at: number): Uint8Array {
		const word = this.data.subarray(at, at + WORD);
		if (word.length === WORD) return word;
		if (word.length === 0 || word.length < (fixedSize(type) ?? WORD)) throw misfit("it ends early");
		const whole = new Uint8Array(WORD);
		whole.set(word);
		return whole;
	}

	/** Length-prefixed bytes. */
	private counted(start: number): Uint8Array {
		const length = this.number(start);
		const bytes = this.data.subarray(start + WORD, start + WORD + length);
		if (bytes.length < length) throw misfit("it ends early");
		this.spend(length);
		return bytes;
	}

	/** An offset or length. Values too large for a double exceed any data. */
	private number(at: number): number {
		const word = this.data.subarray(at, at + WORD);
		if (word.length < WORD) throw misfit("it ends early");
		return Number(wordNumber(word));
	}

	private spend(bytes: number): void {
		this.bytesLeft -= bytes;
		if (this.bytesLeft < 0) throw misfit("its values are much larger than the data itself");
	}

	private count(items: number): void {
		this.itemsLeft -= items;
		if (this.itemsLeft < 0) throw misfit("it has too many values");
	}
}

function wordNumber(word: Uint8Array): bigint {
	const view = new DataView(word.buffer, word.byteOffset, WORD);
	let value = 0n;
	for (let at = 0; at < WORD; at += 8) value = (value << 64n) | view.getBigUint64(at);
	return value;
}

/** Size of `bytes1` to `bytes32` and of functions; undefined for other types. */
function fixedSize(type: string): number | undefined {
	if (type === "function") return 24;
	const size = Number(/^bytes([1-9]\d?)$/.exec(type)?.[1] ?? 0);
	return size >= 1 && size <= WORD ? size : undefined;
}

/** Converts a word by type; an address gives its 20 bytes. @throws {AbiDataError} */
export function wordValue(type: string, word: Uint8Array): bigint | boolean | Uint8Array {
	if (type === "address") return word.subarray(12);
	const size = fixedSize(type);
	if (size !== undefined) return word.subarray(0, size);
	const value = wordNumber(word);
	if (type === "bool") {
		if (value > 1n) throw misfit("a boolean is neither 0 nor 1");
		return value === 1n;
	}
	const whole = integerType(type);
	if (!whole) throw misfit(`"${type.slice(0, 64)}" is no type`);
	const number = whole.signed ? BigInt.asIntN(256, value) : value;
	if (whole.bits <= SHORT_BITS && BigInt.asIntN(54, number) !== number)
		throw misfit("a short number is a long one");
	return number;
}

/** Wider integers are not range-checked; no encoder writes out-of-range ones. */
const SHORT_BITS = 48;

/** Encodes values. @throws {RangeError} if a value doesn't match its parameter */
export function encode(
	parameters: readonly AbiParameter[],
	values: readonly CodecValue[],
	depth: number = USUAL_LIMITS.depth,
): Uint8Array {
	return encodeMembers(
		parameters.map((parameter) => shapeOf(parameter, depth)),
		values,
	);
}

/** Encodes consecutive values: heads first, then the tails of dynamic ones. */
function encodeMembers(shapes: readonly Shape[], values: readonly CodecValue[]): Uint8Array {
	if (shapes.length !== values.length)
		throw new RangeError(`there are ${values.length} values for ${shapes.length} parameters`);
	let offset = sizeOf(shapes);
	const heads: Uint8Array[] = [];
	const tails: Uint8Array[] = [];
	for (const [index, shape] of shapes.entries()) {
		const encoded = encodeValue(shape, values[index] as CodecValue);
		if (shape.isDynamic) {
			heads.push(numberWord(BigInt(offset)));
			tails.push(encoded);
			offset += encoded.length;
		} else heads.push(encoded);
	}
	return joined([...heads, ...tails]);
}

function encodeValue(shape: Shape, value: CodecValue): Uint8Array {
	switch (shape.kind) {
		case "word":
			return encodeWord(shape.type, value);
		case "bytes":
		case "string": {
			const isText = shape.kind === "string";
			if (isText ? typeof value !== "string" : !(value instanceof Uint8Array)) throw unfit(shape.kind);
			const bytes = typeof value === "string" ? new TextEncoder().encode(value) : (value as Uint8Array);
			return joined([numberWord(BigInt(bytes.length)), padded(bytes, Math.ceil(bytes.length / WORD) * WORD)]);
		}
		case "tuple":
			return encodeMembers(shape.shapes, listOf(value, "tuple"));
		case "list": {
			const items = listOf(value, "list");
			const { element, length } = shape;
			if (length !== undefined && items.length !== length) throw unfit(`list of ${length} values`);
			const encoded = encodeMembers(
				items.map(() => element),
				items,
			);
			return length === undefined ? joined([numberWord(BigInt(items.length)), encoded]) : encoded;
		}
	}
}

function encodeWord(type: string, value: CodecValue): Uint8Array {
	if (type === "bool" && typeof value === "boolean") return numberWord(value ? 1n : 0n);
	if (type === "address" && value instanceof Uint8Array && value.length === 20) {
		const word = new Uint8Array(WORD);
		word.set(value, 12);
		return word;
	}
	if (value instanceof Uint8Array && value.length === fixedSize(type)) return padded(value, WORD);
	const whole = integerType(type);
	if (!whole || typeof value !== "bigint") throw unfit(type);
	const fits = whole.signed ? BigInt.asIntN(whole.bits, value) : BigInt.asUintN(whole.bits, value);
	if (fits !== value) throw unfit(type);
	return numberWord(value);
}

function listOf(value: CodecValue, what: string): readonly CodecValue[] {
	if (!Array.isArray(value)) throw unfit(what);
	return value;
}

function unfit(type: string): RangeError {
	return new RangeError(`a value was not made for ${type}`);
}

function numberWord(value: bigint): Uint8Array {
	const word = new Uint8Array(WORD);
	const view = new DataView(word.buffer);
	for (let at = 0; at < WORD; at += 8) view.setBigUint64(at, value >> BigInt(8 * (WORD - 8 - at)));
	return word;
}

function padded(bytes: Uint8Array, length: number): Uint8Array {
	const whole = new Uint8Array(length);
	whole.set(bytes);
	return whole;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
	const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}
