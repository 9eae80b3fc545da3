/**
 * Delay from a block's slot until all subscribers have received it: WebSocket clients in this process, a
 * development chain with a block per second in another. Prints median and maximum in milliseconds.
 *
 * npm run tool bench:subscriptions -- [subscribers…]
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { type Served, serve } from "./api/served-chain.js";

const BLOCKS = 20;
/** Connections opened concurrently. */
const AT_ONCE = 50;

interface Head {
	readonly params?: { readonly result: { readonly number: string } };
}

/** When the first and the last subscriber received a block; ms since 1970. */
interface Heard {
	readonly firstMs: number;
	lastMs: number;
	count: number;
}

async function subscribe(port: number, heard: Map<number, Heard>): Promise<WebSocket> {
	const socket = new WebSocket(`ws://127.0.0.1:${port}/jsonrpc`);
	await once(socket, "open");
	socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}');
	await once(socket, "message");
	socket.on("message", (bytes: Buffer) => {
		const nowMs = Date.now();
		const { params } = JSON.parse(bytes.toString()) as Head;
		const number = Number(params?.result.number);
		const known = heard.get(number);
		if (!known) heard.set(number, { firstMs: nowMs, lastMs: nowMs, count: 1 });
		else {
			known.count++;
			known.lastMs = nowMs;
		}
	});
	return socket;
}

/** Slot time of a block; ms since 1970. */
async function slotOf(port: number, number: number): Promise<number> {
	const answer = await fetch(`http://127.0.0.1:${port}/wallet/getblockbynum?num=${number}`);
	const block = (await answer.json()) as {
		readonly block_header: { readonly raw_data: { readonly timestamp: number } };
	};
	return block.block_header.raw_data.timestamp;
}

const median = (values: readonly number[]): number =>
	[...values].sort((a, b) => a - b)[values.length >> 1] as number;

async function measure({ http, jsonrpc }: Served, subscribers: number): Promise<void> {
	const heard = new Map<number, Heard>();
	const sockets: WebSocket[] = [];
	while (sockets.length < subscribers) {
		const some = Math.min(AT_ONCE, subscribers - sockets.length);
		sockets.push(...(await Promise.all(Array.from({ length: some }, () => subscribe(jsonrpc, heard)))));
	}
	heard.clear();
	while ([...heard.values()].filter(({ count }) => count === subscribers).length < BLOCKS) {
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
	const spread: number[] = [];
	const afterSlot: number[] = [];
	for (const [number, { firstMs, lastMs, count }] of heard) {
		if (count < subscribers) continue;
		spread.push(lastMs - firstMs);
		afterSlot.push(lastMs - (await slotOf(http, number)));
	}
	console.log(
		JSON.stringify({
			subscribers,
			blocks: spread.length,
			firstToLast: { median: median(spread), worst: Math.max(...spread) },
			slotToLast: { median: median(afterSlot), worst: Math.max(...afterSlot) },
		}),
	);
	for (const socket of sockets) socket.terminate();
}

if (process.argv[2] === "--serve") await serve();
else {
	const child: ChildProcess = fork(fileURLToPath(import.meta.url), ["--serve"]);
	const [served] = (await once(child, "message")) as [Served];
	const counts = process.argv.slice(2).map(Number);
	for (const count of counts.length > 0 ? counts : [1, 1_000]) await measure(served, count);
	child.kill();
}
