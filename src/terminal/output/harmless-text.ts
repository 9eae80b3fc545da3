/**
 * Text that a stranger may have written, such as a token's name or a node's error, made harmless for a terminal: what
 * would move the cursor, change colours, titles or the clipboard, or turn the direction of writing, becomes visible.
 */

import { randomBytes } from "node:crypto";

/** Controls (C0, DEL, C1) but tab and line feed, format characters, separators of lines, what shows nothing. */
const STEERING = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const TAB_OR_LINE = /[\t\n]/g;

/** As text for people: each such character as `\u{202e}`; tabs and line feeds too, since lines must not be forged. */
export function harmlessLine(text: string): string {
	return harmlessText(text).replace(TAB_OR_LINE, visible);
}

/** The same for text that may have lines of its own. */
export function harmlessText(text: string): string {
	return text.replace(STEERING, visible);
}

function visible(ch: string): string {
	return `\\u{${(ch.codePointAt(0) as number).toString(16)}}`;
}

/**
 * JSON that means the same, each such character as `\u202e`: outside of strings JSON has none, but for line ends, which
 * become line feeds.
 */
export function harmlessJson(json: string): string {
	return json.replace(/\r\n?/g, "\n").replace(STEERING, (ch) => {
		let escaped = "";
		for (let i = 0; i < ch.length; i++) escaped += `\\u${ch.charCodeAt(i).toString(16).padStart(4, "0")}`;
		return escaped;
	});
}

/** Stands before and after the name of a style; nobody outside of this process can write it. */
const MARK = `\ufdd0${randomBytes(12).toString("hex")}`;
const MARKED = new RegExp(`${MARK}([0-9;]{1,8})m`, "g");

/** Marks the escape sequences of a styled text as our own. @param styled as `styleText` gives it */
export function ownStyle(text: string, styled: string): string {
	const at = styled.indexOf(text);
	if (text === "" || at < 0) return text;
	return own(styled.slice(0, at)) + text + own(styled.slice(at + text.length));
}

const ESC = String.fromCharCode(27);

function own(sequences: string): string {
	return sequences.replaceAll(`${ESC}[`, MARK);
}

/** Turns our own marks into escape sequences again; everything else must have been made harmless before. */
export function withOwnStyles(text: string): string {
	return text.includes(MARK) ? text.replace(MARKED, `${ESC}[$1m`) : text;
}
