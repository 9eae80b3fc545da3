import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { opcodePage } from "../../../scripts/opcode-page.js";

it("docs/opcodes.md is what npm run document makes of the opcode table", () => {
	expect(readFileSync("docs/opcodes.md", "utf8")).toBe(opcodePage());
});
