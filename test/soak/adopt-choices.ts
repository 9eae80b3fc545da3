/** Checks that adopting without old blocks yields the recorded lite data. */

import { join } from "node:path";
import { adopt, judgeSource } from "../../src/node/adoption/adoption.js";
import type { BlockChoice } from "../../src/node/adoption/adoption-mark.js";
import { openForeignStore } from "../../src/node/adoption/engine/foreign-store.js";
import { openSourceDirectory } from "../../src/node/adoption/source-directory.js";
import { loadConfig } from "../../src/node/config/config.js";
import { createMemoryDatabase, type KeyValueDatabase } from "../../src/node/state/database.js";
import { storeDefinitions } from "../../src/node/state/definition.js";
import { setAddressPrefix } from "../../src/protocol/address.js";
import { toHex } from "../../src/protocol/bytes.js";
import { unpack } from "./golden-directory.js";

/** Blocks that the recorded lite directory's tool was configured to keep. */
const LITE_BLOCKS = 256n;

async function adopted(
	golden: string,
	name: string,
	source: string,
	blocks: BlockChoice,
	keptBlocks: bigint,
): Promise<KeyValueDatabase> {
	const config = loadConfig(join(golden, "db", name, `${name}.conf`));
	setAddressPrefix(config.net.addressPrefix);
	const judged = await judgeSource(openSourceDirectory(source, openForeignStore), config);
	const database = createMemoryDatabase();
	await adopt(judged, database, "data", { config, blocks, keptBlocks, onProgress: () => true });
	return database;
}

async function entriesOf(database: KeyValueDatabase): Promise<Map<string, string>> {
	const all = new Map<string, string>();
	for (const { index, name } of storeDefinitions) {
		for await (const [key, value] of database.entries(Uint8Array.of(index)))
			all.set(`${name} ${toHex(key.subarray(1))}`, toHex(value));
	}
	return all;
}

/** Number of differing entries between full data adopted without old blocks, and recorded lite data. */
export async function differencesFromLite(golden: string, root: string): Promise<number> {
	const [full, lite] = ["level-clean", "level-lite"];
	for (const name of [full, lite]) unpack(join(golden, "db", name, "database.tar.br"), join(root, name));
	const none = await entriesOf(await adopted(golden, full, join(root, full), "none", LITE_BLOCKS));
	const wanted = await entriesOf(await adopted(golden, lite, join(root, lite), "copy", LITE_BLOCKS));
	const keys = new Set([...none.keys(), ...wanted.keys()]);
	return [...keys].filter((key) => none.get(key) !== wanted.get(key)).length;
}
