/**
 * Typed access to an object of a configuration file: defaults, HOCON's conversions between text, numbers and
 * booleans (protocol/configuration §1.1), and one clear error for everything else.
 *
 * Paths are dotted, in neutral spelling. A null value counts as absent.
 */

import { MAX_INT64, MIN_INT64 } from "../protocol/int64.js";
import { ConfigError, type HoconObject, type HoconScalar, type HoconValue, valueAt } from "./hocon.js";

/** Keys whose values never appear in a message. */
const SECRET = /localwitness|private|secret|dbconfig/i;

/** The effective value of a key. */
export interface EffectiveSetting {
	/** Dotted path in the neutral spelling. */
	readonly path: string;
	/** Undefined if absent without a default. Secrets are shown as `***`. */
	readonly value: SettingValue;
	/** Line in the file; undefined for a default, 0 if it comes from a named public network. */
	readonly line: number | undefined;
}

export type SettingValue = string | number | bigint | boolean | readonly string[] | undefined;

const MAX_INT32 = 0x7fffffffn;
const MIN_INT32 = -0x80000000n;
/** Larger exponents are out of 64-bit range in any case. */
const MAX_EXPONENT = 400;

export class Section {
	private constructor(
		private readonly file: string,
		private readonly prefix: string,
		private readonly object: HoconObject,
		/** Values read so far, by full path; shared by all sections of a file. */
		private readonly values: Map<string, EffectiveSetting>,
	) {}

	static root(object: HoconObject, file: string): Section {
		return new Section(file, "", object, new Map());
	}

	/** Every value with its full path and line. Within lists, only members of objects. */
	leaves(): { readonly path: string; readonly line: number }[] {
		return [...leaves(this.object, this.prefix)];
	}

	/** Every value read from any section of the file, in order of reading. */
	effective(): EffectiveSetting[] {
		return [...this.values.values()];
	}

	/** Records the effective value if it differs from the file's. */
	settle<T extends SettingValue>(path: string, value: T): T {
		const full = this.full(path);
		const isSet = value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
		const shownValue = isSet && SECRET.test(full) ? "***" : value;
		this.values.set(full, { path: full, value: shownValue, line: this.find(path)?.line });
		return value;
	}

	has(path: string): boolean {
		return this.find(path) !== undefined;
	}

	/** Whether the value is an object. */
	isObject(path: string): boolean {
		return this.find(path)?.kind === "object";
	}

	/** Member names, in file order. */
	names(): string[] {
		return [...this.object.members.keys()];
	}

	/** The object at a path; empty if absent. */
	section(path: string): Section {
		return this.optionalSection(path) ?? this.inner(path, EMPTY);
	}

	optionalSection(path: string): Section | undefined {
		const value = this.find(path);
		if (value === undefined) return undefined;
		if (value.kind !== "object") throw this.wrong(path, value, "an object in braces");
		return this.inner(path, value);
	}

	/** The object at a path. @throws {ConfigError} if absent */
	requiredSection(path: string): Section {
		return this.optionalSection(path) ?? this.missing(path);
	}

	/** The objects of a list; empty if absent. */
	sections(path: string): Section[] {
		return this.list(path).map((item, i) => {
			const place = `${path}[${i}]`;
			if (item.kind !== "object") throw this.wrong(place, item, "an object in braces");
			return this.inner(place, item);
		});
	}

	/** The texts of a list; empty if absent. */
	texts(path: string): string[] {
		const texts = this.list(path).map((item, i) => {
			if (item.kind === "object" || item.kind === "list") throw this.wrong(`${path}[${i}]`, item, "a text");
			return item.text;
		});
		return this.settle(path, texts);
	}

	text(path: string, absent: string): string {
		return this.settle(path, this.optionalText(path) ?? absent);
	}

	optionalText(path: string): string | undefined {
		return this.settle(path, this.scalar(path, "a text")?.text);
	}

	requiredText(path: string): string {
		return this.optionalText(path) ?? this.missing(path);
	}

	boolean(path: string, absent: boolean): boolean {
		const value = this.scalar(path, "true or false");
		if (value === undefined) return this.settle(path, absent);
		if (value.kind !== "number") {
			if (value.text === "true" || value.text === "yes" || value.text === "on")
				return this.settle(path, true);
			if (value.text === "false" || value.text === "no" || value.text === "off")
				return this.settle(path, false);
		}
		throw this.wrong(path, value, "true or false");
	}

	/** A 32-bit integer. Fractions are truncated. */
	int(path: string, absent: number): number {
		const value = this.integer(path, "a whole number of 32 bits", MIN_INT32, MAX_INT32);
		return this.settle(path, value === undefined ? absent : Number(value));
	}

