/** Parameters in hexadecimal that stand alone, not as members of a message. */

import { decodeHexText } from "../../../protocol/json/hex-text.js";
import { readTextMember } from "../../../protocol/json/member-readers.js";
import type { RequestForm } from "../endpoint.js";
import type { RequestInput } from "../request.js";

/** Values in hexadecimal that are read by themselves. */
export function hexValues(...names: readonly string[]): RequestForm<readonly Uint8Array[]> {
	const textOf = (input: RequestInput, name: string): string | null =>
		input.mode === "query" ? input.parameters.get(name) : readTextMember(input.object, name);
	return {
		fields: names.map((name) => ({ name, type: "bytes" })),
		read: (input) => names.map((name) => decodeHexText(textOf(input, name))),
	};
}
