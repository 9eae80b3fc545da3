import { describe, expect, it } from "vitest";
import {
	CallRounds,
	CallTotals,
	ClientCalls,
	MAX_BEGUN,
	MAX_CALLS,
} from "../../../../src/node/api/grpc/client-calls.js";

const MIB = 1 << 20;
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("what a connection of gRPC keeps", () => {
	it("makes no further answer while much is unsent, and goes on once it has left", async () => {
		const totals = new CallTotals();
		const client = new ClientCalls(totals);
		expect(await client.turn()).toBe(false);
		const gone = client.made(MIB);
		let begun = false;
		const next = client.turn().then((waited) => {
			begun = true;
			return waited;
		});
		await soon();
		expect(begun).toBe(false);
		expect(totals.unsent).toBe(MIB);
		gone();
		gone();
		expect(await next).toBe(true);
		expect(totals.unsent).toBe(0);
	});

	it("makes a few answers at a time", async () => {
		const client = new ClientCalls(new CallTotals());
		let begun = 0;
		for (let n = 0; n < 100; n++) void client.turn().then(() => begun++);
		await soon();
		expect(begun).toBe(16);
		client.made(1);
		await soon();
		expect(begun).toBe(17);
	});

	it("is known for insisting once it was refused as many calls as it may have", () => {
		const client = new ClientCalls(new CallTotals());
		for (let n = 0; n < 2 * MAX_CALLS; n++) client.begin();
		expect(client.insists).toBe(false);
		client.begin();
		expect(client.insists).toBe(true);
	});

	it("is known for resetting calls as fast as it opens them, within one round of the event loop", () => {
		let endRound = (): void => {};
		const totals = new CallTotals(
			new CallRounds((next) => {
				endRound = next;
			}),
		);
		const client = new ClientCalls(totals);
		for (let round = 0; round < 3; round++) {
			for (let n = 0; n < MAX_BEGUN; n++) client.begin()?.();
			expect(client.insists).toBe(false);
			endRound();
		}
		for (let n = 0; n <= MAX_BEGUN; n++) client.begin()?.();
		expect(client.insists).toBe(true);
		expect(totals.open).toBe(0);
	});

	it("refuses the calls of a round that has had too many from all connections, and none of the next", () => {
		let endRound = (): void => {};
		const totals = new CallTotals(
			new CallRounds((next) => {
				endRound = next;
			}),
		);
		for (let n = 0; n < 10; n++) {
			const client = new ClientCalls(totals);
			for (let i = 0; i < MAX_CALLS; i++) expect(client.begin()).toBeDefined();
		}
		const client = new ClientCalls(totals);
		expect(client.begin()).toBeUndefined();
		expect(client.insists).toBe(false);
		endRound();
		expect(client.begin()).toBeDefined();
	});

	it("refuses calls above a number until others have closed", () => {
		const totals = new CallTotals();
		const client = new ClientCalls(totals);
		const closed = Array.from({ length: MAX_CALLS }, () => client.begin());
		expect(client.begin()).toBeUndefined();
		closed[0]?.();
		expect(client.begin()).toBeDefined();
		expect(totals.open).toBe(MAX_CALLS);
	});

	it("sees that a client has stopped reading", async () => {
		const client = new ClientCalls(new CallTotals());
		expect(client.hasStalled(0, 0)).toBe(false);
		await client.turn();
		const gone = client.made(MIB);
		expect(client.hasStalled(100, 0)).toBe(false);
		expect(client.hasStalled(100_000, 29_000)).toBe(false);
		expect(client.hasStalled(100_017, 58_000)).toBe(false);
		expect(client.hasStalled(100_034, 60_000)).toBe(true);
		gone();
		expect(client.hasStalled(100_034, 90_000)).toBe(false);
	});
});
