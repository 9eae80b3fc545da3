/** Runs programs that others wrote against a development chain, and writes what came of it: see README.md here. */

import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Places, startChain } from "./chain.js";
import { type Install, install } from "./install.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/clients/", import.meta.url));
const COUPON = join(HERE, "../contracts/Coupon.json");
const DOCUMENT = fileURLToPath(new URL("../../../docs/compatibility.md", import.meta.url));
/** A program is ended after this, unless it asks for more. */
const MAX_SECONDS = 300;

interface Program {
	readonly title: string;
	/** Commands that must be on this machine. */
	readonly needs: readonly string[];
	readonly install: Install;
	readonly run: readonly string[];
	/** Folders and files it needs beside its own, from its own folder. */
	readonly files?: readonly string[];
	readonly seconds?: number;
	/** Steps that fail for a reason of the client's own, or of the network's. */
	readonly own?: Readonly<Record<string, string>>;
}

interface Result {
	readonly title: string;
	readonly version: string;
	readonly passed: number;
	/** `step: why` */
	readonly failed: readonly string[];
	/** The same, for reasons that are known. */
	readonly own: readonly string[];
	/** Why nothing was run. */
	readonly skipped?: string;
}

const isHere = (command: string): boolean =>
	spawnSync("sh", ["-c", 'command -v "$0"', command], { stdio: "ignore" }).status === 0;

async function result(name: string, places: Places): Promise<Result> {
	const source = join(HERE, name);
	const program = JSON.parse(readFileSync(join(source, "program.json"), "utf8")) as Program;
	const { title, needs, files = [] } = program;
	const nothing = { title, version: "–", passed: 0, failed: [], own: [] };
	const missing = needs.find((command) => !isHere(command));
	if (missing !== undefined) return { ...nothing, skipped: `there is no ${missing} on this machine` };
	const folder = join(CACHE, name);
	mkdirSync(folder, { recursive: true });
	cpSync(source, folder, { recursive: true });
	for (const shared of readdirSync(join(HERE, "shared")))
		cpSync(join(HERE, "shared", shared), join(folder, shared));
	for (const file of files) cpSync(join(source, file), join(folder, basename(file)), { recursive: true });
	try {
		await install(folder, program.install);
	} catch (error) {
		return { ...nothing, skipped: `it can't be installed: ${withoutAddresses((error as Error).message)}` };
	}
	return read(program, await output(folder, program, places));
}

/** What an installer says, for a document: the reason without the addresses that it asked. */
const withoutAddresses = (text: string): string =>
	text
		.replace(/(?:reading |GET |from )?\bhttps?:\/\/\S+\s*/g, "")
		.replace(/\s+/g, " ")
		.trim();

/** What the program prints; a last line tells if it had to be ended. */
function output(folder: string, { run, seconds = MAX_SECONDS }: Program, places: Places): Promise<string> {
	const [command = "", ...words] = run;
	const file = command === "python" ? join(folder, "venv/bin/python") : command;
	const classpath = join(folder, "classpath.txt");
	const more = existsSync(classpath) ? ["-cp", readFileSync(classpath, "utf8")] : [];
	return new Promise((resolve) => {
		const child = spawn(file, [...more, ...words], {
			cwd: folder,
			detached: true,
			env: { ...process.env, COIN_PLACES: JSON.stringify(places), COIN_COUPON: COUPON },
			stdio: ["ignore", "pipe", "pipe"],
		});
		let text = "";
		let trouble = "";
		child.stdout.on("data", (bytes: Buffer) => {
			text += bytes.toString();
		});
		child.stderr.on("data", (bytes: Buffer) => {
			trouble = (trouble + bytes.toString()).slice(-2_000);
		});
		const late = setTimeout(() => {
			text += `\nnot ok the program ends # it was ended after ${seconds} s\n`;
			if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
		}, seconds * 1_000);
		child.on("error", (error) => resolve(`not ok the program starts # ${error.message}`));
		child.on("close", (code) => {
			clearTimeout(late);
			const why = trouble.trim().split("\n").slice(-3).join(" ").replaceAll(/\s+/g, " ");
			resolve(
				code === 0 || code === null ? text : `${text}\nnot ok the program ends well # ${code}: ${why}\n`,
			);
		});
	});
}

