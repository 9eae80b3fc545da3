import { expect, test } from "vitest";
import { blockId } from "../../../src/protocol/block.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { BlockHeaderRaw } from "../../../src/protocol/messages.js";
import type { JsonRecord } from "../../../src/wallet/json.js";
import { followBlocks } from "../../../src/wallet/node/block-follow.js";
import { answering } from "../answering-client.js";

/** A chain of blocks 0 to `last`; from `fork` on another branch, told apart by its time. */
function chain(last: number, fork = last + 1): JsonRecord[] {
	const blocks: JsonRecord[] = [];
	let parentHash = new Uint8Array(32);
	for (let number = 0; number <= last; number++) {
		const timestamp = BigInt(number < fork ? number : 1_000 + number);
		const raw = BlockHeaderRaw.create({ number: BigInt(number), timestamp, parentHash });
		const id = blockId(BigInt(number), sha256(BlockHeaderRaw.encode(raw)));
		blocks.push({
			blockID: toHex(id),
			block_header: { raw_data: { number: BigInt(number), timestamp, parentHash: toHex(parentHash) } },
		});
		parentHash = Uint8Array.from(id);
	}
	return blocks;
}

/** The first blocks that are followed on a node whose chain changes after so many of them. */
async function followed(count: number, from: bigint, first: JsonRecord[], after = count, then = first) {
	let current = first;
	const { client } = answering({
		getnowblock: () => current.at(-1) ?? {},
		getblockbynum: ({ num }) => current[Number(num)] ?? {},
	});
	const seen: string[] = [];
	for await (const { block, removed } of followBlocks(client, "full", from, async () => undefined)) {
		seen.push(`${removed ? "-" : ""}${block.number}${block.timestampMs >= 1_000n ? "'" : ""}`);
		if (seen.length === after) current = then;
		if (seen.length === count) return seen;
	}
	return seen;
}

test("blocks come in order, those between too", async () => {
	expect(await followed(3, 1n, chain(3))).toEqual(["1", "2", "3"]);
});

test("blocks that another branch replaced are taken back, newest first, before its own come", async () => {
	const steps = ["1", "2", "3", "-3", "-2", "2'", "3'", "4'"];
	expect(await followed(8, 1n, chain(3), 3, chain(4, 2))).toEqual(steps);
});
