/**
 * Compares state hashes after each final block between nodes with different histories: executed from genesis,
 * adopted from a reference node, restored from a snapshot, with all blocks or few.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adopt, judgeSource } from "../../src/node/adoption/adoption.js";
import { openForeignStore } from "../../src/node/adoption/engine/foreign-store.js";
import { openSourceDirectory } from "../../src/node/adoption/source-directory.js";
import type { ChainOptions } from "../../src/node/chain/chain-options.js";
import { openDataDirectory } from "../../src/node/chain/data-directory.js";
import type { OpenChain } from "../../src/node/chain/open-chain.js";
import { createContractMachine } from "../../src/node/contract-runner.js";
import { MOVER_LIMITS } from "../../src/node/segments/block-mover.js";
import { segmentsDirectory } from "../../src/node/segments/segments.js";
import { createSnapshot } from "../../src/node/snapshot/create.js";
import { manifestHash, parseManifest } from "../../src/node/snapshot/manifest.js";
import { restoreSnapshot } from "../../src/node/snapshot/restore.js";
import { openSource } from "../../src/node/snapshot/source.js";
import { toHex } from "../../src/protocol/bytes.js";
import { feed, openRecorded, type RecordedSet, recordedSet } from "../node/chain/recorded-chain.js";
import { unpack } from "./golden-directory.js";

/** Reference node's directory by the recording that continues it. */
const ADOPTED: Readonly<Record<string, string>> = {
	"fuzz-era": "level-era-early",
	"fuzz-latest-1": "level-clean",
};
/** Random recordings of chains without a recorded directory. */
const RANDOM = ["fuzz-mix", "fuzz-dynamic", "late-fuzz", "market-random", "vm-random"];
/** Blocks kept by the pruned node, slightly more than contracts can query, and early moving and pruning. */
const FEW_BLOCKS = 260;
const EAGER_MOVES = { ...MOVER_LIMITS, kept: 20, blocks: 20 };
const OFTEN = { entries: 2_000, logBytes: 1 << 20 };
const nowhere = {
	fetch: (): Promise<Response> => Promise.reject(new Error("no network here")),
	pause: (): Promise<void> => Promise.resolve(),
};

type Hashes = Map<bigint, string>;

/** A chain with its state hashes; recorded blocks up to its head are skipped. */
async function follow(
	set: RecordedSet,
	directory: string,
	others: Partial<ChainOptions>,
	upTo = Number.POSITIVE_INFINITY,
): Promise<{ readonly open: OpenChain; readonly hashes: Hashes }> {
	const { run: machine } = createContractMachine(set.config, false);
	const open = await openRecorded(set, directory, OFTEN, { machine, ...others });
	const hashes: Hashes = new Map();
	if (open.database.followedHash?.progress !== undefined) throw new Error(`${directory} has no sums`);
	let last = open.solidState.properties.headNumber;
	for (const block of set.blocks.slice(0, upTo)) {
		feed(open, block);
		const final = open.solidState.properties.headNumber;
		if (final === last) continue;
		await open.throttle();
		await open.flushNow();
		await new Promise((resolve) => setImmediate(resolve));
		for (let number = last + 1n; number <= final; number++) {
			const kept = open.database.followedHash?.kept.at(number);
			if (!kept) throw new Error(`no hash is kept of block ${number}`);
			hashes.set(number, toHex(kept.hash));
		}
		last = final;
	}
	return { open, hashes };
}

async function adopted(set: RecordedSet, golden: string, name: string, root: string): Promise<string> {
	unpack(join(golden, "db", name, "database.tar.br"), join(root, "source"));
	const { config } = set;
	const directory = join(root, "adopted");
	const database = await openDataDirectory(directory, config.storage.directory);
	const judged = await judgeSource(openSourceDirectory(join(root, "source"), openForeignStore), config);
	await adopt(judged, database, directory, { config, blocks: "copy", onProgress: () => true });
	await database.close();
	return directory;
}

