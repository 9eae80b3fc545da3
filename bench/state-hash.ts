/**
 * Entries hashed per second in a pass over a database on disk: a million accounts and three million storage
 * rows, by number of threads. The data set is created once and cached.
 *
 * npm run tool bench:state-hash -- [thousand accounts]
 */

import { openDataDirectory } from "../src/node/chain/data-directory.js";
import { stores } from "../src/node/state/definition.js";
import { hashDatabase } from "../src/node/state/state-hash/hash-database.js";
import { toHex } from "../src/protocol/bytes.js";
import { addEntries, keptFolder, type RawEntry } from "./large-state/data-set.js";
import { DATABASE_FOLDER, plainAccount } from "./large-state/network.js";

const accounts = 1_000 * Number(process.argv[2] ?? 1_000);

/** Ascending keys of a length, evenly spread like hashes. */
function* keys(count: number, length: number, first: number): Generator<Buffer> {
	for (let index = 0; index < count; index++) {
		const key = Buffer.alloc(length);
		key.writeUInt32BE(Math.floor((index / count) * 2 ** 32), first);
		for (let at = first + 4; at + 4 <= length; at += 4) {
			key.writeUInt32BE(Math.imul(index + at, 0x9e3779b1) >>> 0, at);
		}
		yield key;
	}
}

const kinds = [
	{ store: stores.account.index, count: accounts, length: 21, value: plainAccount },
	{ store: stores.storageRow.index, count: 3 * accounts, length: 32, value: () => Buffer.alloc(32, 7) },
].sort((a, b) => a.store - b.store);

function* entries(): Generator<RawEntry> {
	for (const { store, count, length, value } of kinds) {
		// Addresses start with a constant byte.
		const first = store === stores.storageRow.index ? 0 : 1;
		for (const key of keys(count, length, first)) {
			if (first === 1) key[0] = 0x41;
			yield [Buffer.concat([Uint8Array.of(store), key]), value(key)];
		}
	}
}

const folder = await keptFolder(`state-hash-${accounts}`, (path) => addEntries(path, entries()));
for (const threads of [1, 2, 1, 2]) {
	const database = await openDataDirectory(folder, DATABASE_FOLDER);
	const started = performance.now();
	const cpu = process.cpuUsage();
	const value = (await hashDatabase(database, () => true, threads))?.value();
	const seconds = (performance.now() - started) / 1000;
	const { user, system } = process.cpuUsage(cpu);
	await database.close();
	const line = {
		threads,
		entries: value?.entries,
		seconds: Number(seconds.toFixed(2)),
		perSecond: Math.round((value?.entries ?? 0) / seconds),
		cpuSeconds: Number(((user + system) / 1e6).toFixed(2)),
		hash: toHex(value?.hash ?? new Uint8Array(0)).slice(0, 16),
	};
	process.stdout.write(`${JSON.stringify(line)}\n`);
}
