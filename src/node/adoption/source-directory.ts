/** A reference node's data directory: where its stores lie, and whether they are the same as before (protocol/adoption §1). */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { AdoptionError } from "./adoption-error.js";
import type { ForeignStore } from "./engine/foreign-store.js";

/** What an adoption reads. Tests have their own. */
export interface Source {
	/** The folder that holds the stores. */
	readonly path: string;
	/** Names of the stores, ascending. */
	readonly stores: readonly string[];
	/** Stores that hold what was being written last, oldest first; those of version 2 have a path of two parts. */
	readonly checkpoints: readonly string[];
	/** Something that differs once any file was written. */
	readonly fingerprint: string;
	/** Opens a store for reading. @throws {OperatorError} that names the file */
	open(name: string): Promise<ForeignStore>;
}

/** Opens one store, by its directory. */
type OpenStore = (directory: string) => Promise<ForeignStore>;

/** A store without which there is no state. */
const LANDMARK = "properties";
const CHECKPOINTS = "checkpoint";
const FIRST_CHECKPOINT = "tmp";

/** Files that engines rewrite although nothing changes. */
const RESTLESS = /^(LOCK|LOG|LOG\.old.*)$/;

/**
 * Finds the stores under a directory: the node's own (`output-directory`), its `database`, or one level above.
 * @throws {AdoptionError} if there are none, or if a node has them open
 */
export function openSourceDirectory(directory: string, openStore: OpenStore): Source {
	const path = findStores(directory);
	const stores = directoriesIn(path).filter((name) => name !== CHECKPOINTS && !name.startsWith("."));
	for (const name of stores) refuseHeld(join(path, name));
	const second = directoriesIn(join(path, CHECKPOINTS)).map((name) => `${CHECKPOINTS}/${name}`);
	const first = stores.includes(FIRST_CHECKPOINT) ? [FIRST_CHECKPOINT] : [];
	const checkpoints = second.length > 0 ? second : first;
	return {
		path,
		stores: stores.filter((name) => name !== FIRST_CHECKPOINT),
		checkpoints,
		fingerprint: fingerprintOf(path, [...stores, ...second]),
		open: (name) => openStore(join(path, name)),
	};
}

function findStores(directory: string): string {
	const places = ["", "database", join("output-directory", "database")].map((place) =>
		join(directory, place),
	);
	const found = places.find((place) => existsSync(join(place, LANDMARK, "CURRENT")));
	if (found) return found;
	const named = places.find((place) => existsSync(join(place, LANDMARK)));
	if (named) throw new AdoptionError(`${join(named, LANDMARK, "CURRENT")} is missing`);
	throw new AdoptionError(
		`${directory} holds no data of a reference node: there is no store ${LANDMARK} in it`,
	);
}

/** Links lead to stores that lie elsewhere. */
function directoriesIn(path: string): string[] {
	if (!existsSync(path)) return [];
	return readdirSync(path)
		.filter((name) => statSync(join(path, name), { throwIfNoEntry: false })?.isDirectory())
		.sort();
}

/** Sizes and times of all files: an engine that opens a store for writing begins new ones. */
function fingerprintOf(path: string, stores: readonly string[]): string {
	const hash = createHash("sha256");
	for (const store of stores) {
		for (const name of readdirSync(join(path, store)).sort()) {
			if (RESTLESS.test(name)) continue;
			const { size, mtimeMs } = statSync(join(path, store, name));
			hash.update(`${store}/${name} ${size} ${Math.trunc(mtimeMs)}\n`);
		}
	}
	return hash.digest("hex");
}

/** Both engines hold a POSIX lock on the file LOCK while they have a store open; Linux lists those by inode. */
function refuseHeld(store: string): void {
	const lock = join(store, "LOCK");
	const inode = statSync(lock, { throwIfNoEntry: false })?.ino;
	if (inode === undefined || !existsSync("/proc/locks")) return;
	const held = readFileSync("/proc/locks", "latin1").includes(`:${inode} `);
	if (held)
		throw new AdoptionError(`${lock} is held: the node that writes this directory must be stopped first`);
}
