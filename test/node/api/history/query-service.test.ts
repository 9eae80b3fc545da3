import { expect, test } from "vitest";
import type { ApiNode } from "../../../../src/node/api/context.js";
import { Documents } from "../../../../src/node/api/history/documents.js";
import type { StateView } from "../../../../src/node/state/view.js";
import { SignedBlock } from "../../../../src/protocol/block.js";

import {
	Block,
	BlockHeader,
	BlockHeaderRaw,
	Transaction,
	TransactionInfo,
	TransactionInfoLog,
	TransactionRaw,
	TransactionRet,
} from "../../../../src/protocol/messages.js";

test("documents of logs are made when they are asked for, and those that are counted are the same ones", () => {
	const block = SignedBlock.decode(
		Block.encode(
			Block.create({
				transactions: [Transaction.create({ raw_data: TransactionRaw.create({ timestamp: 1n }) })],
				block_header: BlockHeader.create({ raw_data: BlockHeaderRaw.create({ number: 7n }) }),
			}),
		),
	);
	const lengths = [1, 100_000, 5_000_000, 2];
	const log = lengths.map((length) =>
		TransactionInfoLog.create({ address: new Uint8Array(20), data: new Uint8Array(length) }),
	);
	const receipts = TransactionRet.create({ transactioninfo: [TransactionInfo.create({ log })] });
	const encoded = TransactionRet.encode(receipts);
	let made = 0;
	const state = {
		blockIndex: { get: () => block.id },
		block: { get: () => block.bytes },
		backend: { get: () => encoded },
		abi: { get: () => undefined },
		contract: { get: () => void made++ },
	} as unknown as StateView;
	const node = { view: () => state, config: { node: { dialect: "neutral" } } } as unknown as ApiNode;
	const found = [...new Documents(node).ofBlock("contractlogs", 7, false)];
	// The long ones are made to see whether they are there: the third is not.
	expect(made).toBe(1);
	expect(found.map((one) => one !== undefined)).toEqual([true, true, false, true]);
	const ids = found.flatMap((one) => (one ? [one.message()?.id.slice(64)] : []));
	expect(ids).toEqual(["_1", "_2", "_4"]);
	expect([...new Documents(node).ofBlock("events", 7, false)].filter((one) => one)).toEqual([]);
});
