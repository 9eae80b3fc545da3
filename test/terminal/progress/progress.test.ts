import { afterEach, describe, expect, it, vi } from "vitest";
import { canDraw, withProgress } from "../../../src/terminal/progress/progress.js";

describe("progress", () => {
	it.each([
		[true, 80, true],
		[true, 1, true],
		[true, 0, false],
		[true, undefined, false],
		[false, 80, false],
	])("is drawn by terminal %s of %s columns: %s", (isTTY, columns, drawn) => {
		expect(canDraw(columns === undefined ? { isTTY } : { isTTY, columns })).toBe(drawn);
	});

	describe("on a terminal without a width", () => {
		afterEach(() => {
			vi.useRealTimers();
			vi.restoreAllMocks();
			Reflect.deleteProperty(process.stderr, "isTTY");
			Reflect.deleteProperty(process.stderr, "columns");
		});

		it("lets long work end without drawing anything", async () => {
			Object.defineProperties(process.stderr, {
				isTTY: { value: true, configurable: true },
				columns: { value: 0, configurable: true },
			});
			vi.useFakeTimers();
			const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
			const result = await withProgress("working", true, async ({ update }) => {
				await vi.advanceTimersByTimeAsync(600);
				// A spinner would be drawn as soon as it is loaded.
				await import("ora");
				await vi.advanceTimersByTimeAsync(600);
				update("still working");
				return 7;
			});
			expect(result).toBe(7);
			expect(write).not.toHaveBeenCalled();
		});
	});
});
