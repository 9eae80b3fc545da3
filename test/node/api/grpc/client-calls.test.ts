import { describe, expect, it } from "vitest";
import { ClientCalls, MAX_CALLS } from "../../../../src/node/api/grpc/client-calls.js";

const MIB = 1 << 20;
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("what a connection of gRPC keeps", () => {
	it("makes no further answer while much is unsent, and goes on once it has left", async () => {
		const totals = { open: 0, unsent: 0 };
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
		const client = new ClientCalls({ open: 0, unsent: 0 });
		let begun = 0;
		for (let n = 0; n < 100; n++) void client.turn().then(() => begun++);
		await soon();
		expect(begun).toBe(16);
		client.made(1);
		await soon();
		expect(begun).toBe(17);
	});

	it("is known for insisting once it was refused as many calls as it may have", () => {
		const client = new ClientCalls({ open: 0, unsent: 0 });
		for (let n = 0; n < 2 * MAX_CALLS; n++) client.begin();
		expect(client.insists).toBe(false);
		client.begin();
		expect(client.insists).toBe(true);
	});

	it("refuses calls above a number until others have closed", () => {
		const totals = { open: 0, unsent: 0 };
		const client = new ClientCalls(totals);
		const closed = Array.from({ length: MAX_CALLS }, () => client.begin());
		expect(client.begin()).toBeUndefined();
		closed[0]?.();
		expect(client.begin()).toBeDefined();
		expect(totals.open).toBe(MAX_CALLS);
	});

	it("sees that a client has stopped reading", async () => {
		const client = new ClientCalls({ open: 0, unsent: 0 });
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
