/**
 * Messages as JSON, in the network's two forms (protocol/http §2).
 *
 * The printed form (the reference's JsonFormat) orders fields by number, with a blank after each colon; the
 * map-ordered form (its fastjson) uses hash map order, without blanks. Field writers are built once per
 * message type, dialect and `visible`.
 */

import { toBase58Check } from "../address.js";
import { fromUtf8, toHex } from "../bytes.js";
import { type FieldDescriptor, getField, type Message, type MessageType } from "../codec/descriptor.js";
import { type Dialect, spell, toNeutral } from "../dialect.js";
import { capacityFor } from "../hash-table.js";
import { byteClass } from "./byte-fields.js";
import { NamedError } from "./exceptions.js";
import { type JsonLibrary, jsonLibrary } from "./json-library.js";
import { type Member, mapOrderedObject } from "./map-ordered-json.js";
import { quoteMapOrdered, quotePrinted } from "./quoting.js";
import { isJsonObject } from "./value.js";

export interface JsonStyle {
	/** Base58Check addresses and names as text, instead of hex. */
	readonly visible: boolean;
	readonly dialect: Dialect;
	/** Library that determines the member order of the map-ordered form; default: the newest release's. */
	readonly library?: JsonLibrary;
	/** Whether 64-bit integers are written as strings, for readers limited to 53 bits; default: as numbers. */
	readonly longsAsText?: boolean;
	/** Whether transactions and blocks show Nile-only signatures (protocol/schema §2.3). */
	readonly postQuantum?: boolean;
	/** Whether nonce marks determine contract addresses (protocol/development-chain §4.8). */
	readonly countsNonces?: boolean;
}

/** The style with another `visible`; that of the given style is not read. */
export function shownAs(style: JsonStyle, visible: boolean): JsonStyle {
	const {
		dialect,
		library = jsonLibrary,
		longsAsText = false,
		postQuantum = false,
		countsNonces = false,
	} = style;
	return { visible, dialect, library, longsAsText, postQuantum, countsNonces };
}

/** Writes a value of the field's kind. */
interface ValueWriter {
	readonly printed: (value: unknown) => string;
	readonly mapOrdered: (value: unknown) => string;
}

/** The two forms. */
export type JsonForm = keyof ValueWriter;

interface FieldWriter extends ValueWriter {
	/** Name in the message. */
	readonly field: string;
	/** Name on the wire. */
	readonly name: string;
	readonly printedName: string;
	readonly mapOrderedName: string;
	readonly present: (value: unknown) => boolean;
	/** Type of the nested message or messages, if any. */
	readonly nested: (() => MessageType<Message>) | undefined;
	readonly isList: boolean;
}

interface Plan {
	readonly fields: readonly FieldWriter[];
	/** Fields in hash map iteration order, by capacity; empty if members keep the field order. */
	readonly orders: ReadonlyMap<number, readonly FieldWriter[]>;
}

/** Messages of which every field is printed, zeros too, except unset messages. */
const ALWAYS_PRINTED = new Set([
	"protocol.AccountBalanceResponse",
	"protocol.BlockBalanceTrace",
	"protocol.TransactionBalanceTrace",
	"protocol.TransactionBalanceTrace.Operation",
]);

/** Maps keyed by resource names, which are stored in the deployed spelling. */
const RESOURCE_KEYED = new Set(["cancel_unfreezeV2_amount"]);

const plans = new Map<MessageType<Message>, Plan[]>();

function planOf(type: MessageType<Message>, style: JsonStyle): Plan {
	let variants = plans.get(type);
	if (!variants) {
		variants = [];
		plans.set(type, variants);
	}
	const { visible, dialect, library = jsonLibrary, longsAsText = false } = style;
	const index =
		(visible ? 1 : 0) + (dialect === "deployed" ? 2 : 0) + library.number * 4 + (longsAsText ? 8 : 0);
	let plan = variants[index];
	if (!plan) {
		plan = makePlan(type, { visible, dialect, library, longsAsText });
		variants[index] = plan;
	}
	return plan;
}

function makePlan(type: MessageType<Message>, style: JsonStyle): Plan {
	const fields = type.fields.map((field) => fieldWriter(type, field, style));
	return { fields, orders: (style.library ?? jsonLibrary).fieldOrders(fields) };
}

function fieldWriter(type: MessageType<Message>, field: FieldDescriptor, style: JsonStyle): FieldWriter {
	const name = spell(field.name, style.dialect);
	const always =
		ALWAYS_PRINTED.has(type.typeName) && !(field.label === "singular" && field.kind === "message");
	const writer = listWriter(field, scalarWriter(type.typeName, field, style), style);
	return {
		field: field.name,
		name,
		printedName: `"${name}": `,
		mapOrderedName: `"${name}":`,
		present: always ? () => true : presence(field),
		nested: field.label === "map" ? undefined : field.message,
		isList: field.label === "repeated",
		...writer,
	};
}

