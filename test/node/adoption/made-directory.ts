/** A reference node's directory on the disk, as LevelDB writes it. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { fromKey } from "../../../src/protocol/bytes.js";
import { youngStore } from "./engine/made-files.js";
import type { Stores } from "./fake-source.js";

/** How the entries of a store come to the disk: into tables, or last into the log. */
type Placing = (store: string, key: Uint8Array, value: Uint8Array) => "table" | "log";

/** Writes every store; that of prices is empty, and without the name of its order, as RocksDB leaves a young one. */
export async function writeDirectory(
	root: string,
	stores: Stores,
	placing: Placing = () => "table",
): Promise<void> {
	for (const [name, entries] of stores) {
		const directory = join(root, name);
		mkdirSync(directory);
		if (name === "market_pair_price_to_order") {
			for (const [file, bytes] of youngStore([])) writeFileSync(join(directory, file), bytes);
		} else await writeStore(directory, name, entries, placing);
	}
}

async function writeStore(
	directory: string,
	name: string,
	entries: ReadonlyMap<string, Uint8Array>,
	placing: Placing,
): Promise<void> {
	const rows = [...entries].map(([key, value]) => [fromKey(key), value] as const);
	for (const wanted of ["table", "log"] as const) {
		const db = new ClassicLevel<Uint8Array, Uint8Array>(directory, {
			keyEncoding: "view",
			valueEncoding: "view",
		});
		await db.open();
		const placed = rows.filter(([key, value]) => placing(name, key, value) === wanted);
		await db.batch(placed.map(([key, value]) => ({ type: "put" as const, key, value })));
		if (wanted === "table") {
			await db.compactRange(new Uint8Array(0), new Uint8Array(64).fill(0xff), { keyEncoding: "view" });
		}
		await db.close();
	}
}