	/** A 32-bit integer, clamped to a range. */
	intClamped(path: string, absent: number, min: number, max: number): number {
		return this.settle(path, Math.min(max, Math.max(min, this.int(path, absent))));
	}

	/** A 64-bit integer. Fractions are truncated. */
	long(path: string, absent: bigint): bigint {
		return this.settle(path, this.integer(path, "a whole number of 64 bits", MIN_INT64, MAX_INT64) ?? absent);
	}

	requiredLong(path: string): bigint {
		const value = this.integer(path, "a whole number of 64 bits", MIN_INT64, MAX_INT64) ?? this.missing(path);
		return this.settle(path, value);
	}

	double(path: string, absent: number): number {
		const value = this.scalar(path, "a number");
		if (value === undefined) return this.settle(path, absent);
		const number = Number(value.text);
		if (value.kind === "boolean" || value.text.trim() === "" || !Number.isFinite(number)) {
			throw this.wrong(path, value, "a number");
		}
		return this.settle(path, number);
	}

	/** A 32-bit integer that must be within a range. */
	intWithin(path: string, absent: number, min: number, max: number): number {
		const value = this.int(path, absent);
		if (value < min || value > max) throw this.refuse(path, `must be ${min} to ${max}, not ${value}`);
		return value;
	}

	/** The error for a value rejected by rules beyond its type. The reason must not contain a secret. */
	refuse(path: string, reason: string): ConfigError {
		const line = this.find(path)?.line;
		const place = line === undefined ? this.file : `${this.file}: ${line}`;
		const full = this.full(path);
		return new ConfigError(`${place}: ${full}${reason.startsWith(":") ? "" : " "}${reason}`, {}, full);
	}

	private integer(path: string, expected: string, min: bigint, max: bigint): bigint | undefined {
		const value = this.scalar(path, expected);
		if (value === undefined) return undefined;
		const number = value.kind === "boolean" ? undefined : wholeNumber(value.text.trim());
		if (number === undefined || number < min || number > max) throw this.wrong(path, value, expected);
		return number;
	}

	private scalar(path: string, expected: string): HoconScalar | undefined {
		const value = this.find(path);
		if (value === undefined) return undefined;
		if (value.kind === "object" || value.kind === "list") throw this.wrong(path, value, expected);
		return value;
	}

	private list(path: string): readonly HoconValue[] {
		const value = this.find(path);
		if (value === undefined) return [];
		if (value.kind !== "list") throw this.wrong(path, value, "a list in square brackets");
		return value.items;
	}

	private inner(path: string, object: HoconObject): Section {
		return new Section(this.file, `${this.full(path)}.`, object, this.values);
	}

	private find(path: string): HoconValue | undefined {
		return valueAt(this.object, path);
	}

	private wrong(path: string, value: HoconValue, expected: string): ConfigError {
		const full = this.full(path);
		return new ConfigError(
			`${this.file}: ${value.line}: ${full} must be ${expected}, not ${shown(full, value)}`,
			{},
			full,
		);
	}

	private missing(path: string): never {
		const key = this.full(path);
		throw new ConfigError(`${this.file}: no configuration setting found for key ${key}`, { key });
	}

	private full(path: string): string {
		return this.prefix + path;
	}
}

const EMPTY: HoconObject = { kind: "object", line: 0, members: new Map() };

function* leaves(
	object: HoconObject,
	prefix: string,
): Generator<{ readonly path: string; readonly line: number }> {
	for (const [name, value] of object.members) {
		const path = prefix + name;
		if (value.kind === "object") {
			yield* leaves(value, `${path}.`);
		} else if (value.kind === "list" && value.items.some((item) => item.kind === "object")) {
			for (const [i, item] of value.items.entries()) {
				if (item.kind === "object") yield* leaves(item, `${path}[${i}].`);
			}
		} else {
			yield { path, line: value.line };
		}
	}
}

function shown(path: string, value: HoconValue): string {
	if (value.kind === "object") return "an object";
	if (value.kind === "list") return "a list";
	if (SECRET.test(path)) return "this text";
	return value.kind === "text" ? `"${value.text}"` : value.text;
}

/** Parses decimal text, truncating the fraction; undefined if it is not a number. */
function wholeNumber(text: string): bigint | undefined {
	const [, sign = "", whole = "", fraction = "", exponent = "0"] =
		/^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
	if (whole === "") return undefined;
	const shift = Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, Number(exponent)));
	const digits = whole + fraction.padEnd(Math.max(shift, fraction.length), "0");
	const magnitude = BigInt(digits.slice(0, Math.max(0, whole.length + shift)) || "0");
	return sign === "-" ? -magnitude : magnitude;
}
