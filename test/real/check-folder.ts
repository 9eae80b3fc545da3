/** Holds the facts of public chains in a folder (default: test/golden/real) against this program; ends with 1 where one doesn't hold. */

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

const [folder = "test/golden/real"] = process.argv.slice(2);
const environment = { ...process.env, COIN_REAL_FACTS: resolve(folder) };
const words = ["node_modules/vitest/vitest.mjs", "run", "test/real"];
process.exitCode = spawnSync(process.execPath, words, { stdio: "inherit", env: environment }).status ?? 1;
