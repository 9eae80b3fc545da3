import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, it, vi } from "vitest";
import type { ApiNode } from "../../../src/node/api/context.js";
import { HttpAnswer } from "../../../src/node/api/http-answer.js";
import { ListResult, PendingAnswer } from "../../../src/node/api/jsonrpc/long-result.js";
import { JsonParts } from "../../../src/node/api/jsonrpc/method.js";
import { LongAnswer, LongAnswerGate, UnreadAnswers } from "../../../src/node/api/long-answer.js";
import { sendLong } from "../../../src/node/api/long-answer-sender.js";
import type { HttpRequest } from "../../../src/node/api/plain-request.js";
import { CommonBytes, PlainResponse } from "../../../src/node/api/plain-response.js";

const MIB = 1 << 20;

async function rounds(): Promise<void> {
	for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve));
}

describe("the gate of long answers", () => {
	it("lets in one of each address in turn, whoever came first", async () => {
		const gate = new LongAnswerGate(1, 1);
		const order: string[] = [];
		let leave: (() => void) | undefined;
		const enter = (address: string, name: string): void => {
			void gate.enter(address).then((left) => {
				order.push(name);
				leave = left;
			});
		};
		for (const n of [1, 2, 3, 4]) enter("a", `a${n}`);
		await rounds();
		for (const n of [1, 2]) enter("b", `b${n}`);
		enter("c", "c1");
		for (let turn = 0; turn < 7; turn++) {
			leave?.();
			await rounds();
			if (turn === 3) enter("c", "c2");
		}
		leave?.();
		await rounds();
		expect(order).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "c2", "a4"]);
		leave?.();
		expect(gate.held).toBe(0);
	});

	it("lets in none of an address for a second once one was broken off, and all others", async () => {
		vi.useFakeTimers({ toFake: ["setTimeout"] });
		try {
			const gate = new LongAnswerGate(4, 1);
			const order: string[] = [];
			const enter = (name: string): void => void gate.enter(name).then(() => order.push(name));
			const leave = await gate.enter("a");
			enter("a");
			gate.pause("a");
			leave();
			enter("b");
			await rounds();
			vi.advanceTimersByTime(999);
			await rounds();
			expect(order).toEqual(["b"]);
			vi.advanceTimersByTime(1);
			await rounds();
			expect([order, gate.held]).toEqual([["b", "a"], 2]);
		} finally {
			vi.useRealTimers();
		}
	});

	it("lets in what there is memory for, an address its share, and something larger alone", async () => {
		const gate = new LongAnswerGate(10 * MIB, 4 * MIB, MIB);
		const leaves: (() => void)[] = [];
		const enter = (address: string, cost: number): void => {
			void gate.enter(address, cost).then((leave) => leaves.push(leave));
		};
		for (const address of ["a", "a", "a", "b"]) enter(address, 2 * MIB);
		await rounds();
		expect(gate.held).toBe(6 * MIB);
		enter("c", 20 * MIB);
		// Behind the heavy one, though there would be room.
		enter("d", MIB);
		await rounds();
		expect([gate.held, leaves.length]).toEqual([6 * MIB, 3]);
		for (let left = 0; left < 3; left++) leaves[left]?.();
		await rounds();
		// The third one of the first address came before it.
		expect(gate.held).toBe(2 * MIB);
		leaves[3]?.();
		await rounds();
		expect(gate.held).toBe(20 * MIB);
		leaves[4]?.();
		await rounds();
		expect(gate.held).toBe(MIB);
	});
});

/** An answer to a client that reads nothing. */
function unread(): { readonly answer: HttpAnswer; readonly written: number[] } {
	const written: number[] = [];
	const response = {
		writeHead: () => {},
		write: (bytes: Buffer) => {
			written.push(bytes.length);
			return false;
		},
		end: () => {},
		once: () => {},
		off: () => {},
	};
	const answer = new HttpAnswer(
		{ method: "POST" } as unknown as HttpRequest,
		response as unknown as ServerResponse,
	);
	return { answer, written };
}

it("an answer whose cost is known is admitted before anything is made for it", async () => {
	let made = 0;
	const pieces = (function* () {
		made++;
		yield "x".repeat(MIB);
		made++;
		yield "x";
	})();
	let admit = (): void => {};
	let asked = 0;
	const { answer } = unread();
	void sendLong(answer, new LongAnswer(pieces, 5 * MIB), {
		contentType: "text/plain",
		enter: (cost = 0) => {
			asked = cost;
			return new Promise((resolve) => {
				admit = () => resolve(() => {});
			});
		},
		unread: new UnreadAnswers(),
		isAbandoned: () => false,
		failed: () => "",
	});
	await rounds();
	expect([asked, made]).toEqual([5 * MIB, 0]);
	admit();
	await rounds();
	expect(made).toBe(1);
});

