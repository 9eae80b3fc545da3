import { describe, expect, it } from "vitest";
import { Meter } from "../../../src/node/metrics/meters.js";

describe("a meter", () => {
	it("counts, and knows the mean of all time", () => {
		let now = 0;
		const meter = new Meter(() => now);
		meter.mark(3);
		now = 2_000;
		meter.mark();
		expect(meter.rate).toEqual({ count: 4, mean: 2, oneMinute: 0, fiveMinutes: 0, fifteenMinutes: 0 });
	});

	it("averages over the last minutes, the shorter ones forgetting faster", () => {
		let now = 0;
		const meter = new Meter(() => now);
		meter.mark(50);
		now = 5_000;
		expect(meter.rate).toMatchObject({ oneMinute: 10, fiveMinutes: 10, fifteenMinutes: 10 });
		now = 65_000;
		const { oneMinute, fiveMinutes, fifteenMinutes } = meter.rate;
		expect(oneMinute).toBeCloseTo(10 / Math.E, 3);
		expect(fiveMinutes).toBeCloseTo(10 * Math.exp(-1 / 5), 3);
		expect(fifteenMinutes).toBeCloseTo(10 * Math.exp(-1 / 15), 3);
		now = 1e9;
		expect(meter.rate.fifteenMinutes).toBeLessThan(0.001);
	});
});
