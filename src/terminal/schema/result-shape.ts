/** Shapes of `--json` output, declared with each command, and their conversion to JSON Schema (protocol/command-line §1.2). */

/** The shape of a value. Every 64-bit integer is decimal text (D3). */
export type Shape =
	| "text"
	| "int64"
	| "integer"
	| "boolean"
	| "hex"
	| "address"
	| "time"
	| "any"
	| "null"
	| { readonly list: Shape }
	| { readonly map: Shape }
	| { readonly either: readonly Shape[] }
	| { readonly members: Readonly<Record<string, Shape>> };

/** A command's output: one value, or one per line. */
export interface ResultShape {
	readonly shape: Shape;
	/** Whether there is one line per element, input or event. */
	readonly lines: boolean;
}

/** An object; members whose name ends in `?` may be absent. */
export function record(members: Readonly<Record<string, Shape>>): Shape {
	return { members };
}

/** The members of a view: all of its names, with `?` after those that may be absent. */
type MembersOf<T> = {
	readonly [K in keyof T & string as undefined extends T[K] ? `${K}?` : K]: Shape;
};

/** An object whose member names the compiler checks against the type of the printed view. */
export function view<T>(members: MembersOf<T>): Shape {
	return { members: members as Readonly<Record<string, Shape>> };
}

/** One value, or null if `--or-null` is given and it doesn't exist. */
export function orNull(shape: Shape): ResultShape {
	return one(either(shape, "null"));
}

export function list(shape: Shape): Shape {
	return { list: shape };
}

/** An object whose member names are data, such as token ids. */
export function map(shape: Shape): Shape {
	return { map: shape };
}

export function either(...shapes: readonly Shape[]): Shape {
	return { either: shapes };
}

/** One value. */
export function one(shape: Shape): ResultShape {
	return { shape, lines: false };
}

/** One value per line. */
export function lines(shape: Shape): ResultShape {
	return { shape, lines: true };
}

const SIMPLE: Readonly<Record<Extract<Shape, string>, object>> = {
	text: { type: "string" },
	int64: { type: "string", pattern: "^-?[0-9]+$" },
	integer: { type: "integer" },
	boolean: { type: "boolean" },
	hex: { type: "string", pattern: "^(0x)?([0-9a-f]{2})*$" },
	address: { type: "string", pattern: "^[1-9A-HJ-NP-Za-km-z]{34}$" },
	time: { type: "string", pattern: "^[0-9]+$", description: "milliseconds since 1970" },
	any: {},
	null: { type: "null" },
};

/** The JSON Schema of a shape. */
export function schemaOf(shape: Shape): object {
	if (typeof shape === "string") return SIMPLE[shape];
	if ("list" in shape) return { type: "array", items: schemaOf(shape.list) };
	if ("map" in shape) return { type: "object", additionalProperties: schemaOf(shape.map) };
	if ("either" in shape) return { anyOf: shape.either.map(schemaOf) };
	const members = Object.entries(shape.members);
	return {
		type: "object",
		properties: Object.fromEntries(
			members.map(([name, value]) => [name.replace(/\?$/, ""), schemaOf(value)]),
		),
		required: members.map(([name]) => name).filter((name) => !name.endsWith("?")),
	};
}
