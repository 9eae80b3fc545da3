import { describe, expect, it } from "vitest";
import type { ByteStream, NodeAddress } from "../../src/node/network/environment.js";
import type { SimulatedEnvironment } from "./environment.js";
import { streamPair } from "./stream-pair.js";
import { type LinkQuality, SimulatedWorld } from "./world.js";

const A = "10.0.0.1";
const B = "10.0.0.2";
const PORT = 18_888;

class Reader {
	readonly bytes: number[] = [];
	readonly pieces: number[] = [];
	closedAtMs: number | undefined;
	constructor(
		readonly stream: ByteStream,
		world: SimulatedWorld,
	) {
		stream.listen({
			data: (bytes) => {
				for (const byte of bytes) this.bytes.push(byte);
				this.pieces.push(bytes.length);
			},
			closed: () => {
				this.closedAtMs = world.now;
			},
		});
	}
}

async function connected(world: SimulatedWorld, a?: SimulatedEnvironment, b?: SimulatedEnvironment) {
	const alice = a ?? world.host(A).boot();
	const bob = b ?? world.host(B).boot();
	const accepted: Reader[] = [];
	await bob.listen({ port: PORT }, (stream) => accepted.push(new Reader(stream, world)));
	let dialed: Reader | undefined;
	void alice.dial({ host: B, port: PORT }, 2_000).then((stream) => {
		dialed = new Reader(stream, world);
	});
	await world.until(() => dialed !== undefined, 5_000);
	return { alice, bob, near: dialed as Reader, far: accepted[0] as Reader };
}

