/**
 * How much encoded values become when they are decoded. The encoding points at its parts, so that a thousand strings can
 * all be one: a few megabytes from a contract would become more than there is memory. Encoders don't write such data.
 */

import { AbiDataError } from "./abi-data-error.js";
import { type AbiParameter, arrayParts } from "./parameter.js";

const WORD = 32;
/** Values may be so much larger than their bytes, and short ones by as much as this. */
const MOST_TIMES = 8;
const SLACK = 1 << 20;
/** Deeper types are not of this world. */
const MAX_DEPTH = 64;

/**
 * @param slack bytes by which short values may be larger than a multiple of theirs
 * @throws {AbiDataError} if the values are much larger than the bytes that they are read from
 */
export function checkDecodedSize(
	parameters: readonly AbiParameter[],
	data: Uint8Array,
	slack: number = SLACK,
): void {
	new Walk(data, slack).members(parameters, 0, 0);
}

class Walk {
	private left: number;

	constructor(
		private readonly data: Uint8Array,
		slack: number,
	) {
		this.left = MOST_TIMES * data.length + slack;
	}

	/** Values one after the other; what lies outside of the data is left to the decoder to complain about. */
	members(parameters: readonly AbiParameter[], start: number, depth: number): void {
		let at = start;
		for (const parameter of parameters) {
			this.value(parameter, at, start, depth);
			at += headSize(parameter, depth);
		}
	}

	/** @param base what pointers of this place count from */
	private value(parameter: AbiParameter, at: number, base: number, depth: number): void {
		if (depth > MAX_DEPTH) throw tooDeep();
		this.spend(WORD);
		const target = isDynamic(parameter, depth) ? base + this.number(at) : at;
		if (target > this.data.length) return;
		const array = arrayParts(parameter);
		if (array) {
			const count = array.length ?? this.number(target);
			const start = array.length === undefined ? target + WORD : target;
			const step = headSize(array.element, depth + 1);
			for (let i = 0; i < count && start + i * step <= this.data.length; i++) {
				this.value(array.element, start + i * step, start, depth + 1);
			}
		} else if (parameter.components) this.members(parameter.components, target, depth + 1);
		else if (isText(parameter)) this.spend(Math.min(this.number(target), this.data.length));
	}

	private spend(bytes: number): void {
		this.left -= bytes;
		if (this.left < 0) {
			throw new AbiDataError("the data doesn't fit: its values are much larger than the data itself");
		}
	}

	/** A word as a number; too large ones are somewhere outside. */
	private number(at: number): number {
		let value = 0;
		for (const byte of this.data.subarray(at, at + WORD)) value = value * 256 + byte;
		return value;
	}
}

const isText = ({ type }: AbiParameter): boolean => type === "string" || type === "bytes";

function isDynamic(parameter: AbiParameter, depth: number): boolean {
	if (depth > MAX_DEPTH) throw tooDeep();
	const array = arrayParts(parameter);
	if (array) return array.length === undefined || isDynamic(array.element, depth + 1);
	return isText(parameter) || (parameter.components ?? []).some((member) => isDynamic(member, depth + 1));
}

/** Bytes that a value takes where it stands. */
function headSize(parameter: AbiParameter, depth: number): number {
	if (isDynamic(parameter, depth)) return WORD;
	const array = arrayParts(parameter);
	if (array) return (array.length ?? 0) * headSize(array.element, depth + 1);
	if (!parameter.components) return WORD;
	return parameter.components.reduce((sum, member) => sum + headSize(member, depth + 1), 0);
}

function tooDeep(): AbiDataError {
	return new AbiDataError(`the data doesn't fit: a type is nested more than ${MAX_DEPTH} deep`);
}
