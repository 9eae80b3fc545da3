/**
 * Makes untrusted text, such as a token's name or a node's error, safe for a terminal: characters that
 * move the cursor, change colors, title or clipboard, or reverse the writing direction, are escaped.
 */

import { randomBytes } from "node:crypto";

/** Matches control characters (C0, DEL, C1) except tab and line feed, format characters, line separators, and invisible characters. */
const STEERING = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const TAB_OR_LINE = /[\t\n]/g;

/** Escapes text for one line, with such characters as `\u{202e}`; also tabs and line feeds, so that no lines can be forged. */
export function harmlessLine(text: string): string {
	return harmlessText(text).replace(TAB_OR_LINE, visible);
}

/** Escapes text that may have several lines. */
export function harmlessText(text: string): string {
	return text.replace(STEERING, visible);
}

function visible(ch: string): string {
	return `\\u{${(ch.codePointAt(0) as number).toString(16)}}`;
}

/**
 * Escapes such characters in JSON as `\u202e`, without changing its meaning: outside strings, JSON only has them as line endings,
 * which become line feeds.
 */
export function harmlessJson(json: string): string {
	return json.replace(/\r\n?/g, "\n").replace(STEERING, (ch) => {
		let escaped = "";
		for (let i = 0; i < ch.length; i++) escaped += `\\u${ch.charCodeAt(i).toString(16).padStart(4, "0")}`;
		return escaped;
	});
}

/** Precedes the codes of this program's own styles; random, so that no outside text can contain it. */
const MARK = `\ufdd0${randomBytes(12).toString("hex")}`;
const MARKED = new RegExp(`${MARK}([0-9;]{1,8})m`, "g");

/** Marks the escape sequences of a styled text as this program's own. @param styled the result of `styleText` */
export function ownStyle(text: string, styled: string): string {
	const at = styled.indexOf(text);
	if (text === "" || at < 0) return text;
	return own(styled.slice(0, at)) + text + own(styled.slice(at + text.length));
}

const ESC = String.fromCharCode(27);

function own(sequences: string): string {
	return sequences.replaceAll(`${ESC}[`, MARK);
}

/** Converts the marks back to escape sequences; everything else must have been escaped before. */
export function withOwnStyles(text: string): string {
	return text.includes(MARK) ? text.replace(MARKED, `${ESC}[$1m`) : text;
}
