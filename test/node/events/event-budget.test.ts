import { describe, expect, it } from "vitest";
import { EventBudget, eventBudget } from "../../../src/node/events/event-budget.js";
import type { SignedBlock } from "../../../src/protocol/block.js";

const block = { number: 7n } as SignedBlock;

const unpaid = (characters: number) => ({ characters, paid: 0 });

function budgetOf(event: number, ofBlock: number) {
	const leftOut: string[] = [];
	const budget = new EventBudget(({ what, index }, reason) => leftOut.push(`${what} ${index}: ${reason}`), {
		event,
		block: ofBlock,
		kept: ofBlock,
	});
	return { budget, leftOut };
}

describe("the budget of events", () => {
	it("leaves out one that is too long before it is made, and goes on with the next", () => {
		const { budget, leftOut } = budgetOf(100, 150);
		const open = budget.open(block);
		const made = [90, 101, 60, 61].map((length, index) => {
			let isMade = false;
			const result = open.make({ what: "log", index }, unpaid(length), () => {
				isMade = true;
				return index;
			});
			return [result, isMade];
		});
		expect(made).toEqual([
			[0, true],
			[undefined, false],
			[2, true],
			[undefined, false],
		]);
		expect(leftOut).toEqual([
			"log 1: it is longer than 100 characters",
			"log 3: those before it in the block are 150 characters long",
		]);
		expect(budget.leftOut).toBe(2);
		expect(budget.open(block).make({ what: "log" }, unpaid(100), () => 1)).toBe(1);
	});

	it("counts what was made longer than it seemed", () => {
		const { budget } = budgetOf(100, 150);
		const open = budget.open(block);
		expect(
			open.make(
				{ what: "log" },
				unpaid(10),
				() => "a",
				() => 91,
			),
		).toBeUndefined();
		expect(
			open.make(
				{ what: "log" },
				unpaid(10),
				() => "b",
				() => 90,
			),
		).toBe("b");
		expect(open.make({ what: "log" }, unpaid(51), () => "c")).toBeUndefined();
	});

	it("keeps nobody's ordinary events out because of a long one", () => {
		const { budget, leftOut } = budgetOf(100, 150);
		const open = budget.open(block);
		const make = (index: number, characters: number, paid: number) =>
			open.make({ what: "log", index }, { characters, paid }, () => index);
		expect([make(0, 100, 10), make(1, 70, 10), make(2, 71, 10), make(3, 10, 10)]).toEqual([
			0,
			1,
			undefined,
			3,
		]);
		// So many that it isn't a question of who pays.
		for (let n = 0; n < 42; n++) expect(make(4, 10, 10)).toBe(4);
		expect(make(5, 10, 10)).toBeUndefined();
		expect(leftOut).toHaveLength(2);
	});

	it("leaves out what can't be made", () => {
		const { budget, leftOut } = budgetOf(100, 150);
		const made = budget.open(block).make({ what: "log", index: 0 }, unpaid(1), () => {
			throw new RangeError("Invalid string length");
		});
		expect(made).toBeUndefined();
		expect(leftOut).toEqual(["log 0: Invalid string length"]);
	});

	it("names what is left out in the log, a few times a minute", () => {
		const lines: string[] = [];
		let now = 0;
		const budget = eventBudget(
			"a",
			(text) => lines.push(text),
			() => now,
		);
		for (let index = 0; index < 50; index++)
			budget.leaveOut({ what: "log", block: 7n, transaction: "ab", index }, "it is too long");
		expect(lines).toHaveLength(6);
		expect(lines[5]).toBe("events of a: log 5 of transaction ab in block 7 is left out: it is too long");
		now = 60_000;
		budget.leaveOut({ what: "block", block: 8n }, "it is too long");
		expect(lines[6]).toBe("events of a: block in block 8 is left out: it is too long (44 more before)");
	});
});
