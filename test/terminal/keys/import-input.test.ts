import { expect, test } from "vitest";
import { importInput } from "../../../src/terminal/keys/import-input.js";

test.each<
	[
		what: string,
		name: string | undefined,
		source: string | undefined,
		keyFile: string | undefined,
		want: object,
	]
>([
	["nothing: the secret is asked for", undefined, undefined, undefined, { name: undefined, file: undefined }],
	["a label", "ann", undefined, undefined, { name: "ann", file: undefined }],
	["a dash alone is standard input", "-", undefined, undefined, { name: undefined, file: "-" }],
	["a label and a dash", "ann", "-", undefined, { name: "ann", file: "-" }],
	["a file", "ann", undefined, "key.txt", { name: "ann", file: "key.txt" }],
	["a named file before a dash", "-", undefined, "key.txt", { name: undefined, file: "key.txt" }],
])("%s", (_, name, source, keyFile, want) => {
	expect(importInput({ name, source }, { "key-file": keyFile, json: undefined })).toEqual(want);
});
