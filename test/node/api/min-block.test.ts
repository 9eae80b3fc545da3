import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HttpAnswer } from "../../../src/node/api/http-answer.js";
import { MinBlock, namesBlock } from "../../../src/node/api/min-block.js";
import type { HttpRequest } from "../../../src/node/api/plain-request.js";

let head = 5n;
let nowMs = 0;
let minBlock: MinBlock;
beforeEach(() => {
	vi.useFakeTimers();
	[head, nowMs] = [5n, 0];
	minBlock = new MinBlock({ head: () => head, now: () => nowMs });
});
afterEach(() => {
	minBlock.close();
	vi.useRealTimers();
});

/** Lets time pass, in which the node's clock goes on too. */
async function pass(ms: number): Promise<void> {
	nowMs += ms;
	await vi.advanceTimersByTimeAsync(ms);
}

/** What comes of a request: `handled`, or the status with the text. */
function ask(block?: string, address = "a") {
	const outcomes: unknown[] = [];
	const request = {
		headers: block === undefined ? {} : { "x-coin-min-block": block },
		socket: { remoteAddress: address },
	} as unknown as HttpRequest;
	const answer = {
		send: (status: number, _type: string, text: string, more?: object) => outcomes.push([status, text, more]),
	} as unknown as HttpAnswer;
	if (namesBlock(request)) void minBlock.hold(request, answer, () => void outcomes.push("handled"));
	else outcomes.push("handled");
	return outcomes;
}

describe("a request that names a block", () => {
	it("is answered at once where it is there, or none is named", () => {
		expect([ask(), ask("5"), ask("0")]).toEqual([["handled"], ["handled"], ["handled"]]);
	});

	it("waits until it is there", async () => {
		const outcomes = ask("7");
		head = 6n;
		await pass(1_000);
		expect(outcomes).toEqual([]);
		head = 7n;
		await pass(50);
		expect(outcomes).toEqual(["handled"]);
		expect(vi.getTimerCount()).toBe(0);
	});

	it("is refused where it doesn't come in two slots", async () => {
		const outcomes = ask("7");
		await pass(5_900);
		expect(outcomes).toEqual([]);
		await pass(150);
		const text = '{"Error":"block 7 is not here yet: the newest one is 5"}\n';
		expect(outcomes).toEqual([[503, text, { "Retry-After": "1" }]]);
	});

	it("is refused at once where too many wait, of one address or of all", async () => {
		const own = Array.from({ length: 801 }, () => ask("7"));
		await pass(0);
		expect(own.map((each) => each.length)).toEqual([...Array<number>(800).fill(0), 1]);
		const all = Array.from({ length: 201 }, (_, at) => ask("7", `b${at}`));
		await pass(0);
		expect(all.map((each) => each.length)).toEqual([...Array<number>(200).fill(0), 1]);
	});

	it("is refused where that is no number, and when the node ends", async () => {
		expect(ask("latest")).toEqual([[400, expect.stringContaining("is the number of a block"), undefined]]);
		const outcomes = ask("7");
		minBlock.close();
		await pass(0);
		expect(outcomes).toEqual([[503, expect.stringContaining("not here yet"), { "Retry-After": "1" }]]);
	});
});
