import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import files from "node:fs/promises";
import { request as ask, type IncomingMessage } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { GenerationMaker, rangeOf, SnapshotServer } from "../../src/launch/snapshot-service.js";
import { Generations } from "../../src/node/snapshot/generations.js";
import { SnapshotError } from "../../src/node/snapshot/manifest.js";
import { Failure } from "../../src/wallet/failure.js";
import { isOwn, signText, writeSnapshot } from "../node/snapshot/made-generations.js";

const HOUR = 3_600_000;

let root: string;
let generations: Generations;
let warnings: string[];
let nowMs: number;

beforeEach(async () => {
	root = mkdtempSync(join(tmpdir(), "coin-service-"));
	warnings = [];
	nowMs = 100 * HOUR;
	generations = new Generations(join(root, "srv"), isOwn, (sentence) => warnings.push(sentence));
	await generations.open(nowMs);
});
afterEach(async () => {
	await generations.close();
	rmSync(root, { recursive: true, force: true });
});

async function publish(number: number, contents: readonly (string | Buffer)[]): Promise<void> {
	const manifest = writeSnapshot(await generations.place(), number, nowMs, contents);
	await generations.publish(manifest, signText, nowMs);
}

test.each([
	[undefined, undefined],
	["bytes=0-", { from: 0, to: 9 }],
	["bytes=3-5", { from: 3, to: 5 }],
	["bytes=3-99", { from: 3, to: 9 }],
	["bytes=-4", { from: 6, to: 9 }],
	["bytes=-99", { from: 0, to: 9 }],
	["bytes=9-9", { from: 9, to: 9 }],
	["bytes=10-", "none"],
	["bytes=-0", "none"],
	["bytes=999999999999999-", "none"],
	["bytes=18446744073709551616-", "none"],
	["bytes=4-18446744073709551615", { from: 4, to: 9 }],
	// What isn't one range is the whole file.
	["bytes=5-3", undefined],
	["bytes=-", undefined],
	["bytes=0-1,3-4", undefined],
	["bytes=0-0,0-0,0-0,0-0,0-0,0-0", undefined],
	["bytes=9999999999999999999999-", undefined],
	["bytes=0x1-2", undefined],
	["lines=0-1", undefined],
	["bytes = 0-1", undefined],
])("the range %s of ten bytes", (header, range) => {
	expect(rangeOf(header, 10)).toEqual(range);
});

