/** Receipts of whole blocks; what one holds is compared with recordings. */

import { beforeAll, expect, test } from "vitest";
import { rpcAnswersOf } from "../../../../src/node/api/jsonrpc/answers.js";
import {
	receiptObject,
	receiptOf,
	receiptPieces,
	receiptsOf,
	sizeOfReceipts,
} from "../../../../src/node/api/jsonrpc/objects/receipt.js";
import { SignedBlock } from "../../../../src/protocol/block.js";
import { be64 } from "../../../../src/protocol/bytes.js";
import {
	Block,
	BlockHeader,
	BlockHeaderRaw,
	ResourceReceipt,
	Transaction,
	TransactionRaw,
	TransactionRet,
} from "../../../../src/protocol/messages.js";
import { infosOf, SmallChain } from "./small-chain.js";

const STYLE = rpcAnswersOf({ release: "4.8.2" }).objects;
let chain: SmallChain;

beforeAll(async () => {
	chain = await SmallChain.create();
	chain.state.properties.set("ENERGY_PRICE_HISTORY", "0:100");
});

function blockOf(transactions: number): SignedBlock {
	return SignedBlock.decode(
		Block.encode(
			Block.create({
				block_header: BlockHeader.create({
					raw_data: BlockHeaderRaw.create({ number: 5n, timestamp: 15_000n }),
				}),
				transactions: Array.from({ length: transactions }, (_, i) =>
					Transaction.create({ raw_data: TransactionRaw.create({ timestamp: BigInt(i) }) }),
				),
			}),
		),
	);
}

test("receipts of a block are those of its transactions, in its order", () => {
	const block = blockOf(3);
	const infos = infosOf([[[1]], [[2], [1]], []]).map((info, i) => {
		info.receipt = ResourceReceipt.create({ energy_usage_total: BigInt(10 * (i + 1)) });
		return info;
	});
	chain.state.transactionResult.put(be64(5n), TransactionRet.create({ transactioninfo: infos }));
	const made = receiptsOf(chain.state, block, STYLE);
	const receipts = made.map(receiptObject) as unknown as Readonly<Record<string, unknown>>[];
	expect(receipts.map(({ cumulativeGasUsed }) => cumulativeGasUsed)).toEqual(["0xa", "0x1e", "0x3c"]);
	expect(
		receipts.map(({ logs }) => (logs as { readonly logIndex: string }[]).map((log) => log.logIndex)),
	).toEqual([["0x0"], ["0x1", "0x2"], []]);
	expect(receipts[0]?.["logs"]).toMatchObject([{ blockTimestamp: "0xf" }]);
	for (const [i, info] of infos.entries()) {
		expect(receiptObject(receiptOf(chain.state, block, info, STYLE))).toEqual(receipts[i]);
	}
	const text = `[${[...receiptPieces(made)].join("")}]`;
	expect(text).toBe(JSON.stringify(receipts));
	expect(sizeOfReceipts(made)).toBeGreaterThan(3 * 300);
	expect(sizeOfReceipts(made)).toBeLessThan(text.length);
});

test("a block without transactions has none, and one whose receipts are not all kept is refused", () => {
	chain.state.transactionResult.put(be64(5n), TransactionRet.create({ transactioninfo: infosOf([[]]) }));
	expect(() => receiptsOf(chain.state, blockOf(2), STYLE)).toThrow(
		"TransactionList size mismatch: block has 2 transactions, but transactionInfoList has 1",
	);
	chain.state.transactionResult.delete(be64(5n));
	expect(receiptsOf(chain.state, blockOf(0), STYLE)).toEqual([]);
});
