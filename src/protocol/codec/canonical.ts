/**
 * Detects canonical encodings by scanning bytes: a message that is already canonical needn't be decoded and
 * encoded again before it is hashed.
 */

import type { FieldDescriptor, Message, MessageType } from "./descriptor.js";

/** What makes a field's encoding canonical; fields without a rule are left to the codec. */
interface Rule {
	readonly kind: FieldDescriptor["kind"];
	readonly isRepeated: boolean;
	readonly wireType: 0 | 2;
	/** For messages. */
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

/** End and value (if below 2^31) of the varint read last; unset if it wasn't minimal. */
let varintEnd = 0;
let varintValue = 0;

/** Reads a varint. @returns whether it is in minimal form */
function readVarint(bytes: Uint8Array, at: number, end: number): boolean {
	let value = 0;
	for (let count = 0; at < end && count < 10; count++) {
		const byte = bytes[at++] as number;
		if (count < 5) value += (byte & 0x7f) * 2 ** (7 * count);
		if (byte >= 0x80) continue;
		// The tenth group holds a single bit; a zero last group is redundant.
		if ((byte === 0 && count > 0) || (count === 9 && byte > 1)) return false;
		varintValue = count < 5 ? value : Number.POSITIVE_INFINITY;
		varintEnd = at;
		return true;
	}
	return false;
}

/**
 * Whether the bytes equal what the codec would write for their message.
 * @returns false also if only the codec can tell: maps, packed lists, non-ASCII text, negative 32-bit numbers
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

/** Whether the varint read last is written as is: zero is omitted, and the codec truncates wider values. */
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
