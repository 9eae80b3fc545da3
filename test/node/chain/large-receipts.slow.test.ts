import { expect, it, vi } from "vitest";
import {
	countReceipts,
	receiptsAround,
	receiptsCost,
	receiptsInTurn,
} from "../../../src/node/chain/block-store.js";
import type { StateView } from "../../../src/node/state/view.js";
import { TransactionInfo, TransactionInfoLog, TransactionRet } from "../../../src/protocol/messages.js";

const infosOf = (logs: number): TransactionInfo[] =>
	Array.from({ length: 4 }, (_, n) =>
		TransactionInfo.create({
			id: new Uint8Array(32).fill(n),
			log: Array.from({ length: logs }, () => TransactionInfoLog.create({ address: new Uint8Array(20) })),
		}),
	);

const stateOf = (transactioninfo: TransactionInfo[]): StateView => {
	const bytes = TransactionRet.encode(TransactionRet.create({ transactioninfo }));
	return { backend: { get: () => bytes } } as unknown as StateView;
};

it("receipts that take much memory are decoded one by one, when they are asked for", () => {
	const infos = infosOf(5_000);
	const state = stateOf(infos);
	expect(receiptsCost(state, 1n)).toBeGreaterThan(4 * 5_000 * 300);
	const decode = vi.spyOn(TransactionInfo, "decode");
	expect(countReceipts(state, 1n)).toBe(4);
	const found = receiptsInTurn(state, 1n);
	expect(decode).not.toHaveBeenCalled();
	expect(found.next().value).toEqual(infos[0]);
	expect(decode).toHaveBeenCalledTimes(1);
	expect([...found]).toEqual(infos.slice(1));
	decode.mockRestore();
});

it("where one of many receipts is needed, the others of its block are not decoded", () => {
	const infos = infosOf(5_000);
	const decode = vi.spyOn(TransactionInfo, "decode");
	const found = receiptsAround(stateOf(infos), 1n, 2);
	expect(decode).toHaveBeenCalledTimes(1);
	expect(found).toHaveLength(4);
	expect(found[2]).toEqual(infos[2]);
	expect(found[1]).toBeUndefined();
	decode.mockRestore();
});

it("few receipts cost nothing", () => {
	expect(receiptsCost(stateOf(infosOf(10)), 1n)).toBeUndefined();
});
