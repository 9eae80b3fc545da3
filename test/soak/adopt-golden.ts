/**
 * Adopts every recorded reference data directory, with kills and restarts, and continues with its blocks:
 *
 *     npm run tool adopt:golden -- FOLDER [--only NAME] [--blocks 20] [--kills 3] [--seed 1]
 *
 * FOLDER holds `db/<name>/{<name>.conf,database.tar.br,after.json.br}` and the recordings named in
 * `db/README.md`. State hashes of adopted and replayed states must match. One is also adopted without old
 * blocks, and compared with lite data. Damaged directories (`db/damaged/damaged.json`) must be refused by the
 * damaged file's name. Prints a line per directory; exit code 1 if anything differs.
 */

import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hashDirectory } from "../../src/launch/state-hash-work.js";
import { toHex } from "../../src/protocol/bytes.js";
import { openNodeOn } from "../../tools/replay/node-target.js";
import { openRecordings } from "../../tools/replay/recording.js";
import { differencesFromLite } from "./adopt-choices.js";
import { adoptKilled, adoptRefused } from "./adopt-process.js";
import { continueFrom, differencesFromAfter, readAfter } from "./adopted-state.js";
import { damage, damagedCases, unpack } from "./golden-directory.js";
import { randomFrom } from "./random.js";
import { replayedHashes } from "./replayed-hashes.js";

const NAMES = [
	"level-clean",
	"level-killed-v1",
	"level-killed-v2",
	"level-era",
	"level-era-early",
	"rocks-clean",
	"rocks-killed-v2",
	"rocks-9",
	"level-lite",
	"level-converted",
];

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		only: { type: "string" },
		blocks: { type: "string", default: "20" },
		kills: { type: "string", default: "3" },
		seed: { type: "string", default: "1" },
	},
});
const [folder] = positionals;
if (!folder)
	throw new Error("usage: npm run tool adopt:golden -- FOLDER [--only NAME] [--blocks N] [--kills N]");
const golden: string = folder;
const random = randomFrom(Number(values.seed));

/** The recording that continues a directory, according to the README. */
function nextSet(name: string): string {
	const section = readFileSync(join(golden, "db", "README.md"), "utf8").split(`\n## ${name}\n`)[1] ?? "";
	const set = /Continues with: golden set `([^`]+)`/.exec(section)?.[1];
	if (!set) throw new Error(`db/README.md names no set that continues ${name}`);
	return join(golden, set);
}

/** State hashes of the directories, by the recording that continues them, and height. */
const hashes = new Map<string, Map<number, string[]>>();

async function hashOf(directory: string, config: string): Promise<string> {
	const hashed = await hashDirectory(directory, { file: config, network: undefined }, () => true);
	return toHex(hashed?.value.hash ?? new Uint8Array(0));
}

/** Whether replaying the blocks yields the states of the directories. */
async function runHashes(): Promise<boolean> {
	let right = true;
	for (const [set, byHeight] of hashes) {
		const replayed = await replayedHashes(set, new Set(byHeight.keys()));
		for (const [number, all] of byHeight) {
			const equal = all.every((hash) => hash === replayed.get(number));
			right &&= equal;
			process.stdout.write(`${JSON.stringify({ replayed: set, number, directories: all.length, equal })}\n`);
		}
	}
	return right;
}

async function runDirectory(name: string, root: string): Promise<boolean> {
	const source = join(root, "source");
	unpack(join(golden, "db", name, "database.tar.br"), source);
	const config = join(golden, "db", name, `${name}.conf`);
	const data = join(root, "data");
	const killed = await adoptKilled({ source, config, data, kills: Number(values.kills), random });
	const after = readAfter(join(golden, "db", name, "after.json.br"));
	const [given, own] = [await hashOf(source, config), await hashOf(data, config)];
	const byHeight = hashes.get(nextSet(name)) ?? new Map<number, string[]>();
	hashes.set(nextSet(name), byHeight);
	byHeight.set(after.head.number, [...(byHeight.get(after.head.number) ?? []), given]);
	const target = await openNodeOn({ configFile: config, release: "4.8.0" }, data);
	try {
		const state = await target.finalState();
		const differences = differencesFromAfter(after, state);
		for (const line of differences.slice(0, 10)) process.stderr.write(`${name}: ${line}\n`);
		const [recording] = openRecordings(nextSet(name));
		if (!recording) throw new Error(`no set continues ${name}`);
		const blocks = await continueFrom(target, after, recording, Number(values.blocks), (line) =>
			process.stderr.write(`${name}: ${line}\n`),
		);
		const line = {
			directory: name,
			head: after.head.number,
			...killed,
			hash: given === own,
			differences: differences.length,
			blocks,
		};
		process.stdout.write(`${JSON.stringify(line)}\n`);
		return (
			given === own &&
			differences.length === 0 &&
			blocks.failed === 0 &&
			blocks.passed === Number(values.blocks)
		);
	} finally {
		await target.close();
	}
}

async function runDamaged(root: string): Promise<boolean> {
	const { base, cases } = damagedCases(join(golden, "db", "damaged", "damaged.json"));
	let right = true;
	for (const one of cases) {
		const source = join(root, one.name);
		unpack(join(golden, "db", base, "database.tar.br"), source);
		const path = damage(source, one.ops);
		const config = join(golden, "db", base, `${base}.conf`);
		const { code, message } = await adoptRefused({ source, config, data: join(root, `${one.name}-data`) });
		const refused = code === 1 && message.includes(path);
		right &&= refused;
		process.stdout.write(`${JSON.stringify({ damaged: one.name, refused, message })}\n`);
	}
	return right;
}

async function inDirectory(work: (root: string) => Promise<boolean>): Promise<boolean> {
	const root = await mkdtemp(join(tmpdir(), "coin-adopt-"));
	try {
		return await work(root);
	} finally {
		await rm(root, { recursive: true, force: true });
	}
}

async function runLite(root: string): Promise<boolean> {
	const different = await differencesFromLite(golden, root);
	process.stdout.write(`${JSON.stringify({ none: "as level-lite", different })}\n`);
	return different === 0;
}

let right = true;
for (const name of NAMES) {
	if (values.only !== undefined && values.only !== name) continue;
	right = (await inDirectory((root) => runDirectory(name, root))) && right;
}
right = (await runHashes()) && right;
if (values.only === undefined || values.only === "lite") right = (await inDirectory(runLite)) && right;
const isDamageWanted = values.only === undefined || values.only === "damaged";
if (isDamageWanted && existsSync(join(golden, "db", "damaged")))
	right = (await inDirectory(runDamaged)) && right;
process.exitCode = right ? 0 : 1;
