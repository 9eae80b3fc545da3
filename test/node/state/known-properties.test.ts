import { beforeEach, describe, expect, test } from "vitest";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { StateLayer } from "../../../src/node/state/layer.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { createView, type StateView } from "../../../src/node/state/view.js";
import { Account } from "../../../src/protocol/messages.js";

const seed = { genesisTimestampMs: 0n, maintenanceIntervalMs: 1n, committee: () => 0n };
const fee = (view: StateView): bigint => view.properties.get("TRANSACTION_FEE");

let database: StateDatabase;
let head: StateView;
beforeEach(async () => {
	database = await StateDatabase.open(createMemoryDatabase());
	head = createView(database.headBackend, seed);
	createView(database.baseBackend, seed).properties.set("TRANSACTION_FEE", 1n);
	expect(fee(head)).toBe(1n);
});

/** Sets the fee in a block; it is read before and after. */
function block(number: bigint, value: bigint): void {
	head.properties.set("TRANSACTION_FEE", value);
	expect(fee(head)).toBe(value);
	database.commitBlock(number);
}

test("a property that was asked for is the newest after each write of the base, each block and what undoes them", () => {
	createView(database.baseBackend, seed).properties.set("TRANSACTION_FEE", 2n);
	expect(fee(head)).toBe(2n);
	block(1n, 3n);
	const mark = database.mark();
	head.properties.set("TRANSACTION_FEE", 4n);
	expect(fee(head)).toBe(4n);
	database.revert(mark);
	expect(fee(head)).toBe(3n);
	block(2n, 5n);
	database.undoBlock();
	expect(fee(head)).toBe(3n);
	database.undoBlock();
	expect(fee(head)).toBe(2n);
	block(1n, 6n);
	database.settle(1n);
	expect([fee(head), fee(createView(database.solidBackend, seed))]).toEqual([6n, 6n]);
	block(2n, 7n);
	expect([fee(head), fee(createView(database.solidBackend, seed))]).toEqual([7n, 6n]);
});

test("a property that nothing has written is the initial one until something does, and again once that is undone", () => {
	const { properties } = head;
	expect(properties.get("MEMO_FEE")).toBe(0n);
	expect(properties.isWritten("MEMO_FEE")).toBe(false);
	properties.set("MEMO_FEE", 9n);
	expect(properties.get("MEMO_FEE")).toBe(9n);
	database.revert(0);
	expect(properties.get("MEMO_FEE")).toBe(0n);
});

test("a layer's own properties stay its own until it is committed", () => {
	const layer = new StateLayer(head);
	expect(fee(layer.view)).toBe(1n);
	layer.view.properties.set("TRANSACTION_FEE", 8n);
	expect([fee(layer.view), fee(head)]).toEqual([8n, 1n]);
	layer.revert(0);
	expect(fee(layer.view)).toBe(1n);
	layer.view.properties.set("TRANSACTION_FEE", 8n);
	layer.commit();
	expect([fee(layer.view), fee(head)]).toEqual([8n, 8n]);
});

test("an edit outside of blocks is seen at once, and its undoing too", () => {
	const history = database.keepHistory(4);
	block(1n, 3n);
	database.settle(1n);
	const mark = history.mark();
	createView(history.editBackend, seed).properties.set("TRANSACTION_FEE", 10n);
	expect(fee(head)).toBe(10n);
	history.returnTo(mark);
	expect(fee(head)).toBe(3n);
});

describe("what follows from properties is worked out again", () => {
	const of = {};
	let made = 0;
	const doubled = (view: StateView): bigint =>
		view.properties.derived(of, () => {
			made++;
			return 2n * fee(view);
		});
	beforeEach(() => {
		made = 0;
		expect([doubled(head), doubled(head), made]).toEqual([2n, 2n, 1]);
	});

	test("once one of them is written, in a block or below, and once that is undone", () => {
		block(1n, 3n);
		expect([doubled(head), made]).toEqual([6n, 2]);
		database.undoBlock();
		expect([doubled(head), made]).toEqual([2n, 3]);
		createView(database.baseBackend, seed).properties.set("TRANSACTION_FEE", 5n);
		expect([doubled(head), doubled(head), made]).toEqual([10n, 10n, 4]);
	});

	test("once votes for versions are written, wherever they are counted", () => {
		head.properties.setForkStatistics(32, Uint8Array.of(1));
		expect([doubled(head), made]).toEqual([2n, 2]);
		head.upgradeVotes.put(Uint8Array.of(1), Uint8Array.of(1));
		expect([doubled(head), made]).toEqual([2n, 3]);
	});

	test("for something else that it follows from, and where a layer has properties of its own", () => {
		expect(head.properties.derived({}, () => 7n)).toBe(7n);
		expect([doubled(head), made]).toEqual([2n, 2]);
		const layer = new StateLayer(head);
		expect([doubled(layer.view), made]).toEqual([2n, 2]);
		layer.view.properties.set("TRANSACTION_FEE", 8n);
		expect([doubled(layer.view), doubled(head), made]).toEqual([16n, 2n, 3]);
	});

	test("not once others are", () => {
		head.properties.set("MEMO_FEE", 9n);
		head.account.put(new Uint8Array(21), Account.create({ balance: 1n }));
		expect([doubled(head), made]).toEqual([2n, 1]);
	});
});
