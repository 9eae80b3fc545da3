import { describe, expect, test, vi } from "vitest";
import { TraceBudget, TraceClock, TraceError } from "../../../src/node/tracing/limits.js";

describe("the budget of a trace", () => {
	test("ends what would be too long to send, and says what makes it shorter", () => {
		const budget = new TraceBudget(10);
		budget.take(10);
		expect(() => budget.take(1)).toThrow(/longer than 10 bytes .*onlyTopCall/);
	});

	test("of 0 has no end", () => {
		expect(() => new TraceBudget(0).take(2 ** 40)).not.toThrow();
	});
});

describe("the clock of a trace", () => {
	test("counts what runs, and gives each execution what is left", () => {
		let now = 1_000;
		const clocked = vi.spyOn(performance, "now").mockImplementation(() => now);
		const clock = new TraceClock(100);
		const first = clock.run((deadline) => {
			now += 60;
			return deadline;
		});
		expect(first).toBe(1_100);
		now += 5_000;
		expect(clock.run((deadline) => deadline)).toBe(6_100);
		expect(() =>
			clock.run(() => {
				now += 41;
				throw new Error("how it failed doesn't matter any more");
			}),
		).toThrow(TraceError);
		const never = vi.fn();
		expect(() => clock.run(never)).toThrow(/longer than 100 ms/);
		expect(never).not.toHaveBeenCalled();
		clocked.mockRestore();
	});
});
