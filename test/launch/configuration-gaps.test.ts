import { expect, test } from "vitest";
import { ConfigError } from "../../src/hocon/hocon.js";
import { missingPartHint } from "../../src/launch/configuration-check.js";

test.each([
	["storage", /^the section storage is missing: add storage \{/],
	["genesis.block.timestamp", /^genesis.block is incomplete without it; it names the first block/],
	["node.name", /^the file lacks the line node.name = …$/],
])("a missing %s is answered with what to write", (key, hint) => {
	expect(missingPartHint(new ConfigError("some message", { key }))).toMatch(hint);
});

test("a missing file is answered with the flag that names it", () => {
	expect(missingPartHint(new ConfigError("some message", { file: "config.conf" }))).toMatch(/^-c names/);
});

test("another refusal gets no such hint, whatever its text says", () => {
	expect(missingPartHint(new ConfigError("no configuration setting found for key storage"))).toBeUndefined();
});
