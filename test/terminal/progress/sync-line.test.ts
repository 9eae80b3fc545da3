import { describe, expect, it } from "vitest";
import { syncText } from "../../../src/terminal/progress/sync-line.js";

describe("the line of a node that synchronises", () => {
	it.each([
		[0n, 0, "synchronising: block 0 of 10000  0.0 %  0 blocks/s"],
		[2500n, 300.4, "synchronising: block 2500 of 10000  25.0 %  300 blocks/s  25 s left"],
		[2500n, 50, "synchronising: block 2500 of 10000  25.0 %  50 blocks/s  2 min 30 s left"],
		[2500n, 1, "synchronising: block 2500 of 10000  25.0 %  1 blocks/s  2 h 5 min left"],
		[100n, 0.01, "synchronising: block 100 of 10000  1.0 %  0 blocks/s  11 d 11 h left"],
	] as const)("says block, share, rate and time left: %s at %s", (head, rate, text) => {
		expect(syncText({ head, target: 10_000n }, rate)).toBe(text);
	});
});
