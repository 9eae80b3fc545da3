/** What somebody may have meant with a text in the search field. */

import { addressText } from "./address-text.js";

export interface Term {
	/** `name`: of a token or a parameter, or a part of what a witness says of itself. */
	readonly kind: "block" | "hash" | "address" | "proposal" | "token" | "name";
	readonly value: string;
}

/** The likeliest meaning first; empty for an empty text. */
export function searchTerms(typed: string): readonly Term[] {
	const text = typed.trim();
	if (text === "") return [];
	const [, kind, number] = /^(proposal|token|block)\s*#?(\d{1,15})$/i.exec(text) ?? [];
	if (kind !== undefined && number !== undefined)
		return [{ kind: kind.toLowerCase() as Term["kind"], value: BigInt(number).toString() }];
	const terms: Term[] = [];
	const digits = text.replace(/[, _]/g, "").replace(/^#/, "");
	if (/^\d{1,15}$/.test(digits)) terms.push({ kind: "block", value: BigInt(digits).toString() });
	const hash = text.replace(/^0x/i, "").toLowerCase();
	if (/^[\da-f]{64}$/.test(hash)) terms.push({ kind: "hash", value: hash });
	const address = addressText(text);
	if (address !== undefined) terms.push({ kind: "address", value: address });
	if (/^\d{7}$/.test(digits)) terms.push({ kind: "token", value: digits });
	return terms.length === 0 ? [{ kind: "name", value: text }] : terms;
}
