import { beforeEach, describe, expect, test } from "vitest";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { StateLayer } from "../../../src/node/state/layer.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { createView, type StateView } from "../../../src/node/state/view.js";
import { be64, fromKey, toKey } from "../../../src/protocol/bytes.js";
import { hashOrder, recordHash } from "../../../src/protocol/hash-order.js";
import { Account, MarketOrderIdList, SmartContract } from "../../../src/protocol/messages.js";

const address = (n: number): Uint8Array => Buffer.alloc(21, n);
const account = (n: number, balance: bigint): Account => Account.create({ address: address(n), balance });

let base: StateView;
beforeEach(async () => {
	const database = await StateDatabase.open(createMemoryDatabase());
	base = createView(database.headBackend, {
		genesisTimestampMs: 0n,
		maintenanceIntervalMs: 1n,
		committee: () => 0n,
	});
	base.account.put(address(1), account(1, 10n));
	base.account.put(address(2), account(2, 20n));
});

describe("a layer", () => {
	test("shows its own writes, and leaves the state below alone until it is committed", () => {
		const layer = new StateLayer(base);
		layer.view.account.put(address(1), account(1, 11n));
		layer.view.account.delete(address(2));
		expect(layer.view.account.get(address(1))?.balance).toBe(11n);
		expect(layer.view.account.has(address(2))).toBe(false);
		expect(base.account.get(address(1))?.balance).toBe(10n);
		expect(base.account.has(address(2))).toBe(true);
		layer.commit();
		expect(base.account.get(address(1))?.balance).toBe(11n);
		expect(base.account.has(address(2))).toBe(false);
	});

	test("goes back to a mark, through several writes of one entry", () => {
		const layer = new StateLayer(base);
		layer.view.account.put(address(1), account(1, 11n));
		const mark = layer.mark();
		layer.view.account.put(address(1), account(1, 12n));
		layer.view.account.delete(address(1));
		layer.view.account.put(address(3), account(3, 30n));
		layer.revert(mark);
		expect(layer.view.account.get(address(1))?.balance).toBe(11n);
		expect(layer.view.account.has(address(3))).toBe(false);
		layer.revert(0);
		expect(layer.view.account.get(address(1))?.balance).toBe(10n);
	});

	test("may lie on another layer", () => {
		const lower = new StateLayer(base);
		lower.view.account.put(address(1), account(1, 11n));
		const upper = new StateLayer(lower.view);
		upper.view.account.put(address(1), account(1, 12n));
		expect(lower.view.account.get(address(1))?.balance).toBe(11n);
		upper.commit();
		expect(lower.view.account.get(address(1))?.balance).toBe(12n);
		expect(base.account.get(address(1))?.balance).toBe(10n);
	});

	test("keeps the order of keys in a store that has its own", () => {
		const price = (sell: bigint, buy: bigint): Uint8Array =>
			Buffer.concat([Buffer.alloc(38, 1), be64(sell), be64(buy)]);
		const list = new MarketOrderIdList();
		base.marketPairPriceToOrder.put(price(1n, 9n), list);
		base.marketPairPriceToOrder.put(price(5n, 1n), list);
		const { view } = new StateLayer(base);
		view.marketPairPriceToOrder.put(price(2n, 3n), list);
		view.marketPairPriceToOrder.delete(price(1n, 9n));
		view.marketPairPriceToOrder.put(price(1n, 4n), list);
		expect(view.marketPairPriceToOrder.keys()).toEqual([price(5n, 1n), price(2n, 3n), price(1n, 4n)]);
	});
});

describe("a final write that fails at an empty code", () => {
	test("leaves all accounts, and the codes that the network's map has before it", () => {
		const addresses = [3, 4, 5, 6, 7, 8].map(address);
		const order = hashOrder(addresses.map(toKey), recordHash);
		const empty = order[3] as string;
		const layer = new StateLayer(base);
		for (const each of addresses) {
			layer.view.account.put(each, Account.create({ address: each, balance: 5n }));
			layer.view.contract.put(each, SmartContract.create({ contract_address: each }));
			if (toKey(each) !== empty) layer.view.code.put(each, Uint8Array.of(1));
		}
		layer.commitUpTo(new Set([empty]));
		expect(order.map((key) => base.account.has(fromKey(key)))).toEqual(order.map(() => true));
		expect(order.map((key) => base.code.has(fromKey(key)))).toEqual([true, true, true, false, false, false]);
		expect(order.map((key) => base.contract.has(fromKey(key)))).toEqual(order.map(() => false));
	});
});
