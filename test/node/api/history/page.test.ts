import { expect, test } from "vitest";
import type { ApiContext } from "../../../../src/node/api/context.js";
import { firstSince } from "../../../../src/node/api/history/page.js";
import { be64, readBe64, toHex } from "../../../../src/protocol/bytes.js";
import { Block, BlockHeader, BlockHeaderRaw } from "../../../../src/protocol/messages.js";

test("the first block since a time is found without receipts in a step a bit, and again at the next head without reading a block", async () => {
	const read: number[] = [];
	let head = 1_000n;
	const state = {
		properties: {
			get headNumber() {
				return head;
			},
		},
		blockIndex: { get: (height: Uint8Array) => height },
		block: {
			get: (id: Uint8Array) => {
				const number = readBe64(Buffer.from(id));
				read.push(Number(number));
				// Up to 9 nothing is stored any more.
				if (number < 10n) return undefined;
				const raw_data = BlockHeaderRaw.create({ number, timestamp: number * 3_000n });
				return Block.encode(Block.create({ block_header: BlockHeader.create({ raw_data }) }));
			},
		},
	};
	const context = {
		node: { view: () => state, history: { coverage: { lowest: 0 } } },
	} as unknown as ApiContext;
	expect(await firstSince(context, 1_500_000n)).toBe(500);
	expect(read.length).toBeGreaterThan(0);
	expect(read.length).toBeLessThanOrEqual(11);
	read.length = 0;
	head++;
	expect(await firstSince(context, 1_500_000n)).toBe(500);
	expect(read.filter((height) => height >= 10)).toEqual([]);
	for (const number of [1n, 9n, 10n, 11n, 512n, 513n, 1_000n, 1_001n, 1_002n]) {
		const first = Number(number < 10n ? 10n : number > 1_001n ? 1_002n : number);
		expect(await firstSince(context, number * 3_000n), toHex(be64(number))).toBe(first);
		expect(await firstSince(context, number * 3_000n - 1n), toHex(be64(number))).toBe(first);
	}
});
