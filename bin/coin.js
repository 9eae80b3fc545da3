#!/usr/bin/env node
// The entry of the program. Everything else is bundled into dist/ by `npm run build`.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { keepCompiledCode } from "./compile-cache.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const entry = new URL("../dist/main.js", import.meta.url);
const words = process.argv.slice(2);
/** A node in one file, whose compiled code is kept: it is there in half the time. */
const node = fileURLToPath(new URL("../dist/start.cjs", import.meta.url));
if (words[0] === "node" && words[1] === "start" && existsSync(node)) {
	const { loadKept } = await import("./kept-code.js");
	await loadKept(node).main(words, root);
} else if (existsSync(entry)) {
	keepCompiledCode();
	const { main } = await import(entry.href);
	await main(words, root);
} else {
	process.stderr.write("error: this copy of coin isn't built yet\nhint: run npm run build\n");
	process.exitCode = 1;
}
