import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import type { EventCounts } from "../../../src/node/events/deliveries.js";
import { registerEventGauges } from "../../../src/node/metrics/gauges.js";

const counts: EventCounts = {
	native: { subscribers: 2, sent: 30, lost: 4, leftOut: 6 },
	receivers: [
		{ name: "kafka", position: 7, lag: 3, errors: 1, sent: 20, lost: 0, leftOut: 0 },
		{ name: "nats", position: 10, lag: 0, errors: 0, sent: 40, lost: 5, leftOut: 7 },
	],
};

describe("the page of metrics of a node that tells events", () => {
	it("has the native queue and each receiver, and nothing of them before they are there", async () => {
		const registry = new Registry();
		let now: EventCounts | undefined;
		registerEventGauges(registry, "neutral", () => now);
		expect(await registry.metrics()).toContain("coin:event_queue_sent 0");
		expect(await registry.metrics()).not.toContain('receiver="');
		now = counts;
		const page = await registry.metrics();
		for (const line of [
			"coin:event_queue_subscribers 2",
			"coin:event_queue_lost 4",
			"coin:event_queue_left_out 6",
			'coin:event_receiver_left_out{receiver="nats"} 7',
			'coin:event_receiver_position{receiver="kafka"} 7',
			'coin:event_receiver_lag{receiver="kafka"} 3',
			'coin:event_receiver_errors{receiver="kafka"} 1',
			'coin:event_receiver_sent{receiver="nats"} 40',
			'coin:event_receiver_lost{receiver="nats"} 5',
		]) {
			expect(page).toContain(`${line}\n`);
		}
	});
});
