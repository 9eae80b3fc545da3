/**
 * Blocks on the peer protocol's wire: compressed and framed for sending; split from a stream and uncompressed
 * when receiving. It must not be the bottleneck of a sync.
 *
 * npm run tool bench:frames -- [folder of a recorded set]
 */

import { basename, join } from "node:path";
import { readBlockFile } from "../src/node/chain/block-file.js";
import { ApplicationType } from "../src/node/network/wire/application-messages.js";
import { FrameWriter, unwrap } from "../src/node/network/wire/envelope.js";
import { FrameReader } from "../src/node/network/wire/frames.js";
import { Block } from "../src/protocol/messages.js";
import { DEFAULT_SET } from "./recorded/default-set.js";

const folder = process.argv[2] ?? DEFAULT_SET;
const ROUNDS = 7;
/** Size of a socket's chunk. */
const PIECE = 65_536;

const blocks: Uint8Array[] = [];
for await (const bytes of readBlockFile(join(folder, `${basename(folder)}.ndjson.br`)))
	blocks.push(new Uint8Array(bytes));
/** A block of two megabytes, with transactions of several blocks. */
const all = blocks.map((bytes) => Block.decode(bytes));
const large = Block.copy(all[0] as Block);
large.transactions = all.flatMap(({ transactions }) => transactions);
while (Block.size(large) < 1_900_000) large.transactions = [...large.transactions, ...large.transactions];
while (Block.size(large) > 2_000_000) large.transactions = large.transactions.slice(0, -100);

function measure(payloads: readonly Uint8Array[]): object {
	const bytes = payloads.reduce((sum, { length }) => sum + length, 0);
	const transactions = payloads.reduce((sum, payload) => sum + Block.decode(payload).transactions.length, 0);
	const writer = new FrameWriter();
	const frames = payloads.map((payload) => writer.application(ApplicationType.BLOCK, payload, true));
	const stream = Buffer.concat(frames);
	const write = best(() => {
		for (const payload of payloads) writer.application(ApplicationType.BLOCK, new Uint8Array(payload), true);
	});
	const read = best(() => {
		const reader = new FrameReader();
		let count = 0;
		for (let at = 0; at < stream.length; at += PIECE) {
			reader.push(stream.subarray(at, at + PIECE));
			for (let body = reader.next(); body !== undefined; body = reader.next())
				count += unwrap(body).length > 0 ? 1 : 0;
		}
		if (count !== payloads.length) throw new Error("lost a block");
	});
	return {
		blocks: payloads.length,
		transactions,
		bytes,
		compressedTo: Number((stream.length / bytes).toFixed(3)),
		write: rates(write, bytes, payloads.length, transactions),
		read: rates(read, bytes, payloads.length, transactions),
	};
}

/** Shortest of several rounds, in milliseconds. */
function best(run: () => void): number {
	let shortest = Number.POSITIVE_INFINITY;
	for (let round = 0; round < ROUNDS; round++) {
		const started = performance.now();
		run();
		shortest = Math.min(shortest, performance.now() - started);
	}
	return shortest;
}

function rates(ms: number, bytes: number, count: number, transactions: number): object {
	return {
		megabytesPerSecond: Math.round(bytes / ms / 1000),
		blocksPerSecond: Math.round((count / ms) * 1000),
		transactionsPerSecond: Math.round((transactions / ms) * 1000),
	};
}

console.log(
	JSON.stringify({ recorded: measure(blocks), full: measure([Block.encode(large)]) }, undefined, "\t"),
);
