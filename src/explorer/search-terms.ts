/** Possible meanings of the text in the search field. */

import { keccak_256 } from "@noble/hashes/sha3.js";
import { hasRightCase } from "../abi/address-case.js";
import { addressText, hexOf } from "./address-text.js";

export interface Term {
	/** `name`: of a token or a parameter, or a part of a witness's URL. */
	readonly kind: "block" | "hash" | "address" | "proposal" | "token" | "selector" | "name";
	readonly value: string;
	/** Only for a selector typed as a function signature. */
	readonly signature?: string;
}

const LONGEST_SIGNATURE = 300;

/** Whitespace and zero-width characters, which are often copied with an id. */
const COPIED_ALONG = /[\s\p{Cf}]/gu;

/** The id of a transaction or block in a text: with or without `0x`, broken over lines, or within a URL. */
export function idIn(typed: string): string | undefined {
	const whole = typed.replace(COPIED_ALONG, "").replace(/^0x/i, "");
	if (/^[\da-f]{64}$/i.test(whole)) return whole.toLowerCase();
	const [, within] = /(?:0x|\b)([\da-f]{64})\b/i.exec(typed) ?? [];
	return within?.toLowerCase();
}

/** Whether it looks like an address, but has a wrong Base58 checksum or wrong hexadecimal capitals. */
export function isMistyped(typed: string): boolean {
	const text = typed.replace(COPIED_ALONG, "");
	const [, digits] = /^0x([\da-f]{40})$/i.exec(text) ?? [];
	if (digits !== undefined) return !hasRightCase(digits);
	return /^T[1-9A-HJ-NP-Za-km-z0OIl]{31,35}$/.test(text) && addressText(text) === undefined;
}

/** The selector at the start of call data, or that of a typed signature. */
function selectorTerm(text: string): Term | undefined {
	const [, digits] = /^0x([\da-f]{8})(?:[\da-f]{64})*$/i.exec(text) ?? /^([\da-f]{8})$/i.exec(text) ?? [];
	if (digits !== undefined) return { kind: "selector", value: digits.toLowerCase() };
	// Parameter names may be typed, but aren't hashed.
	const types = text.replace(/([\w\]])\s+[\w$\s]*(?=[,)])/g, "$1");
	const signature = types.replace(/\s/g, "").replace(/\b(u?int)(?=[,)[])/g, "$1256");
	if (!/^[a-z_$][\w$]*\([\w,()[\]]*\)$/i.test(signature) || text.length > LONGEST_SIGNATURE) return undefined;
	const value = hexOf(keccak_256(new TextEncoder().encode(signature))).slice(0, 8);
	return { kind: "selector", value, signature };
}

/** Most likely meaning first; empty for an empty text. */
export function searchTerms(typed: string): readonly Term[] {
	const text = typed.trim();
	if (text === "") return [];
	const [, kind, number] = /^(proposal|token|block)\s*#?(\d{1,15})$/i.exec(text) ?? [];
	if (kind !== undefined && number !== undefined)
		return [{ kind: kind.toLowerCase() as Term["kind"], value: BigInt(number).toString() }];
	const terms: Term[] = [];
	const digits = text.replace(/[, _]/g, "").replace(/^#/, "");
	if (/^\d{1,15}$/.test(digits)) terms.push({ kind: "block", value: BigInt(digits).toString() });
	const id = idIn(text);
	if (id !== undefined) terms.push({ kind: "hash", value: id });
	const address = addressText(text.replace(COPIED_ALONG, ""));
	if (address !== undefined) terms.push({ kind: "address", value: address });
	if (/^\d{7}$/.test(digits)) terms.push({ kind: "token", value: digits });
	const selector = /^\d+$/.test(text) ? undefined : selectorTerm(text);
	if (selector) terms.push(selector);
	// Eight digits without 0x may also be a name: facade12.
	if (selector && /^[\da-f]{8}$/i.test(text)) terms.push({ kind: "name", value: text });
	return terms.length === 0 ? [{ kind: "name", value: text }] : terms;
}
