/**
 * Bundles src/ into dist/: an entry for the command line, one for each command so that a command loads only what it
 * needs, one for each worker, and shared chunks; then writes the manifest by which the framework finds a command
 * without loading it.
 */

import { existsSync, readdirSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Plugin } from "@oclif/core";
import { build, type Metafile } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "src");

/** Packages that bring compiled code and find it beside themselves. */
const NATIVE = ["classic-level", "secp256k1"];

/** CommonJS packages inside ES modules still ask for these three. */
const BANNER = [
	'import { createRequire as __coinRequire } from "node:module";',
	'import { fileURLToPath as __coinPath } from "node:url";',
	"const require = __coinRequire(import.meta.url);",
	'const __filename = __coinPath(import.meta.url), __dirname = __coinPath(new URL(".", import.meta.url));',
].join("\n");

/** Entry points as `name in dist` → source file. */
function entryPoints(): Record<string, string> {
	const entries: Record<string, string> = { main: join(source, "main.ts") };
	for (const item of readdirSync(source, { recursive: true, withFileTypes: true })) {
		if (!item.isFile()) continue;
		const path = relative(source, join(item.parentPath, item.name)).replaceAll("\\", "/");
		if ((path.startsWith("commands/") && path.endsWith(".ts")) || path.endsWith(".worker.ts")) {
			entries[path.slice(0, -".ts".length)] = join(source, path);
		}
	}
	const replay = join(source, "replay", "main.ts");
	if (existsSync(replay)) entries["replay"] = replay;
	const bench = join(root, "bench");
	for (const file of existsSync(bench) ? readdirSync(bench) : []) {
		if (file.endsWith(".ts")) entries[`bench/${file.slice(0, -".ts".length)}`] = join(bench, file);
	}
	return entries;
}

async function bundle(): Promise<Metafile> {
	const fresh = join(root, `dist.new-${process.pid}`);
	await rm(fresh, { recursive: true, force: true });
	const { metafile } = await build({
		entryPoints: entryPoints(),
		outdir: fresh,
		bundle: true,
		splitting: true,
		format: "esm",
		platform: "node",
		target: "node20.19",
		chunkNames: "chunks/[name]-[hash]",
		external: NATIVE,
		// Packages that offer both bring their ES modules: their names survive the bundle.
		mainFields: ["module", "main"],
		banner: { js: BANNER },
		minifySyntax: true,
		minifyWhitespace: true,
		legalComments: "none",
		sourcemap: false,
		metafile: true,
		logLevel: "warning",
	});
	const target = join(root, "dist");
	await rm(target, { recursive: true, force: true });
	await rename(fresh, target);
	return metafile;
}

async function writeManifest(): Promise<number> {
	const plugin = new Plugin({ root, type: "core", ignoreManifest: true, errorOnManifestCreate: true });
	await plugin.load();
	await writeFile(join(root, "oclif.manifest.json"), `${JSON.stringify(plugin.manifest, null, "\t")}\n`);
	return Object.keys(plugin.manifest.commands).length;
}

const started = Date.now();
const metafile = await bundle();
const commands = await writeManifest();
const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
process.stdout.write(
	`${commands} commands, ${Object.keys(metafile.outputs).length} files, ${(bytes / 1024).toFixed(0)} KiB in ${Date.now() - started} ms\n`,
);
