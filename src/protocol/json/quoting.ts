/** The string forms of the two writers (protocol/http §2.2 rule 6 and §2.3). */

const SHORT: Readonly<Record<string, string>> = {
	"\b": "\\b",
	"\f": "\\f",
	"\n": "\\n",
	"\r": "\\r",
	"\t": "\\t",
	'"': '\\"',
	"\\": "\\\\",
};

function hex4(ch: string): string {
	return ch.charCodeAt(0).toString(16).padStart(4, "0");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that get escaped
const PRINTED = /["\\\u0000-\u001f]|[\ud800-\udbff][\udc00-\udfff]/g;

/** The printed form: controls as lower-case escapes, a surrogate pair as two escapes, all else raw. */
export function quotePrinted(text: string): string {
	return `"${text.replace(PRINTED, (ch) => {
		if (ch.length === 2) return `\\u${hex4(ch.charAt(0))}\\u${hex4(ch.charAt(1))}`;
		return SHORT[ch] ?? `\\u${hex4(ch)}`;
	})}"`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that get escaped
const MAP_ORDERED = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** The map-ordered form: controls as upper-case escapes, line separators escaped, all else raw. */
export function quoteMapOrdered(text: string): string {
	return `"${text.replace(MAP_ORDERED, (ch) => {
		if (ch > "\u2000") return `\\u${hex4(ch)}`;
		return SHORT[ch] ?? `\\u${hex4(ch).toUpperCase()}`;
	})}"`;
}
