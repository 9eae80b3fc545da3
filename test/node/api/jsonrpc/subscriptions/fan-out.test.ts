import { beforeEach, expect, test } from "vitest";
import { FanOut } from "../../../../../src/node/api/jsonrpc/subscriptions/outlet.js";

let nowMs: number;
let rounds: { readonly work: () => void; readonly ms: number }[];
let fanOut: FanOut;

beforeEach(() => {
	nowMs = 0;
	rounds = [];
	fanOut = new FanOut(
		(work, ms) => rounds.push({ work, ms }),
		() => nowMs,
	);
});

/** Runs the next round. @returns how long it was put off */
function round(): number | undefined {
	const next = rounds.shift();
	next?.work();
	return next?.ms;
}

test("everybody is told in order, and nobody in the round in which it happens", () => {
	const told: string[] = [];
	fanOut.tell("a", [1, 2], (n) => told.push(`first ${n}`));
	fanOut.tell("a", [2, 3], (n) => told.push(`second ${n}`));
	expect(told).toEqual([]);
	expect(fanOut.waitingOf("a")).toBe(2);
	expect(round()).toBe(0);
	expect(told).toEqual(["first 1", "first 2", "second 2", "second 3"]);
	expect(fanOut.waitingOf("a")).toBe(0);
	expect(rounds).toEqual([]);
});

test("a turn ends after its time, and goes on where it ended after a rest", () => {
	const told: string[] = [];
	const slowly = (name: string) => (n: number) => {
		told.push(`${name}${n}`);
		nowMs += 2;
	};
	fanOut.tell("a", [1, 2, 3, 4], slowly("a"));
	fanOut.tell("b", [1, 2], slowly("b"));
	round();
	expect(told).toEqual(["a1", "a2", "a3"]);
	expect([fanOut.waitingOf("a"), fanOut.waitingOf("b")]).toEqual([1, 1]);
	expect(round()).toBe(5);
	expect(told).toEqual(["a1", "a2", "a3", "a4", "b1", "b2"]);
	expect([fanOut.waitingOf("a"), fanOut.waitingOf("b")]).toEqual([0, 1]);
	round();
	expect(fanOut.waitingOf("b")).toBe(0);
});
