/** A reference node's data directory: locates its stores, and detects changes since an earlier run (protocol/adoption §1). */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { AdoptionError } from "./adoption-error.js";
import { reading } from "./engine/foreign-file.js";
import type { ForeignStore } from "./engine/foreign-store.js";
import { OpenMemory } from "./engine/limits.js";
import { READ_STORES } from "./source-stores.js";

/** What an adoption reads from; tests have their own. */
export interface Source {
	/** The directory that holds the stores. */
	readonly path: string;
	/** Names of the stores, ascending. */
	readonly stores: readonly string[];
	/** Checkpoint stores, oldest first; those of version 2 have two-part paths. */
	readonly checkpoints: readonly string[];
	/** Changes whenever any relevant file was written. */
	readonly fingerprint: string;
	/** Opens a store for reading. @throws {OperatorError} that names the file */
	open(name: string): Promise<ForeignStore>;
}

/** Opens one store by directory; all open ones share a memory budget. */
type OpenStore = (directory: string, shared: { readonly memory: OpenMemory }) => Promise<ForeignStore>;

/** A store without which there is no state. */
const LANDMARK = "properties";
const CHECKPOINTS = "checkpoint";
const FIRST_CHECKPOINT = "tmp";

/** Files that engines rewrite without any change in contents. */
const RESTLESS = /^(LOCK|LOG|LOG\.old.*)$/;

/**
 * Finds the stores under a directory: the node's own (`output-directory`), its `database`, or one level up.
 * @throws {OperatorError} if there are none, if they can't be looked into, or if a node has them open
 */
export function openSourceDirectory(directory: string, openStore: OpenStore): Source {
	const path = findStores(directory);
	const stores = directoriesIn(path).filter((name) => name !== CHECKPOINTS && !name.startsWith("."));
	const read = stores.filter((name) => READ_STORES.includes(name) || name === FIRST_CHECKPOINT);
	for (const name of read) refuseHeld(join(path, name));
	const second = directoriesIn(join(path, CHECKPOINTS)).map((name) => `${CHECKPOINTS}/${name}`);
	const first = stores.includes(FIRST_CHECKPOINT) ? [FIRST_CHECKPOINT] : [];
	const checkpoints = second.length > 0 ? second : first;
	const memory = new OpenMemory();
	return {
		path,
		stores: stores.filter((name) => name !== FIRST_CHECKPOINT),
		checkpoints,
		fingerprint: fingerprintOf(path, [...read, ...second]),
		open: (name) => openStore(join(path, name), { memory }),
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

function directoriesIn(path: string): string[] {
	if (!existsSync(path)) return [];
	return reading(path, () => readdirSync(path))
		.filter((name) => isDirectory(join(path, name)))
		.sort();
}

/** Follows links. What can't be inspected counts as a directory: it is refused only if it is read. */
function isDirectory(path: string): boolean {
	try {
		return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
	} catch {
		return true;
	}
}

/** Sizes and times of all files: an engine that opens a store for writing creates new ones. */
function fingerprintOf(path: string, stores: readonly string[]): string {
	const hash = createHash("sha256");
	for (const store of stores) {
		const directory = join(path, store);
		for (const name of reading(directory, () => readdirSync(directory)).sort()) {
			if (RESTLESS.test(name)) continue;
			const file = join(directory, name);
			const found = reading(file, () => statSync(file, { throwIfNoEntry: false }));
			if (found) hash.update(`${store}/${name} ${found.size} ${Math.trunc(found.mtimeMs)}\n`);
		}
	}
	return hash.digest("hex");
}

/** Both engines hold a POSIX lock on LOCK while a store is open; Linux lists locks by inode. */
function refuseHeld(store: string): void {
	const lock = join(store, "LOCK");
	const inode = reading(lock, () => statSync(lock, { throwIfNoEntry: false }))?.ino;
	if (inode === undefined || !existsSync("/proc/locks")) return;
	const held = readFileSync("/proc/locks", "latin1").includes(`:${inode} `);
	if (held)
		throw new AdoptionError(`${lock} is held: the node that writes this directory must be stopped first`);
}
