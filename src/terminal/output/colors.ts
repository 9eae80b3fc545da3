/** Colors, if a person is reading and hasn't disabled them (protocol/command-line §1.2). */

import { styleText } from "node:util";
import { ownStyle } from "./harmless-text.js";

type Style = Parameters<typeof styleText>[0];

function wanted(stream: NodeJS.WriteStream): boolean {
	const { NO_COLOR, COIN_NO_COLOR } = process.env;
	return stream.isTTY === true && !NO_COLOR && !COIN_NO_COLOR && !process.argv.includes("--no-color");
}

/** Styles a text to be printed by `output.ts`; unchanged if colors are not wanted. */
export function paint(style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string {
	return wanted(stream) ? ownStyle(text, styleText(style, text)) : text;
}
