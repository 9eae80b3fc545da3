/**
 * Bundles src/ into dist/: the program in one file (coin.cjs), the libraries and workers with shared chunks; then writes the
 * licences of what went in, and the manifest by which the framework knows a command without loading it. The explorer's page goes
 * into dist/explorer.
 *
 * `--package` bundles what is packed: without the replay harness and the benches, and nothing of former bundles.
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
 * Packages that bring compiled code and find it beside themselves (`dependencies` of package.json; everything else is
 * bundled and a development dependency), and those that only a bench needs.
 */
const OUTSIDE = ["level", "@ethereumjs/*"];

/** CommonJS packages inside ES modules still ask for these three. */
const BANNER = [
	'import { createRequire as __coinRequire } from "node:module";',
	'import { fileURLToPath as __coinPath } from "node:url";',
	"const require = __coinRequire(import.meta.url);",
	'const __filename = __coinPath(import.meta.url), __dirname = __coinPath(new URL(".", import.meta.url));',
].join("\n");

/** Entry points as `name in dist` → source file. */
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

/** What all bundles have in common. */
const COMMON = {
	absWorkingDir: root,
	outdir: join(root, "dist"),
	bundle: true,
	platform: "node",
	target: "node20.19",
	external: OUTSIDE,
	// Packages that offer both bring their ES modules: their names survive the bundle.
	mainFields: ["module", "main"],
	minifySyntax: true,
	minifyWhitespace: true,
	// THIRD-PARTY-NOTICES.txt has them.
	legalComments: "none",
	// Read only when a stack trace is printed (src/diagnostics/stack-trace.ts): no file of the bundle points to its map.
	sourcemap: "external",
	sourcesContent: false,
	metafile: true,
	logLevel: "warning",
} satisfies BuildOptions;

/**
 * The program in one file (and that of `coin network watch` in another), which bin/kept-code.js loads with what was compiled of it before: the runtime can't keep the code of ES
 * modules. Modules that are imported dynamically are evaluated when they are. The last line says what the file holds.
 */
const WRAPPER = "(function (exports, require, module, __filename, __dirname) {";

/**
 * The database's JavaScript goes into the file too, since compiling it at each start takes as long as opening a database; only
 * what finds its compiled part beside itself stays outside. Its version is exact in package.json: both parts are of one release.
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
 * The framework sorts its commands by the rules of a language, whose tables take the runtime 12 to 20 ms to load: 6 % of a short
 * command. Ids have small letters, digits, `-` and `:`, whose order is that of their codes.
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

/** Clients of brokers and databases, below src: a node that is configured for none reads nothing of them. */
const CLIENTS = [...receiverRows.values()].flatMap(({ client }) => client ?? []);

/** @param dist the folder of the bundle, as a file that is to find them names it */
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

/** Each client in a file, for program and libraries. */
async function bundleClients(): Promise<Metafile> {
	const { metafile } = await build({
		...COMMON,
		entryPoints: Object.fromEntries(CLIENTS.map((name) => [name, join(source, `${name}.ts`)])),
		// Nearly all of it is code of others.
		sourcemap: false,
		format: "cjs",
		outExtension: { ".js": ".cjs" },
	});
	return metafile;
}

/** @param name of the bundle, and of its source */
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
		// What is outside is required: kept code has no loader of modules.
		supported: { "dynamic-import": false },
	});
	const file = join(root, "dist", `${name}.cjs`);
	const bytes = await readFile(file);
	await appendFile(file, `//${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}\n`);
	return metafile;
}

/**
 * The explorer's page: a script, another that comes when a QR code is opened, one style sheet, one document; nothing of Node.js, nothing
 * from other hosts.
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
		// Names by which the server knows them.
		chunkNames: "[name]",
		minify: true,
		legalComments: "none",
		metafile: true,
		logLevel: "warning",
	});
	await copyFile(join(page, "index.html"), join(target, "index.html"));
	return metafile;
}

/** Programs that run while a new bundle is written still load chunks of the old one. */
const GRACE_MS = 10 * 60_000;

