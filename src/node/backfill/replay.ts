/**
 * The thread's side: re-executes the node's blocks from the first on its own chain, which keeps history, and
 * sends that history. Its chain is on disk, so that it resumes after a crash.
 */

import { SignedBlock } from "../../protocol/block.js";
import type { OpenChain } from "../chain/open-chain.js";
import {
	blockOfBeforeKey,
	decodeIndex,
	decodeRow,
	encodeIndex,
	encodeRow,
	KINDS,
} from "../state/history-format.js";
import type { BackfillChannel, FromReplay, HistoryRows, ToReplay } from "./messages.js";

/** Rows per message. */
const ROWS = 1_000;
const ROW_BYTES = 1 << 20;

interface Replayed {
	readonly open: Pick<OpenChain, "chain" | "database" | "throttle" | "flushNow" | "readAhead">;
	readonly channel: BackfillChannel<ToReplay, FromReplay>;
	/** The block up to which changes are needed. */
	readonly target: number;
	/** Monotonic milliseconds. */
	readonly now: () => number;
	readonly pause: (ms: number) => Promise<void>;
}

/** Replays the blocks up to the target and sends their changes. @throws {ChainError | ChannelClosed} */
export async function replayHistory(replayed: Replayed): Promise<void> {
	const { open, channel, target } = replayed;
	while (open.chain.head.number < BigInt(target)) await replaySome(replayed);
	// The node can't revert these blocks any more, so they are final here too.
	open.database.settle(BigInt(target));
	await open.flushNow();
	const history = open.database.changeHistory;
	if (!history) throw new Error("the chain of a replay keeps no history");
	const { first } = history.status;
	let rows: (readonly [Uint8Array, Uint8Array])[] = [];
	let bytes = 0;
	for await (const row of rowsUpTo(history.storedRows(), target)) {
		rows.push(row);
		bytes += row[0].length + row[1].length;
		if (rows.length < ROWS && bytes < ROW_BYTES) continue;
		await handOver(channel, rows);
		rows = [];
		bytes = 0;
	}
	await handOver(channel, rows);
	channel.send({ kind: "end", first });
}

async function replaySome({ open, channel, now, pause }: Replayed): Promise<void> {
	channel.send({ kind: "blocks", from: Number(open.chain.head.number) + 1 });
	const answer = await channel.next();
	if (answer.kind !== "blocks") throw new Error("the node answers otherwise than it was asked");
	if (answer.blocks.length === 0) throw new Error("the node has no block that its history begins above");
	const started = now();
	for (const bytes of answer.blocks) {
		const block = SignedBlock.decode(bytes);
		await open.readAhead(block);
		// The node verified the block, signatures included, when it arrived.
		open.chain.push(block, "restored");
		await open.throttle();
	}
	// At most half of one core.
	await pause(now() - started);
}

async function handOver(channel: BackfillChannel<ToReplay, FromReplay>, rows: HistoryRows): Promise<void> {
	if (rows.length === 0) return;
	channel.send({ kind: "rows", rows });
	if ((await channel.next()).kind !== "kept") throw new Error("the node answers otherwise than it was asked");
}

/** The rows of a history without changes made after block `last`. */
async function* rowsUpTo(
	rows: AsyncIterable<readonly [Uint8Array, Uint8Array]>,
	last: number,
): AsyncGenerator<readonly [Uint8Array, Uint8Array]> {
	for await (const [key, value] of rows) {
		switch (key[2]) {
			case KINDS.before:
				if (blockOfBeforeKey(key) <= last) yield [key, value];
				break;
			case KINDS.full: {
				const blocks = decodeRow(value);
				if ((blocks[0] ?? 0) <= last) yield [key, encodeRow(blocks.filter((block) => block <= last))];
				break;
			}
			case KINDS.newest: {
				const { fullRows, blocks } = decodeIndex(value);
				const kept = blocks.filter((block) => block <= last);
				if (fullRows > 0 || kept.length > 0) yield [key, encodeIndex({ fullRows, blocks: kept })];
				break;
			}
		}
	}
}
