import { expect, test } from "vitest";
import { SharedBucket } from "../../../src/node/api/rate-limiter.js";

test("permits that came while nothing ran let all waiting calls go, in their order, however many wait", async () => {
	const WAITING = 100_000;
	let nowMs = 0;
	const resume: (() => void)[] = [];
	const clock = { now: () => nowMs, wait: () => new Promise<void>((resolve) => resume.push(resolve)) };
	const bucket = new SharedBucket(2 * WAITING, clock, true);
	expect(bucket.take("a", nowMs)).toBe(true);
	// A tenth of a second's permits may be reserved.
	for (let call = 0; call < WAITING / 5; call++) void bucket.take("a", nowMs);
	const went: number[] = [];
	for (let call = 0; call < WAITING; call++) {
		const taken = bucket.take("a", nowMs);
		if (taken instanceof Promise) void taken.then(() => went.push(call));
	}
	expect(resume.length).toBe(WAITING / 5);
	nowMs = 10_000;
	resume[0]?.();
	await new Promise((resolve) => setImmediate(resolve));
	expect(went.length).toBe(WAITING);
	expect(went.every((call, index) => call === index)).toBe(true);
});