it("an answer whose client doesn't read gives its place to others", async () => {
	const gate = new LongAnswerGate(1, 1);
	const { answer, written } = unread();
	const pieces = Array.from({ length: 40 }, () => "x".repeat(64 << 10));
	void sendLong(answer, new LongAnswer(pieces, 1), {
		contentType: "text/plain",
		enter: (cost) => gate.enter("slow", cost),
		unread: new UnreadAnswers(),
		isAbandoned: () => false,
		failed: () => "",
	});
	const leave = await gate.enter("other", 1);
	expect(written).toEqual([64 << 10]);
	leave();
});

it("answers that nobody reads hold a bounded number of bytes: the largest is broken off", () => {
	const unread = new UnreadAnswers(10);
	const ended: string[] = [];
	const wait = (name: string, bytes: number) => unread.wait(bytes, () => ended.push(name));
	const read = wait("a", 4);
	wait("b", 5);
	expect(ended).toEqual([]);
	read();
	read();
	wait("c", 4);
	expect(ended).toEqual([]);
	wait("d", 2);
	expect(ended).toEqual(["b"]);
});

it("parts of an answer are written as the client takes them", async () => {
	const parts = Array.from({ length: 5 }, () => Buffer.alloc(64 << 10));
	const { answer, written } = unread();
	void answer.sendParts("application/json", parts, 5 * (64 << 10));
	await rounds();
	expect([written.length, parts.length]).toEqual([1, 4]);
});

it("parts of an answer have their length in front on plain connections, as an answer in one piece", async () => {
	let sent = "";
	let isFinished = false;
	const socket = {
		destroyed: false,
		cork: () => {},
		uncork: () => {},
		write: (bytes: Buffer | string, _encoding?: string, done?: () => void) => {
			sent += bytes.toString();
			done?.();
			return true;
		},
	};
	const response = new PlainResponse(socket as unknown as Socket, new CommonBytes(30_000, () => 0), () => {
		isFinished = true;
	});
	const answer = new HttpAnswer({ method: "POST" } as unknown as HttpRequest, response);
	await answer.sendParts(
		"text/plain",
		["ab", "", "cdef"].map((text) => Buffer.from(text)),
		6,
	);
	const [head = "", body] = sent.split("\r\n\r\n");
	expect(head).toContain("Content-Length: 6\r\n");
	expect(head).not.toContain("chunked");
	expect([body, isFinished, answer.bytes]).toEqual(["abcdef", true, 6]);
});

describe("a list that is made item by item", () => {
	const gate = new LongAnswerGate(1, 1);
	const node = { limiter: { longResults: gate } } as unknown as ApiNode;

	it("stays a list of objects while it is short", () => {
		const list = new ListResult({ node });
		list.add({ a: 1 });
		expect(list.end()).toEqual([{ a: 1 }]);
	});

	it("becomes bytes once it was admitted, and keeps its place until the answer has left", async () => {
		const items = Array.from({ length: 3_000 }, (_, n) => ({ n, text: "x".repeat(100) }));
		const pending = new PendingAnswer();
		const list = new ListResult({ node, client: "a", pending });
		for (const [n, item] of items.entries()) {
			if (n === 10) await list.admit();
			list.add(item);
		}
		const result = list.end();
		expect(result).toBeInstanceOf(JsonParts);
		expect(String(result)).toBe(JSON.stringify(items));
		expect(Math.max(...(result as JsonParts).parts.map(({ length }) => length))).toBeLessThan(128 << 10);
		expect(gate.held).toBe(1);
		pending.release();
		expect(gate.held).toBe(0);
	});
});

it("an answer that fails before its first byte is an error with its own status", async () => {
	const sent: unknown[] = [];
	const pieces = (function* (): Generator<string> {
		yield "[";
		throw new Error("broken");
	})();
	await sendLong(
		{ status: 0, send: (...all: unknown[]) => sent.push(all) } as never,
		new LongAnswer(pieces),
		{
			contentType: "text/plain",
			enter: () => expect.unreachable(),
			unread: new UnreadAnswers(),
			isAbandoned: () => false,
			failed: ({ message }) => message,
			failedStatus: 500,
		},
	);
	expect(sent).toEqual([[500, "text/plain", "broken\n"]]);
});
