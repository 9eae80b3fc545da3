import { describe, expect, it } from "vitest";
import { FrameFuzzer } from "./frame-fuzzer.js";

describe("damaged frames and datagrams", () => {
	// More of them: npm run tool fuzz:frames -- --frames 1000000
	it("neither end nor swell a node, and offenders are told what the network tells them", async () => {
		const report = await new FrameFuzzer(3).run(6_000);
		expect(report.failures).toEqual([]);
		// A frame could keep a node busy for seconds; a machine under load needs some room.
		expect(report.longestMs).toBeLessThan(1_500);
		expect(report.frames + report.datagrams).toBeGreaterThanOrEqual(6_000);
		expect(report.outcomes.size).toBeGreaterThan(8);
	});
});
