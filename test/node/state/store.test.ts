import { expect, test } from "vitest";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { stores } from "../../../src/node/state/definition.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { createView } from "../../../src/node/state/view.js";
import { be64, toKey } from "../../../src/protocol/bytes.js";
import { TransactionInfo, TransactionRet } from "../../../src/protocol/messages.js";

const seed = { genesisTimestampMs: 0n, maintenanceIntervalMs: 0n, committee: () => 0n };

test("a packed value lies encoded, is read as it was written, and is decoded once", async () => {
	const database = await StateDatabase.open(createMemoryDatabase());
	const state = createView(database.headBackend, seed);
	const receipts = TransactionRet.create({
		blockNumber: 7n,
		transactioninfo: [TransactionInfo.create({ id: Uint8Array.of(1, 2), fee: 3n })],
	});
	state.transactionResult.put(be64(7n), receipts);
	expect(database.headBackend.get(stores.transactionResult, toKey(be64(7n)))).toEqual(
		TransactionRet.encode(receipts),
	);
	const read = state.transactionResult.get(be64(7n));
	expect(read?.blockNumber).toBe(7n);
	expect(read?.transactioninfo[0]?.fee).toBe(3n);
	expect(state.transactionResult.get(be64(7n))).toBe(read);
	expect(state.transactionResult.get(be64(8n))).toBeUndefined();
	state.transactionResult.put(be64(7n), TransactionRet.create({ blockNumber: 9n }));
	expect(state.transactionResult.get(be64(7n))?.blockNumber).toBe(9n);
});
