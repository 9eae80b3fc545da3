/**
 * The field decoder (protocol/http §3.3): parses text into a message by its descriptors. Its grammar is not
 * JSON: octal integers, bare enum names, optional commas, undecoded escapes in visible text fields.
 */

import { utf8 } from "../bytes.js";
import {
	type EnumDescriptor,
	type FieldDescriptor,
	getField,
	type Message,
	type MessageType,
	setField,
} from "../codec/descriptor.js";
import { DecodeError } from "../codec/reader.js";
import { spell, toNeutral } from "../dialect.js";
import { type ByteClass, byteClass } from "./byte-fields.js";
import { NamedError } from "./exceptions.js";
import { FieldTokenizer } from "./field-tokenizer.js";
import { decodeHexText } from "./hex-text.js";
import { type JsonLibrary, jsonLibrary } from "./json-library.js";

interface FieldPlan {
	readonly field: FieldDescriptor;
	readonly byteClass: ByteClass;
	/** Qualified by the message's name. */
	readonly fullName: string;
}

/** Fields by name in both spellings, and by number if it has one digit. */
const plans = new Map<MessageType<Message>, ReadonlyMap<string, FieldPlan>>();

function planOf(type: MessageType<Message>): ReadonlyMap<string, FieldPlan> {
	let plan = plans.get(type);
	if (!plan) {
		const rows = new Map<string, FieldPlan>();
		for (const field of type.fields) {
			const row = {
				field,
				byteClass: byteClass(type.typeName, field.name),
				fullName: `${type.typeName}.${field.name}`,
			};
			rows.set(field.name, row);
			rows.set(spell(field.name, "deployed"), row);
			if (field.number < 10) rows.set(String(field.number), row);
		}
		plan = rows;
		plans.set(type, plan);
	}
	return plan;
}

class FieldDecoder {
	private readonly tokens: FieldTokenizer;
	/** Lists and maps created here; those of an empty message are shared. */
	private readonly own = new WeakSet<object>();
	private depth = 0;

	constructor(
		text: string,
		private readonly visible: boolean,
		private readonly library: JsonLibrary,
		private readonly onUnknown?: (type: MessageType<Message>, name: string) => void,
	) {
		this.tokens = new FieldTokenizer(text);
	}

	document(type: MessageType<Message>, message: Message): void {
		this.tokens.consume("{");
		while (!this.tokens.tryConsume("}")) this.members(type, message);
		if (!this.tokens.atEnd) {
			throw this.tokens.error(
				"Expecting the end of the stream, but there seems to be more data!  Check the input for a valid JSON format.",
			);
		}
	}

	/** One member and any following ones after commas. */
	private members(type: MessageType<Message>, message: Message): void {
		do {
			if (this.library.endsAtComma && this.tokens.token === "}") return;
			this.member(type, message);
		} while (this.tokens.tryConsume(","));
	}

	private member(type: MessageType<Message>, message: Message): void {
		const name = this.tokens.identifier();
		const plan = planOf(type).get(name);
		if (!plan) {
			this.onUnknown?.(type, name);
			this.skipUnknown();
			return;
		}
		// A message field named by number is given as its serialised bytes.
		const numbered = /^[0-9]$/.test(name);
		this.tokens.consume(":");
		if (!this.tokens.tryConsume("[")) {
			this.store(message, plan, numbered);
			return;
		}
		while (!this.tokens.tryConsume("]")) {
			this.store(message, plan, numbered);
			this.tokens.tryConsume(",");
		}
	}

	private store(message: Message, plan: FieldPlan, numbered: boolean): void {
		const { field } = plan;
		if (field.label === "map") {
			this.storeEntry(message, field);
			return;
		}
		const value = this.value(plan, numbered);
		if (value === undefined) return;
		if (field.label === "singular") setField(message, field.name, value);
		else this.grown(message, field, () => [] as unknown[]).push(value);
	}

	/** The mutable list or map of a field: copying it for each element would be quadratic. */
	private grown<C extends object>(message: Message, field: FieldDescriptor, make: () => C): C {
		const present = getField(message, field.name) as C;
		if (this.own.has(present)) return present;
		const made = make();
		this.own.add(made);
		setField(message, field.name, made);
		return made;
	}

	private storeEntry(message: Message, field: FieldDescriptor): void {
		const entry = new MapEntry(field);
		const type = entryType(field);
		this.tokens.consume("{");
		while (!this.tokens.tryConsume("}")) {
			if (this.tokens.atEnd) throw this.tokens.error('Expected "}".');
			this.members(type, entry);
		}
		this.grown(message, field, () => new Map<unknown, unknown>()).set(entry.key, entry.value);
	}

	/** One element's value; undefined for null. */
	private value(plan: FieldPlan, numbered: boolean): unknown {
		const { field } = plan;
		const tokens = this.tokens;
		if (field.message) return numbered ? this.serialized(field) : this.nested(field.message());
		if (tokens.tryConsume("null")) return undefined;
		switch (field.kind) {
			case "int32":
				return Number(tokens.integer(32));
			case "int64":
				return tokens.integer(64);
			case "bool":
				return tokens.boolean();
			case "double":
				return tokens.double();
			case "string":
				return tokens.string();
			case "bytes":
				return this.bytes(plan.byteClass, plan.fullName);
			default:
				return this.enumValue(field.enumeration as EnumDescriptor);
		}
	}

