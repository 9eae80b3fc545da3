/** Leaving old blocks where a reference node wrote them (protocol/adoption §6): what has to be so, and what is noted. */

import { join } from "node:path";
import { toHex } from "../../protocol/bytes.js";
import { identitiesOf, STORES_IN_PLACE } from "../chain/adopted-blocks.js";
import type { AdoptedBlocksNote } from "../chain/data-directory.js";
import { AdoptionError } from "./adoption-error.js";
import { TableLookup } from "./engine/table-lookup.js";
import type { Judgement } from "./judgement.js";
import type { SourceReader } from "./source-reader.js";

/**
 * What a node has to know to read the old blocks of a source.
 * @throws {OperatorError} if something in the tables was deleted afterwards: what is deleted isn't noted
 */
export async function noteInPlace(
	reader: SourceReader,
	{ head, lowest }: Judgement,
): Promise<AdoptedBlocksNote> {
	const { path, stores } = reader.source;
	const names = STORES_IN_PLACE.filter((name) => stores.includes(name));
	const identities = identitiesOf(path, names);
	await reader.use(names);
	for (const name of names) await refuseDeletions(reader, name);
	return { format: 1, path, lowest: Number(lowest), head: Number(head.number), identities };
}

async function refuseDeletions(reader: SourceReader, name: string): Promise<void> {
	const deleted = reader.latest(name).filter(({ value }) => !value);
	if (deleted.length === 0) return;
	const tables = await TableLookup.open(join(reader.source.path, name));
	try {
		const hidden = deleted.find(({ key }) => tables.get(key));
		if (!hidden) return;
		throw new AdoptionError(
			`a log of the store ${name} deletes what its tables hold at ${toHex(hidden.key)}: use --blocks copy, or let the reference node open and close the data once`,
		);
	} finally {
		tables.close();
	}
}
