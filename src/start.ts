/**
 * The entry of `coin node start`, bundled into one file: a node is there sooner when nothing has to be looked for, and its
 * compiled code can be kept beside it (`bin/coin.js`).
 */

import { join } from "node:path";
import type { Config } from "@oclif/core";
import NodeStart from "./commands/node/start.js";
import { runProgram } from "./main.js";

/**
 * Runs one command line, as `main` of src/main.ts.
 * @param words the arguments after the program's name
 * @param root directory of the package
 */
export function main(words: readonly string[], root: string): Promise<void> {
	return runProgram(words, join(root, "dist", "start"), bringCommand);
}

/** The framework looks for a command in a file of its own; this one is here. */
function bringCommand(config: Config): void {
	const command = config.findCommand("node:start");
	if (command) command.load = () => Promise.resolve(NodeStart);
}
