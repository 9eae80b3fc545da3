import { beforeEach, expect, test } from "vitest";
import type { PlacedLog } from "../../../../../src/node/api/jsonrpc/objects/log.js";
import { EventPublisher } from "../../../../../src/node/api/jsonrpc/subscriptions/event-publisher.js";
import type { SignedBlock } from "../../../../../src/protocol/block.js";

let nowMs: number;
let rests: number[];
let told: string[];
let closed: string[];
let teller: EventPublisher<string>;
let readMs: number;

const MOST = 10;
const block = {} as SignedBlock;
const logs = (count: number): PlacedLog[] =>
	Array.from({ length: count }, (_, logIndex) => ({ logIndex }) as PlacedLog);
const idle = async (): Promise<void> => {
	for (let round = 0; round < 50; round++) await new Promise(setImmediate);
};

beforeEach(() => {
	nowMs = 0;
	readMs = 0;
	[rests, told, closed] = [[], [], []];
	teller = new EventPublisher<string>(
		{
			wants: (listener, { logIndex }) => {
				nowMs += 0.1;
				return listener === "all" || (listener === "first" && logIndex === 0);
			},
			read: async ({ logIndex }) => {
				if (logIndex === 7) throw new TypeError("unreadable");
				nowMs += readMs;
				return logIndex;
			},
			tell: (listeners, notice) => told.push(`${listeners} ${notice}`),
			close: (listener) => closed.push(listener),
		},
		(work, ms) => {
			rests.push(ms);
			setImmediate(work);
		},
		() => nowMs,
		MOST,
	);
});

test("a log is told to those who want it, in order, in a later round", async () => {
	teller.add(["first", "none", "all"], logs(2), block, false);
	expect(told).toEqual([]);
	await idle();
	expect([told, rests]).toEqual([["first,all 0", "all 1"], [0]]);
});

test("after a turn follows a rest of its length: so long as reading takes, others have their turn", async () => {
	readMs = 40;
	teller.add(["all"], logs(3), block, false);
	await idle();
	expect(rests).toEqual([0, 41, 41]);
});

test("asking many listeners is done in turns too", async () => {
	teller.add(
		Array.from({ length: 1_000 }, () => "none"),
		logs(1),
		block,
		false,
	);
	await idle();
	expect(rests.length).toBeGreaterThan(10);
	expect(Math.max(...rests)).toBeLessThan(15);
});

test("where too many logs wait, those are closed for whom they are, and nobody else", async () => {
	teller.add(["first", "none", "all"], logs(MOST + 10).slice(8), block, false);
	await idle();
	expect(closed).toEqual(["all"]);
	expect(told.slice(0, 2)).toEqual(["all 9", "all 10"]);
});

test("where nobody is closed for that, all are in the end", async () => {
	for (let n = 0; n < 5; n++) teller.add(["none"], logs(MOST), block, false);
	expect(closed).toEqual([]);
	teller.add(["none"], logs(1), block, false);
	expect(closed).toEqual(["none"]);
	await idle();
});

test("blocks without end aren't kept", () => {
	for (let n = 0; n <= 100; n++) teller.add(["none"], [], block, false);
	expect(closed).toEqual(["none"]);
});

test("what can't be read closes its listeners, and the next is told", async () => {
	teller.add(["all"], logs(9).slice(7), block, false);
	await idle();
	expect([closed, told]).toEqual([["all"], ["all 8"]]);
});
