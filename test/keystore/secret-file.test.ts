import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readSecretFile } from "../../src/keystore/private-file.js";

const folder = mkdtempSync(join(tmpdir(), "coin-secret-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "secret");
const read = (path = file): string => readSecretFile(path, 8, (reason) => new Error(`the file ${reason}`));

it("reads a secret without the blanks around it", () => {
	writeFileSync(file, " pässi\n");
	expect(read()).toBe("pässi");
});

it.each([
	["empty", " \n"],
	["too long by a byte", "123456789"],
	["too long by blanks", "1        "],
])("refuses one that is %s, and doesn't tell it", (_, text) => {
	writeFileSync(file, text);
	expect(() => read()).toThrow(/^the file must hold 1 to 8 bytes$/);
});

it("refuses a file without an end, and what is not there", () => {
	expect(() => read("/dev/zero")).toThrow("the file must hold 1 to 8 bytes");
	expect(() => read(join(folder, "missing"))).toThrow("the file can't be read (ENOENT)");
	expect(() => read(folder)).toThrow("the file can't be read (EISDIR)");
});
