import { describe, expect, it, vi } from "vitest";
import { CallQueue } from "../../../src/node/api/call-queue.js";

function busy(ms: number): void {
	const end = performance.now() + ms;
	while (performance.now() < end);
}

/** Lets the event loop go round. */
async function rounds(count: number): Promise<void> {
	for (let round = 0; round < count; round++) await new Promise((resolve) => setImmediate(resolve));
}

describe("a queue of calculations", () => {
	it("calculates at once when nothing else does", async () => {
		let calculated = false;
		const answer = new CallQueue().run(() => {
			calculated = true;
			return 7;
		});
		expect(calculated).toBe(true);
		expect(await answer).toBe(7);
	});

	it("lets timers in between calculations that came at once, and keeps their order", async () => {
		const queue = new CallQueue();
		const events: string[] = [];
		setTimeout(() => events.push("timer"), 0);
		await Promise.all(
			["a", "b", "c", "d"].map((name) =>
				queue.run(() => {
					busy(25);
					events.push(name);
				}),
			),
		);
		expect(events.filter((event) => event !== "timer")).toEqual(["a", "b", "c", "d"]);
		expect(events.indexOf("timer")).toBeLessThan(3);
	});

	it("has rounds of the event loop pass between long calculations: a server takes one connection a round", async () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		try {
			const queue = new CallQueue();
			let done = 0;
			const calculations = [1, 2, 3].map(() =>
				queue.run(() => {
					done++;
					busy(25);
				}),
			);
			for (const expected of [1, 2, 3]) {
				await rounds(20);
				expect(done).toBe(expected);
				vi.advanceTimersToNextTimer();
			}
			await Promise.all(calculations);
		} finally {
			vi.useRealTimers();
		}
	});

	it("pauses once more after something else has held the thread up", async () => {
		const queue = new CallQueue();
		const ran: string[] = [];
		const first = queue.run(() => busy(25));
		const second = queue.run(() => ran.push("calculation"));
		setTimeout(() => busy(80), 0);
		setTimeout(() => setTimeout(() => ran.push("request"), 2), 20);
		await Promise.all([first, second]);
		expect(ran).toEqual(["request", "calculation"]);
	});

	it("lets clients take turns, so that many calculations of one hold up nobody else", async () => {
		vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
		try {
			const queue = new CallQueue();
			const done: string[] = [];
			const run = (client: string, name: string, ms: number) =>
				queue.run(
					() => {
						busy(ms);
						done.push(name);
					},
					undefined,
					client,
				);
			const all = Array.from({ length: 40 }, (_, i) => run("10.0.0.1", `long ${i}`, 25));
			all.push(run("10.0.0.2", "short 0", 0), run("10.0.0.2", "short 1", 0), run("10.0.0.3", "short 2", 0));
			while (done.length < 43) {
				await rounds(5);
				vi.advanceTimersToNextTimer();
			}
			await Promise.all(all);
			expect(done.indexOf("short 0")).toBeLessThan(4);
			expect(done.indexOf("short 2")).toBeLessThan(5);
			expect(done.indexOf("short 1")).toBeLessThan(6);
			expect(done.filter((name) => name.startsWith("long"))).toEqual(
				all.slice(0, 40).map((_, i) => `long ${i}`),
			);
		} finally {
			vi.useRealTimers();
		}
	});

	it("leaves out what nobody waits for any more", async () => {
		const queue = new CallQueue();
		let left = false;
		const first = queue.run(() => busy(25));
		const second = queue.run(
			() => "calculated",
			() => left,
		);
		left = true;
		await first;
		await expect(second).rejects.toThrow("the client has left");
	});

	it("passes a failure on and goes on with the next", async () => {
		const queue = new CallQueue();
		const failing = queue.run(() => {
			busy(25);
			throw new Error("no");
		});
		const next = queue.run(() => 1);
		await expect(failing).rejects.toThrow("no");
		expect(await next).toBe(1);
	});
});
