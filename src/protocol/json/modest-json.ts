/** JSON from outside: by lines, and whether it may be read at all, since sixty megabytes of brackets become gigabytes of objects. */

/** What a text may hold. */
interface JsonLimits {
	/** Members, elements, objects and lists, empty ones too. */
	readonly values: number;
	readonly depth: number;
}

/**
 * The lines of a stream of JSON, those of a chunk together; what has no line feed behind it isn't one. By line feeds alone:
 * node:readline ends lines at U+2028 too, which a string may hold.
 */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
	let rest = "";
	for await (const chunk of chunks) {
		const lines = (rest + chunk).split("\n");
		rest = lines.pop() as string;
		yield lines;
	}
}

/** The object that an answer is; undefined: it is none. */
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

/** Looks at the text without making anything of it; whether it is JSON is not its question. */
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

/** The first name that an object of the text has twice, which readers settle by the last one; whether it is JSON is not its question. */
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

/** The closing quote of a string that begins at a place; the end of the text where there is none. */
export function endOfJsonString(text: string, from: number): number {
	for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
		let slashes = 0;
		while (text[at - 1 - slashes] === "\\") slashes++;
		if (slashes % 2 === 0) return at;
	}
	return text.length;
}
