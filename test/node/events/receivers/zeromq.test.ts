import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { brotliDecompressSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import type { EventMessage } from "../../../../src/node/events/receivers/event-message.js";
import { Publisher } from "../../../../src/node/events/receivers/zeromq.js";
import { GREETING, PING, READY, SubscriberReader } from "../../../../src/node/events/receivers/zmtp.js";
import { concatBytes, toHex, utf8 } from "../../../../src/protocol/bytes.js";

const open: { close(): Promise<void> }[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
	for (const socket of sockets.splice(0)) socket.destroy();
	for (const one of open.splice(0)) await one.close();
});

async function publisher(highWaterMark = 10): Promise<Publisher> {
	const started = await Publisher.listen({ host: "127.0.0.1", port: 0, highWaterMark });
	open.push(started);
	return started;
}

const command = (name: string, data: Uint8Array): Uint8Array =>
	concatBytes(Uint8Array.of(4, 1 + name.length + data.length, name.length), utf8(name), data);
const readyAs = (type: string): Uint8Array =>
	command(
		"READY",
		concatBytes(Uint8Array.of(11), utf8("Socket-Type"), Uint8Array.of(0, 0, 0, type.length), utf8(type)),
	);
const subscription = (prefix: string, kind = 1): Uint8Array =>
	concatBytes(Uint8Array.of(0, prefix.length + 1, kind), utf8(prefix));

interface Heard {
	readonly socket: Socket;
	readonly heard: () => Buffer;
}

/** A subscriber after its handshake. */
const subscriber = (to: Publisher, ...hello: Uint8Array[]): Promise<Heard> =>
	subscriberWith(GREETING, to, ...hello);

async function subscriberWith(greeting: Uint8Array, to: Publisher, ...hello: Uint8Array[]): Promise<Heard> {
	const socket = connect(to.port, "127.0.0.1");
	sockets.push(socket);
	const pieces: Buffer[] = [];
	socket.on("data", (bytes) => pieces.push(bytes));
	socket.on("error", () => {});
	socket.write(concatBytes(greeting, ...hello));
	return { socket, heard: () => Buffer.concat(pieces) };
}

