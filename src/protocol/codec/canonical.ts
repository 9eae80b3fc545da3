/**
 * Whether encoded messages are in the only form in which they are written, told by looking over their bytes: what is canonical
 * already needn't be decoded and encoded to be hashed.
 */

import type { FieldDescriptor, Message, MessageType } from "./descriptor.js";

/** How a field must stand to be canonical; a field that has no rule is left to the codec. */
interface Rule {
	readonly kind: FieldDescriptor["kind"];
	readonly isRepeated: boolean;
	readonly wireType: 0 | 2;
	/** Of a message. */
	readonly type: MessageType<Message> | undefined;
}

const rulesByType = new Map<MessageType<Message>, readonly (Rule | undefined)[]>();

/** Rules by field number. */
function rulesOf(type: MessageType<Message>): readonly (Rule | undefined)[] {
	let rules = rulesByType.get(type);
	if (!rules) {
		rules = makeRules(type);
		rulesByType.set(type, rules);
	}
	return rules;
}

function makeRules(type: MessageType<Message>): readonly (Rule | undefined)[] {
	const rules: (Rule | undefined)[] = [];
	for (const { number, kind, label, message } of type.fields) {
		const wireType = kind === "bytes" || kind === "string" || kind === "message" ? 2 : 0;
		const isRepeated = label === "repeated";
		if (label === "map" || kind === "double" || (isRepeated && wireType === 0)) continue;
		rules[number] = { kind, isRepeated, wireType, type: message?.() };
	}
	return rules;
}

/** The bytes of a varint from a place on, and its value as far as it is below 2^31; neither if it isn't the shortest. */
let varintEnd = 0;
let varintValue = 0;

/** Reads a varint of the shortest form. @returns whether it is one */
function readVarint(bytes: Uint8Array, at: number, end: number): boolean {
	let value = 0;
	for (let count = 0; at < end && count < 10; count++) {
		const byte = bytes[at++] as number;
		if (count < 5) value += (byte & 0x7f) * 2 ** (7 * count);
		if (byte >= 0x80) continue;
		// A tenth group holds one bit; a last group of zeros could be left out.
		if ((byte === 0 && count > 0) || (count === 9 && byte > 1)) return false;
		varintValue = count < 5 ? value : Number.POSITIVE_INFINITY;
		varintEnd = at;
		return true;
	}
	return false;
}

/**
 * Whether bytes are exactly what the codec would write of the message that they hold.
 * @returns false where they aren't, and where only the codec can tell: maps, packed lists, text beyond ASCII, negative 32-bit numbers
 */
export function isCanonicalMessage(
	type: MessageType<Message>,
	bytes: Uint8Array,
	from = 0,
	end = bytes.length,
): boolean {
	const rules = rulesOf(type);
	let last = 0;
	for (let at = from; at < end; ) {
		if (!readVarint(bytes, at, end)) return false;
		at = varintEnd;
		const number = Math.floor(varintValue / 8);
		const rule = rules[number];
		if (!rule || rule.wireType !== varintValue % 8) return false;
		if (number < last || (number === last && !rule.isRepeated)) return false;
		last = number;
		if (!readVarint(bytes, at, end)) return false;
		at = varintEnd;
		if (rule.wireType === 0) {
			if (!isWrittenNumber(rule.kind)) return false;
			continue;
		}
		const contentEnd = at + varintValue;
		if (contentEnd > end || !isWrittenContent(rule, bytes, at, contentEnd)) return false;
		at = contentEnd;
	}
	return true;
}

/** Whether the number that was read last would be written so: zero is left out, and the codec cuts what doesn't fit. */
function isWrittenNumber(kind: FieldDescriptor["kind"]): boolean {
	if (kind === "int64") return varintValue !== 0;
	if (kind === "bool") return varintValue === 1;
	return varintValue !== 0 && varintValue < 2 ** 31;
}

function isWrittenContent(
	{ kind, isRepeated, type }: Rule,
	bytes: Uint8Array,
	from: number,
	end: number,
): boolean {
	if (type) return isCanonicalMessage(type, bytes, from, end);
	if (from === end) return isRepeated;
	if (kind !== "string") return true;
	for (let at = from; at < end; at++) if ((bytes[at] as number) >= 0x80) return false;
	return true;
}
