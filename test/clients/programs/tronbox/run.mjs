import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, places, step, version } from "./check.mjs";

version("tronbox");
const home = mkdtempSync(join(tmpdir(), "tronbox-"));
const project = join(home, "project");
cpSync("project", project, { recursive: true });
// The tool looks for its compiler here before it downloads one.
mkdirSync(join(home, ".tronbox/solc"), { recursive: true });
cpSync("node_modules/solc/soljson.js", join(home, ".tronbox/solc/soljson_v0.8.29.js"));
const run = promisify(execFile);
const tronbox = async (...words) => {
	const env = { PATH: process.env.PATH, HOME: home, GATEWAY: places.gateway, NO_COLOR: "1" };
	const options = { cwd: project, env, timeout: 180_000 };
	const { stdout } = await run("node", [resolve("node_modules/tronbox/build/tronbox.js"), ...words], options);
	return stdout;
};
await step("compile", () => tronbox("compile"));
await step("migrate", () => tronbox("migrate"));
await step("migrate --reset", () => tronbox("migrate", "--reset"));
const output = await step("test", () => tronbox("test"));
for (const [, test] of (output ?? "").matchAll(/^\s+✓ (.+?)(?: \(\d+m?s\))?$/gmu))
	console.log(`ok test: ${test}`);
await step("nothing failing", async () =>
	expect(/\d+ passing/.test(output) && !output.includes("failing"), output),
);
