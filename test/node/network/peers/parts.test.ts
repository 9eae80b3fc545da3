import { describe, expect, it } from "vitest";
import type { LocalChain } from "../../../../src/node/network/local-chain.js";
import { BlockQueue, Peer } from "../../../../src/node/network/peers/peer.js";
import { overdue } from "../../../../src/node/network/peers/peer-checks.js";
import { LatencySamples, SlidingCount } from "../../../../src/node/network/peers/recent.js";
import { nextWitnesses } from "../../../../src/node/network/peers/relay.js";
import { summarize } from "../../../../src/node/network/peers/sync-requester.js";
import { be64 } from "../../../../src/protocol/bytes.js";
import { LinkEnd } from "./linked-nodes.js";

const block = (number: number, branch = 0) => ({
	id: Buffer.concat([be64(BigInt(number)), Buffer.alloc(24, branch)]),
	number: BigInt(number),
});

/** A chain up to a height, and a branch that leaves it. */
function chainOf(head: number, lowest: number, forkAt = head, branch = 0) {
	const fork = Array.from({ length: branch }, (_, i) => block(forkAt + 1 + i, 1));
	return {
		head: block(head),
		lowestForkPoint: BigInt(lowest),
		idAt: (number: bigint) => block(Number(number)).id,
		isOnChain: (id: Uint8Array) => id[31] === 0,
		branchTo: () => fork,
	} satisfies Pick<LocalChain, "head" | "lowestForkPoint" | "idAt" | "isOnChain" | "branchTo">;
}

function queueOf(from: number, to: number): BlockQueue {
	const queue = new BlockQueue();
	for (let number = from; number <= to; number++) queue.push(block(number, 2));
	return queue;
}

const peerAt = (now: () => number): Peer =>
	new Peer(Object.create(LinkEnd.prototype) as LinkEnd, block(0), now);

describe("a summary", () => {
	it.each([
		["of a chain alone", chainOf(1018, 1000), block(0), new BlockQueue(), [1000, 1010, 1015, 1017, 1018]],
		["of genesis", chainOf(0, 0), block(0), new BlockQueue(), [0]],
		[
			"with two thousand ids to come",
			chainOf(0, 0),
			block(0),
			queueOf(1, 2000),
			[0, 1001, 1501, 1751, 1876, 1939, 1970, 1986, 1994, 1998, 2000],
		],
		["along a branch", chainOf(1507, 1502, 1505, 3), block(1508, 1), new BlockQueue(), [1502, 1506, 1508]],
		["from a block of the chain", chainOf(100, 90), block(95), queueOf(96, 99), [90, 95, 98, 99]],
		["where others' blocks have passed it", chainOf(100, 90), block(80), new BlockQueue(), [90, 96, 99, 100]],
	])("%s comes ever closer to its end", (_, chain, bothHave, queue, numbers) => {
		expect(summarize(chain, bothHave, queue).map(({ number }) => Number(number))).toEqual(numbers);
	});

	it("fails below what can be undone", () => {
		expect(() => summarize(chainOf(100, 90), block(80), queueOf(81, 82))).toThrow("block 80 is below 90");
	});
});

describe("what a peer owes", () => {
	it("is overdue after 5 s for a block of a list, 20 s for an announced item, 30 s without progress", () => {
		let now = 0;
		const peer = peerAt(() => now);
		peer.requested.set("a", { block: block(1), sinceMs: 0 });
		peer.asked.set("b", 0);
		expect(overdue(peer, 5000)).toBeUndefined();
		expect(overdue(peer, 5001)).toBe("no block for 5 s");
		peer.lastDeliveryMs = 4000;
		expect(overdue(peer, 9000)).toBeUndefined();
		peer.requested.clear();
		expect(overdue(peer, 20_000)).toBeUndefined();
		expect(overdue(peer, 20_001)).toBe("no answer for 20 s");
		peer.asked.clear();
		expect(overdue(peer, 30_000)).toBeUndefined();
		expect(overdue(peer, 30_001)).toBe("no progress for 30 s");
		now = 30_001;
		peer.setBothHave(block(1));
		expect(overdue(peer, 60_000)).toBeUndefined();
		peer.needSyncFromPeer = false;
		expect(overdue(peer, 99_999)).toBeUndefined();
	});
});

describe("a relay node", () => {
	const active = [1, 2, 3, 4, 5].map((n) => Uint8Array.of(n));
	it.each([
		[1, 2, [2, 3]],
		[4, 3, [5, 1, 2]],
		[5, 27, [1, 2, 3, 4, 5]],
		[9, 2, [1, 2, 3, 4, 5]],
	])("pushes a block of witness %s to the next %s", (producer, count, expected) => {
		expect(nextWitnesses(active, Uint8Array.of(producer), count).map(([n]) => n)).toEqual(expected);
	});
});

describe("what was said lately", () => {
	it("is counted over ten seconds", () => {
		let now = 0;
		const count = new SlidingCount(() => now);
		count.add(5);
		now = 9999;
		count.add(3);
		expect(count.total).toBe(8);
		now = 10_000;
		expect(count.total).toBe(3);
	});

	it("takes as long as three of four of the samples", () => {
		const samples = new LatencySamples();
		expect(samples.p75).toBe(0);
		for (const ms of [40, 10, 30, 20]) samples.add(ms);
		expect(samples.p75).toBe(40);
	});
});

describe("a list of blocks to fetch", () => {
	it("is taken from in front and cut at the end", () => {
		const queue = queueOf(1, 3000);
		for (let i = 0; i < 2000; i++) queue.shift();
		expect([queue.length, queue.front?.number, queue.at(1).number, queue.back?.number]).toEqual([
			1000,
			2001n,
			2002n,
			3000n,
		]);
		queue.pop();
		expect(queue.back?.number).toBe(2999n);
		queue.clear();
		queue.pop();
		expect([queue.length, queue.front, queue.back]).toEqual([0, undefined, undefined]);
	});
});