async function restored(set: RecordedSet, open: OpenChain, origin: string, root: string): Promise<string> {
	const entries = () => open.oldBlocks?.storedEntries() as AsyncIterable<readonly [Uint8Array, Uint8Array]>;
	const genesisId = toHex(open.rules.genesisId);
	const subject = { entries, segmentsDirectory: segmentsDirectory(origin), genesisId };
	const folder = join(root, "snapshot");
	await createSnapshot(subject, folder, { program: "heights", nowMs: 0, onProgress: () => true });
	const bytes = readFileSync(join(folder, "manifest.json"));
	const dataDirectory = join(root, "restored");
	const database = await openDataDirectory(dataDirectory, set.config.storage.directory);
	const options = { config: set.config, dataDirectory, onProgress: () => true, parallel: 2 };
	const source = openSource(folder, nowhere);
	await restoreSnapshot(source, parseManifest(bytes), manifestHash(bytes), database, options);
	await database.close();
	return dataDirectory;
}

/** Results for a recording: heights at which all nodes have a hash, and those at which any differ. */
interface Compared {
	readonly nodes: number;
	readonly heights: number;
	readonly differing: number;
}

/** Counts heights at which all nodes have a hash, and reports differences at any height. */
function compareHashes(name: string, nodes: readonly Hashes[]): Compared {
	let [heights, differing] = [0, 0];
	for (const number of new Set(nodes.flatMap((hashes) => [...hashes.keys()]))) {
		const found = nodes.flatMap((hashes) => hashes.get(number) ?? []);
		if (found.length === nodes.length) heights++;
		if (new Set(found).size === 1) continue;
		if (differing++ === 0) process.stderr.write(`${name}: block ${number} differs\n`);
	}
	return { nodes: nodes.length, heights, differing };
}

async function compareSet(golden: string, name: string): Promise<Compared> {
	const root = mkdtempSync(join(tmpdir(), "coin-heights-"));
	try {
		const recorded = recordedSet(name, golden);
		const { config } = recorded;
		// The recorded nodes had no library for note trees.
		const shielded = { ...config.node.shielded, verifiesProofs: false };
		const set = { ...recorded, config: { ...config, node: { ...config.node, shielded, stateHash: true } } };
		const withHistory = {
			...set.config.node,
			history: { ...set.config.node.history, stateBlocks: Number.POSITIVE_INFINITY },
		};
		const historic = { ...set, config: { ...set.config, node: withHistory } };

		const young = await follow(set, join(root, "young"), {}, Math.ceil(set.blocks.length / 10));
		await young.open.flushNow();
		const copy = await restored(set, young.open, join(root, "young"), root);
		await young.open.close();

		const ways: [RecordedSet, string, Partial<ChainOptions>][] = [
			[set, join(root, "replayed"), {}],
			[historic, join(root, "historic"), {}],
			[set, copy, { keptBlocks: FEW_BLOCKS, moverLimits: EAGER_MOVES }],
		];
		const directory = ADOPTED[name];
		if (directory && existsSync(join(golden, "db", directory)))
			ways.push([set, await adopted(set, golden, directory, root), {}]);
		const nodes: Hashes[] = [];
		for (const [blocks, path, options] of ways) {
			const { open, hashes } = await follow(blocks, path, options);
			await open.close();
			nodes.push(hashes);
		}
		const compared = compareHashes(name, nodes);
		process.stdout.write(`${JSON.stringify({ set: name, ...compared })}\n`);
		return compared;
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

const [golden, ...names] = process.argv.slice(2);
if (!golden) throw new Error("usage: npm run tool hash:heights -- FOLDER [SET...]");
let isRight = true;
for (const name of names.length > 0 ? names : [...Object.keys(ADOPTED), ...RANDOM]) {
	const { heights, differing } = await compareSet(golden, name);
	isRight &&= heights > 0 && differing === 0;
}
process.exitCode = isRight ? 0 : 1;
