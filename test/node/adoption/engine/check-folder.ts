/**
 * `npm run tool check:stores -- <folder of recorded data directories>`: reads every store of each and compares its entries with
 * those that the reference has after it opened the directory, but for those that a checkpoint changes then.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { openForeignStore } from "../../../../src/node/adoption/engine/foreign-store.js";

type Entries = Map<string, string>;

async function entriesOf(directory: string): Promise<Entries> {
	const store = await openForeignStore(directory);
	for (const note of store.notes) console.log(`  ${note}`);
	const entries: Entries = new Map();
	for (const [key, value] of store.entries()) {
		entries.set(Buffer.from(key).toString("hex"), Buffer.from(value).toString("hex"));
	}
	store.close();
	return entries;
}

/** Keys that a checkpoint changes, as `<store>:<key>`: a row's key begins with the store's name behind its length. */
function changedKeys(rows: Entries): string[] {
	return [...rows.keys()].map((hex) => {
		const key = Buffer.from(hex, "hex");
		const end = 4 + key.readUInt32BE(0);
		return `${key.toString("latin1", 4, end)}:${key.toString("hex", end)}`;
	});
}

/** Balances of tokens follow their account. */
function isChanged(changed: ReadonlySet<string>, store: string, key: string): boolean {
	return (
		changed.has(`${store}:${key}`) ||
		(store === "account-asset" && changed.has(`account:${key.slice(0, 42)}`))
	);
}

async function checkSet(folder: string, database: string): Promise<string> {
	const after = JSON.parse(brotliDecompressSync(readFileSync(join(folder, "after.json.br"))).toString()) as {
		state: Record<string, Record<string, string>>;
	};
	const checkpoints = [
		"tmp",
		...listed(join(database, "checkpoint")).map((name) => join("checkpoint", name)),
	];
	const changed = new Set<string>();
	for (const name of checkpoints.filter((each) => existsSync(join(database, each)))) {
		for (const key of changedKeys(await entriesOf(join(database, name)))) changed.add(key);
	}
	let read = 0;
	const wrong: string[] = [];
	const stores = readdirSync(database, { withFileTypes: true }).filter(
		(entry) => entry.isDirectory() && entry.name !== "checkpoint",
	);
	for (const { name } of stores) {
		const found = await entriesOf(join(database, name));
		read += found.size;
		const wanted = after.state[name];
		if (!wanted) continue;
		const differing = [...new Set([...found.keys(), ...Object.keys(wanted)])].filter(
			(key) => found.get(key) !== wanted[key] && !isChanged(changed, name, key),
		);
		if (differing.length > 0) wrong.push(`${name} ${differing.length}`);
	}
	return `${stores.length} stores, ${read} entries; ${wrong.length === 0 ? "all equal" : `different: ${wrong.join(", ")}`}`;
}

function listed(directory: string): string[] {
	return existsSync(directory) ? readdirSync(directory) : [];
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("which folder?");
for (const set of readdirSync(folder)) {
	const packed = join(folder, set, "database.tar.br");
	if (!existsSync(packed)) continue;
	const directory = mkdtempSync(join(tmpdir(), "coin-stores-"));
	try {
		const tar = brotliDecompressSync(readFileSync(packed));
		execFileSync("tar", ["xf", "-", "-C", directory], { input: tar });
		console.log(`${set}: ${await checkSet(join(folder, set), join(directory, "output-directory/database"))}`);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}