function presence(field: FieldDescriptor): (value: unknown) => boolean {
	if (field.label === "map") return (value) => (value as ReadonlyMap<unknown, unknown>).size > 0;
	if (field.label === "repeated") return (value) => (value as readonly unknown[]).length > 0;
	switch (field.kind) {
		case "message":
			return (value) => value !== undefined;
		case "string":
		case "bytes":
			return (value) => (value as { length: number }).length > 0;
		case "bool":
			return (value) => value as boolean;
		case "int64":
			return (value) => value !== 0n;
		default:
			return (value) => value !== 0;
	}
}

function listWriter(field: FieldDescriptor, one: ValueWriter, style: JsonStyle): ValueWriter {
	if (field.label === "repeated") {
		return {
			printed: (value) => `[${(value as readonly unknown[]).map(one.printed).join(",")}]`,
			mapOrdered: (value) => `[${(value as readonly unknown[]).map(one.mapOrdered).join(",")}]`,
		};
	}
	if (field.label === "map") {
		const key = RESOURCE_KEYED.has(field.name)
			? (text: unknown) => spell(toNeutral(text as string), style.dialect)
			: (text: unknown) => text;
		const { mapEntry } = style.library ?? jsonLibrary;
		const longs = style.longsAsText && field.keyKind === "int64" ? QUOTED_NUMBERS : NUMBERS;
		const keyWriter = field.keyKind === "string" ? STRINGS : longs;
		return {
			printed: (value) =>
				`[${[...(value as ReadonlyMap<unknown, unknown>)]
					.map(([k, v]) => `{"key": ${keyWriter.printed(key(k))},"value": ${one.printed(v)}}`)
					.join(",")}]`,
			mapOrdered: (value) =>
				`[${[...(value as ReadonlyMap<unknown, unknown>)]
					.map(([k, v]) => mapEntry(keyWriter.mapOrdered(key(k)), one.mapOrdered(v)))
					.join(",")}]`,
		};
	}
	return one;
}

function same(write: (value: unknown) => string): ValueWriter {
	return { printed: write, mapOrdered: write };
}

/** Longer bytes are shown in hex: Base58 is quadratic, and no address is nearly as long. */
const MAX_BASE58_BYTES = 1_024;

const STRINGS: ValueWriter = {
	printed: (value) => quotePrinted(value as string),
	mapOrdered: (value) => quoteMapOrdered(value as string),
};
const NUMBERS = same(String);
/** A 64-bit integer in a hand-assembled answer. */
export function longText(value: bigint | number, { longsAsText }: JsonStyle): string {
	return longsAsText ? `"${value}"` : String(value);
}

const QUOTED_NUMBERS = same((value) => `"${value}"`);
const DOUBLES = same((value) => (Number.isInteger(value) ? `${value}.0` : String(value)));
const HEX = same((value) => `"${toHex(value as Uint8Array)}"`);
const ADDRESSES = same((value) => {
	const bytes = value as Uint8Array;
	return `"${bytes.length > MAX_BASE58_BYTES ? toHex(bytes) : toBase58Check(bytes)}"`;
});
const textWriter = (library: JsonLibrary): ValueWriter => ({
	printed: (value) => visibleText(value as Uint8Array, library)?.printed ?? HEX.printed(value),
	mapOrdered: (value) => visibleText(value as Uint8Array, library)?.mapOrdered ?? HEX.mapOrdered(value),
});

function scalarWriter(typeName: string, field: FieldDescriptor, style: JsonStyle): ValueWriter {
	switch (field.kind) {
		case "message": {
			const type = field.message as () => MessageType<Message>;
			return {
				printed: (value) => printMessage(type(), value as Message, style),
				mapOrdered: (value) => mapOrderedMessage(type(), value as Message, style),
			};
		}
		case "enum": {
			const enumeration = field.enumeration;
			const names = new Map<unknown, string>();
			for (const [number, name] of enumeration?.names ?? [])
				names.set(number, `"${spell(name, style.dialect)}"`);
			const shortName = enumeration?.typeName.slice(enumeration.typeName.lastIndexOf(".") + 1);
			return same((value) => names.get(value) ?? `"UNKNOWN_ENUM_VALUE_${shortName}_${value}"`);
		}
		case "bytes": {
			const kind = style.visible ? byteClass(typeName, field.name) : "hex";
			return kind === "address"
				? ADDRESSES
				: kind === "text"
					? textWriter(style.library ?? jsonLibrary)
					: HEX;
		}
		case "string":
			return STRINGS;
		case "double":
			return DOUBLES;
		case "int64":
			return style.longsAsText ? QUOTED_NUMBERS : NUMBERS;
		default:
			return NUMBERS;
	}
}

