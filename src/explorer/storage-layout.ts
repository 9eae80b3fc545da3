/**
 * The storage of a contract by the compiler's description of it (https://docs.soliditylang.org, "Layout of State Variables in Storage"):
 * where each variable stands, and its value in the word that stands there.
 */

import { keccak_256 } from "@noble/hashes/sha3.js";
import { PAGE_LIMITS, WORD_DIGITS } from "./abi-values.js";
import { addressText, bytesOf, hexAddress, hexOf } from "./address-text.js";
import { type Json, objectOf, objectsOf, textOf, whole } from "./answer.js";

/** Variables of a contract that are shown. */
const MAX_VARIABLES = 200;
const WORD_BYTES = WORD_DIGITS / 2;

/** A variable, or a member of one, and where it stands. */
export interface Variable {
	readonly name: string;
	/** As the source has it: `uint256`, `mapping(address => uint256)`. */
	readonly type: string;
	readonly slot: bigint;
	/** Bytes from the end of the word. */
	readonly offset: number;
	readonly bytes: number;
	/** Of a mapping: the type of its keys, and what a value is. */
	readonly mapping?: { readonly keyType: string; readonly valueType: string };
	/** The key of its type in the description. */
	readonly typeKey: string;
}

/** @param layout `storageLayout` of a compiler @returns its variables, structures by their members */
export function variablesOf(layout: Json): readonly Variable[] {
	const types = objectOf(layout, "types");
	const found: Variable[] = [];
	const add = (variables: readonly Json[], prefix: string, base: bigint, depth: number): void => {
		for (const variable of variables) {
			if (found.length >= MAX_VARIABLES || depth > PAGE_LIMITS.depth) return;
			const typeKey = textOf(variable, "type");
			const slot = base + whole(variable["slot"]);
			const name = prefix + textOf(variable, "label");
			const members = objectsOf(objectOf(types, typeKey), "members");
			if (members.length > 0) add(members, `${name}.`, slot, depth + 1);
			else found.push(variableAt(types, typeKey, name, slot, Number(whole(variable["offset"]))));
		}
	};
	add(objectsOf(layout, "storage"), "", 0n, 0);
	return found;
}

function variableAt(types: Json, typeKey: string, name: string, slot: bigint, offset: number): Variable {
	const type = objectOf(types, typeKey);
	const isMapping = textOf(type, "encoding") === "mapping";
	return {
		name,
		type: textOf(type, "label"),
		slot,
		offset,
		bytes: Number(whole(type["numberOfBytes"])),
		typeKey,
		...(isMapping
			? {
					mapping: {
						keyType: textOf(objectOf(types, textOf(type, "key")), "label"),
						valueType: textOf(type, "value"),
					},
				}
			: {}),
	};
}

/** The places of a mapping's value by its key; several where the value is a structure. */
export function valueOfKey(
	layout: Json,
	{ name, slot, mapping }: Variable,
	typedKey: string,
): readonly Variable[] {
	if (!mapping) return [];
	const types = objectOf(layout, "types");
	const place = slotOfKey(slot, mapping.keyType, typedKey);
	if (place === undefined) return [];
	const label = `${name}[${typedKey}]`;
	const members = objectsOf(objectOf(types, mapping.valueType), "members");
	if (members.length === 0) return [variableAt(types, mapping.valueType, label, place, 0)];
	return members
		.slice(0, MAX_VARIABLES)
		.map((member) =>
			variableAt(
				types,
				textOf(member, "type"),
				`${label}.${textOf(member, "label")}`,
				place + whole(member["slot"]),
				Number(whole(member["offset"])),
			),
		);
}

/** The slot of a mapping's value; undefined where the text is no key of its type. */
export function slotOfKey(slot: bigint, keyType: string, typedKey: string): bigint | undefined {
	const key = keyBytes(keyType, typedKey.trim());
	if (!key) return undefined;
	const hash = keccak_256(Uint8Array.of(...key, ...(bytesOf(wordOf(slot)) as Uint8Array)));
	return BigInt(`0x${hexOf(hash)}`);
}

function keyBytes(type: string, text: string): Uint8Array | undefined {
	if (type === "string") return new TextEncoder().encode(text);
	if (type === "bytes") return bytesOf(text);
	if (/^bytes\d/.test(type)) {
		const bytes = bytesOf(text);
		return bytes && bytes.length <= WORD_BYTES ? bytesOf(hexOf(bytes).padEnd(WORD_DIGITS, "0")) : undefined;
	}
	if (type === "address" || type.startsWith("contract ")) {
		const hex = hexAddress(addressText(text) ?? "");
		return hex === undefined ? undefined : bytesOf(hex.slice(2).padStart(WORD_DIGITS, "0"));
	}
	if (type === "bool")
		return text === "true" || text === "false" ? bytesOf(wordOf(text === "true" ? 1n : 0n)) : undefined;
	return /^(-?\d{1,78}|0x[\da-f]{1,64})$/i.test(text) ? bytesOf(wordOf(BigInt(text))) : undefined;
}

/** A slot or a number as a word of 64 digits. */
export function wordOf(value: bigint): string {
	return BigInt.asUintN(256, value).toString(16).padStart(WORD_DIGITS, "0");
}

/** A variable's value in the word of its slot. @param word 64 digits */
export function valueIn({ type, offset, bytes }: Variable, word: string): string {
	if (type.startsWith("mapping")) return "by key";
	if (type === "string" || type === "bytes") return shortBytes(type, word);
	if (/\[\]$/.test(type)) return `a list of ${BigInt(`0x${word}`)}`;
	if (/\]$/.test(type) || bytes > WORD_BYTES || bytes < 1) return `0x${word}`;
	const end = 2 * (WORD_BYTES - offset);
	const part = word.slice(Math.max(0, end - 2 * bytes), end);
	if (type === "bool") return BigInt(`0x${part}`) === 0n ? "false" : "true";
	if (type === "address" || type === "address payable" || type.startsWith("contract "))
		return addressText(part) ?? `0x${part}`;
	if (/^bytes\d/.test(type)) return `0x${part}`;
	const value = BigInt(`0x${part}`);
	return (/^int\d*$/.test(type) ? BigInt.asIntN(8 * bytes, value) : value).toString();
}

/** Up to 31 bytes stand in the word itself, with twice their length at its end. */
function shortBytes(type: string, word: string): string {
	const last = Number.parseInt(word.slice(-2), 16);
	if (last % 2 === 1) return `${(BigInt(`0x${word}`) - 1n) / 2n} bytes, in other slots`;
	const digits = word.slice(0, last);
	return type === "string" ? JSON.stringify(new TextDecoder().decode(bytesOf(digits))) : `0x${digits}`;
}

/** The layout of a stored source; undefined where it has none. */
export function layoutOf(source: Json | undefined): Json | undefined {
	const layout = objectOf(source ?? {}, "storage_layout");
	return Array.isArray(layout["storage"]) ? layout : undefined;
}