async function until(holds: () => boolean): Promise<void> {
	while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

const message = (json: string, kind: EventMessage["kind"] = "block"): EventMessage => ({
	kind,
	id: "1",
	body: {},
	json,
});
const HELLO = GREETING.length + READY.length;

test("greeting and READY are those of the reference's publisher", () => {
	const lines = brotliDecompressSync(readFileSync("test/golden/events/events.ndjson.br"))
		.toString("utf8")
		.split("\n");
	const recorded = JSON.parse(lines.find((line) => line.includes('"zmtp"')) as string) as Record<
		string,
		string
	>;
	expect(toHex(GREETING)).toBe(recorded["greeting"]);
	// The recording has the body of the command.
	expect(toHex(READY.subarray(2))).toBe(recorded["ready"]);
	expect([...READY.subarray(0, 2)]).toEqual([4, READY.length - 2]);
});

test("a subscriber gets the messages whose names begin as it asked, in two frames", async () => {
	const queue = await publisher();
	const { heard } = await subscriber(queue, readyAs("SUB"), subscription("solidity"), subscription("none"));
	await until(() => heard().length === HELLO);
	queue.publish(message("{}"));
	queue.publish(message('{"a":1}', "soliditylog"));
	const expected = concatBytes(
		Uint8Array.of(1, 18),
		utf8("solidityLogTrigger"),
		Uint8Array.of(0, 7),
		utf8('{"a":1}'),
	);
	await until(() => heard().length >= HELLO + expected.length);
	expect(heard().subarray(HELLO).toString("hex")).toBe(toHex(expected));
});

test("a message of 256 bytes has a length of eight", async () => {
	const queue = await publisher();
	const { heard } = await subscriber(queue, readyAs("XSUB"), subscription(""));
	await until(() => heard().length === HELLO);
	queue.publish(message("x".repeat(256)));
	await until(() => heard().length >= HELLO + 14 + 9 + 256);
	expect(
		heard()
			.subarray(HELLO + 14, HELLO + 23)
			.toString("hex"),
	).toBe("020000000000000100");
});

test("a subscriber to too much goes, also where nothing of it is ever published", async () => {
	const queue = await publisher();
	const some = (count: number): Uint8Array[] =>
		Array.from({ length: count }, (_, n) => subscription(`${n} of no kind`));
	const { heard } = await subscriber(queue, readyAs("SUB"), ...some(999), subscription("block"));
	await until(() => heard().length === HELLO);
	queue.publish(message("{}"));
	await until(() => heard().length > HELLO);
	const { socket } = await subscriber(queue, readyAs("SUB"), ...some(1_001));
	await until(() => socket.destroyed);
});

test("subscriptions are counted, so that the second of two still holds", async () => {
	const queue = await publisher();
	const cancel = subscription("block", 0);
	const { socket, heard } = await subscriber(
		queue,
		readyAs("SUB"),
		subscription("block"),
		subscription("block"),
		cancel,
	);
	await until(() => heard().length === HELLO);
	queue.publish(message("{}"));
	await until(() => heard().length > HELLO);
	// The answer to a PING comes after the subscription is gone.
	socket.write(concatBytes(cancel, command("PING", Uint8Array.of(0, 0, 7))));
	await until(() => heard().includes("PONG"));
	const before = heard().length;
	queue.publish(message("{}"));
	socket.write(command("PING", Uint8Array.of(0, 0, 8)));
	await until(() => heard().length > before);
	expect(heard().subarray(before).toString("hex")).toBe(toHex(command("PONG", Uint8Array.of(8))));
});

test("what a slow subscriber can't take is lost to it alone, and the publisher never waits", async () => {
	const queue = await publisher(3);
	const slow = await subscriber(queue, readyAs("SUB"), subscription(""));
	await until(() => slow.heard().length === HELLO);
	slow.socket.pause();
	const large = message("x".repeat(4 << 20));
	for (let i = 0; i < 20; i++) queue.publish(large);
	expect(queue.counts.lost).toBe(17);
	slow.socket.resume();
	await until(() => slow.heard().length >= HELLO + 3 * (4 << 20));
	queue.publish(message("{}"));
	await until(() => slow.heard().subarray(-2).toString() === "{}");
});

test("beyond the bound of all subscribers, whoever the oldest message waits for is closed; what several hold counts once", async () => {
	let nowMs = 0;
	const queue = await Publisher.listen({
		host: "127.0.0.1",
		port: 0,
		highWaterMark: 10,
		now: () => nowMs,
		waitingForAll: 20 << 10,
	});
	open.push(queue);
	const blocks = [
		await subscriber(queue, readyAs("SUB"), subscription("block")),
		await subscriber(queue, readyAs("SUB"), subscription("block")),
	];
	const logs = await subscriber(queue, readyAs("SUB"), subscription("contractLog"));
	for (const { heard } of [...blocks, logs]) await until(() => heard().length === HELLO);
	const json = "x".repeat(4 << 10);
	for (let i = 0; i < 3; i++) queue.publish(message(json));
	expect(queue.counts).toEqual({ subscribers: 3, sent: 6, lost: 0 });
	nowMs++;
	// The system takes nothing within a turn.
	for (let i = 0; i < 4; i++) queue.publish(message(json, "contractlog"));
	expect(queue.counts).toEqual({ subscribers: 1, sent: 10, lost: 6 });
	await until(() => blocks.every(({ socket }) => socket.destroyed));
	await until(() => logs.heard().length > 4 * json.length);
	// What was taken no longer counts.
	for (let i = 0; i < 4; i++) queue.publish(message(json, "contractlog"));
	expect(queue.counts).toEqual({ subscribers: 1, sent: 14, lost: 6 });
});

test.each([
	["no greeting", utf8("GET / HTTP/1.1\r\n\r\n"), []],
	["another mechanism", concatBytes(GREETING.subarray(0, 12), utf8("PLAIN"), GREETING.subarray(17)), []],
	["an older protocol", concatBytes(GREETING.subarray(0, 10), Uint8Array.of(1), GREETING.subarray(11)), []],
	["another publisher", GREETING, [readyAs("PUB")]],
	["a message before READY", GREETING, [subscription("")]],
	["a frame that is too long", GREETING, [Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0, 0)]],
])("%s: the connection is closed", async (_name, greeting, hello) => {
	const queue = await publisher();
	const socket = connect(queue.port, "127.0.0.1");
	sockets.push(socket);
	socket.on("error", () => {});
	socket.resume();
	socket.write(concatBytes(greeting, ...hello));
	await once(socket, "close");
	await until(() => queue.counts.subscribers === 0);
});

test("what a subscriber says is read alike, however it is cut into pieces", () => {
	const said = concatBytes(GREETING, readyAs("SUB"), ...["a", "bb", "ccc"].map((name) => subscription(name)));
	const whole = [...new SubscriberReader().read(said)];
	expect(whole.map(({ is }) => is)).toEqual(["greeting", "ready", "subscribe", "subscribe", "subscribe"]);
	for (const size of [1, 2, 7, 64, 65, 100]) {
		const reader = new SubscriberReader();
		const events = [];
		for (let at = 0; at < said.length; at += size) events.push(...reader.read(said.subarray(at, at + size)));
		expect(events).toEqual(whole);
	}
});

test("a subscriber that sends frames by the thousand is disconnected, at once or over time", async () => {
	const reader = new SubscriberReader();
	expect([...reader.read(concatBytes(GREETING, readyAs("SUB")))]).toHaveLength(2);
	expect(() => [...reader.read(new Uint8Array(64 << 10))]).toThrow("too many frames at once");

	let nowMs = 0;
	const queue = await Publisher.listen({
		host: "127.0.0.1",
		port: 0,
		highWaterMark: 10,
		now: () => nowMs,
	});
	open.push(queue);
	const { socket, heard } = await subscriber(queue, readyAs("SUB"));
	await until(() => heard().length === HELLO);
	const send = (frames: number): Promise<void> =>
		new Promise((resolve) => socket.write(new Uint8Array(2 * frames), () => resolve()));
	for (let second = 0; second < 5; second++) {
		nowMs += 1_000;
		await send(1_000);
		// An answer comes once all before it was read.
		const length = heard().length;
		socket.write(command("PING", Uint8Array.of(0, 0, second)));
		await until(() => heard().length > length);
	}
	expect(queue.counts.subscribers).toBe(1);
	for (let part = 0; part < 6; part++) await send(1_000);
	await until(() => queue.counts.subscribers === 0);
});

