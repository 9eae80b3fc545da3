/** What the generated code says about each message, for everything that walks messages without knowing them. */

import type { DecodeBudget } from "./budget.js";
import type { UnknownFields } from "./unknown-fields.js";

export type ScalarType = "int32" | "int64" | "bool" | "double" | "string" | "bytes";

/** One field of a message, as the schema declares it. */
export interface FieldDescriptor {
	/** Name in the schema, in JSON and in the generated class. */
	readonly name: string;
	readonly number: number;
	readonly label: "singular" | "repeated" | "map";
	/** Kind of the value; for a map, of the map's value. */
	readonly kind: ScalarType | "enum" | "message";
	/** Kind of a map's key. */
	readonly keyKind?: ScalarType;
	/** The message type of a value of kind "message". */
	readonly message?: () => MessageType<Message>;
	/** The enumeration of a value of kind "enum". */
	readonly enumeration?: EnumDescriptor;
}

export interface EnumDescriptor {
	/** Full name, `protocol.ResourceCode`. */
	readonly typeName: string;
	readonly values: Readonly<Record<string, number>>;
	readonly names: ReadonlyMap<number, string>;
}

/** A decoded message. Nested values are read-only: replace them, never change them in place. */
export interface Message {
	$unknown?: UnknownFields | undefined;
}

/** The static side of a generated class. */
export interface MessageType<T extends Message> {
	new (): T;
	/** Full name, `protocol.TransferContract`. */
	readonly typeName: string;
	/** Fields in ascending number. */
	readonly fields: readonly FieldDescriptor[];
	/**
	 * Reads a message. Byte fields are views of `bytes`.
	 * @param budget for input from outside; without one, whatever is valid is read
	 * @throws {DecodeError}
	 */
	decode(bytes: Uint8Array, budget?: DecodeBudget): T;
	/** Writes the canonical form: ascending field numbers, defaults left out, unknown fields last. */
	encode(message: Readonly<T>): Uint8Array;
	/** Length of the canonical form in bytes. */
	size(message: Readonly<T>): number;
	/** A message with the given fields, all others at their defaults. */
	create(init?: Partial<T>): T;
	/** A copy whose own fields may be changed; nested values are shared. */
	copy(message: Readonly<T>): T;
}

export function enumeration(typeName: string, values: Record<string, number>): EnumDescriptor {
	const names = new Map<number, string>();
	for (const [name, value] of Object.entries(values)) if (!names.has(value)) names.set(value, name);
	// Looked up by names from outside: what every object has is none.
	return { typeName, values: Object.assign(Object.create(null), values), names };
}

/** Sets one field of a message that is only known by its descriptor. */
export function setField(message: Message, name: string, value: unknown): void {
	(message as Record<string, unknown>)[name] = value;
}

/** Reads one field of a message that is only known by its descriptor. */
export function getField(message: Readonly<Message>, name: string): unknown {
	return (message as Readonly<Record<string, unknown>>)[name];
}

/** Where a message holds fields without a name, at whatever depth; undefined if nowhere. */
export function unknownPath(
	{ fields }: MessageType<Message>,
	message: Readonly<Message>,
	path: string,
): string | undefined {
	if (message.$unknown) return path;
	for (const { name, kind, message: inner } of fields) {
		const type = kind === "message" ? inner?.() : undefined;
		if (!type) continue;
		const value = getField(message, name);
		const values = Array.isArray(value) ? value : value instanceof Map ? [...value.values()] : [value];
		for (const item of values as readonly (Message | undefined)[]) {
			const found = item && unknownPath(type, item, `${path}.${name}`);
			if (found !== undefined) return found;
		}
	}
	return undefined;
}
