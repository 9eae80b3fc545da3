import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallQueue, OWN_CLIENT } from "../../../src/node/scheduling/call-queue.js";

let nowMs: number;
beforeEach(() => {
	nowMs = 0;
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
	vi.useRealTimers();
});

const newQueue = (): CallQueue => new CallQueue(() => nowMs);

/** Holds the thread. */
function busy(ms: number): void {
	nowMs += ms;
}

/** Lets time pass in which the thread is free. */
async function pass(ms: number): Promise<void> {
	nowMs += ms;
	vi.advanceTimersByTime(ms);
	await rounds(5);
}

/** Lets time pass until all is done. */
async function finish<T>(calculations: readonly Promise<T>[]): Promise<readonly T[]> {
	let isOver = false;
	const all = Promise.all(calculations).finally(() => {
		isOver = true;
	});
	all.catch(() => undefined);
	await rounds(5);
	while (!isOver) await pass(10);
	return all;
}

/** Lets the event loop go round. */
async function rounds(count: number): Promise<void> {
	for (let round = 0; round < count; round++) await new Promise((resolve) => setImmediate(resolve));
}

describe("a queue of calculations", () => {
	it("calculates at once when nothing else does", async () => {
		let calculated = false;
		const answer = newQueue().run(() => {
			calculated = true;
			return 7;
		});
		expect(calculated).toBe(true);
		expect(await answer).toBe(7);
	});

	it("gives what needn't wait without a promise, and throws its error", async () => {
		const queue = newQueue();
		expect(queue.begin(() => 7)).toBe(7);
		const fail = (): never => {
			busy(20);
			throw new Error("no");
		};
		expect(() => queue.begin(fail)).toThrow("no");
		const later = queue.begin(fail);
		expect(later).toBeInstanceOf(Promise);
		await expect(finish([later as Promise<never>])).rejects.toThrow("no");
	});

	it("lets timers in between calculations that came at once, and keeps their order", async () => {
		const queue = newQueue();
		const events: string[] = [];
		setTimeout(() => events.push("timer"), 0);
		const calculate = (name: string) =>
			queue.run(() => {
				busy(25);
				events.push(name);
			});
		await finish(["a", "b", "c", "d"].map(calculate));
		expect(events).toEqual(["a", "timer", "b", "c", "d"]);
	});

	it("has rounds of the event loop pass between long calculations: a server takes one connection a round", async () => {
		const queue = newQueue();
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
			await pass(10);
		}
		await Promise.all(calculations);
	});

	it("pauses once more after something else has held the thread up", async () => {
		const queue = newQueue();
		let isDone = false;
		const first = queue.run(() => busy(25));
		const second = queue.run(() => {
			isDone = true;
		});
		busy(80);
		await pass(10);
		expect(isDone).toBe(false);
		await pass(10);
		expect(isDone).toBe(true);
		await Promise.all([first, second]);
	});

	it("lets clients take turns, so that many calculations of one hold up nobody else", async () => {
		const queue = newQueue();
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
		await finish(all);
		expect(done.slice(0, 7).filter((name) => name.startsWith("short"))).toEqual([
			"short 0",
			"short 2",
			"short 1",
		]);
		expect(done.filter((name) => name.startsWith("long"))).toEqual(
			all.slice(0, 40).map((_, i) => `long ${i}`),
		);
	});

	it("lets the node's own work come between any two of the clients' executions, however many they are", async () => {
		const queue = newQueue();
		const done: string[] = [];
		const run = (client: string) =>
			queue.run(
				() => {
					busy(25);
					done.push(client);
				},
				undefined,
				client,
			);
		const clients = Array.from({ length: 4 }, (_, i) => `10.0.0.${i + 1}`);
		await finish([run("10.0.0.9"), ...clients.map(run), run(OWN_CLIENT), run(OWN_CLIENT), run(OWN_CLIENT)]);
		expect(done).toEqual([
			"10.0.0.9",
			OWN_CLIENT,
			"10.0.0.1",
			OWN_CLIENT,
			"10.0.0.2",
			OWN_CLIENT,
			"10.0.0.3",
			"10.0.0.4",
		]);
	});

	it("leaves out what nobody waits for any more", async () => {
		const queue = newQueue();
		let left = false;
		const first = queue.run(() => busy(25));
		const second = queue.run(
			() => "calculated",
			() => left,
		);
		left = true;
		await first;
		const refused = expect(second).rejects.toThrow("the client has left");
		await pass(10);
		await refused;
	});

	it("passes a failure on and goes on with the next", async () => {
		const queue = newQueue();
		const failing = queue.run(() => {
			busy(25);
			throw new Error("no");
		});
		const next = queue.run(() => 1);
		await expect(failing).rejects.toThrow("no");
		expect(await finish([next])).toEqual([1]);
	});
});
