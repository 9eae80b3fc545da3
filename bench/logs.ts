/**
 * eth_getLogs on a long chain: 100,000 blocks with logs of busy tokens, and a quiet contract with a log in
 * every 20,000th block. Blocks are written to the database without execution.
 *
 * npm run tool bench:logs -- [blocks]
 */

import { rpcAnswersOf } from "../src/node/api/jsonrpc/answers.js";
import { queryLogs } from "../src/node/api/jsonrpc/log-query.js";
import { LOG_QUERIES, writtenChain } from "./logs/written-chain.js";

const STYLE = rpcAnswersOf({ release: "4.8.2" }).objects;

const RUNS = 20;

const blocks = Number(process.argv[2] ?? 100_000);
const state = await writtenChain(blocks);
for (const [query, conditions] of Object.entries(LOG_QUERIES)) {
	const filter = { ...conditions, from: 0n, to: BigInt(blocks), isOneBlock: false };
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
