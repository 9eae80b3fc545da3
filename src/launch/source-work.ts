/** Passes contract sources to the node that has a data directory open, in a file that both can read. */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ContractSources, MAX_SOURCE_BYTES, SourceError } from "../node/history/contract-sources.js";
import { fromHex, toHex } from "../protocol/bytes.js";
import { Failure } from "../wallet/failure.js";
import { askToStoreSource } from "./control-client.js";

const HEAD = /^[0-9a-f]{42}\n/;

/** Stores the contents of a file: an address of 42 hexadecimal digits, a line feed, the record. @throws {SourceError} */
export function storeSourceFile(sources: Pick<ContractSources, "put">, file: string): void {
	const head = 64;
	if (statSync(file).size > MAX_SOURCE_BYTES + head)
		throw new SourceError(`the record is more than ${MAX_SOURCE_BYTES} bytes`);
	const text = readFileSync(file, "utf8");
	const address = HEAD.exec(text)?.[0];
	if (address === undefined) throw new SourceError("the file names no contract");
	sources.put(fromHex(address.trimEnd()), text.slice(address.length));
}

/**
 * Asks the node that has a data directory open to store a record.
 * @param address 21 bytes
 * @throws {Failure} `not_found` if no node has the directory open; `start_failed` with the node's message
 */
export async function giveSource(dataDirectory: string, address: Uint8Array, record: string): Promise<void> {
	const directory = mkdtempSync(join(tmpdir(), "coin-source-"));
	try {
		const file = join(directory, "record");
		writeFileSync(file, `${toHex(address)}\n${record}`, { mode: 0o600 });
		if (await askToStoreSource(dataDirectory, file)) return;
		throw new Failure("not_found", `no node has ${dataDirectory} open`, {
			hint: "start the node, or name its data directory with --output-directory",
		});
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}
