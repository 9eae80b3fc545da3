/**
 * A long chain in memory, written without execution: each block has logs of busy tokens, and every 20,000th
 * one of a quiet contract.
 */

import { indexLogs } from "../../src/node/chain/section-bloom.js";
import { createMemoryDatabase } from "../../src/node/state/database.js";
import { StateDatabase } from "../../src/node/state/state-database.js";
import { createView, type StateView } from "../../src/node/state/view.js";
import { be64 } from "../../src/protocol/bytes.js";
import { sha256, useFastHashing } from "../../src/protocol/hash.js";
import { TransactionInfo, TransactionInfoLog, TransactionRet } from "../../src/protocol/messages.js";

const TOKENS = 50;
const HOLDERS = 5_000;
const TRANSFERS_A_BLOCK = 4;
const QUIET_EVERY = 20_000;

const hashOf = (text: string): Uint8Array => sha256(Buffer.from(text));
const hashes = (count: number, name: string, length: number): readonly Uint8Array[] =>
	Array.from({ length: count }, (_, i) => hashOf(`${name} ${i}`).subarray(0, length));
const tokens = hashes(TOKENS, "token", 20);
const holders = hashes(HOLDERS, "holder", 32);
const token = (i: number): Uint8Array => tokens[i % TOKENS] as Uint8Array;
const holder = (i: number): Uint8Array => holders[i % HOLDERS] as Uint8Array;
const QUIET = hashOf("quiet").subarray(0, 20);
const TRANSFER = hashOf("Transfer");

/** Filters by name. */
export const LOG_QUERIES: Readonly<
	Record<string, { readonly addresses: Uint8Array[]; readonly topics: Uint8Array[][] }>
> = {
	"a quiet contract": { addresses: [QUIET], topics: [] },
	"one holder of one token": { addresses: [token(3)], topics: [[TRANSFER], [holder(17)]] },
	"a contract without logs": { addresses: [hashOf("absent").subarray(0, 20)], topics: [] },
};

export async function writtenChain(blocks: number): Promise<StateView> {
	await useFastHashing();
	const database = await StateDatabase.open(createMemoryDatabase());
	const seed = { genesisTimestampMs: 0n, maintenanceIntervalMs: 0n, committee: () => 0n };
	const state = createView(database.baseBackend, seed);
	for (let n = 1; n <= blocks; n++) {
		const logs = Array.from({ length: TRANSFERS_A_BLOCK }, (_, i) =>
			TransactionInfoLog.create({
				address: token(n * 7 + i),
				topics: [TRANSFER, holder(n * 13 + i), holder(n * 31 + i)],
			}),
		);
		if (n % QUIET_EVERY === 0) logs.push(TransactionInfoLog.create({ address: QUIET, topics: [TRANSFER] }));
		const infos = [TransactionInfo.create({ id: hashOf(`transaction ${n}`), log: logs })];
		const number = BigInt(n);
		state.blockIndex.put(be64(number), hashOf(`block ${n}`));
		state.transactionResult.put(be64(number), TransactionRet.create({ transactioninfo: infos }));
		indexLogs(state, number, infos);
	}
	state.properties.set("latest_block_header_number", BigInt(blocks));
	return state;
}
