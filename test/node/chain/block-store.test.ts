import { expect, test, vi } from "vitest";
import {
	briefReceipts,
	receiptSums,
	transactionInfoById,
	transactionInfosOf,
	transactionInfosOfBlock,
} from "../../../src/node/chain/block-store.js";
import type { StateView } from "../../../src/node/state/view.js";
import { be64, concatBytes } from "../../../src/protocol/bytes.js";
import {
	InternalTransaction,
	ResourceReceipt,
	TransactionInfo,
	TransactionInfoLog,
	TransactionRet,
} from "../../../src/protocol/messages.js";
import { openSmall, produce, transfer, users } from "./small-chain.js";

test("the receipt of a transaction is found among those of its block without decoding them", () => {
	const idOf = (n: number): Uint8Array => new Uint8Array(32).fill(n);
	const infos = [1, 2, 3].map((n) => TransactionInfo.create({ id: idOf(n), fee: BigInt(n) }));
	// A log of the last one can't be decoded.
	const damaged = concatBytes(Uint8Array.of(0x1a, 37, 0x0a, 32), idOf(4), Uint8Array.of(0x42, 0x01, 0x0a));
	const bytes = concatBytes(
		TransactionRet.encode(TransactionRet.create({ transactioninfo: infos })),
		damaged,
	);
	const state = {
		transaction: { get: () => be64(7n) },
		blockIndex: { get: () => idOf(9) },
		backend: { get: () => bytes },
		transactionHistory: { get: () => undefined },
	} as unknown as StateView;
	expect(transactionInfoById(state, idOf(3))?.fee).toBe(3n);
	expect(transactionInfoById(state, idOf(1))?.fee).toBe(1n);
	expect(transactionInfoById(state, idOf(5))).toBeUndefined();
	expect(() => transactionInfoById(state, idOf(4))).toThrow();
});

test("receipts of a large block are counted without decoding their logs", () => {
	const log = TransactionInfoLog.create({ data: new Uint8Array(40_000) });
	const infos = [1, 2, 3].map((n) =>
		TransactionInfo.create({
			id: new Uint8Array(32).fill(n),
			receipt: n === 3 ? undefined : ResourceReceipt.create({ energy_usage_total: BigInt(n) }),
			log: Array(n).fill(log),
			internal_transactions: Array(n).fill(InternalTransaction.create({ note: new Uint8Array(9) })),
			withdraw_amount: BigInt(n),
		}),
	);
	const bytes = TransactionRet.encode(TransactionRet.create({ transactioninfo: infos }));
	const state = { backend: { get: () => bytes } } as unknown as StateView;
	const decode = vi.spyOn(TransactionInfo, "decode");
	expect([...receiptSums(state, 7n)]).toEqual(
		infos.map(({ id, receipt, log }) => ({
			id,
			energy: receipt?.energy_usage_total ?? 0n,
			logs: log.length,
		})),
	);
	expect(decode).not.toHaveBeenCalled();
	expect([...briefReceipts(state, 7n)]).toEqual(
		infos.map((info) => TransactionInfo.create({ ...info, log: [], internal_transactions: [] })),
	);
	decode.mockRestore();
});

test("receipts that old releases stored one by one are found by every way of asking", async () => {
	const open = await openSmall();
	open.chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, 5n));
	const block = produce(open);
	const { state } = open.chain;
	const infos = state.transactionResult.get(be64(block.number))?.transactioninfo ?? [];
	expect(infos).toHaveLength(1);
	state.transactionResult.delete(be64(block.number));
	for (const info of infos) state.transactionHistory.put(info.id, info);
	expect(transactionInfosOfBlock(state, block.number)).toEqual(infos);
	expect(transactionInfosOf(state, block)).toEqual(infos);
	expect(transactionInfoById(state, infos[0]?.id as Uint8Array)).toEqual(infos[0]);
	await open.close();
});
