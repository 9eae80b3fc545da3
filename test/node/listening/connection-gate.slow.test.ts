import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { ConnectionGate } from "../../../src/node/listening/connection-gate.js";

const opened = (port: number): Promise<Socket> =>
	new Promise((resolve, reject) => {
		const socket = connect(port, "127.0.0.1", () => resolve(socket));
		socket.on("error", reject);
	});
const received = (socket: Socket): Promise<string> =>
	new Promise((resolve) => socket.once("data", (data) => resolve(String(data))));

describe("the connection gate", () => {
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
