/**
 * Damages every file of every recorded reference data directory, one at a time, and adopts the result:
 *
 *     npm run tool adopt:damage -- FOLDER [--only NAME] [--positions 4] [--seed 1]
 *
 * FOLDER holds `<name>/{<name>.conf,database.tar.br}`. Each file is truncated at several lengths, changed in
 * one byte at several positions, and removed. The result must be a refusal in one sentence that names the
 * file, or the same entries as before. Exception: the engine accepts a log or manifest truncated at or within
 * its last records, as after a kill; whether checks of the whole notice that is counted. Prints a line per
 * directory; exit code 1 if damage goes unnoticed.
 */

import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { adopt, judgeSource } from "../../src/node/adoption/adoption.js";
import { openForeignStore } from "../../src/node/adoption/engine/foreign-store.js";
import { openSourceDirectory } from "../../src/node/adoption/source-directory.js";
import { loadConfig } from "../../src/node/config/config.js";
import { createMemoryDatabase } from "../../src/node/state/database.js";
import { setAddressPrefix } from "../../src/protocol/address.js";
import { OperatorError } from "../../src/protocol/operator-error.js";
import { unpack } from "./golden-directory.js";
import { between, randomFrom } from "./random.js";

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		only: { type: "string" },
		positions: { type: "string", default: "4" },
		seed: { type: "string", default: "1" },
	},
});
const [folder] = positionals;
if (!folder)
	throw new Error("usage: npm run tool adopt:damage -- FOLDER [--only NAME] [--positions N] [--seed N]");
const golden: string = folder;
const random = randomFrom(Number(values.seed));
const positions = Number(values.positions);

type Change =
	| { readonly kind: "cut"; readonly length: number }
	| { readonly kind: "flipped"; readonly at: number; readonly mask: number }
	| { readonly kind: "missing" };

/** Result for a store: hash of its entries, or the refusal. */
type Outcome = { readonly digest: string } | { readonly refusal: string };

function changesOf(size: number): Change[] {
	const places = [
		0,
		size - 1,
		size >> 1,
		...Array.from({ length: positions }, () => between(random, 0, size - 1)),
	];
	const inside = [...new Set(places)].filter((at) => at >= 0 && at < size);
	return [
		{ kind: "missing" },
		...inside.map((length): Change => ({ kind: "cut", length })),
		...inside.map((at): Change => ({ kind: "flipped", at, mask: 1 << between(random, 0, 7) })),
	];
}

/** Replaces the file, which may be a link. */
function apply(path: string, bytes: Buffer, change: Change): void {
	rmSync(path);
	if (change.kind === "cut") writeFileSync(path, bytes.subarray(0, change.length));
	if (change.kind !== "flipped") return;
	const changed = Buffer.from(bytes);
	changed[change.at] = (changed[change.at] as number) ^ change.mask;
	writeFileSync(path, changed);
}

async function orRefusal(work: () => Promise<string>): Promise<Outcome> {
	try {
		return { digest: await work() };
	} catch (error) {
		if (error instanceof OperatorError) return { refusal: error.message };
		throw error;
	}
}

function digestStore(directory: string): Promise<Outcome> {
	return orRefusal(async () => {
		const store = await openForeignStore(directory);
		const hash = createHash("sha256");
		for (const [key, value] of store.entries()) {
			hash.update(`${key.length} ${value.length} `).update(key).update(value);
		}
		store.close();
		return hash.digest("hex");
	});
}

/** Adopts everything, and hashes the entries of the new database. */
function digestAdopted(name: string, source: string): Promise<Outcome> {
	return orRefusal(async () => {
		const config = loadConfig(join(golden, name, `${name}.conf`));
		setAddressPrefix(config.net.addressPrefix);
		const judged = await judgeSource(openSourceDirectory(source, openForeignStore), config);
		const database = createMemoryDatabase();
		await adopt(judged, database, "data", { config, blocks: "copy", onProgress: () => true });
		const hash = createHash("sha256");
		for await (const [key, value] of database.entries(new Uint8Array(0))) hash.update(key).update(value);
		return hash.digest("hex");
	});
}

