/** Descriptors of the generated message classes, for code that handles messages generically. */

import type { DecodeBudget } from "./budget.js";
import type { UnknownFields } from "./unknown-fields.js";

export type ScalarType = "int32" | "int64" | "bool" | "double" | "string" | "bytes";

/** One field of a message, as the schema declares it. */
export interface FieldDescriptor {
	/** Name in the schema, in JSON and in the generated class. */
	readonly name: string;
	readonly number: number;
	readonly label: "singular" | "repeated" | "map";
	/** Kind of the value; for maps, of the map's values. */
	readonly kind: ScalarType | "enum" | "message";
	/** Kind of a map's keys. */
	readonly keyKind?: ScalarType;
	/** Message type, for kind "message". */
	readonly message?: () => MessageType<Message>;
	/** Enumeration, for kind "enum". */
	readonly enumeration?: EnumDescriptor;
}

export interface EnumDescriptor {
	/** Full name, `protocol.ResourceCode`. */
	readonly typeName: string;
	readonly values: Readonly<Record<string, number>>;
	readonly names: ReadonlyMap<number, string>;
}

/** A decoded message. Nested values are read-only: replace them instead of mutating them. */
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
	 * Decodes a message. Byte fields are views of `bytes`.
	 * @param budget for untrusted input; without it, any valid input is accepted
	 * @throws {DecodeError}
	 */
	decode(bytes: Uint8Array, budget?: DecodeBudget): T;
	/** Encodes the canonical form: ascending field numbers, defaults omitted, unknown fields last. */
	encode(message: Readonly<T>): Uint8Array;
	/** Length of the canonical form in bytes. */
	size(message: Readonly<T>): number;
	/** A message with the given fields; all others have their defaults. */
	create(init?: Partial<T>): T;
	/** A shallow copy: its own fields may be changed, nested values are shared. */
	copy(message: Readonly<T>): T;
}

export function enumeration(typeName: string, values: Record<string, number>): EnumDescriptor {
	const names = new Map<number, string>();
	for (const [name, value] of Object.entries(values)) if (!names.has(value)) names.set(value, name);
	// Looked up by untrusted names, so inherited properties must not be found.
	return { typeName, values: Object.assign(Object.create(null), values), names };
}

/** Sets a field of a message known only by its descriptor. */
export function setField(message: Message, name: string, value: unknown): void {
	(message as Record<string, unknown>)[name] = value;
}

/** Reads a field of a message known only by its descriptor. */
export function getField(message: Readonly<Message>, name: string): unknown {
	return (message as Readonly<Record<string, unknown>>)[name];
}

/** Path of the first message with unknown fields, at any depth; undefined if there is none. */
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
