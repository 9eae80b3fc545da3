import { createSocket } from "node:dgram";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
	addressText,
	type ByteStream,
	type NetworkEnvironment,
} from "../../../src/node/network/environment.js";
import { nodeEnvironment } from "../../../src/node/network/node-environment.js";
import { toHex } from "../../../src/protocol/bytes.js";

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
	for (const close of closers.splice(0)) await close();
});

const environment: NetworkEnvironment = nodeEnvironment();
const host = "127.0.0.1";

/** A connection over loopback: the dialing and the accepting end, and what each was told. */
async function pair(from?: string) {
	let accept: (stream: ByteStream) => void = () => undefined;
	const accepted = new Promise<ByteStream>((resolve) => {
		accept = resolve;
	});
	const { port, close } = await environment.listen({ host, port: 0 }, (stream) => accept(stream));
	closers.push(close);
	const near = await environment.dial({ host, port }, 1_000, from);
	const told = { near: [] as string[], far: [] as string[] };
	near.listen({ data: (bytes) => told.near.push(toHex(bytes)), closed: () => told.near.push("closed") });
	const far = await accepted;
	far.listen({ data: (bytes) => told.far.push(toHex(bytes)), closed: () => told.far.push("closed") });
	closers.push(() => {
		near.destroy();
		far.destroy();
	});
	return { near, far, told };
}

async function until(condition: () => boolean): Promise<void> {
	await expect.poll(condition, { interval: 5 }).toBe(true);
}

describe("sockets", () => {
	it("carry bytes both ways, and say last words before they close", async () => {
		const { near, far, told } = await pair("127.0.0.2");
		expect(far.remote.host).toBe("127.0.0.2");
		near.write(Uint8Array.of(1));
		await until(() => told.far.length === 1);
		far.write(Uint8Array.of(2));
		far.end();
		await until(() => told.near.includes("closed") && told.far.includes("closed"));
		expect(told).toEqual({ near: ["02", "closed"], far: ["01", "closed"] });
		far.write(Uint8Array.of(3));
	});

	it("hold a sender back while the reader pauses", async () => {
		const { near, far, told } = await pair();
		far.pause();
		const chunk = new Uint8Array(1 << 20);
		for (let i = 0; i < 32; i++) near.write(chunk);
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(near.backlog).toBeGreaterThan(1 << 20);
		expect(told.far).toEqual([]);
		far.resume();
		await until(() => near.backlog === 0);
	});

	it("tell a dialer that no one listens", async () => {
		const listener = await environment.listen({ host, port: 0 }, () => undefined);
		await listener.close();
		await expect(environment.dial({ host, port: listener.port }, 1_000)).rejects.toThrow("ECONNREFUSED");
	});

	it("refuse a port that is taken", async () => {
		const { port, close } = await environment.listen({ host, port: 0 }, () => undefined);
		closers.push(close);
		await expect(environment.listen({ host, port }, () => undefined)).rejects.toThrow("EADDRINUSE");
	});

	it.each([host, undefined])("carry datagrams, bound to %s", async (bound) => {
		const heard: string[] = [];
		const port = await environment.bindDatagrams({ host: bound, port: 0 }, (datagram, from) =>
			heard.push(`${from.host} ${toHex(datagram)}`),
		);
		closers.push(port.close);
		const other = await environment.bindDatagrams({ host, port: 0 }, (datagram) =>
			heard.push(toHex(datagram)),
		);
		closers.push(other.close);
		other.send(Uint8Array.of(1, 2), { host, port: port.port });
		await until(() => heard.length === 1);
		port.send(Uint8Array.of(3), { host, port: other.port });
		await until(() => heard.length === 2);
		expect(heard).toEqual(["127.0.0.1 0102", "03"]);
		await other.close();
		other.send(Uint8Array.of(1), { host, port: port.port });
	});
});

describe("addresses", () => {
	it("are written so that a URL can hold them", () => {
		expect(addressText({ host: "::1", port: 8090 })).toBe("[::1]:8090");
		expect(addressText({ host: "127.0.0.1", port: 8090 })).toBe("127.0.0.1:8090");
	});
});

describe("names", () => {
	/** A name server on loopback that answers each question with `answer`. */
	async function nameServer(answer: (question: Buffer) => Buffer | undefined): Promise<string> {
		const socket = createSocket("udp4");
		socket.on("message", (question, { address, port }) => {
			const bytes = answer(question);
			if (bytes !== undefined) socket.send(bytes, port, address);
		});
		await new Promise<void>((resolve) => socket.bind(0, host, resolve));
		closers.push(() => new Promise((resolve) => socket.close(() => resolve())));
		return `${host}:${socket.address().port}`;
	}

	/** A DNS answer with one TXT record of the given strings. */
	function textAnswer(question: Buffer, strings: readonly string[]): Buffer {
		const header = Buffer.from(question.subarray(0, 12));
		header.writeUInt16BE(0x8180, 2);
		header.writeUInt16BE(1, 6);
		header.writeUInt16BE(0, 8);
		header.writeUInt16BE(0, 10);
		const end = question.indexOf(0, 12) + 5;
		const data = Buffer.concat(strings.map((text) => Buffer.from([text.length, ...Buffer.from(text)])));
		const record = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, data.length >> 8, data.length & 0xff]);
		return Buffer.concat([header, question.subarray(12, end), record, data]);
	}

	it("are asked of a configured resolver, again if it doesn't answer at first", async () => {
		let questions = 0;
		const server = await nameServer((question) =>
			++questions === 1 ? undefined : textAnswer(question, ["tree-root", "-v1:abc"]),
		);
		const records = await nodeEnvironment({ resolvers: [server] }).resolveText("nodes.example.org");
		expect(records).toEqual([["tree-root", "-v1:abc"]]);
		expect(questions).toBe(2);
	});

	it("that don't exist are not asked for again", async () => {
		let questions = 0;
		const server = await nameServer((question) => {
			questions++;
			const answer = Buffer.from(question);
			answer.writeUInt16BE(0x8183, 2);
			return answer;
		});
		const resolved = nodeEnvironment({ resolvers: [server] }).resolveText("absent.example.org");
		await expect(resolved).rejects.toThrow("ENOTFOUND");
		expect(questions).toBe(1);
	});
});

describe("time", () => {
	it("repeats a task until it is told to stop, and forgets a cancelled one", async () => {
		let runs = 0;
		const timer = environment.every(1, () => {
			if (++runs === 3) timer.cancel();
		});
		environment.after(1, () => runs++).cancel();
		await until(() => runs === 3);
		await new Promise((resolve) => setTimeout(resolve, 20));
		expect(runs).toBe(3);
	});

	it("is waited for also where it is longer than timers can wait, which end at once then", () => {
		vi.useFakeTimers();
		try {
			let runs = 0;
			const timers = [environment.every(2 ** 32, () => runs++), environment.after(2 ** 32, () => runs++)];
			vi.advanceTimersByTime(1_000);
			expect(runs).toBe(0);
			for (const timer of timers) timer.cancel();
		} finally {
			vi.useRealTimers();
		}
	});
});
