import { expect, it } from "vitest";
import { witnessesForFinality } from "../../src/protocol/timing.js";

it("takes 19 of 27 witnesses, and of fewer what the network's arithmetic gives", () => {
	const counts = [1, 2, 3, 4, 5, 7, 10, 13, 14, 20, 26, 27];
	expect(counts.map(witnessesForFinality)).toEqual([1, 2, 3, 3, 4, 5, 7, 10, 10, 14, 19, 19]);
});
