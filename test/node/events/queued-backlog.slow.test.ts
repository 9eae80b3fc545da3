import { describe, expect, it } from "vitest";
import type { EventConfig } from "../../../src/node/config/event-config.js";
import { QueuedBacklog } from "../../../src/node/events/deliveries.js";
import { Delivery } from "../../../src/node/events/delivery.js";
import { eventBudget } from "../../../src/node/events/event-budget.js";
import type { EventKind } from "../../../src/node/events/receivers/event-message.js";
import type { Publication, Receiver } from "../../../src/node/events/receivers/receiver.js";
import { FakeChain, unsliced } from "./fake-chain.js";

function configOf(version: 0 | 1, startBlock = 0n): EventConfig {
	const kinds: readonly EventKind[] = ["block", "transaction", "contractlog", "solidity"];
	return {
		version,
		startBlock,
		parsesLogs: true,
		tellsRemoved: true,
		topics: new Map(
			kinds.map((kind) => [kind, { redundancy: false, ethCompatible: false, solidified: false }]),
		),
		filter: undefined,
		receivers: [],
	};
}

async function settled(): Promise<void> {
	for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function deliveryOf(chain: FakeChain, deliver: Receiver["deliver"], config: EventConfig) {
	const warnings: string[] = [];
	const common = {
		name: "a",
		receiver: { deliver, close: async () => {} },
		budget: eventBudget("a", (text) => warnings.push(text)),
		pause: settled,
		warn: (text: string) => void warnings.push(text),
	};
	const backlog = new QueuedBacklog({
		...common,
		config,
		chain: chain.view,
		run: "r",
		slice: unsliced,
		report: (error) => {
			throw error;
		},
	});
	const delivery = new Delivery({ ...common, backlog, info: () => {} });
	chain.observe(delivery.observer);
	delivery.start();
	return { delivery, warnings };
}

describe("a delivery at most once", () => {
	it("tells what comes in its order, under ids of this run, and nothing of before", async () => {
		const chain = new FakeChain();
		chain.push(4);
		const told: Publication[] = [];
		const { delivery } = deliveryOf(chain, async (some) => void told.push(...some), configOf(0));
		chain.push(2);
		await settled();
		expect(told.map(({ message }) => message.kind)).toEqual([
			...["contractlog", "block", "transaction", "solidity"],
			...["contractlog", "block", "transaction", "solidity"],
		]);
		expect(told.map(({ id }) => id)).toEqual(["r-0", "r-1", "r-2", "r-3", "r-4", "r-5", "r-6", "r-7"]);
		expect(delivery.counts).toEqual({
			name: "a",
			position: 6,
			lag: 0,
			errors: 0,
			sent: 8,
			lost: 0,
			leftOut: 0,
		});
		await delivery.stop();
	});

	it("holds so much for a receiver that is gone, loses the rest, and says so once", async () => {
		const chain = new FakeChain();
		let isGone = true;
		const told: Publication[] = [];
		const { delivery, warnings } = deliveryOf(
			chain,
			async (some) => {
				if (isGone) throw new Error("gone");
				told.push(...some);
			},
			configOf(0),
		);
		chain.push(12_600);
		await settled();
		const { lost } = delivery.counts;
		expect(lost).toBeGreaterThan(0);
		expect(warnings).toEqual(["events of a are lost: too many wait", "events of a wait at block 126: gone"]);
		isGone = false;
		for (let turn = 0; turn < 300; turn++) await settled();
		expect(told).toHaveLength(50_000);
		expect(delivery.counts).toMatchObject({ sent: 50_000, lost });
		await delivery.stop();
	});

	it("doesn't read old blocks while too many messages wait, in version 1", async () => {
		const chain = new FakeChain();
		chain.push(20_000);
		let waiting: (() => void) | undefined;
		const told: Publication[] = [];
		const { delivery } = deliveryOf(
			chain,
			async (some) => {
				if (told.length === 0) await new Promise<void>((resolve) => (waiting = resolve));
				told.push(...some);
			},
			configOf(1, 1n),
		);
		for (let turn = 0; turn < 20_000 && delivery.counts.lost === 0; turn++) await new Promise(setImmediate);
		expect(delivery.counts.lost).toBe(0);
		const stopped = delivery.stop();
		waiting?.();
		await stopped;
	});
});
