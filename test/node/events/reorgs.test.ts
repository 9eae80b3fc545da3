import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/node/config/config.js";
import type { EventConfig } from "../../../src/node/config/event-config.js";
import { EventBudget } from "../../../src/node/events/event-budget.js";
import { createEventService } from "../../../src/node/events/event-service.js";
import type { EventBody, EventMessage } from "../../../src/node/events/receivers/event-message.js";
import { atOnce } from "../../../src/node/scheduling/sliced-work.js";
import { FakeChain } from "./fake-chain.js";

const topic = (kind: string, more = ""): string =>
	`{ triggerName = ${kind}, enable = true, topic = "${kind}"${more} }`;

function configOf(version: 0 | 1, release: string, late = ""): EventConfig {
	const { events } = parseConfig(
		`storage {}
		node.release = ${release}
		event.subscribe {
			version = ${version}, native.useNativeQueue = true
			topics = [${topic("block", late)}, ${topic("transaction", late)}, ${topic("contractlog")}]
		}`,
		"events",
		{ events: true },
	);
	if (!events) throw new Error("no events");
	return events;
}

/** What is told of a reorg that leaves two blocks for three. */
function toldOfReorg(config: EventConfig): EventMessage[] {
	const chain = new FakeChain();
	let told: EventMessage[] = [];
	const service = createEventService({
		config,
		chain: chain.view,
		outlet: (message) => told.push(message),
		budget: new EventBudget(() => {}),
		pause: async () => {},
		warn: () => {},
		run: atOnce,
	});
	void service.start();
	chain.observe(service.observer);
	chain.push(5);
	service.flush?.();
	told = [];
	chain.switch(2, 3, 1);
	service.flush?.();
	return told;
}

/** Height, and what it is told as; in brackets: it is taken back. */
const shown = ({ kind, body }: EventMessage): string => {
	const text = `${body["blockNumber"]} ${kind}`;
	return body["removed"] === true ? `(${text})` : text;
};

const lastMembers = (body: EventBody | undefined): string[] => Object.keys(body ?? {});

describe("a reorg", () => {
	it("takes back blocks and transactions that left, newest first, and tells those of the new branch", () => {
		const told = toldOfReorg(configOf(0, "4.8.2"));
		expect(told.map(shown)).toEqual([
			...[
				"(5 contractlog)",
				"(5 block)",
				"(5 transaction)",
				"(4 contractlog)",
				"(4 block)",
				"(4 transaction)",
			],
			...["4 contractlog", "4 block", "4 transaction", "5 contractlog", "5 block", "5 transaction"],
			...["6 contractlog", "6 block", "6 transaction"],
		]);
	});

	it("does so in version 1 too, each block before its logs", () => {
		const told = toldOfReorg(configOf(1, "4.8.2"));
		expect(told.map(shown).slice(0, 7)).toEqual([
			...[
				"(5 block)",
				"(5 transaction)",
				"(5 contractlog)",
				"(4 block)",
				"(4 transaction)",
				"(4 contractlog)",
			],
			"4 block",
		]);
	});

	it("says nothing of blocks and transactions that wait until they are solidified", () => {
		for (const { kind, body } of toldOfReorg(configOf(0, "4.8.2", ", solidified = true"))) {
			if (kind !== "contractlog") expect(body["removed"]).toBe(false);
		}
	});

	it("was told by logs alone up to release 4.8.1, and of the new branch in version 1", () => {
		expect(new Set(toldOfReorg(configOf(0, "4.8.1")).map(({ kind }) => kind))).toEqual(
			new Set(["contractlog"]),
		);
		const told = toldOfReorg(configOf(1, "4.8.1"));
		expect(told.map(shown).slice(0, 3)).toEqual(["(5 contractlog)", "(4 contractlog)", "4 block"]);
		for (const { kind, body } of told) if (kind !== "contractlog") expect(body).not.toHaveProperty("removed");
	});

	it("is told behind the solidified number: in a block before its transactions", () => {
		const told = toldOfReorg(configOf(0, "4.8.2"));
		const [block, transaction] = ["block", "transaction"].map((kind) =>
			told.find((one) => one.kind === kind),
		);
		expect(lastMembers(block?.body).slice(-3)).toEqual([
			"latestSolidifiedBlockNumber",
			"removed",
			"transactionList",
		]);
		expect(lastMembers(transaction?.body)).toContain("removed");
	});
});
