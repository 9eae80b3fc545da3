#!/usr/bin/env node
// The entry of the program. Everything else is bundled into dist/ by `npm run build`.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadKept } from "./kept-code.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const bundle = fileURLToPath(new URL("../dist/coin.cjs", import.meta.url));
const words = process.argv.slice(2);
/** What a node needs is compiled some seconds after its start, and nobody waits for it any more. */
const NODE = { part: "node", topic: "start", keepAfterMs: 4_000 };
/** A program of its own, whose words it may leave to the whole one. */
const WATCH = { part: "watch", topic: "watch", keepAfterMs: 4_000 };
const small = fileURLToPath(new URL("../dist/watch.cjs", import.meta.url));
const isWatch = words[0] === "network" && words[1] === "watch" && existsSync(small);
if (isWatch && (await loadKept(small, WATCH).watchMain(words.slice(2)))) {
	// Done.
} else if (existsSync(bundle)) {
	const isNode = words[0] === "node" && words[1] === "start";
	const use = isNode ? NODE : { part: "commands", topic: words[0] ?? "help" };
	await loadKept(bundle, use).main(words, root);
} else {
	process.stderr.write("error: this copy of coin isn't built yet\nhint: run npm run build\n");
	process.exitCode = 1;
}
