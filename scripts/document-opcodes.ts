/** Writes docs/opcodes.md from the opcode table. */

import { writeFileSync } from "node:fs";
import { opcodePage } from "./opcode-page.js";

writeFileSync(new URL("../docs/opcodes.md", import.meta.url), opcodePage());
