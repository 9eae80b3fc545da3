/** A command line has the same outcome in a process that has run others as in one of its own. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writeCheapKey } from "./cheap-key.js";
import { Home } from "./coin-process.js";

const home = new Home();
afterAll(() => home.remove());

mkdirSync(join(home.path, "keys"));
writeCheapKey(join(home.path, "keys"), "ann", new Uint8Array(32).fill(7), "password");
home.write("password", "password");
home.write("wallet.conf", 'profile = far, profiles.far { http = "http://127.0.0.1:1" }');
const keys = ["--keystore-dir", "keys"];

interface Line {
	readonly words: readonly string[];
	readonly stdin?: string;
	readonly environment?: Record<string, string>;
}

/** In an order in which each could leave something to the next: a standard input, an exit code, a setting. */
const LINES: readonly Line[] = [
	{ words: ["convert", "unit", "1coin"] },
	{ words: ["convert", "unit", "-"], stdin: "2coin\n3coin\n" },
	{ words: ["convert", "unit", "-"] },
	{ words: ["convert", "unit", "zz", "--json"] },
	{ words: ["convert", "unit", "1coin"] },
	{ words: ["block", "show", "--json"], environment: { COIN_CONFIG: "wallet.conf" } },
	{ words: ["profile", "show", "--origins"], environment: { COIN_CONFIG: "wallet.conf" } },
	{ words: ["profile", "show", "--origins"] },
	{ words: ["keystore", "list", ...keys, "--json"], environment: { FORCE_COLOR: "1" } },
	{ words: ["keystore", "list", ...keys] },
	{ words: ["message", "sign", "hello", "--signer", "ann", ...keys, "--password-file", "password"] },
	{ words: ["message", "sign", "hello", "--signer", "ann", ...keys] },
	// Two that may share modules, and what comes after a failure and after another environment.
	{ words: ["keystore", "list", ...keys, "--json"] },
	{ words: ["keystore", "list", ...keys] },
	{ words: ["keystore", "export", "key", "ann", ...keys, "--yes"] },
	{ words: ["keystore", "list", ...keys], environment: { FORCE_COLOR: "1" } },
	{ words: ["keystore", "verify", "ann", ...keys, "--password-file", "password"] },
	{ words: ["keystore", "verify", "ann", ...keys, "--password-file", "-"], stdin: "password" },
	{ words: ["keystore", "verify", "ann", ...keys, "--password-file", "-"], stdin: "another" },
	{ words: ["wallet", "send", "--help"] },
	{ words: ["walet", "send"] },
	{ words: ["--version"] },
	{ words: [] },
];

test("command lines end one after another in one process as in processes of their own", async () => {
	for (const { words, stdin, environment } of LINES) {
		const alone = await home.start(words, stdin, environment).outcome;
		expect({ words, ...(await home.run(words, stdin, environment)) }).toEqual({ words, ...alone });
	}
});

test("what a process is asked for by its environment has a process of its own", async () => {
	const environment = { NODE_OPTIONS: "--import=data:text/javascript,process.exitCode=7" };
	expect(await home.run(["convert", "unit", "1coin"], "", environment)).toMatchObject({ code: 7 });
});
