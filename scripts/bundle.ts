/**
 * Bundles src/ into dist/: the program in one file (coin.cjs), libraries and workers with shared chunks, and
 * the explorer's page in dist/explorer. Then writes the licences of bundled packages, and the manifest from
 * which the CLI framework knows commands without loading them.
 *
 * `--package` bundles for publishing: without replay harness and benches, into an empty folder.
 */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { appendFile, copyFile, mkdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { Plugin } from "@oclif/core";
import { type BuildOptions, type Plugin as BuildPlugin, build, type Metafile } from "esbuild";
import { receiverRows } from "../src/node/events/receivers/table.js";
import { generalFlags } from "../src/terminal/base/coin-command.js";
import { usageLine } from "../src/terminal/command-line/command-help.js";
import { thirdPartyNotices } from "./notices.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = join(root, "src");

/**
 * Packages that load native code from their own directory (`dependencies` in package.json; all others are
 * bundled and development dependencies), and those that only a bench needs.
 */
const OUTSIDE = ["level", "@ethereumjs/*"];

/** CommonJS packages inside ES modules need these three. */
const BANNER = [
	'import { createRequire as __coinRequire } from "node:module";',
	'import { fileURLToPath as __coinPath } from "node:url";',
	"const require = __coinRequire(import.meta.url);",
	'const __filename = __coinPath(import.meta.url), __dirname = __coinPath(new URL(".", import.meta.url));',
].join("\n");

/** Entry points, as name in dist → source file. */
function entryPoints(packaged: boolean): Record<string, string> {
	const entries: Record<string, string> = {};
	for (const item of readdirSync(source, { recursive: true, withFileTypes: true })) {
		if (!item.isFile()) continue;
		const path = relative(source, join(item.parentPath, item.name)).replaceAll("\\", "/");
		if ((path.startsWith("library/") && path.endsWith(".ts")) || path.endsWith(".worker.ts")) {
			entries[path.slice(0, -".ts".length)] = join(source, path);
		}
	}
	if (packaged) return entries;
	entries["replay"] = join(root, "tools", "replay", "main.ts");
	const bench = join(root, "bench");
	for (const file of existsSync(bench) ? readdirSync(bench) : []) {
		if (file.endsWith(".ts")) entries[`bench/${file.slice(0, -".ts".length)}`] = join(bench, file);
	}
	return entries;
}

/** Options shared by all bundles. */
const COMMON = {
	absWorkingDir: root,
	outdir: join(root, "dist"),
	bundle: true,
	platform: "node",
	target: "node20.19",
	external: OUTSIDE,
	// Prefers a package's ES modules over CommonJS: function names survive bundling.
	mainFields: ["module", "main"],
	minifySyntax: true,
	minifyWhitespace: true,
	// THIRD-PARTY-NOTICES.txt contains them.
	legalComments: "none",
	// Only read for stack traces (src/diagnostics/stack-trace.ts), so the bundles don't refer to their maps.
	sourcemap: "external",
	sourcesContent: false,
	metafile: true,
	logLevel: "warning",
} satisfies BuildOptions;

/**
 * Each program is one CommonJS file, which bin/kept-code.js loads with cached bytecode: Node.js can't cache
 * that of ES modules. Dynamic imports are still evaluated lazily. The last line is the file's hash.
 */
const WRAPPER = "(function (exports, require, module, __filename, __dirname) {";

/**
 * Bundles the database's JavaScript, since compiling it at each start takes as long as opening a database.
 * The loader of its native part stays external; package.json pins the version, so that both match.
 */
const COMPILED_PART: BuildPlugin = {
	name: "compiled part of the database",
	setup({ onResolve }) {
		onResolve({ filter: /^\.\/binding$/ }, ({ importer }) =>
			importer.includes("classic-level") ? { path: "classic-level/binding.js", external: true } : undefined,
		);
	},
};

/**
 * The framework sorts commands by localeCompare, whose tables take 12 to 20 ms to load: 6 % of a short
 * command. Ids consist of lower-case letters, digits, `-` and `:`, so comparing code units is enough.
 */
const ORDER_BY_CODES: BuildPlugin = {
	name: "commands in the order of their codes",
	setup({ onLoad }) {
		onLoad({ filter: /@oclif[\\/]core[\\/]lib[\\/]config[\\/]plugin\.js$/ }, async ({ path }) => {
			const text = await readFile(path, "utf8");
			const contents = text.replace("a.id.localeCompare(b.id)", "(a.id < b.id ? -1 : 1)");
			if (contents === text) throw new Error(`${path} sorts commands in another way than before`);
			return { contents, loader: "js" };
		});
	},
};

/** Clients of brokers and databases, below src/: bundled separately, so that only nodes using one load it. */
const CLIENTS = [...receiverRows.values()].flatMap(({ client }) => client ?? []);

/** @param dist path from the importing bundle to the folder of the clients */
const clientsApart = (dist: "." | ".."): BuildPlugin => ({
	name: "clients in files of their own",
	setup({ onResolve }) {
		onResolve({ filter: /^\.\.?\// }, ({ kind, path, resolveDir }) => {
			if (kind !== "dynamic-import") return undefined;
			const name = relative(source, join(resolveDir, path)).replaceAll("\\", "/").replace(/\.js$/, "");
			return CLIENTS.includes(name) ? { path: `${dist}/${name}.cjs`, external: true } : undefined;
		});
	},
});

/** Each client in a file of its own, shared by program and libraries. */
async function bundleClients(): Promise<Metafile> {
	const { metafile } = await build({
		...COMMON,
		entryPoints: Object.fromEntries(CLIENTS.map((name) => [name, join(source, `${name}.ts`)])),
		// Nearly all of it is third-party code.
		sourcemap: false,
		format: "cjs",
		outExtension: { ".js": ".cjs" },
	});
	return metafile;
}

/** @param name of the output file */
async function bundleProgram(name: string, entry: string): Promise<Metafile> {
	const { metafile } = await build({
		...COMMON,
		external: OUTSIDE.filter((name) => name !== "level"),
		plugins: [COMPILED_PART, ORDER_BY_CODES, clientsApart(".")],
		entryPoints: { [name]: join(source, entry) },
		format: "cjs",
		outExtension: { ".js": ".cjs" },
		define: { "import.meta.url": "__coinUrl" },
		banner: { js: `${WRAPPER}const __coinUrl = require("node:url").pathToFileURL(__filename).href;` },
		footer: { js: "})" },
		// Externals are loaded with require(): cached code can't import modules.
		supported: { "dynamic-import": false },
	});
	const file = join(root, "dist", `${name}.cjs`);
	const bytes = await readFile(file);
	await appendFile(file, `//${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}\n`);
	return metafile;
}

/**
 * The explorer's page: a script, a chunk loaded for QR codes, a style sheet and a document. Uses no Node.js
 * modules and no other hosts.
 */
async function bundleExplorer(): Promise<Metafile> {
	const page = join(source, "explorer", "page");
	const target = join(root, "dist", "explorer");
	const { metafile } = await build({
		absWorkingDir: root,
		entryPoints: { explorer: join(page, "main.ts"), style: join(page, "explorer.css") },
		outdir: target,
		bundle: true,
		platform: "browser",
		target: ["chrome123", "firefox120", "safari17.5"],
		format: "esm",
		splitting: true,
		// The server knows the chunks by these names.
		chunkNames: "[name]",
		minify: true,
		legalComments: "none",
		metafile: true,
		logLevel: "warning",
	});
	await copyFile(join(page, "index.html"), join(target, "index.html"));
	return metafile;
}

/** Running programs may still load chunks of the previous bundle for this long. */
const GRACE_MS = 10 * 60_000;

/** Crates whose compiled form is checked in, and its paths below src/ and dist/. */
const CRATES = ["sapling-prover", "signature-recovery"];
const COMPILED = [
	"proving/sapling-prover.wasm",
	"node/signatures/recovery.linux-x64.node",
	"node/signatures/recovery.linux-arm64.node",
	"node/signatures/recovery.wasm",
];

/** @param packaged for publishing: empties the folder first */
async function bundle(packaged: boolean): Promise<Metafile> {
	const target = join(root, "dist");
	if (packaged) await rm(target, { recursive: true, force: true });
	const { metafile } = await build({
		...COMMON,
		entryPoints: entryPoints(packaged),
		// Chunks, libraries and benches are one folder down.
		plugins: [clientsApart("..")],
		splitting: true,
		format: "esm",
		chunkNames: "chunks/[name]-[hash]",
		banner: { js: BANNER },
	});
	const program = await bundleProgram("coin", "main.ts");
	const watch = await bundleProgram("watch", "watch.ts");
	const clients = await bundleClients();
	const explorer = await bundleExplorer();
	for (const path of COMPILED) await replaceFile(join(source, path), join(target, path));
	const notices = join(target, "THIRD-PARTY-NOTICES.txt");
	const bundles = [metafile, program, watch, clients, explorer];
	const crates = CRATES.map((name) => readFile(join(root, "crates", name, "NOTICES.txt"), "utf8"));
	const parts = [thirdPartyNotices(bundledFiles(...bundles)), ...(await Promise.all(crates))];
	await writeFile(notices, parts.join("\n"));
	const built = bundles.flatMap(({ outputs }) => Object.keys(outputs));
	const written = [...built, ...START_COMMAND, "dist/explorer/index.html"];
	const outputs = written.map((path) => resolve(root, path));
	const compiled = COMPILED.map((path) => join(target, path));
	await removeStale(target, new Set([...outputs, ...compiled, notices]));
	return metafile;
}

/** Replaces the inode: overwriting a native module in place would crash processes that have it mapped. */
async function replaceFile(from: string, to: string): Promise<void> {
	await copyFile(from, `${to}.new`);
	await rename(`${to}.new`, to);
}

/** Compresses source maps, as published. */
async function compressMaps(target: string): Promise<void> {
	for (const item of readdirSync(target, { recursive: true, withFileTypes: true })) {
		const path = join(item.parentPath, item.name);
		if (!item.isFile() || !path.endsWith(".map")) continue;
		await writeFile(`${path}.gz`, gzipSync(await readFile(path), { level: 9 }));
		await rm(path);
	}
}

/** Source files of which some code is left in the bundles. */
function bundledFiles(...bundles: readonly Metafile[]): Set<string> {
	const outputs = bundles.flatMap((metafile) => Object.values(metafile.outputs));
	return new Set(outputs.flatMap(({ inputs }) => Object.keys(inputs)));
}

/** Removes files of previous bundles: commands immediately, chunks once no running program needs them. */
async function removeStale(target: string, current: ReadonlySet<string>): Promise<void> {
	for (const item of readdirSync(target, { recursive: true, withFileTypes: true })) {
		const path = join(item.parentPath, item.name);
		// writeWords() removes its own stale folders.
		if (!item.isFile() || current.has(path) || item.parentPath.startsWith(join(target, "words"))) continue;
		const isChunk = item.parentPath.endsWith("chunks");
		if (!isChunk || Date.now() - statSync(path).mtimeMs > GRACE_MS) await rm(path, { force: true });
	}
}

/**
 * General flags missing from a command in the manifest: the framework loses them if a base class between the
 * command and {@link generalFlags} has no static members of its own.
 */
function general(plugin: Plugin, own: object): object {
	const complete = plugin.manifest.commands["convert:unit"]?.flags ?? {};
	const names = Object.keys(generalFlags).filter((name) => !Object.hasOwn(own, name));
	return Object.fromEntries(names.map((name) => [name, complete[name]]));
}

/** A framework package with one command only, for a faster `coin node start`. */
const START_COMMAND = ["dist/start/package.json", "dist/start/oclif.manifest.json"] as const;

/** The members of package.json that the framework reads. */
function frameworkPackage({ pjson }: Plugin) {
	const { name, version, oclif } = pjson;
	const { bin, dirname, commands, topicSeparator, additionalHelpFlags } = oclif;
	return { name, version, oclif: { bin, dirname, commands, topicSeparator, additionalHelpFlags } };
}

async function writeStartCommand(plugin: Plugin): Promise<void> {
	const { manifest } = plugin;
	const own = frameworkPackage(plugin);
	const commandsOfNode = { "node:start": manifest.commands["node:start"] };
	await mkdir(join(root, "dist", "start"), { recursive: true });
	const [packagePath, manifestPath] = START_COMMAND;
	await writeFile(join(root, packagePath), `${JSON.stringify(own)}\n`);
	await writeFile(join(root, manifestPath), `${JSON.stringify({ ...manifest, commands: commandsOfNode })}\n`);
}

/** Commands that read the manifest entries of all others. */
const READ_ALL = new Set(["autocomplete", "commands"]);

/**
 * A framework package per first word of a command line, with only the names of commands under other words:
 * reading the whole manifest takes longer than most commands.
 */
async function writeWords(plugin: Plugin): Promise<void> {
	const folder = join(root, "dist", "words");
	const all = Object.values(plugin.manifest.commands);
	const wordsOf = ({ id, aliases }: (typeof all)[number]): string[] =>
		[id, ...aliases].map((name) => name.split(":")[0] as string);
	const words = new Set(all.flatMap(wordsOf).filter((word) => !READ_ALL.has(word)));
	const { oclif, ...own } = frameworkPackage(plugin);
	const manifestPackage = { ...own, oclif: { ...oclif, topics: plugin.pjson.oclif.topics } };
	for (const word of words) {
		const commands = all.map((command) => {
			const { id, aliases, hiddenAliases, hidden } = command;
			const isOwn = wordsOf(command).includes(word);
			return [id, isOwn ? command : { id, aliases, hiddenAliases, hidden, args: {}, flags: {} }];
		});
		const manifest = { ...plugin.manifest, commands: Object.fromEntries(commands) };
		await mkdir(join(folder, word), { recursive: true });
		await writeFile(join(folder, word, "package.json"), `${JSON.stringify(manifestPackage)}\n`);
		await writeFile(join(folder, word, "oclif.manifest.json"), `${JSON.stringify(manifest)}\n`);
	}
	const gone = readdirSync(folder).filter((word) => !words.has(word));
	for (const word of gone) await rm(join(folder, word), { recursive: true });
}

async function writeManifest(): Promise<number> {
	const plugin = new Plugin({ root, type: "core", ignoreManifest: true, errorOnManifestCreate: true });
	await plugin.load();
	// Every invocation reads the manifest, but these members are rarely needed, or only by the command itself.
	for (const command of Object.values(plugin.manifest.commands)) {
		for (const member of ["result", "outputKind", "takesIds", "enableJsonFlag"]) delete command[member];
		command.flags = { ...command.flags, ...general(plugin, command.flags) };
		command.usage ??= usageLine(command);
		// For aliases, the framework would put the alias before the command's name.
		const name = `${command.id.replaceAll(":", " ")} `;
		if (typeof command.usage === "string" && command.usage.startsWith(name))
			command.usage = command.usage.slice(name.length);
	}
	await writeStartCommand(plugin);
	await writeWords(plugin);
	const path = join(root, "oclif.manifest.json");
	await writeFile(`${path}.${process.pid}`, `${JSON.stringify(plugin.manifest, null, "\t")}\n`);
	await rename(`${path}.${process.pid}`, path);
	// Its mtime is the start of the bundling: test/built-program.ts compares it with those of the sources.
	await utimes(path, new Date(started), new Date(started));
	return Object.keys(plugin.manifest.commands).length;
}

const started = Date.now();
const isPackaged = process.argv.includes("--package");
const metafile = await bundle(isPackaged);
if (isPackaged) await compressMaps(join(root, "dist"));
const commands = await writeManifest();
const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
process.stdout.write(
	`${commands} commands, ${Object.keys(metafile.outputs).length} files, ${(bytes / 1024).toFixed(0)} KiB in ${Date.now() - started} ms\n`,
);