describe("over HTTP", () => {
	let server: SnapshotServer;
	let port: number;
	/** What runs after a time: slow clients, when the test says so. */
	let timers: Set<() => void>;
	let nextMs: number | undefined;
	const report = (line: string) => warnings.push(line);

	beforeEach(async () => {
		[timers, nextMs] = [new Set(), undefined];
		const after = (_ms: number, run: () => void): (() => void) => {
			timers.add(run);
			return () => timers.delete(run);
		};
		server = new SnapshotServer(generations, { now: () => nowMs, after }, () => nextMs, report, 2);
		port = await server.listen(0, "127.0.0.1");
	});
	afterEach(() => server.close());

	interface Answer {
		readonly status: number | undefined;
		readonly headers: IncomingMessage["headers"];
		readonly body: Buffer;
	}

	/** One request on a connection of its own; the path is sent as it is. */
	const get = (path: string, headers = {}, method = "GET", localAddress = "127.0.0.1"): Promise<Answer> =>
		new Promise((done, fail) => {
			const options = { host: "127.0.0.1", port, path, headers, method, localAddress, agent: false };
			ask(options, (response) => {
				const parts: Buffer[] = [];
				response.on("data", (part: Buffer) => parts.push(part));
				response.on("error", fail);
				response.on("end", () =>
					done({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }),
				);
			})
				.on("error", fail)
				.end();
		});
	const chunk = "/10-0000000a/chunks/000000.br";

	test("there is a list, and a service without a generation says when there is one", async () => {
		expect(JSON.parse(String((await get("/")).body))).toEqual({ newest: null, generations: [] });
		const none = await get("/manifest.json");
		expect([none.status, none.headers["retry-after"]]).toEqual([503, "60"]);
		const whyNone = async (): Promise<unknown> => {
			const { headers, body } = await get("/latest/manifest.json");
			return [headers["retry-after"], JSON.parse(String(body)).error];
		};
		expect(await whyNone()).toEqual(["60", "a snapshot is being made"]);
		nextMs = nowMs;
		expect(await whyNone()).toEqual(["60", "no whole snapshot is listed; one will be made within a minute"]);
		nextMs = nowMs + 599_001;
		expect(await whyNone()).toEqual([
			"600",
			`no whole snapshot is listed; one will be made after ${new Date(nextMs).toISOString()}`,
		]);
		await publish(10, ["abc"]);
		await publish(11, ["abcd"]);
		const { newest, generations: all } = JSON.parse(String((await get("/")).body));
		expect([newest, all.length, all[1].head, all[1].manifest.length]).toEqual(["11-0000000b", 2, 10, 64]);
	});

	test("the newest is redirected to, relative to wherever the service is mounted", async () => {
		await publish(10, ["abc"]);
		for (const [path, to] of [
			["/manifest.json", "10-0000000a/manifest.json"],
			["/latest/manifest.json", "../10-0000000a/manifest.json"],
			["/latest/chunks/000000.br", "../../10-0000000a/chunks/000000.br"],
		] as const) {
			const { status, headers } = await get(path);
			expect([status, headers.location, headers["cache-control"]]).toEqual([302, to, "no-cache"]);
		}
		expect((await get("/latest/chunks/000001.br")).status).toBe(404);
		expect((await get("/latest")).status).toBe(404);
	});

	test("files have strong tags, and those by content never change", async () => {
		await publish(10, ["0123456789"]);
		const named = await get(chunk);
		const tag = named.headers.etag as string;
		expect([named.status, String(named.body), named.headers["accept-ranges"]]).toEqual([
			200,
			"0123456789",
			"bytes",
		]);
		expect([tag.length, named.headers["cache-control"]]).toEqual([66, "no-cache"]);
		const byContent = await get(`/files/${tag.slice(1, -1)}`);
		expect([String(byContent.body), byContent.headers.etag]).toEqual(["0123456789", tag]);
		expect(byContent.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
		const head = await get(chunk, {}, "HEAD");
		expect([head.status, head.headers["content-length"], head.body.length]).toEqual([200, "10", 0]);
		for (const known of [tag, `"x", W/${tag}`, "*"])
			expect((await get(chunk, { "if-none-match": known })).status).toBe(304);
		expect((await get(chunk, { "if-none-match": '"x"' })).status).toBe(200);
	});

	test("a part is sent if the client has the same file", async () => {
		await publish(10, ["0123456789"]);
		const tag = (await get(chunk)).headers.etag as string;
		const part = await get(chunk, { range: "bytes=4-", "if-range": tag });
		expect([part.status, String(part.body), part.headers["content-range"]]).toEqual([
			206,
			"456789",
			"bytes 4-9/10",
		]);
		expect(String((await get(chunk, { range: "bytes=-2" })).body)).toBe("89");
		expect((await get(chunk, { range: "bytes=4-", "if-range": '"x"' })).status).toBe(200);
		const beyond = await get(chunk, { range: "bytes=10-" });
		expect([beyond.status, beyond.headers["content-range"]]).toEqual([416, "bytes */10"]);
		const head = await get(chunk, { range: "bytes=4-5" }, "HEAD");
		expect([head.status, head.headers["content-length"], head.body.length]).toEqual([206, "2", 0]);
	});

	test("nothing else is given out", async () => {
		await publish(10, ["abc"]);
		writeFileSync(join(root, "secret"), "mine");
		for (const path of [
			"/../secret",
			"/..%2fsecret",
			"/%2e%2e/secret",
			"/10-0000000a/../../secret",
			"/10-0000000a/..%2f..%2fsecret",
			"/10-0000000a/chunks/%2e%2e/%2e%2e/%2e%2e/secret",
			"//secret",
			"/10-0000000a/chunks/000000.br%00",
			"/10-0000000a",
			"/10-0000000a/",
			"/10-0000000a/chunks",
			"/service.lock/LOCK",
			"/files/../secret",
			"/latest/../../secret",
			"/%",
			"/secret",
		]) {
			const { status, body } = await get(path);
			expect([path, status, body.includes("mine")]).toEqual([path, 404, false]);
		}
		for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
			const { status, headers } = await get(chunk, {}, method);
			expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
		}
		expect((await get(`/${"a".repeat(9_000)}`)).status).toBe(414);
	});

	test("a file that was exchanged on the disk is not sent, and its snapshot not offered any more", async () => {
		await publish(10, ["abc", "def", "ghi"]);
		const at = (name: string): string => join(root, "srv/10-0000000a/chunks", name);
		writeFileSync(join(root, "secret"), "abc");
		renameSync(at("000000.br"), join(root, "moved"));
		symlinkSync(join(root, "secret"), at("000000.br"));
		writeFileSync(at("000001.br"), "longer");
		rmSync(at("000002.br"));
		for (const name of ["000000.br", "000001.br", "000002.br", "000002.br"])
			expect((await get(`/10-0000000a/chunks/${name}`)).status).toBe(410);
		expect(warnings).toEqual([
			expect.stringContaining("10-0000000a is damaged, and offered no more: chunks/000000.br"),
		]);
	});

	/** Runs with an `open` or `access` that fails at some paths. */
	async function failing(call: "open" | "access", code: string, at: string, run: () => Promise<void>) {
		const original = files[call] as (path: unknown, ...rest: unknown[]) => Promise<never>;
		const spy = vi.spyOn(files, call).mockImplementation((path: unknown, ...rest: unknown[]) => {
			if (String(path).includes(at)) return Promise.reject(Object.assign(new Error(code), { code }));
			return original(path, ...rest);
		});
		syncBuiltinESMExports();
		await run().finally(() => {
			spy.mockRestore();
			syncBuiltinESMExports();
		});
	}

	test.each(["EACCES", "EPERM", "EIO"])("a file that can't be opened, %s, is damaged", async (code) => {
		await publish(10, ["abc", "old"]);
		await publish(11, ["abc", "new"]);
		await failing("open", code, "11-0000000b/chunks", async () => {
			expect((await get("/11-0000000b/chunks/000001.br")).status).toBe(410);
		});
		expect(generations.all.map(({ name }) => name)).toEqual(["10-0000000a"]);
		expect(warnings).toEqual([
			expect.stringContaining(`offered no more: chunks/000001.br can't be read: ${code}`),
		]);
	});

	test.each(["EMFILE", "ENFILE", "ENOMEM"])("%s says nothing of a file: try again", async (code) => {
		await publish(10, ["abc"]);
		await failing("open", code, chunk, async () => {
			const { status, headers, body } = await get(chunk);
			expect([status, headers["retry-after"], JSON.parse(String(body))]).toEqual([
				503,
				"10",
				{ error: "the service can't open another file now: try again" },
			]);
		});
		expect([(await get(chunk)).status, warnings]).toEqual([200, []]);
	});

	test("a start doesn't offer what it may not read, nor does the next generation stop at it", async () => {
		await publish(10, ["abc"]);
		await failing("open", "EACCES", chunk, async () => await publish(11, ["abc"]));
		expect(generations.all[0]?.name).toBe("11-0000000b");
		await generations.close();
		await failing("access", "EACCES", chunk, async () => await generations.open(nowMs));
		expect(generations.all.map(({ name }) => name)).toEqual(["11-0000000b"]);
		expect(warnings).toEqual([expect.stringContaining("chunks/000000.br can't be read: EACCES")]);
	});

	test("damaged bytes never arrive whole; whoever is half-way, or asks for the newest, is told where to go on", async () => {
		await publish(10, ["abc", "def"]);
		await publish(11, ["abc", "xyz"]);
		const newest = async (): Promise<unknown> => JSON.parse(String((await get("/")).body)).newest;
		writeFileSync(join(root, "srv/11-0000000b/chunks/000001.br"), "xyy");
		expect(await newest()).toBe("11-0000000b");
		await expect(get("/11-0000000b/chunks/000001.br")).rejects.toThrow();
		expect(await newest()).toBe("10-0000000a");
		expect((await get("/latest/manifest.json")).headers.location).toBe("../10-0000000a/manifest.json");
		const half = await get("/11-0000000b/chunks/000000.br");
		expect([half.status, String(half.body)]).toEqual([
			410,
			expect.stringContaining("begin anew with the newest"),
		]);
		expect((await get("/10-0000000a/chunks/000000.br")).status).toBe(200);

		// One file for both on the disk.
		await publish(12, ["abc", "uvw"]);
		writeFileSync(join(root, "srv/12-0000000c/chunks/000000.br"), "abb");
		await expect(get("/12-0000000c/chunks/000000.br")).rejects.toThrow();
		expect([await newest(), (await get("/manifest.json")).status]).toEqual([null, 503]);
		expect(warnings.map((line) => line.split(" ")[0])).toEqual(
			["11-0000000b", "12-0000000c", "10-0000000a"].map((name) => join(root, "srv", name)),
		);
		await publish(13, ["abc", "uvw"]);
		expect(await newest()).toBe("13-0000000d");
		expect((await get("/13-0000000d/chunks/000000.br")).status).toBe(200);
	});

	test("a start doesn't offer what lacks a file, or has one of another size", async () => {
		for (const number of [10, 11, 12]) await publish(number, ["abc", `${number}`]);
		await generations.close();
		rmSync(join(root, "srv/12-0000000c/chunks/000001.br"));
		writeFileSync(join(root, "srv/11-0000000b/chunks/000001.br"), "1");
		await generations.open(nowMs);
		expect(generations.all.map(({ name }) => name)).toEqual(["10-0000000a"]);
		expect(warnings).toHaveLength(2);
	});

	/** Asks for a file and reads nothing of it. @returns what ends the connection, and whether the server has */
	function stalled(path: string, localAddress = "127.0.0.1") {
		const socket = connect({ host: "127.0.0.1", port, localAddress });
		socket.on("error", () => {}).pause();
		socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
		const ended = new Promise<void>((done) => socket.once("close", () => done()));
		return { end: () => socket.destroy(), ended, read: () => socket.resume() };
	}

	/** Lets requests arrive. */
	async function until(isSo: () => boolean): Promise<void> {
		while (!isSo()) await new Promise((done) => setTimeout(done, 5));
	}

	test("a client that takes nothing is given up, and holds no generation any longer", async () => {
		await publish(10, [Buffer.alloc(12 << 20)]);
		const client = stalled(chunk);
		const [generation] = generations.all;
		await until(() => generation?.active === 1 && timers.size === 1);
		// Pieces that the system takes come and go; what stands at last is the one that the client doesn't take.
		let [last] = timers;
		for (let same = 0; same < 20; same++) {
			await new Promise((done) => setTimeout(done, 5));
			const [next] = timers;
			if (next !== last) same = 0;
			last = next;
		}
		nowMs += 30_000;
		last?.();
		client.read();
		await client.ended;
		await until(() => generation?.active === 0);
		expect([generation?.usedMs, timers.size]).toEqual([nowMs, 0]);
	});

	test("stalled clients of as many addresses as there are places hold nobody up for longer than a moment", async () => {
		await publish(10, [Buffer.alloc(12 << 20), "small"]);
		const places = 4;
		const clock = { now: () => nowMs, after: () => () => {} };
		// Time goes fifty times as fast, and nothing but the one that waits ends what they hold.
		const { now } = performance;
		const startMs = now.call(performance);
		const watch = vi.spyOn(performance, "now");
		watch.mockImplementation(() => startMs + 50 * (now.call(performance) - startMs));
		const connections = { most: places, idleMs: HOUR };
		const few = new SnapshotServer(generations, clock, () => nextMs, report, 2, connections);
		const ownPort = port;
		port = await few.listen(0, "127.0.0.1");
		const [generation] = generations.all;
		const clients = Array.from({ length: 2 * places }, (_, i) => stalled(chunk, `127.0.1.${i + 1}`));
		await until(() => generation?.active === places);
		for (const path of ["/", "/10-0000000a/chunks/000001.br"])
			expect((await get(path, {}, "GET", "127.0.0.2")).status).toBe(200);
		expect(generation?.active).toBeGreaterThanOrEqual(places - 1);
		for (const { end } of clients) end();
		await until(() => generation?.active === 0);
		await few.close();
		watch.mockRestore();
		port = ownPort;
	});

	test("an address has a share of the downloads, but not a web server on the same machine", async () => {
		await publish(10, [Buffer.alloc(12 << 20), "small"]);
		const small = "/10-0000000a/chunks/000001.br";
		const [generation] = generations.all;
		const clients = Array.from({ length: 2 }, () => stalled(chunk, "127.0.0.2"));
		await until(() => generation?.active === 2);
		const refused = await get(small, {}, "GET", "127.0.0.2");
		expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "10"]);
		expect((await get(small, {}, "GET", "127.0.0.3")).status).toBe(200);
		const own = Array.from({ length: 3 }, () => stalled(chunk));
		await until(() => generation?.active === 5);
		expect((await get(small)).status).toBe(200);
		for (const { end } of [...clients, ...own]) end();
		await until(() => generation?.active === 0);
		expect((await get(small, {}, "GET", "127.0.0.2")).status).toBe(200);
	});

	test("a generation that is retired while it is downloaded is sent to its end", async () => {
		const bytes = Buffer.alloc(12 << 20, "x");
		await publish(10, [bytes]);
		nowMs += HOUR;
		await publish(11, ["new"]);
		nowMs += 9 * HOUR;
		const whole = await new Promise<number>((done) => {
			ask({ host: "127.0.0.1", port, path: chunk, agent: false }, async (response) => {
				const retired = await generations.retire({ keep: 0, graceMs: 0 }, nowMs);
				expect(retired).toEqual(["10-0000000a"]);
				expect((await get(chunk)).status).toBe(404);
				let length = 0;
				response.on("data", (part: Buffer) => {
					length += part.length;
				});
				response.on("end", () => done(length));
			}).end();
		});
		expect(whole).toBe(bytes.length);
		await until(() => generations.all.length === 1);
	});
});

