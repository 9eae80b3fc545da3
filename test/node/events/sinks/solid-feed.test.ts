import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventBudget } from "../../../../src/node/events/event-budget.js";
import type { EventMessage } from "../../../../src/node/events/event-kinds.js";
import type { EventChain } from "../../../../src/node/events/loaded-block.js";
import { positionStore } from "../../../../src/node/events/sinks/position-file.js";
import { type Delivery, SolidFeed } from "../../../../src/node/events/sinks/solid-feed.js";
import type { TimeSlice } from "../../../../src/node/events/sliced-work.js";
import type { SignedBlock } from "../../../../src/protocol/block.js";
import { unsliced } from "./fake-chain.js";

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), "feed-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const idOf = (number: number, branch = "0"): string =>
	`${String(number).padStart(16, "0")}${branch.repeat(48)}`;

/** A chain of blocks that are nothing but their ids. */
class Chain {
	solid = 3;
	branch = "0";
	readonly missing = new Set<number>();

	get view(): EventChain {
		const { chain } = { chain: this };
		return {
			get state(): never {
				throw new Error("not used");
			},
			headNumber: 100,
			get solidNumber() {
				return chain.solid;
			},
			dialect: "neutral",
			block: (number) =>
				number > 100 || chain.missing.has(number)
					? undefined
					: ({ number: BigInt(number), idHex: idOf(number, chain.branch) } as SignedBlock),
		};
	}
}

/** A feed whose receiver refuses what `refuses` says. */
function feedOf(
	chain: Chain,
	options: { from?: number; refuses?: () => boolean; events?: number; slice?: () => TimeSlice } = {},
) {
	const told: string[] = [];
	const pauses: number[] = [];
	const warnings: string[] = [];
	const file = join(directory, "a.position");
	const feed = new SolidFeed({
		name: "a",
		chain: chain.view,
		positions: positionStore(file),
		budget: eventBudget("a", (text) => warnings.push(text)),
		fromBlock: options.from,
		*eventsOf(block) {
			const events: EventMessage[] = [];
			for (let i = 0; i < (options.events ?? 1); i++) {
				events.push({ kind: "block", id: `${block.number}-${i}`, body: {}, json: "{}" });
				yield;
			}
			return events;
		},
		slice: options.slice ?? unsliced,
		deliver: async ({ block, part, parts }: Delivery) => {
			if (options.refuses?.()) throw new Error("the receiver answers 503");
			told.push(parts === 1 ? String(block.number) : `${block.number}:${part}/${parts}`);
		},
		pause: async (ms) => {
			pauses.push(ms);
		},
		warn: (text) => warnings.push(text),
	});
	return { feed, told, pauses, warnings, file };
}

async function settled(): Promise<void> {
	for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve));
}

describe("a feed of solidified blocks", () => {
	it("begins after the solidified block, or where it is told to, and follows", async () => {
		const chain = new Chain();
		const later = feedOf(chain);
		later.feed.wake();
		await settled();
		expect(later.told).toEqual([]);
		chain.solid = 5;
		later.feed.wake();
		await settled();
		expect(later.told).toEqual(["4", "5"]);
		rmSync(later.file);
		const early = feedOf(chain, { from: 2 });
		early.feed.wake();
		await settled();
		expect(early.told).toEqual(["2", "3", "4", "5"]);
		expect(early.feed.counts).toEqual({
			name: "a",
			position: 5,
			lag: 0,
			errors: 0,
			sent: 4,
			lost: 0,
			leftOut: 0,
		});
	});

	it("goes on after its stored position, whatever it is told to begin with", async () => {
		const chain = new Chain();
		const first = feedOf(chain, { from: 1 });
		first.feed.wake();
		await settled();
		expect(readFileSync(first.file, "utf8")).toBe(`3 ${idOf(3)}\n`);
		chain.solid = 6;
		const second = feedOf(chain, { from: 1 });
		second.feed.wake();
		await settled();
		expect(second.told).toEqual(["4", "5", "6"]);
	});

	it("tries again, at longer intervals, until it is acknowledged; nothing is left out", async () => {
		let left = 9;
		const { feed, told, pauses, warnings } = feedOf(new Chain(), { from: 1, refuses: () => left-- > 0 });
		feed.wake();
		await settled();
		expect(told).toEqual(["1", "2", "3"]);
		expect(pauses).toEqual([1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000, 60000]);
		expect(feed.counts.errors).toBe(9);
		expect(warnings).toEqual(["events of a wait at block 1: the receiver answers 503"]);
	});

	it("delivers long blocks in parts, and stores no position before the last", async () => {
		const chain = new Chain();
		let count = 0;
		let stop = () => {};
		const { feed, told, file } = feedOf(chain, {
			from: 3,
			events: 1001,
			refuses: () => {
				if (++count === 3) stop();
				return count === 3;
			},
		});
		stop = () => void feed.stop();
		feed.wake();
		await settled();
		expect(told).toEqual(["3:0/3", "3:1/3"]);
		expect(() => readFileSync(file)).toThrow("ENOENT");
		const again = feedOf(chain, { from: 3, events: 1001 });
		again.feed.wake();
		await settled();
		expect(again.told).toEqual(["3:0/3", "3:1/3", "3:2/3"]);
	});

	it("tells a development chain's new blocks after it was put back", async () => {
		const chain = new Chain();
		const { feed, told, file } = feedOf(chain, { from: 1 });
		feed.wake();
		await settled();
		chain.branch = "1";
		feed.rewound(3, idOf(2));
		feed.rewound(2, idOf(1));
		expect(readFileSync(file, "utf8")).toBe(`1 ${idOf(1)}\n`);
		chain.branch = "0";
		feed.wake();
		await settled();
		expect(told).toEqual(["1", "2", "3", "2", "3"]);
	});

	it("tells a block again that is another one than was told", async () => {
		const chain = new Chain();
		writeFileSync(join(directory, "a.position"), `3 ${idOf(3, "f")}\n`);
		const { feed, told, warnings } = feedOf(chain);
		feed.wake();
		await settled();
		expect(told).toEqual(["3"]);
		expect(warnings[0]).toContain("block 3 is another one");
	});

	it("ends, and says so, at a block that the node doesn't have", async () => {
		const chain = new Chain();
		chain.missing.add(2);
		const { feed, told, warnings } = feedOf(chain, { from: 1 });
		feed.wake();
		await settled();
		feed.wake();
		await settled();
		expect(told).toEqual(["1"]);
		expect(warnings).toEqual(["events of a wait: block 2 is not stored"]);
	});

	it("does not start on a damaged position", () => {
		writeFileSync(join(directory, "a.position"), "3\n");
		expect(() => feedOf(new Chain())).toThrow("is damaged");
	});
});
