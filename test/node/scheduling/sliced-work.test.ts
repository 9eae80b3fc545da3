import { describe, expect, it } from "vitest";
import type { EventConfig } from "../../../src/node/config/event-config.js";
import { EventBudget } from "../../../src/node/events/event-budget.js";
import { createEventService } from "../../../src/node/events/event-service.js";
import type { EventKind } from "../../../src/node/events/receivers/event-message.js";
import { atOnce, oneStep, type Work, WorkLine } from "../../../src/node/scheduling/sliced-work.js";
import { FakeChain, sliced, storedDelivery, unsliced } from "../events/fake-chain.js";

const turns = async (count: number): Promise<void> => {
	for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

function lineOf(maxWaiting?: number, slice = sliced) {
	const did: string[] = [];
	const line = new WorkLine({
		slice,
		report: (error) => did.push(String(error)),
		...(maxWaiting === undefined ? {} : { maxWaiting }),
	});
	const work = function* (name: string, steps: number): Work {
		for (let step = 0; step < steps; step++) {
			did.push(`${name}${step}`);
			yield;
		}
	};
	return { did, line, add: (name: string, steps: number) => line.add(work(name, steps)) };
}

describe("work in time slices", () => {
	it("is interrupted when the slice is over, and goes on in the order of coming", async () => {
		const { did, add } = lineOf();
		add("a", 3);
		add("b", 2);
		expect(did).toEqual(["a0"]);
		await turns(20);
		expect(did).toEqual(["a0", "a1", "a2", "b0", "b1"]);
	});

	it("is done when it is added where the slice is long enough", () => {
		const { did, add } = lineOf(undefined, unsliced);
		add("a", 2);
		add("b", 1);
		expect(did).toEqual(["a0", "a1", "b0"]);
	});

	it("is done in one go, the oldest first, where too much waits", async () => {
		const { did, add } = lineOf(2);
		for (const name of ["a", "b", "c", "d"]) add(name, 2);
		expect(did).toEqual(["a0", "a1", "b0", "b1"]);
		await turns(20);
		expect(did).toEqual(["a0", "a1", "b0", "b1", "c0", "c1", "d0", "d1"]);
	});

	it("reports what it throws, and goes on with the next", async () => {
		const { did, line, add } = lineOf();
		add("a", 1);
		line.add(
			oneStep(() => {
				throw new TypeError("b");
			}),
		);
		add("c", 1);
		await turns(20);
		expect(did).toEqual(["a0", "TypeError: b", "c0"]);
	});

	it("ends with the line", async () => {
		const { did, line, add } = lineOf();
		add("a", 5);
		line.stop();
		await turns(20);
		expect(did).toEqual(["a0"]);
		add("b", 1);
		await turns(20);
		expect(did).toEqual(["a0", "b0"]);
	});
});

const KINDS: readonly EventKind[] = ["block", "transaction", "contractlog", "soliditylog", "solidity"];

const configOf = (version: 0 | 1): EventConfig => ({
	version,
	startBlock: 0n,
	parsesLogs: true,
	tellsRemoved: true,
	topics: new Map(
		KINDS.map((kind) => [kind, { redundancy: false, ethCompatible: false, solidified: false }]),
	),
	filter: undefined,
	receivers: [],
});

/** What a service tells of a chain whose blocks come while it is still at work. */
function serviceOf(chain: FakeChain, version: 0 | 1, run: (work: Work) => void) {
	const texts: string[] = [];
	const service = createEventService({
		config: configOf(version),
		chain: chain.view,
		outlet: ({ json }) => texts.push(json),
		budget: new EventBudget(() => {}),
		pause: async () => {},
		warn: () => {},
		run,
	});
	void service.start();
	chain.observe(service.observer);
	return { texts, flush: service.flush };
}

describe.each([0, 1] as const)("events in time slices, version %i", (version) => {
	it("are the same in the same order as those made at once, on another branch too", async () => {
		const chain = new FakeChain();
		const direct = serviceOf(chain, version, atOnce);
		const line = new WorkLine({
			slice: sliced,
			report: (error) => {
				throw error;
			},
		});
		const late = serviceOf(chain, version, (work) => line.add(work));
		const flush = (): void => {
			direct.flush?.();
			late.flush?.();
		};
		chain.push(5);
		flush();
		chain.switch(2, 3, 7);
		expect(late.texts.length).toBeLessThan(direct.texts.length);
		chain.push(2);
		await turns(500);
		flush();
		await turns(500);
		expect(late.texts.length).toBeGreaterThan(20);
		expect(late.texts).toEqual(direct.texts);
	});

	it("reach a receiver once each, where the chain moves while they are made", async () => {
		const chain = new FakeChain();
		const ids: string[] = [];
		const delivery = storedDelivery({
			config: configOf(version),
			chain: chain.view,
			receiver: {
				deliver: async (told) => void ids.push(...told.map(({ id }) => id)),
				close: async () => {},
			},
			budget: new EventBudget(() => {}),
			slice: sliced,
		});
		chain.observe(delivery.observer);
		delivery.start();
		chain.push(4);
		await turns(3);
		chain.switch(1, 3, 7);
		await turns(3);
		chain.push(4);
		for (let turn = 0; turn < 100 && delivery.counts.lag > 0; turn++) await turns(20);
		expect(delivery.counts).toMatchObject({ lag: 0, errors: 0 });
		expect(new Set(ids).size).toBe(ids.length);
		for (const id of chain.ids) expect(ids).toContain(`blockTrigger/${id}`);
		await delivery.stop();
	});
});