function read({ title, own = {} }: Program, text: string): Result {
	const lines = text.split("\n");
	const version = /^version (.+)$/m.exec(text)?.[1] ?? "?";
	const failures = lines.flatMap((line) => {
		const [, step = "", why = ""] = /^not ok (.+?)(?: # (.*))?$/.exec(line) ?? [];
		return step === "" ? [] : [{ step, why }];
	});
	return {
		title,
		version,
		passed: lines.filter((line) => line.startsWith("ok ")).length,
		failed: failures.filter(({ step }) => !own[step]).map(({ step, why }) => `${step}: ${why}`),
		own: failures.filter(({ step }) => own[step]).map(({ step }) => `${step}: ${own[step]}`),
	};
}

function lineOf({ title, version, passed, failed, own, skipped }: Result): string {
	if (skipped !== undefined) return `${title}: skipped, ${skipped}`;
	const notes = [...own.map((note) => `  known: ${note}`), ...failed.map((note) => `  FAILED ${note}`)];
	return [`${title} ${version}: ${passed} passed, ${failed.length + own.length} failed`, ...notes].join("\n");
}

const BEGIN = "<!-- npm run clients -- --write -->";
const END = "<!-- end of what it writes -->";

function rowOf({ title, version, passed, failed, own, skipped }: Result): string {
	const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/[<>]/g, "");
	if (skipped !== undefined) return `| ${title} | – | not run | ${cell(skipped)} |`;
	const notes = [...failed.map((note) => `**new:** ${note}`), ...own].map(cell).join("; ");
	return `| ${title} | ${version} | ${passed} / ${failed.length + own.length} | ${notes} |`;
}

/** Replaces the rows of the programs that were run; those of others stay. */
function write(results: readonly Result[]): void {
	const document = readFileSync(DOCUMENT, "utf8");
	const [from, to] = [document.indexOf(BEGIN), document.indexOf(END)];
	if (from < 0 || to < from) throw new Error(`${DOCUMENT} has no place for the table`);
	const rows = new Map(
		document
			.slice(from, to)
			.split("\n")
			.filter((line) => line.startsWith("| ") && !/^\| (program|---) /.test(line))
			.map((line) => [line.split(" | ")[0]?.slice(2) ?? "", line]),
	);
	for (const each of results) rows.set(each.title, rowOf(each));
	const table = [
		"| program | version | steps passed / failed | what failed, and why |",
		"| --- | --- | --- | --- |",
	];
	const text = [BEGIN, "", ...table, ...rows.values(), "", ""].join("\n");
	writeFileSync(DOCUMENT, document.slice(0, from) + text + document.slice(to));
}

const words = process.argv.slice(2);
const isOnFork = words.includes("--fork");
const named = words.filter((word) => !word.startsWith("--"));
const all = readdirSync(HERE).filter((name) => existsSync(join(HERE, name, "program.json")));
const unknown = named.find((name) => !all.includes(name));
if (unknown !== undefined) throw new Error(`there is no program ${unknown}: ${all.join(", ")}`);

const results: Result[] = [];
for (const name of named.length > 0 ? named : all) {
	// Each begins on a chain that nobody has used.
	const source = isOnFork ? await startChain() : undefined;
	try {
		const chain = await startChain(source ? ["--fork-url", source.places.gateway] : []);
		try {
			const found = await result(name, chain.places);
			results.push(isOnFork ? { ...found, title: `${found.title}, on a fork` } : found);
			console.log(lineOf(results.at(-1) as Result));
		} finally {
			await chain.stop();
		}
	} finally {
		await source?.stop();
	}
}
if (words.includes("--write")) write(results);
process.exitCode = results.some(({ failed }) => failed.length > 0) ? 1 : 0;
