import { expect, test } from "vitest";
import { transactionInfoById } from "../../../../src/node/api/queries/blocks.js";
import type { StateView } from "../../../../src/node/state/view.js";
import { be64, concatBytes } from "../../../../src/protocol/bytes.js";
import { TransactionInfo, TransactionRet } from "../../../../src/protocol/messages.js";

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
		transaction: { find: () => be64(7n) },
		blockIndex: { get: () => idOf(9) },
		backend: { get: () => bytes },
		transactionHistory: { get: () => undefined },
	} as unknown as StateView;
	expect(transactionInfoById(state, idOf(3))?.fee).toBe(3n);
	expect(transactionInfoById(state, idOf(1))?.fee).toBe(1n);
	expect(transactionInfoById(state, idOf(5))).toBeUndefined();
	expect(() => transactionInfoById(state, idOf(4))).toThrow();
});
