/** How the page learns of heads, without a browser: sockets and time are the test's. */

import { describe, expect, test } from "vitest";
import type { Json } from "../../src/explorer/answer.js";
import { Live, type LiveKind, type Socket } from "../../src/explorer/live.js";
import { NodeError } from "../../src/explorer/node-client.js";

class TestSocket implements Socket {
	private readonly listeners = new Map<string, (event: { readonly data: unknown }) => void>();
	readonly sent: Json[] = [];
	closed = false;
	addEventListener(kind: string, listener: (event: { readonly data: unknown }) => void): void {
		this.listeners.set(kind, listener);
	}
	happens(kind: "open" | "message" | "close", data: unknown = ""): void {
		this.listeners.get(kind)?.({ data });
	}
	send(text: string): void {
		this.sent.push(JSON.parse(text) as Json);
	}
	close(): void {
		this.closed = true;
		this.happens("close");
	}
	tell(message: object): void {
		this.happens("message", JSON.stringify(message));
	}
}

function room(head: () => Promise<Json> = async () => ({ blockID: "aa" })) {
	const sockets: TestSocket[] = [];
	const timers: { readonly work: () => void; readonly ms: number }[] = [];
	const seen: [Json | NodeError, LiveKind][] = [];
	let asked = 0;
	const live = new Live({
		dial: () => {
			const socket = new TestSocket();
			sockets.push(socket);
			return socket;
		},
		head: () => {
			asked++;
			return head();
		},
		changed: (answer, kind) => void seen.push([answer, kind]),
		later: (work, ms) => void timers.push({ work, ms }),
		askMs: 3_000,
	});
	const settle = async (): Promise<void> => {
		for (let turns = 0; turns < 10; turns++) await Promise.resolve();
	};
	return { live, sockets, timers, seen, settle, askedTimes: () => asked };
}

describe("the head of the node", () => {
	test("is asked for until a connection tells it, and again after it ends", async () => {
		const { live, sockets, timers, seen, settle } = room();
		live.start();
		await settle();
		expect(seen).toEqual([[{ blockID: "aa" }, "asked"]]);
		expect(timers.map(({ ms }) => ms)).toEqual([3_000]);
		const [socket] = sockets;
		socket?.happens("open");
		await settle();
		expect(socket?.sent).toMatchObject([{ method: "eth_subscribe", params: ["newHeads"] }]);
		expect(seen.at(-1)?.[1]).toBe("told");
		const before = seen.length;
		socket?.tell({ jsonrpc: "2.0", method: "eth_subscription", params: {} });
		await settle();
		expect(seen.length).toBe(before + 1);
		socket?.happens("close");
		await settle();
		expect(seen.at(-1)?.[1]).toBe("asked");
		expect(timers.some(({ ms }) => ms === 5_000)).toBe(true);
	});

	test("is asked for once more, however many blocks came meanwhile", async () => {
		let release = (_: Json): void => undefined;
		const { live, sockets, settle, askedTimes } = room(
			() =>
				new Promise((resolve) => {
					release = resolve;
				}),
		);
		live.start();
		sockets[0]?.happens("open");
		for (let blocks = 0; blocks < 50; blocks++) sockets[0]?.tell({ method: "eth_subscription" });
		expect(askedTimes()).toBe(1);
		release({});
		await settle();
		expect(askedTimes()).toBe(2);
	});

	test("has one line of turns, not one for each block", async () => {
		const { live, sockets, timers, settle, askedTimes } = room();
		live.start();
		sockets[0]?.happens("open");
		await settle();
		for (let blocks = 0; blocks < 5; blocks++) {
			sockets[0]?.tell({ method: "eth_subscription" });
			await settle();
		}
		const before = askedTimes();
		for (const { work, ms } of [...timers]) if (ms === 10_000 || ms === 3_000) work();
		await settle();
		expect(askedTimes()).toBe(before + 1);
	});

	test("waits longer for each connection that comes to nothing", async () => {
		const { live, sockets, timers, settle } = room();
		live.start();
		for (let tries = 0; tries < 8; tries++) {
			sockets.at(-1)?.happens("close");
			timers.at(-1)?.work();
			await settle();
		}
		const waits = timers.filter(({ ms }) => ms >= 5_000 && ms !== 10_000).map(({ ms }) => ms);
		expect(waits.slice(0, 7)).toEqual([5_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
	});

	test("that can't be had is told as what it is", async () => {
		const { live, seen, settle } = room(() => Promise.reject(new NodeError("gone", 0)));
		live.start();
		await settle();
		expect(seen[0]?.[0]).toMatchObject({ message: "gone" });
	});
});

describe("calls over the connection", () => {
	test("get their answer, an error, or the end of the connection", async () => {
		const { live, sockets, settle } = room();
		await expect(live.call("x", [])).rejects.toMatchObject({ status: 0 });
		live.start();
		const [socket] = sockets;
		socket?.happens("open");
		const good = live.call("eth_chainId", []);
		const bad = live.call("eth_no", []);
		const lost = live.call("eth_lost", []);
		const [, first, second] = socket?.sent ?? [];
		socket?.tell({ id: first?.["id"], result: "0x1" });
		socket?.tell({ id: second?.["id"], error: { code: 1, message: "no" } });
		socket?.happens("message", "not json");
		socket?.happens("close");
		await settle();
		await expect(good).resolves.toBe("0x1");
		await expect(bad).rejects.toMatchObject({ message: "no", status: 200 });
		await expect(lost).rejects.toMatchObject({ status: 0 });
	});

	test("that nobody answers end after a while", async () => {
		const { live, sockets, timers } = room();
		live.start();
		sockets[0]?.happens("open");
		const call = live.call("eth_slow", []);
		timers.findLast(({ ms }) => ms === 15_000)?.work();
		await expect(call).rejects.toMatchObject({ message: "the node doesn't answer" });
	});
});