/**
 * Bytes as JSON string content in both forms. Only quotes are escaped, so a backslash in the bytes starts an
 * escape for the reader; undefined if the result would not be a valid JSON string.
 */
function visibleText(
	bytes: Uint8Array,
	library: JsonLibrary,
): { printed: string; mapOrdered: string } | undefined {
	const text = fromUtf8(bytes);
	const escaped = text.replaceAll('"', '\\"');
	let value: string | undefined = withRepetitions(text);
	if (escaped.includes("\\")) {
		value = readBack(`{"key":"${withRepetitions(escaped)}"}`, library);
		if (value === undefined) return undefined;
	}
	return { printed: `"${escaped.replaceAll("\n", "\\n")}"`, mapOrdered: quoteMapOrdered(value) };
}

/** Limits of the repetition below, absolute and per character; up to 15 line feeds are always repeated. */
const MAX_REPEATED = 1 << 20;
const MAX_TIMES = 16;

/**
 * Repeats the rest of a text after each of its line feeds, as recorded in apis-visible: the network's printer
 * does this before any JSON library sees the text. Long results are skipped, since they grow quadratically: a
 * 2 MB block of such texts would become 330 MB.
 */
function withRepetitions(text: string): string {
	let length = text.length;
	for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) length += text.length - at - 1;
	if (length > Math.max(Math.min(MAX_REPEATED, MAX_TIMES * text.length), text.length)) return text;
	let result = text;
	for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) result += text.slice(at + 1);
	return result;
}

function readBack(json: string, library: JsonLibrary): string | undefined {
	try {
		const object = library.parse(json);
		const value = isJsonObject(object) ? object.get("key") : undefined;
		return typeof value === "string" ? value : undefined;
	} catch (error) {
		if (error instanceof NamedError) return undefined;
		throw error;
	}
}

/** A message in the printed form. */
export function printMessage<T extends Message>(
	type: MessageType<T>,
	message: Readonly<T>,
	style: JsonStyle,
): string {
	let out = "{";
	for (const field of planOf(type, style).fields) {
		const value = getField(message, field.field);
		if (!field.present(value)) continue;
		if (out.length > 1) out += ",";
		out += field.printedName + field.printed(value);
	}
	return `${out}}`;
}

/** The present members of a message, in order. */
export function membersOf<T extends Message>(
	type: MessageType<T>,
	message: Readonly<T>,
	style: JsonStyle,
	form: JsonForm,
): readonly FieldWriter[] {
	const fields = form === "printed" ? planOf(type, style).fields : mapOrder(type, message, style);
	return fields.filter((field) => field.present(getField(message, field.field)));
}

/** All fields in map order, which depends on how many are present. */
function mapOrder<T extends Message>(
	type: MessageType<T>,
	message: Readonly<T>,
	style: JsonStyle,
): readonly FieldWriter[] {
	const plan = planOf(type, style);
	let capacity = 16;
	if (plan.orders.size > 1) {
		let count = 0;
		for (const field of plan.fields) if (field.present(getField(message, field.field))) count++;
		capacity = capacityFor(count);
	}
	return plan.orders.get(capacity) ?? plan.fields;
}

/** A message in the map-ordered form. */
export function mapOrderedMessage<T extends Message>(
	type: MessageType<T>,
	message: Readonly<T>,
	style: JsonStyle,
): string {
	let out = "{";
	for (const field of mapOrder(type, message, style)) {
		const value = getField(message, field.field);
		if (!field.present(value)) continue;
		if (out.length > 1) out += ",";
		out += field.mapOrderedName + field.mapOrdered(value);
	}
	return `${out}}`;
}

/**
 * The map-ordered form with extra members: one named like a present field replaces it, others are appended in
 * the given order.
 */
export function mapOrderedMessageWith<T extends Message>(
	type: MessageType<T>,
	message: Readonly<T>,
	style: JsonStyle,
	members: readonly Member[],
): string {
	const replaced = new Map(members);
	const all = new Map<string, string>();
	for (const field of planOf(type, style).fields) {
		const value = getField(message, field.field);
		if (field.present(value)) all.set(field.name, replaced.get(field.name) ?? field.mapOrdered(value));
	}
	for (const [name, json] of members) all.set(name, json);
	return mapOrderedObject([...all], style.library);
}