/** Crates whose compiled form is part of the repository, and where it is below src/ and dist/. */
const CRATES = ["sapling-prover", "signature-recovery"];
const COMPILED = [
	"proving/sapling-prover.wasm",
	"node/signatures/recovery.linux-x64.node",
	"node/signatures/recovery.linux-arm64.node",
	"node/signatures/recovery.wasm",
];

/** @param packaged what is packed, and nothing else in the folder */
async function bundle(packaged: boolean): Promise<Metafile> {
	const target = join(root, "dist");
	if (packaged) await rm(target, { recursive: true, force: true });
	const { metafile } = await build({
		...COMMON,
		entryPoints: entryPoints(packaged),
		// Chunks, libraries and benches lie one folder down.
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

/** Copies to a new file under the old name: a program that runs has the old one's bytes as its own code, and would end without a word. */
async function replaceFile(from: string, to: string): Promise<void> {
	await copyFile(from, `${to}.new`);
	await rename(`${to}.new`, to);
}

/** Leaves the source maps compressed, as the package has them. */
async function compressMaps(target: string): Promise<void> {
	for (const item of readdirSync(target, { recursive: true, withFileTypes: true })) {
		const path = join(item.parentPath, item.name);
		if (!item.isFile() || !path.endsWith(".map")) continue;
		await writeFile(`${path}.gz`, gzipSync(await readFile(path), { level: 9 }));
		await rm(path);
	}
}

/** Source files of which something is left in the bundles. */
function bundledFiles(...bundles: readonly Metafile[]): Set<string> {
	const outputs = bundles.flatMap((metafile) => Object.values(metafile.outputs));
	return new Set(outputs.flatMap(({ inputs }) => Object.keys(inputs)));
}

/** Removes files of former bundles; commands that are gone at once, chunks when nobody can need them any more. */
async function removeStale(target: string, current: ReadonlySet<string>): Promise<void> {
	for (const item of readdirSync(target, { recursive: true, withFileTypes: true })) {
		const path = join(item.parentPath, item.name);
		// What is gone of the manifests by first words goes when they are written.
		if (!item.isFile() || current.has(path) || item.parentPath.startsWith(join(target, "words"))) continue;
		const isChunk = item.parentPath.endsWith("chunks");
		if (!isChunk || Date.now() - statSync(path).mtimeMs > GRACE_MS) await rm(path, { force: true });
	}
}

/**
 * The flags of every command that a command lacks in the manifest: the framework loses them where a base class between
 * the command and {@link generalFlags} has no static members of its own.
 */
function general(plugin: Plugin, own: object): object {
	const complete = plugin.manifest.commands["convert:unit"]?.flags ?? {};
	const names = Object.keys(generalFlags).filter((name) => !Object.hasOwn(own, name));
	return Object.fromEntries(names.map((name) => [name, complete[name]]));
}

/** A package of one command for the framework: `coin node start` needs to know of no other. */
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

/** Commands that read what the manifest has of all others. */
const READ_ALL = new Set(["autocomplete", "commands"]);

/**
 * A package for each first word of a command line, which has of the commands of other words only that there are such: to
 * read the whole manifest takes longer than most commands do.
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
	// Shapes of results are asked for rarely, kinds by the command alone, and the manifest is read by every command.
	for (const command of Object.values(plugin.manifest.commands)) {
		for (const member of ["result", "outputKind", "takesIds", "enableJsonFlag"]) delete command[member];
		command.flags = { ...command.flags, ...general(plugin, command.flags) };
		command.usage ??= usageLine(command);
		// Under another name of the command the framework would put that in front of this one.
		const name = `${command.id.replaceAll(":", " ")} `;
		if (typeof command.usage === "string" && command.usage.startsWith(name))
			command.usage = command.usage.slice(name.length);
	}
	await writeStartCommand(plugin);
	await writeWords(plugin);
	const path = join(root, "oclif.manifest.json");
	await writeFile(`${path}.${process.pid}`, `${JSON.stringify(plugin.manifest, null, "\t")}\n`);
	await rename(`${path}.${process.pid}`, path);
	// Its time says how old the bundle is: whatever was edited since has to be bundled again (test/built-program.ts).
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