const KINDS = ["cases", "refused", "same", "torn, found", "torn, same", "torn, taken", "slipped"] as const;
type Figures = Record<(typeof KINDS)[number], number>;

/** A store of an undamaged directory. */
interface Sound {
	readonly directory: string;
	readonly entries: Outcome;
}

function isSame(a: Outcome, b: Outcome): boolean {
	return "digest" in a && "digest" in b && a.digest === b.digest;
}

/** Whether a refusal names the file; a missing table may be named with either extension. */
function names(refusal: string, path: string): boolean {
	return refusal.includes(path.replace(/\.(sst|ldb)$/, "."));
}

/**
 * Files that describe others aren't named if they are believed; and if a RocksDB manifest refers to a log
 * older than all that exist, the missing one is unknown.
 */
function isNamed(refusal: string, path: string, directory: string): boolean {
	if (names(refusal, path)) return true;
	if (!refusal.includes(directory)) return false;
	return (
		/MANIFEST|CURRENT/.test(basename(path)) ||
		(path.endsWith(".log") && refusal.includes("no later log is there"))
	);
}

async function judgeCase(
	store: Sound,
	path: string,
	change: Change,
	whole: () => Promise<Outcome>,
	sound: Outcome,
): Promise<keyof Figures> {
	const entries = await digestStore(store.directory);
	if ("refusal" in entries) return isNamed(entries.refusal, path, store.directory) ? "refused" : "slipped";
	if (isSame(entries, store.entries)) return "same";
	if (change.kind !== "cut" || !/\.log$|MANIFEST-\d+$/.test(path)) return "slipped";
	const adopted = await whole();
	if ("refusal" in adopted) return "torn, found";
	return isSame(adopted, sound) ? "torn, same" : "torn, taken";
}

function storesIn(database: string): string[] {
	const checkpoints = join(database, "checkpoint");
	const second = existsSync(checkpoints)
		? readdirSync(checkpoints).map((each) => join("checkpoint", each))
		: [];
	return [...readdirSync(database), ...second]
		.map((name) => join(database, name))
		.filter((path) => statSync(path).isDirectory() && existsSync(join(path, "CURRENT")));
}

async function runDirectory(name: string, root: string): Promise<boolean> {
	unpack(join(golden, name, "database.tar.br"), root);
	const database = join(root, "output-directory", "database");
	const sound = await digestAdopted(name, root);
	const figures = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Figures;
	const started = performance.now();
	for (const directory of storesIn(database)) {
		const store = { directory, entries: await digestStore(directory) };
		for (const file of readdirSync(directory)) {
			const path = join(directory, file);
			const bytes = readFileSync(path);
			for (const change of changesOf(bytes.length)) {
				apply(path, bytes, change);
				const kind = await judgeCase(store, path, change, () => digestAdopted(name, root), sound);
				figures.cases++;
				figures[kind]++;
				if (kind === "slipped") {
					process.stderr.write(
						`${name}: ${relative(database, path)} ${JSON.stringify(change)} slips through\n`,
					);
				}
				if (change.kind === "missing") writeFileSync(path, bytes);
			}
			writeFileSync(path, bytes);
		}
	}
	const seconds = Math.round((performance.now() - started) / 1000);
	process.stdout.write(`${JSON.stringify({ directory: name, ...figures, seconds })}\n`);
	return figures.slipped === 0;
}

let right = true;
for (const name of readdirSync(golden).sort()) {
	if (!existsSync(join(golden, name, "database.tar.br"))) continue;
	if (values.only !== undefined && values.only !== name) continue;
	const root = mkdtempSync(join(tmpdir(), "coin-adopt-damage-"));
	try {
		right = (await runDirectory(name, root)) && right;
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}
process.exitCode = right ? 0 : 1;
