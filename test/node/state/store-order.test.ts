import { expect, it } from "vitest";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { comparePriceKeys } from "../../../src/node/state/price-key.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { keysInStoreOrder } from "../../../src/node/state/store-order.js";
import { createView } from "../../../src/node/state/view.js";
import { be64, readBe64, toKey } from "../../../src/protocol/bytes.js";
import { Exchange } from "../../../src/protocol/messages.js";

it("lists unsettled entries first, as a hash map would, then the settled ones by key", async () => {
	const database = await StateDatabase.open(createMemoryDatabase());
	const seed = { genesisTimestampMs: 0n, maintenanceIntervalMs: 1n, committee: () => 0n };
	const settled = createView(database.baseBackend, seed).exchangeV2;
	const head = createView(database.headBackend, seed).exchangeV2;
	for (let id = 1n; id <= 5n; id++) settled.put(be64(id), Exchange.create({ exchange_id: id }));
	for (const id of [7n, 1n, 6n, 4n, 3n]) head.put(be64(id), Exchange.create({ exchange_id: id }));
	const ids = keysInStoreOrder(head).map((key) => readBe64(key));
	expect(ids).toEqual([3n, 4n, 6n, 1n, 7n, 2n, 5n]);
	expect(keysInStoreOrder(settled).map((key) => readBe64(key))).toEqual([1n, 2n, 3n, 4n, 5n]);
});

it("orders price keys by pair, the head of a pair first, then from the cheapest price", () => {
	const key = (pair: string, sell: bigint, buy: bigint): string =>
		pair.repeat(38) + toKey(be64(sell)) + toKey(be64(buy));
	const sorted = [
		key("a", 0n, 0n),
		key("a", 10n ** 15n, 1n),
		key("a", 2n, 1n),
		key("a", 1n, 1n),
		key("a", 10n ** 15n - 1n, 10n ** 15n),
		key("a", 1n, 10n ** 15n),
		key("b", 0n, 0n),
		key("b", 9n, 1n),
	];
	expect([...sorted].reverse().sort(comparePriceKeys)).toEqual(sorted);
});

it("keeps entries of one bucket in the order in which blocks first wrote them", async () => {
	const database = await StateDatabase.open(createMemoryDatabase());
	const seed = { genesisTimestampMs: 0n, maintenanceIntervalMs: 1n, committee: () => 0n };
	const head = createView(database.headBackend, seed).exchangeV2;
	// 1, 17 and 33 share a bucket of sixteen.
	for (const [at, id] of [17n, 33n, 1n, 17n].entries()) {
		head.put(be64(id), Exchange.create({ exchange_id: id }));
		database.commitBlock(BigInt(at + 1));
	}
	expect(keysInStoreOrder(head).map((key) => readBe64(key))).toEqual([17n, 33n, 1n]);
	head.delete(be64(33n));
	expect(keysInStoreOrder(head).map((key) => readBe64(key))).toEqual([17n, 1n]);
	database.commitBlock(5n);
	database.settle(2n);
	expect(keysInStoreOrder(head).map((key) => readBe64(key))).toEqual([1n, 17n]);
});
