import { connect, Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { ConnectionGate } from "../../../src/node/listening/connection-gate.js";

const opened = (port: number): Promise<Socket> =>
	new Promise((resolve, reject) => {
		const socket = connect(port, "127.0.0.1", () => resolve(socket));
		socket.on("error", reject);
	});
const received = (socket: Socket): Promise<string> =>
	new Promise((resolve) => {
		socket.once("data", (data) => resolve(String(data))).once("close", () => resolve("closed"));
	});

/** A gate with one place for clients that send words and get them back, and a clock that stands unless the test moves it. */
async function gateByClock() {
	const clock = { nowMs: 0 };
	const words = new Map<Socket, { idleFromMs: number; hasAsked: boolean }>();
	const gate = new ConnectionGate(
		1,
		(socket) => {
			const state = { idleFromMs: clock.nowMs, hasAsked: false };
			words.set(socket, state);
			socket.on("data", (data) => {
				Object.assign(state, { idleFromMs: clock.nowMs, hasAsked: true });
				socket.write(`echo ${data}`);
			});
		},
		false,
		{
			idleMs: (socket) => clock.nowMs - (words.get(socket)?.idleFromMs ?? 0),
			hasAsked: (socket) => words.get(socket)?.hasAsked ?? false,
			unfinishedMs: () => undefined,
			isStale: (socket) => clock.nowMs - (words.get(socket)?.idleFromMs ?? 0) > 60_000,
			everyMs: 1,
		},
		() => clock.nowMs,
	);
	const port = await gate.listen(0, "127.0.0.1");
	return { clock, gate, port, connected: () => words.size };
}

describe("the connection gate", () => {
	it("closes no connection whose first request lies in the socket, however long the event loop stood still", async () => {
		const { clock, gate, port, connected } = await gateByClock();
		const first = await opened(port);
		await expect.poll(connected).toBe(1);
		const second = await opened(port);
		const answer = received(first);
		// All in one turn: nothing has read what was sent, and the clock has gone on.
		first.write("a");
		clock.nowMs += 10_000;
		gate.letGo(new Socket());
		expect(await answer).toBe("echo a");
		// What it asks is answered, so that it gives way.
		const next = received(second);
		second.write("b");
		expect(await next).toBe("echo b");
		await gate.close(() => true, 0);
	});

	it("nor one whose next request does, though it was idle before, and though it had been for too long", async () => {
		const { clock, gate, port } = await gateByClock();
		const first = await opened(port);
		const before = received(first);
		first.write("before");
		expect(await before).toBe("echo before");
		const answer = received(first);
		const second = connect(port, "127.0.0.1");
		// The new connection comes first, and the request behind it in the same turn.
		process.nextTick(() => first.write("a"));
		clock.nowMs += 100_000;
		expect(await answer).toBe("echo a");
		const next = received(second);
		second.write("b");
		expect(await next).toBe("echo b");
		await gate.close(() => true, 0);
	});

	it("closes one that asks nothing once it had its time", async () => {
		const { clock, gate, port, connected } = await gateByClock();
		const first = await opened(port);
		await expect.poll(connected).toBe(1);
		const end = received(first);
		const second = await opened(port);
		const next = received(second);
		second.write("b");
		clock.nowMs += 1_000;
		expect([await end, await next]).toEqual(["closed", "echo b"]);
		await gate.close(() => true, 0);
	});

	it("lets a connection beyond the limit wait until another one closes", async () => {
		let served = 0;
		const gate = new ConnectionGate(1, (socket) => {
			served++;
			socket.on("data", (data) => socket.write(`echo ${data}`));
			socket.on("end", () => socket.end());
		});
		const port = await gate.listen(0, "127.0.0.1");
		const first = await opened(port);
		first.write("a");
		expect(await received(first)).toBe("echo a");
		const second = await opened(port);
		second.write("b");
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(served).toBe(1);
		const echo = received(second);
		first.end();
		expect(await echo).toBe("echo b");
		await gate.close(() => true, 0);
		expect(
			second.destroyed || (await new Promise((resolve) => second.once("close", () => resolve(true)))),
		).toBe(true);
	});

	it("reports a port that is taken", async () => {
		const gate = new ConnectionGate(0, () => {});
		const port = await gate.listen(0, "127.0.0.1");
		await expect(new ConnectionGate(0, () => {}).listen(port, "127.0.0.1")).rejects.toMatchObject({
			code: "EADDRINUSE",
		});
		await gate.close(() => true, 0);
	});
});
