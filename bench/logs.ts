/**
 * eth_getLogs over a long chain: a hundred thousand blocks whose transfers of busy tokens leave logs, and one quiet
 * contract with a log in every twenty thousandth block. The blocks are written, not executed.
 *
 * npm run tool bench:logs -- [blocks]
 */

import { rpcAnswersOf } from "../src/node/api/jsonrpc/answers.js";
import type { LogFilter } from "../src/node/api/jsonrpc/log-filter.js";
import { queryLogs } from "../src/node/api/jsonrpc/log-query.js";
import { indexLogs } from "../src/node/chain/section-bloom.js";
import { createMemoryDatabase } from "../src/node/state/database.js";
import { StateDatabase } from "../src/node/state/state-database.js";
import { createView, type StateView } from "../src/node/state/view.js";
import { be64 } from "../src/protocol/bytes.js";
import { sha256 } from "../src/protocol/hash.js";
import { TransactionInfo, TransactionInfoLog, TransactionRet } from "../src/protocol/messages.js";

const STYLE = rpcAnswersOf({ release: "4.8.2" }).objects;

const TOKENS = 50;
const HOLDERS = 5_000;
const TRANSFERS_A_BLOCK = 4;
const QUIET_EVERY = 20_000;
const RUNS = 20;

const hashOf = (text: string): Uint8Array => sha256(Buffer.from(text));
const token = (i: number): Uint8Array => hashOf(`token ${i}`).subarray(0, 20);
const holder = (i: number): Uint8Array => hashOf(`holder ${i}`);
const QUIET = hashOf("quiet").subarray(0, 20);
const TRANSFER = hashOf("Transfer");

async function chainOf(blocks: number): Promise<StateView> {
	const database = await StateDatabase.open(createMemoryDatabase());
	const seed = { genesisTimestampMs: 0n, maintenanceIntervalMs: 0n, committee: () => 0n };
	const state = createView(database.headBackend, seed);
	for (let n = 1; n <= blocks; n++) {
		const logs = Array.from({ length: TRANSFERS_A_BLOCK }, (_, i) =>
			TransactionInfoLog.create({
				address: token((n * 7 + i) % TOKENS),
				topics: [TRANSFER, holder((n * 13 + i) % HOLDERS), holder((n * 31 + i) % HOLDERS)],
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

const blocks = Number(process.argv[2] ?? 100_000);
const state = await chainOf(blocks);
const everywhere = { from: 0n, to: BigInt(blocks), isOneBlock: false };
const queries: readonly (readonly [string, LogFilter])[] = [
	["a quiet contract", { ...everywhere, addresses: [QUIET], topics: [] }],
	["one holder of one token", { ...everywhere, addresses: [token(3)], topics: [[TRANSFER], [holder(17)]] }],
	["a contract without logs", { ...everywhere, addresses: [hashOf("absent").subarray(0, 20)], topics: [] }],
];
for (const [query, filter] of queries) {
	const times: number[] = [];
	let logs = 0;
	for (let run = 0; run < RUNS; run++) {
		const started = performance.now();
		logs = 0;
		const sink = { add: () => logs++, drop: () => {}, admit: () => undefined };
		await queryLogs(() => state, filter, STYLE, 0, sink);
		times.push(performance.now() - started);
	}
	times.sort((a, b) => a - b);
	const ms = (at: number): number => Math.round((times[Math.floor(RUNS * at)] as number) * 100) / 100;
	process.stdout.write(`${JSON.stringify({ query, blocks, logs, p50Ms: ms(0.5), maxMs: ms(0.99) })}\n`);
}