	private nested(type: MessageType<Message>): Message {
		const message = new type();
		this.tokens.consume("{");
		this.enter();
		while (!this.tokens.tryConsume("}")) {
			if (this.tokens.atEnd) throw this.tokens.error('Expected "}".');
			this.members(type, message);
		}
		this.depth--;
		return message;
	}

	private serialized(field: FieldDescriptor): Message {
		const type = (field.message as () => MessageType<Message>)();
		const bytes = this.bytes("hex", field.name);
		try {
			return type.decode(bytes);
		} catch (error) {
			if (error instanceof DecodeError) throw this.tokens.error(`Failed to build ${type.typeName}`);
			throw error;
		}
	}

	private bytes(kind: ByteClass, fieldName: string): Uint8Array {
		const raw = this.tokens.rawString();
		let value: Uint8Array;
		if (this.visible && kind === "address") value = this.address(raw, fieldName);
		else if (this.visible && kind === "text") value = utf8(raw);
		else value = this.hex(raw);
		this.tokens.advance();
		return value;
	}

	private hex(raw: string): Uint8Array {
		try {
			return decodeHexText(raw);
		} catch (error) {
			if (error instanceof NamedError) throw this.tokens.error("INVALID hex String");
			throw error;
		}
	}

	private address(raw: string, fieldName: string): Uint8Array {
		return this.library.fieldAddress(raw, fieldName, (text) => this.tokens.error(text));
	}

	private enumValue(enumeration: EnumDescriptor): number {
		const tokens = this.tokens;
		if (tokens.looksLikeInteger) {
			const number = Number(tokens.integer(32));
			if (enumeration.names.has(number)) return number;
			throw tokens.errorBefore(`Enum type "${enumeration.typeName}" has no value with number ${number}.`);
		}
		let name = tokens.identifier();
		if (/^\p{Ll}+$/u.test(name)) name = name.charAt(0).toUpperCase() + name.slice(1);
		const number = enumeration.values[name] ?? enumeration.values[toNeutral(name)];
		if (number !== undefined) return number;
		throw tokens.errorBefore(`Enum type "${enumeration.typeName}" has no value named "${name}".`);
	}

	/** Skips the value of an unknown member. */
	private skipUnknown(): void {
		const tokens = this.tokens;
		tokens.tryConsume(":");
		this.enter();
		if (tokens.tryConsume("{")) {
			do {
				tokens.identifier();
				this.skipUnknown();
			} while (tokens.tryConsume(","));
			tokens.consume("}");
		} else if (tokens.tryConsume("[")) {
			do this.skipUnknown();
			while (tokens.tryConsume(","));
			tokens.consume("]");
		} else if (tokens.token === "null") tokens.advance();
		else if (tokens.looksLikeInteger) tokens.integer(64);
		else if (tokens.looksLikeBoolean) tokens.advance();
		else tokens.string();
		this.depth--;
	}

	/** Each level is a recursive call. */
	private enter(): void {
		if (++this.depth > this.library.maxDepth) throw this.tokens.error(this.library.tooDeep);
	}
}

/** A map entry being read; missing members stay zero. */
class MapEntry implements Message {
	$unknown?: undefined;
	key: unknown;
	value: unknown;

	constructor(field: FieldDescriptor) {
		this.key = zeroOf(field.keyKind as string);
		this.value = field.message ? new (field.message())() : zeroOf(field.kind);
	}
}

function zeroOf(kind: string): unknown {
	if (kind === "string") return "";
	if (kind === "int64") return 0n;
	if (kind === "bool") return false;
	return kind === "bytes" ? new Uint8Array(0) : 0;
}

const entryTypes = new Map<FieldDescriptor, MessageType<Message>>();

/** Pseudo message type of a map's entries; only its fields are used. */
function entryType(field: FieldDescriptor): MessageType<Message> {
	let type = entryTypes.get(field);
	if (!type) {
		const fields: FieldDescriptor[] = [
			{ name: "key", number: 1, label: "singular", kind: field.keyKind ?? "string" },
			{ ...field, name: "value", number: 2, label: "singular" },
		];
		type = { typeName: `${field.name}Entry`, fields } as unknown as MessageType<Message>;
		entryTypes.set(field, type);
	}
	return type;
}

/**
 * Parses a message from request text.
 * @param visible Base58Check addresses and names as text, instead of hex
 * @param onUnknown called for each unknown member, which is skipped
 * @throws {NamedError} `JsonFormat$ParseException` with the text `<line>:<column>: <message>`;
 * NullPointerException for an invalid visible address
 */
export function decodeFields<T extends Message>(
	type: MessageType<T>,
	text: string,
	visible: boolean,
	library: JsonLibrary = jsonLibrary,
	onUnknown?: (type: MessageType<Message>, name: string) => void,
): T {
	const message = new type();
	new FieldDecoder(text, visible, library, onUnknown).document(type, message);
	return message;
}
