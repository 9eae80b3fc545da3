/** Guards for untrusted JSON: sixty megabytes of brackets would become gigabytes of objects. */

/** Limits on a text's contents. */
interface JsonLimits {
	/** Members, elements, objects and lists, including empty ones. */
	readonly values: number;
	readonly depth: number;
}

/**
 * Lines of a JSON stream, grouped by chunk; an unterminated last line is dropped. Splits at line feeds only:
 * node:readline also splits at U+2028, which strings may contain.
 */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
	let rest = "";
	for await (const chunk of chunks) {
		const lines = (rest + chunk).split("\n");
		rest = lines.pop() as string;
		yield lines;
	}
}

/** Parses an answer that must be an object; undefined otherwise. */
export function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
	} catch {
		return undefined;
	}
}

export const JSON_QUOTE = 0x22;
const COMMA = 0x2c;

const isOpening = (code: number): boolean => code === 0x5b || code === 0x7b;
const isClosing = (code: number): boolean => code === 0x5d || code === 0x7d;

/** Scans the text without allocating; doesn't validate it. */
export function isModestJson(text: string, { values: maxValues, depth: maxDepth }: JsonLimits): boolean {
	let depth = 0;
	let values = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === JSON_QUOTE) {
			at = endOfJsonString(text, at);
			continue;
		}
		if (isOpening(code)) depth++;
		else if (isClosing(code)) {
			depth--;
			continue;
		} else if (code !== COMMA) continue;
		if (depth > maxDepth || ++values > maxValues) return false;
	}
	return true;
}

/** The first duplicate member name in an object (JSON.parse keeps the last); doesn't validate the text. */
export function repeatedMember(text: string): string | undefined {
	const around: Set<string>[] = [];
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === OPENING_BRACE) around.push(new Set());
		else if (code === CLOSING_BRACE) around.pop();
		if (code !== JSON_QUOTE) continue;
		const end = endOfJsonString(text, at);
		const names = around.at(-1);
		COLON_AHEAD.lastIndex = end + 1;
		if (names && COLON_AHEAD.test(text)) {
			const written = text.slice(at, end + 1);
			const name = written.includes("\\") ? (JSON.parse(written) as string) : written.slice(1, -1);
			if (names.has(name)) return name;
			names.add(name);
		}
		at = end;
	}
	return undefined;
}

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const COLON_AHEAD = /\s*:/y;

/** The closing quote of a string starting at `from`; the text's end if unterminated. */
export function endOfJsonString(text: string, from: number): number {
	for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
		let slashes = 0;
		while (text[at - 1 - slashes] === "\\") slashes++;
		if (slashes % 2 === 0) return at;
	}
	return text.length;
}
