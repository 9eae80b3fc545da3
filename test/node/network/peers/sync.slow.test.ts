import { beforeAll, describe, expect, it } from "vitest";
import { setBalance } from "../../../../src/node/development/state-edits.js";
import { installRecoverEngine } from "../../../../src/node/signatures/engine.js";
import type { StateView } from "../../../../src/node/state/view.js";
import { SimulatedWorld } from "../../../simulation/world.js";
import { openSmall, produce, produceMany, transfer, users } from "../../chain/small-chain.js";
import { LinkedNode } from "./linked-nodes.js";

const MINUTE_MS = 60_000;

/** The clock stands a little after a chain's head. */
function worldAfter(open: Awaited<ReturnType<typeof openSmall>>): SimulatedWorld {
	return new SimulatedWorld({ startMs: Number(open.chain.head.timestampMs) + 1000 });
}

beforeAll(async () => {
	installRecoverEngine();
});

describe("synchronising", () => {
	it("brings a fresh node to the head in lists of two thousand and batches of a hundred", async () => {
		const [full, fresh] = [await openSmall(), await openSmall()];
		produceMany(full, 2600);
		const world = worldAfter(full);
		const a = new LinkedNode(world, "10.0.0.1", full);
		const b = new LinkedNode(world, "10.0.0.2", fresh);
		b.link(a);
		expect(
			await world.until(() => a.head === b.head && b.application.world.synced.length === 1, MINUTE_MS),
		).toBe(true);
		expect(a.application.world.synced.length).toBe(1);
		expect(b.said.filter((name) => name === "FETCH_INV_DATA").length).toBe(26);
		expect(b.said.filter((name) => name === "SYNC_BLOCK_CHAIN").length).toBe(3);
		expect([...a.faults, ...b.faults]).toEqual([]);
	});

	it("switches to the longer branch, whichever node has it", async () => {
		const [one, two] = [await openSmall(), await openSmall()];
		for (const block of produceMany(one, 30)) two.chain.push(block, "peer");
		produceMany(one, 2);
		produceMany(two, 3, 2n);
		const world = worldAfter(two);
		const a = new LinkedNode(world, "10.0.0.1", one);
		const b = new LinkedNode(world, "10.0.0.2", two);
		b.link(a);
		expect(await world.until(() => a.head === b.head, MINUTE_MS)).toBe(true);
		expect(two.chain.head.number).toBe(33n);
		expect([...a.faults, ...b.faults]).toEqual([]);
	});

	it("follows a branch after one of its continuations was invalid", async () => {
		const rich = (state: StateView): void => setBalance(state, users[0] as Uint8Array, 2n ** 60n);
		const [own, good, bad] = [await openSmall(), await openSmall(), await openSmall({ initialize: rich })];
		for (const block of produceMany(own, 20)) for (const open of [good, bad]) open.chain.push(block, "peer");
		produceMany(own, 2);
		for (const block of produceMany(bad, 2, 2n)) good.chain.push(block, "peer");
		// Only where the first user was given more coins.
		bad.chain.pushTransaction(transfer(bad, 0, users[1] as Uint8Array, 2n ** 59n));
		produce(bad);
		produceMany(good, 2);
		const world = worldAfter(good);
		const node = new LinkedNode(world, "10.0.0.1", own);
		const head = node.head;
		node.link(new LinkedNode(world, "10.0.0.2", bad));
		expect(await world.until(() => node.links.size === 0, MINUTE_MS)).toBe(true);
		expect(node.head).toBe(head);
		const other = new LinkedNode(world, "10.0.0.3", good);
		node.link(other);
		expect(await world.until(() => node.head === other.head, MINUTE_MS)).toBe(true);
	});

	it("passes blocks and transactions on over three nodes", async () => {
		const opens = [await openSmall(), await openSmall(), await openSmall()] as const;
		for (const block of produceMany(opens[0], 20))
			for (const open of opens.slice(1)) open.chain.push(block, "peer");
		const world = worldAfter(opens[0]);
		const [a, b, c] = opens.map((open, i) => new LinkedNode(world, `10.0.0.${i + 1}`, open)) as [
			LinkedNode,
			LinkedNode,
			LinkedNode,
		];
		b.link(a);
		c.link(b);
		await world.advance(1000);
		const payment = transfer(opens[0], 0, users[1] as Uint8Array, 5n);
		opens[0].chain.pushTransaction(payment);
		expect(a.application.advertisement.announceOwn(payment)).toBe(1);
		expect(await world.until(() => opens[2].chain.pool.find(payment.idHex) !== undefined, 2000)).toBe(true);
		opens[0].chain.observe({ produced: (block) => a.application.advertisement.broadcastBlock(block) });
		await world.advance(1500);
		const block = produce(opens[0]);
		expect(block.transactions.length).toBe(1);
		expect(await world.until(() => c.head === block.idHex, 2000)).toBe(true);
		expect([...a.faults, ...b.faults, ...c.faults]).toEqual([]);
	});
});
