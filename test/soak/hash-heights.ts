/**
 * Whether nodes that came to a chain in different ways have one hash of the state after each of its final blocks: by executing
 * it from genesis, by an adopted directory of a reference node, by a snapshot, keeping all blocks or few.
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
import { segmentsDirectory } from "../../src/node/segments/segments.js";
import { createSnapshot } from "../../src/node/snapshot/create.js";
import { manifestHash, parseManifest } from "../../src/node/snapshot/manifest.js";
import { restoreSnapshot } from "../../src/node/snapshot/restore.js";
import { openSource } from "../../src/node/snapshot/source.js";
import { toHex } from "../../src/protocol/bytes.js";
import { feed, openRecorded, type RecordedSet, recordedSet } from "../node/chain/recorded-chain.js";
import { unpack } from "./golden-directory.js";

/** Which directory of a reference node a set continues. */
const ADOPTED: Readonly<Record<string, string>> = {
	"fuzz-era": "level-era-early",
	"fuzz-latest-1": "level-clean",
};
const OFTEN = { entries: 2_000, logBytes: 1 << 20 };
const nowhere = {
	fetch: (): Promise<Response> => Promise.reject(new Error("no network here")),
	pause: (): Promise<void> => Promise.resolve(),
};

type Hashes = Map<bigint, string>;

/** A chain with its hashes; blocks of the set up to its head are passed over. */
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

/** @returns how many heights were compared, and how many differ */
async function compareSet(golden: string, name: string): Promise<{ heights: number; differing: number }> {
	const root = mkdtempSync(join(tmpdir(), "coin-heights-"));
	try {
		const recorded = recordedSet(name, golden);
		const { config } = recorded;
		// The recorded nodes had no library for the trees of notes.
		const shielded = { ...config.node.shielded, verifiesProofs: false };
		const set = { ...recorded, config: { ...config, node: { ...config.node, shielded, stateHash: true } } };
		const whole = await follow(set, join(root, "whole"), {});
		await whole.open.close();
		const half = await follow(set, join(root, "half"), {}, Math.floor(set.blocks.length / 2));
		await half.open.flushNow();
		const copy = await restored(set, half.open, join(root, "half"), root);
		await half.open.close();
		const others = [await follow(set, copy, { keptBlocks: 65_536 })];
		const directory = ADOPTED[name];
		if (directory && existsSync(join(golden, "db", directory)))
			others.push(await follow(set, await adopted(set, golden, directory, root), {}));
		let [heights, differing] = [0, 0];
		for (const { open, hashes } of [half, ...others]) {
			if (open !== half.open) await open.close();
			for (const [number, hash] of hashes) {
				heights++;
				if (whole.hashes.get(number) === hash) continue;
				if (differing++ === 0) process.stderr.write(`${name}: block ${number} differs\n`);
			}
		}
		process.stdout.write(`${JSON.stringify({ set: name, nodes: 2 + others.length, heights, differing })}\n`);
		return { heights, differing };
	} finally {
		rmSync(root, { recursive: true, force: true });
	}
}

const [golden, ...names] = process.argv.slice(2);
if (!golden) throw new Error("usage: npm run tool hash:heights -- FOLDER [SET...]");
let isRight = true;
for (const name of names.length > 0 ? names : Object.keys(ADOPTED)) {
	const { heights, differing } = await compareSet(golden, name);
	isRight &&= heights > 0 && differing === 0;
}
process.exitCode = isRight ? 0 : 1;