describe("making", () => {
	let notes: string[];
	let number: number;
	let failure: Error | undefined;
	let unsigned: Error | undefined;
	let whileMaking: number | undefined;
	const maker = (keep = 1): GenerationMaker => {
		const made: GenerationMaker = new GenerationMaker(generations, {
			everyMs: 6 * HOUR,
			keep,
			graceMs: HOUR,
			make: async (target) => {
				whileMaking = made.nextMs;
				if (failure) throw failure;
				// It takes ten minutes.
				const manifest = writeSnapshot(target, number, nowMs, [`chunk ${number}`]);
				nowMs += HOUR / 6;
				return manifest;
			},
			sign: (hash) => (unsigned ? Promise.reject(unsigned) : signText(hash)),
			now: () => nowMs,
			note: (line) => notes.push(line),
			warn: (line) => warnings.push(line),
		});
		return made;
	};
	const listed = (): string[] => generations.all.map(({ name }) => name);

	beforeEach(() => {
		[notes, number, failure, unsigned] = [[], 10, undefined, undefined];
	});

	test("one is made at start if none is young enough, and then one an interval after the making of the last", async () => {
		const made = maker();
		expect(await made.step()).toBe(60_000);
		expect(listed()).toEqual(["10-0000000a"]);
		number = 11;
		const again = maker();
		nowMs += 6 * HOUR - HOUR / 6 - 30_000;
		expect(await again.step()).toBe(30_000);
		expect(listed()).toEqual(["10-0000000a"]);
		nowMs += 30_000;
		await again.step();
		expect(listed()).toEqual(["11-0000000b", "10-0000000a"]);
		nowMs += HOUR;
		await again.step();
		expect(listed()).toEqual(["11-0000000b"]);
		expect(notes.filter((line) => line.startsWith("listed"))).toHaveLength(2);
		expect(notes.at(-1)).toBe("retired 10-0000000a");
	});

	test("without a new block nothing is listed, and the next attempt is an interval later", async () => {
		const made = maker();
		await made.step();
		nowMs += 6 * HOUR;
		await made.step();
		const attempts = () => notes.filter((line) => line.includes("no newer block")).length;
		expect([listed(), attempts()]).toEqual([["10-0000000a"], 1]);
		nowMs += 5 * HOUR;
		await made.step();
		expect(attempts()).toBe(1);
		nowMs += HOUR;
		await made.step();
		expect(attempts()).toBe(2);
	});

	test("a failure ends a service that has nothing, and is tried again ten minutes later where it has", async () => {
		failure = new SnapshotError("no space left on the device");
		await expect(maker().step()).rejects.toThrow("no space left");
		failure = undefined;
		const made = maker();
		await made.step();
		[failure, number] = [new SnapshotError("no space left on the device"), 11];
		nowMs += 6 * HOUR;
		await made.step();
		expect(warnings).toEqual(["no snapshot was made: no space left on the device"]);
		failure = undefined;
		nowMs += 599_999;
		await made.step();
		expect(listed()).toEqual(["10-0000000a"]);
		nowMs += 1;
		await made.step();
		expect(listed()).toEqual(["11-0000000b", "10-0000000a"]);
	});

	/** As a client finds it. */
	async function damageAll(): Promise<void> {
		for (const generation of generations.all)
			for (const file of generation.manifest.chunks) await generations.damage(generation, file, "differs");
	}

	test("where all are damaged one is made at once, also of the same head, and at most once in ten minutes", async () => {
		const made = maker();
		await made.step();
		nowMs += 599_999;
		await damageAll();
		expect(made.nextMs).toBe(nowMs + 1);
		await made.step();
		expect(listed()).toEqual([]);
		nowMs += 1;
		whileMaking = 0;
		await made.step();
		expect([listed(), whileMaking]).toEqual([["10-0000000a"], undefined]);
		expect(made.nextMs).toBe(nowMs + 6 * HOUR - HOUR / 6);
		nowMs += HOUR;
		await damageAll();
		number = 11;
		await made.step();
		expect(listed()).toEqual(["11-0000000b"]);
	});

	test("a service whose generations were found damaged goes on where it can't make another", async () => {
		const made = maker();
		await made.step();
		nowMs += HOUR;
		await damageAll();
		failure = new SnapshotError("no space left on the device");
		await made.step();
		expect(warnings.at(-1)).toBe("no snapshot was made: no space left on the device");
		expect(made.nextMs).toBe(nowMs + 600_000);
		failure = undefined;
		nowMs += 600_000;
		await made.step();
		expect(listed()).toEqual(["10-0000000a"]);
	});

	test("what can't be signed is not listed, and made again", async () => {
		const made = maker();
		await made.step();
		[unsigned, number] = [new Failure("password_required", "the agent is gone"), 11];
		nowMs += 6 * HOUR;
		await made.step();
		expect([listed(), warnings]).toEqual([["10-0000000a"], ["no snapshot was made: the agent is gone"]]);
		unsigned = undefined;
		nowMs += HOUR;
		await made.step();
		expect(listed()).toContain("11-0000000b");
	});

	test("a clock that was set back doesn't stop the service", async () => {
		const made = maker();
		await made.step();
		nowMs -= 50 * HOUR;
		const attempts = () => notes.filter((line) => line.includes("no newer block")).length;
		// Nothing new: the next attempt is an interval later all the same.
		for (let step = 0; step < 3; step++) expect(await made.step()).toBe(60_000);
		expect(attempts()).toBe(1);
		nowMs += 6 * HOUR;
		number = 11;
		await made.step();
		expect(listed()).toContain("11-0000000b");
	});
});