describe("a simulated world", () => {
	it("runs tasks by time, then by the order in which they were set, and not after they were called off", async () => {
		const world = new SimulatedWorld();
		const env = world.host(A).boot();
		const seen: string[] = [];
		const start = env.now();
		env.after(20, () => seen.push(`b${env.now() - start}`));
		env.after(10, () => seen.push(`a${env.now() - start}`));
		env.after(20, () => seen.push("c"));
		env.after(15, () => seen.push("never")).cancel();
		env.soon(() => seen.push("soon"));
		const ticks = env.every(30, () => seen.push("tick"), 5);
		await world.advance(70);
		ticks.cancel();
		await world.advance(1_000);
		expect(seen).toEqual(["soon", "tick", "a10", "b20", "c", "tick", "tick"]);
	});

	it("gives each host a clock of its own, by which its timers run", async () => {
		const world = new SimulatedWorld({ startMs: 1_000_000 });
		const host = world.host(A);
		host.setClock(500, 0.01);
		const env = host.boot();
		expect(env.wallClock()).toBe(1_000_500);
		let ranAt = 0;
		env.after(10_100, () => {
			ranAt = env.wallClock();
		});
		await world.advance(10_001);
		expect(ranAt).toBe(1_010_600);
		expect(world.now).toBe(1_010_001);
	});

	it("has a clock that goes on as before when the wall clock is set, and begins with the process", async () => {
		const world = new SimulatedWorld({ startMs: 1_000_000 });
		const host = world.host(A);
		host.setClock(0, 0.01);
		await world.advance(500);
		const env = host.boot();
		const beganAt = env.now();
		await world.advance(1_000);
		host.setClock(-600_000, 0);
		await world.advance(1_000);
		host.setClock(600_000, 0);
		expect(env.now() - beganAt).toBe(2_010);
		expect(env.wallClock()).toBe(1_602_500);
	});

	it("passes what a task throws to the caller that runs the world", async () => {
		const world = new SimulatedWorld();
		world
			.host(A)
			.boot()
			.after(5, () => {
				throw new Error("the process died");
			});
		await expect(world.advance(10)).rejects.toThrow("the process died");
	});

	it("lets what waits for turns of the event loop go on between events", async () => {
		const world = new SimulatedWorld();
		let turns = 0;
		const turn = (): void => {
			if (++turns < 50) setImmediate(turn);
		};
		turn();
		for (let ms = 1; ms <= 50; ms++) world.at(world.now + ms, () => {});
		await world.advance(100);
		expect(turns).toBe(50);
	});

	it("carries bytes in order, after the delay of the link, in pieces", async () => {
		const world = new SimulatedWorld({
			link: { latencyMs: 50, jitterMs: 30, loss: 0.2 },
			fragmentation: 0.5,
		});
		const { near, far } = await connected(world);
		const startMs = world.now;
		const sent = Array.from({ length: 300 }, (_, i) => i & 0xff);
		for (let i = 0; i < 300; i += 10) near.stream.write(Uint8Array.from(sent.slice(i, i + 10)));
		expect(near.stream.backlog).toBe(300);
		await world.advance(49);
		expect(far.bytes).toEqual([]);
		await world.until(() => far.bytes.length === 300, 60_000);
		expect(far.bytes).toEqual(sent);
		expect(far.pieces.length).toBeGreaterThan(3);
		expect(world.now - startMs).toBeGreaterThan(50);
		expect(near.stream.backlog).toBe(0);
	});

	it("sends what is written before it closes, and tells both ends once", async () => {
		const world = new SimulatedWorld();
		const { near, far } = await connected(world);
		near.stream.write(Uint8Array.of(1, 2, 3));
		near.stream.end();
		near.stream.write(Uint8Array.of(4));
		await world.advance(1_000);
		expect(far.bytes).toEqual([1, 2, 3]);
		expect(far.closedAtMs).toBeDefined();
		expect(near.closedAtMs).toBeGreaterThan(far.closedAtMs as number);
	});

	it("holds a sender back whose reader pauses", async () => {
		const world = new SimulatedWorld();
		const { near, far } = await connected(world);
		far.stream.pause();
		for (let i = 0; i < 20; i++) near.stream.write(new Uint8Array(100_000));
		await world.advance(5_000);
		expect(far.bytes.length).toBe(0);
		expect(near.stream.backlog).toBeGreaterThan(1_500_000);
		far.stream.resume();
		await world.advance(5_000);
		expect(far.bytes.length).toBe(2_000_000);
		expect(near.stream.backlog).toBe(0);
	});

	it("takes the time that a narrow link needs", async () => {
		const world = new SimulatedWorld({ link: { bytesPerSecond: 100_000 } });
		const { near, far } = await connected(world);
		near.stream.write(new Uint8Array(200_000));
		await world.advance(1_900);
		expect(far.bytes.length).toBe(0);
		await world.advance(300);
		expect(far.bytes.length).toBe(200_000);
	});

	it("stalls a stream in a partition and goes on when it heals soon", async () => {
		const world = new SimulatedWorld();
		const { near, far } = await connected(world);
		world.partition([[A], [B]]);
		near.stream.write(Uint8Array.of(7));
		await world.advance(10_000);
		expect(far.bytes).toEqual([]);
		world.partition(undefined);
		await world.advance(10_000);
		expect(far.bytes).toEqual([7]);
		expect(near.closedAtMs).toBeUndefined();
	});

	it("gives a stream up whose link stays broken; the silent end notices nothing", async () => {
		const world = new SimulatedWorld();
		const { near, far } = await connected(world);
		world.setBroken(A, B, true);
		near.stream.write(Uint8Array.of(7));
		await world.advance(60_000);
		expect(near.closedAtMs).toBeDefined();
		expect(far.closedAtMs).toBeUndefined();
		world.setBroken(A, B, false);
		far.stream.write(Uint8Array.of(1));
		await world.advance(1_000);
		expect(far.closedAtMs).toBeDefined();
	});

	it.each([
		["dies", false, true],
		["loses its power", true, false],
	])("when a host %s, its tasks stop; others hear of it or don't", async (_, silent, isTold) => {
		const world = new SimulatedWorld();
		const { alice, far, near } = await connected(world);
		let ran = false;
		alice.after(100, () => {
			ran = true;
		});
		world.host(A).crash(silent);
		await world.advance(5_000);
		expect(ran).toBe(false);
		expect(near.closedAtMs).toBeUndefined();
		expect(far.closedAtMs !== undefined).toBe(isTold);
		// The new process doesn't know the old connection, and resets it.
		const again = world.host(A).boot();
		far.stream.write(Uint8Array.of(1));
		await world.advance(5_000);
		expect(far.closedAtMs).toBeDefined();
		expect(again.random()).not.toBe(alice.random());
	});

	it.each<[string, NodeAddress, RegExp]>([
		["no host has the address", { host: "10.0.0.9", port: PORT }, /no answer/],
		["no one listens", { host: B, port: 1 }, /refused/],
	])("refuses a dial if %s", async (_, address, message) => {
		const world = new SimulatedWorld();
		world.host(B).boot();
		const outcome: string[] = [];
		void world
			.host(A)
			.boot()
			.dial(address, 2_000)
			.catch((error: Error) => outcome.push(error.message));
		await world.advance(3_000);
		expect(outcome.join()).toMatch(message);
	});

	it("binds a port once", async () => {
		const env = new SimulatedWorld().host(A).boot();
		await env.bindDatagrams({ port: PORT }, () => {});
		await expect(env.bindDatagrams({ port: PORT }, () => {})).rejects.toThrow("in use");
		const listener = await env.listen({ port: PORT }, () => {});
		await listener.close();
		await env.listen({ port: PORT }, () => {});
		expect((await env.listen({ port: 0 }, () => {})).port).toBeGreaterThan(1024);
	});

	it("loses, repeats and reorders datagrams as often as the link says", async () => {
		const quality: Partial<LinkQuality> = { loss: 0.2, duplication: 0.1, reordering: 0.3, jitterMs: 0 };
		const world = new SimulatedWorld({ link: quality });
		const sender = await world
			.host(A)
			.boot()
			.bindDatagrams({ port: PORT }, () => {});
		const got: number[] = [];
		await world
			.host(B)
			.boot()
			.bindDatagrams({ port: PORT }, (datagram, from) => {
				expect(from).toEqual({ host: A, port: PORT });
				got.push((datagram[0] as number) * 256 + (datagram[1] as number));
			});
		for (let i = 0; i < 2_000; i++) {
			sender.send(Uint8Array.of(i >> 8, i & 0xff), { host: B, port: PORT });
			await world.advance(10);
		}
		await world.advance(1_000);
		const distinct = new Set(got).size;
		expect(distinct / 2_000).toBeGreaterThan(0.77);
		expect(distinct / 2_000).toBeLessThan(0.87);
		expect(got.length - distinct).toBeGreaterThan(80);
		expect(got.filter((value, i) => i > 0 && value < (got[i - 1] as number)).length).toBeGreaterThan(200);
	});

	it("answers questions for TXT records, in either case of the name", async () => {
		const world = new SimulatedWorld();
		world.texts.set("tree.example.org", [["a", "b"]]);
		const env = world.host(A).boot();
		const answers: unknown[] = [];
		void env.resolveText("Tree.example.org").then((records) => answers.push(records));
		void env.resolveText("none.example.org").catch((error: Error) => answers.push(error.message));
		await world.advance(1_000);
		expect(answers).toEqual([[["a", "b"]], "no TXT records at none.example.org"]);
	});

	it("repeats itself for the same seed and differs for another", async () => {
		const run = async (seed: number) => {
			const lines: string[] = [];
			const link = { loss: 0.2, jitterMs: 50 };
			const world = new SimulatedWorld({ seed, link, fragmentation: 0.3, trace: (line) => lines.push(line) });
			const { alice, near } = await connected(world);
			const port = await alice.bindDatagrams({ port: PORT }, () => {});
			for (let i = 0; i < 20; i++) {
				port.send(alice.randomBytes(8), { host: B, port: PORT });
				near.stream.write(alice.randomBytes(100));
				await world.advance(alice.random() * 100);
			}
			return lines;
		};
		const first = await run(5);
		expect(first.length).toBeGreaterThan(20);
		expect(await run(5)).toEqual(first);
		expect(await run(6)).not.toEqual(first);
	});
});

describe("a pair of streams in memory", () => {
	it("moves bytes when asked to, and closes both ends", () => {
		const { dialer, acceptor, deliver } = streamPair();
		const seen: string[] = [];
		dialer.listen({
			data: (bytes) => seen.push(`dialer ${bytes}`),
			closed: () => seen.push("dialer closed"),
		});
		acceptor.listen({
			data: (bytes) => {
				seen.push(`acceptor ${bytes}`);
				acceptor.write(Uint8Array.of(9));
				acceptor.end();
			},
			closed: () => seen.push("acceptor closed"),
		});
		dialer.write(Uint8Array.of(1, 2));
		expect(seen).toEqual([]);
		deliver();
		expect(seen).toEqual(["acceptor 1,2", "dialer 9", "dialer closed", "acceptor closed"]);
	});
});
