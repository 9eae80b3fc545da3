/** Converts JSON values to the declared parameter types of methods (protocol/json-rpc §2.2). */

import { parseInt64 } from "../../../protocol/int64.js";
import { isFrom, type Release } from "../../rules/release.js";
import { isRawArray, isRawObject, JsonNumber, type RawArray, type RawValue } from "./json-reader.js";

/** A value doesn't match its declared type. */
export class TypeMismatch extends Error {
	override readonly name = "TypeMismatch";
}

/** A declared type that reads a JSON value. */
export interface DeclaredType<T> {
	/** For documents. */
	readonly label: string;
	/** The first release with a member of this type; absent: all have it. */
	readonly since?: Release;
	/** @param release whose types they are @throws {TypeMismatch} */
	read(value: RawValue, release: Release): T;
}

/** A member unknown to releases before `first`. */
export function since<T>(first: Release, type: DeclaredType<T>): DeclaredType<T> {
	return { ...type, since: first };
}

function mismatch(label: string): never {
	throw new TypeMismatch(`not of type ${label}`);
}

/** Numbers and booleans are read as their text. */
export const text: DeclaredType<string | null> = {
	label: "string",
	read: (value) => {
		if (value === null || typeof value === "string") return value;
		if (typeof value === "boolean") return String(value);
		if (value instanceof JsonNumber) return numberText(value);
		return mismatch("string");
	},
};

const BOOLEANS: ReadonlyMap<string, boolean | null> = new Map([
	["true", true],
	["True", true],
	["TRUE", true],
	["false", false],
	["False", false],
	["FALSE", false],
	["null", null],
	["", null],
]);

/** 0 is false, every other integer true. */
export const flag: DeclaredType<boolean | null> = {
	label: "boolean",
	read: (value) => {
		if (value === null || typeof value === "boolean") return value;
		if (value instanceof JsonNumber && value.isInteger) return BigInt(value.text) !== 0n;
		const meant = typeof value === "string" ? BOOLEANS.get(value.trim()) : undefined;
		return meant === undefined ? mismatch("boolean") : meant;
	},
};

/** Decimal text is read as a number; fractions are truncated. Null stays null. */
export function integer(bits: 32 | 64): DeclaredType<bigint | null> {
	const label = `int${bits}`;
	return {
		label,
		read: (value) => {
			if (value === null) return null;
			const digits = typeof value === "string" ? value.trim() : undefined;
			if (digits === "" || digits === "null") return null;
			let number: bigint | undefined;
			if (digits !== undefined) number = parseInt64(digits);
			else if (value instanceof JsonNumber) number = wholePart(value);
			if (number === undefined || number !== BigInt.asIntN(bits, number)) return mismatch(label);
			return number;
		},
	};
}

function wholePart(value: JsonNumber): bigint | undefined {
	if (value.isInteger) return BigInt(value.text);
	const number = Math.trunc(Number(value.text));
	return Number.isFinite(number) ? BigInt(number) : undefined;
}

/** The unchanged value. */
export const anyValue: DeclaredType<RawValue> = { label: "any", read: (value) => value };

/** A single value is read as a one-element list. */
export const list: DeclaredType<RawArray | null> = {
	label: "any[]",
	read: (value) => (value === null || isRawArray(value) ? value : [value]),
};

/** An absent member reads as undefined; `null` is a value. */
export type RecordOf<S> = {
	readonly [N in keyof S]?: S[N] extends DeclaredType<infer T> ? T : never;
};

/** An object with no other members than these. */
export function record<S extends Readonly<Record<string, DeclaredType<unknown>>>>(
	members: S,
): DeclaredType<RecordOf<S> | null> {
	const label = `object{${Object.keys(members).join(", ")}}`;
	const types = new Map(Object.entries(members));
	return {
		label,
		read: (value, release) => {
			if (value === null) return null;
			if (!isRawObject(value)) return mismatch(label);
			const result: Record<string, unknown> = {};
			for (const [name, member] of value) {
				const type = types.get(name) ?? mismatch(label);
				if (!isFrom(release, type.since)) return mismatch(label);
				result[name] = type.read(member, release);
			}
			return result as RecordOf<S>;
		},
	};
}

/** A value as printed by the reference's runtime. */
export function runtimeText(value: RawValue): string {
	if (value instanceof JsonNumber) return numberText(value);
	if (isRawArray(value)) return `[${value.map(runtimeText).join(", ")}]`;
	if (isRawObject(value)) {
		return `{${[...value].map(([name, member]) => `${name}=${runtimeText(member)}`).join(", ")}}`;
	}
	return String(value);
}

/** A number as printed by the reference's runtime. */
export function numberText(number: JsonNumber): string {
	if (number.isInteger) return BigInt(number.text).toString();
	const value = Number(number.text);
	const size = Math.abs(value);
	if (!Number.isFinite(value)) return String(value);
	if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
	if (size >= 1e-3 && size < 1e7) return Number.isInteger(value) ? `${value}.0` : String(value);
	const [mantissa = "", exponent = ""] = value.toExponential().split("e");
	return `${mantissa.includes(".") ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
}
