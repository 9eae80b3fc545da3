import { expect, it } from "vitest";
import type { EventConfig } from "../../../src/node/config/event-config.js";
import { eventBudget } from "../../../src/node/events/event-budget.js";
import { createEventService } from "../../../src/node/events/event-service.js";
import { FakeChain } from "./fake-chain.js";

const configOf = (startBlock: bigint): EventConfig => ({
	version: 1,
	startBlock,
	parsesLogs: true,
	tellsRemoved: true,
	topics: new Map([["block", { redundancy: false, ethCompatible: false, solidified: false }]]),
	filter: undefined,
	receivers: [],
});

/** Ids of the blocks that are published after a start at the head, and once another block has come. */
async function published(chain: FakeChain, startBlock: bigint): Promise<readonly string[]> {
	const ids: string[] = [];
	const service = createEventService({
		config: configOf(startBlock),
		chain: chain.view,
		outlet: (message) => ids.push(message.id),
		budget: eventBudget("a", () => {}),
		pause: async () => {},
		warn: (text) => {
			throw new Error(text);
		},
		run: (work) => {
			for (const _ of work);
		},
	});
	const forget = chain.observe(service.observer);
	await service.start();
	chain.push(1);
	service.flush?.();
	forget();
	return ids;
}

it.each([
	["the head where it is 0", 0n, 10],
	["a number below the solidified block", 2n, 2],
	["the solidified block", 6n, 6],
	["what is above the solidified block where the number is the head's", 9n, 7],
	["what is above the solidified block where the number is far above the head", 1000n, 7],
])("version 1 begins with %s", async (_, startBlock, first) => {
	const chain = new FakeChain();
	chain.push(9);
	expect(chain.solidNumber).toBe(6);
	expect(await published(chain, startBlock)).toEqual(chain.ids.slice(first - 1));
});
