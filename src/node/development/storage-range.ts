/** The storage of a contract, row by row (protocol/development-chain §4.6). */

import { toBase58Check } from "../../protocol/address.js";
import { toHex, toKey } from "../../protocol/bytes.js";
import type { OpenChain } from "../chain/open-chain.js";
import { stores } from "../state/definition.js";
import { TraceError } from "../tracing/limits.js";
import { storageRowKey } from "../vm/storage-keys.js";

interface StorageRange {
	/** By row key, hexadecimal. */
	readonly rows: readonly { readonly key: string; readonly value: string }[];
	/** Where the next range starts; undefined: none left. */
	readonly nextKey: string | undefined;
}

/** Storage rows of a contract, in key order. @param startKey hexadecimal */
export async function storageRange(
	open: OpenChain,
	address: Uint8Array,
	startKey: string,
	limit: number,
): Promise<StorageRange> {
	const contract = open.chain.state.contract.get(address);
	if (!contract) throw new TraceError(`there is no contract at ${toBase58Check(address)}`);
	const { trx_hash: creationId, version } = contract;
	const prefix = toKey(storageRowKey({ address, creationId, version }, 0)).slice(0, 16);
	const rows: { key: string; value: string }[] = [];
	for await (const [key, value] of open.database.dump(stores.storageRow)) {
		// A row of zeros (#99) counts as missing.
		if (!key.startsWith(prefix) || value.every((byte) => byte === 0)) continue;
		const name = Buffer.from(key, "latin1").toString("hex");
		if (name < startKey) continue;
		if (rows.length === limit) return { rows, nextKey: name };
		rows.push({ key: name, value: toHex(value) });
	}
	return { rows, nextKey: undefined };
}
