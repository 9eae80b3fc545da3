/** What somebody may have meant with a text in the search field. */

import { addressText } from "./address-text.js";

export type Term =
	| { readonly kind: "block" | "hash" | "address"; readonly value: string }
	/** A name or number of a token, a part of a witness's address on the web. */
	| { readonly kind: "name"; readonly value: string };

/** The likeliest meaning first; empty for an empty text. */
export function searchTerms(typed: string): readonly Term[] {
	const text = typed.trim();
	if (text === "") return [];
	const terms: Term[] = [];
	const digits = text.replace(/[, _]/g, "").replace(/^#/, "");
	if (/^\d{1,15}$/.test(digits)) terms.push({ kind: "block", value: BigInt(digits).toString() });
	const hash = text.replace(/^0x/i, "").toLowerCase();
	if (/^[\da-f]{64}$/.test(hash)) terms.push({ kind: "hash", value: hash });
	const address = addressText(text);
	if (address !== undefined) terms.push({ kind: "address", value: address });
	if (terms.length === 0 || /^\d{7}$/.test(digits)) terms.push({ kind: "name", value: text });
	return terms;
}