test("subscribers of one address have one budget of frames, beyond which those go that send many; connecting anew doesn't renew it", async () => {
	let nowMs = 0;
	const queue = await Publisher.listen({ host: "127.0.0.1", port: 0, highWaterMark: 10, now: () => nowMs });
	open.push(queue);
	const quiet = await subscriber(queue, readyAs("SUB"));
	await until(() => quiet.heard().length === HELLO);
	// More than is read at once: each is disconnected, and what was read of it counts.
	for (let each = 0; each < 10; each++) {
		const { socket, heard } = await subscriber(queue, readyAs("SUB"));
		await until(() => heard().length === HELLO);
		socket.write(new Uint8Array(2 * 3_000));
		await until(() => queue.counts.subscribers === 1);
	}
	const many = Array.from({ length: 64 }, () => subscription("block"));
	const busy = await subscriber(queue, readyAs("SUB"), ...many);
	await once(busy.socket, "close");
	quiet.socket.write(command("PING", Uint8Array.of(0, 0, 1)));
	const late = await subscriber(queue, readyAs("SUB"), ...many.slice(1));
	await until(() => late.heard().length === HELLO && quiet.heard().length > HELLO);
	nowMs += 1_000;
	const next = await subscriber(queue, readyAs("SUB"), ...many);
	next.socket.write(command("PING", Uint8Array.of(0, 0, 1)));
	await until(() => next.heard().length > HELLO);
	expect(queue.counts.subscribers).toBe(3);
});

/** Subscribers to blocks, and a number of places that they take. */
async function crowded(
	places: number,
	greetings: readonly Uint8Array[],
	now: () => number,
	host = "127.0.0.1",
) {
	const queue = await Publisher.listen({ host, port: 0, highWaterMark: 10, now, places });
	open.push(queue);
	const subscribers: Heard[] = [];
	for (const greeting of greetings)
		subscribers.push(await subscriberWith(greeting, queue, readyAs("SUB"), subscription("block")));
	for (const { heard } of subscribers) await until(() => heard().length === HELLO);
	return { queue, subscribers };
}

test("a subscriber that gets nothing of what is published gives way to one that waits", async () => {
	let nowMs = 0;
	const { queue, subscribers } = await crowded(3, [GREETING, GREETING], () => nowMs);
	const idle = await subscriber(queue, readyAs("SUB"), subscription("none"));
	await until(() => idle.heard().length === HELLO);
	const next = await subscriber(queue, readyAs("SUB"), subscription(""));
	nowMs += 2_001;
	await until(() => next.heard().length === HELLO);
	await until(() => idle.socket.destroyed);
	expect(subscribers.map(({ socket }) => socket.destroyed)).toEqual([false, false]);
});

test("while one waits, subscribers whose ZMTP knows PING are asked whether they are there; who isn't gives way", async () => {
	let nowMs = 0;
	const newer = concatBytes(GREETING.subarray(0, 11), Uint8Array.of(1), GREETING.subarray(12));
	const { queue, subscribers } = await crowded(3, [GREETING, newer, newer], () => nowMs);
	const [older, there, gone] = subscribers as [Heard, Heard, Heard];
	const next = await subscriber(queue, readyAs("SUB"), subscription(""));
	nowMs += 30_001;
	await until(() => [there, gone].every(({ heard }) => heard().length === HELLO + PING.length));
	// The answer to its own PING comes once its PONG was read.
	there.socket.write(concatBytes(command("PONG", new Uint8Array()), command("PING", Uint8Array.of(0, 0, 1))));
	await until(() => there.heard().includes("PONG"));
	nowMs += 30_001;
	await until(() => next.heard().length === HELLO);
	await until(() => gone.socket.destroyed);
	expect([older, there].map(({ socket }) => socket.destroyed)).toEqual([false, false]);
	expect(older.heard()).toHaveLength(HELLO);
});

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
	all?.some(({ address }) => address === "::1"),
);

test.skipIf(!hasIpv6)(
	"the address with the most places gives one to another, also where all are there",
	async () => {
		let nowMs = 0;
		const { queue, subscribers } = await crowded(3, [GREETING, GREETING, GREETING], () => nowMs, "::");
		const socket = connect(queue.port, "::1");
		sockets.push(socket);
		const greeted = once(socket, "data");
		nowMs += 5_000;
		await greeted;
		await until(() => subscribers.filter((one) => one.socket.destroyed).length === 1);
	},
);
