/**
 * Requests that no client should send, against a live node. API_FUZZ_RUNS sets how many of each kind; the default is
 * small enough for every run of the tests.
 */

import { connect } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endpoints } from "../../../src/node/api/endpoint-table.js";
import { type Answer, type HttpNode, POOR_HEX, RICH_HEX, startHttpNode } from "./http-node.js";

const RUNS = Number(process.env["API_FUZZ_RUNS"] ?? 300);
const NO_LIMIT = 1_000_000_000;

let node: HttpNode;
beforeAll(async () => {
	node = await startHttpNode(`vm { supportConstant = true, estimateEnergy = true }
		rate.limiter.global { qps = ${NO_LIMIT}, ip.qps = ${NO_LIMIT}, api.qps = ${NO_LIMIT} }`);
});
// Closing fails if the node reported a fault of its own.
afterAll(() => node.close());

/** An answer that tells the client something: no crash, no server error. */
function expectToBeAnswer({ status, text }: Answer, sent: string): void {
	expect(status, sent).toBeGreaterThanOrEqual(200);
	expect(status, sent).toBeLessThan(500);
	if (status === 404 || status === 405) expect(text, sent).not.toBe("");
}

const value: fc.Arbitrary<unknown> = fc.oneof(
	fc.constantFrom(
		RICH_HEX,
		POOR_HEX,
		"",
		"0x",
		"41",
		"zz",
		"T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb",
		"_",
		"1000001",
	),
	fc.constantFrom(null, true, false, 0, -1, 1.5, 1e30, Number.MAX_SAFE_INTEGER, "9223372036854775808", "-1"),
	fc.constantFrom([], {}, [[]], [null], { value: {} }, [{ key: 1 }]),
	fc.integer(),
	fc.string({ maxLength: 80 }),
	fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString("hex")),
	fc.jsonValue({ maxDepth: 4 }),
);

const endpoint = fc.constantFrom(...endpoints);

/** An endpoint with values for some of its fields, and for some that it doesn't have. */
const request = endpoint.chain(({ name, servers, fields }) => {
	const names = [...fields.map((field) => field.name), "visible", "Permission_id", "extra_data", "nosuch"];
	return fc.record({
		path: fc.constantFrom(...servers).map((server) => [server, name] as const),
		members: fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 8 }),
	});
});

const FOLDER = { full: "/wallet", solidity: "/walletsolidity", pbft: "/walletpbft" } as const;

const options = { numRuns: RUNS, endOnFailure: true } as const;

describe("the HTTP servers", () => {
	it("answer bodies with any values", async () => {
		await fc.assert(
			fc.asyncProperty(request, async ({ path: [server, name], members }) => {
				const body = JSON.stringify(members);
				const answer = await node.ask(`${FOLDER[server]}/${name}`, { server, body });
				expectToBeAnswer(answer, `${name} ${body}`);
			}),
			options,
		);
	});

	it("answer parameters with any values", async () => {
		await fc.assert(
			fc.asyncProperty(request, async ({ path: [server, name], members }) => {
				const text = (one: unknown): string => (typeof one === "string" ? one : JSON.stringify(one));
				const pairs = Object.entries(members).map(([key, one]): [string, string] => [key, text(one)]);
				const query = new URLSearchParams(pairs).toString();
				const answer = await node.ask(`${FOLDER[server]}/${name}?${query}`, { server });
				expectToBeAnswer(answer, `${name} ${query}`);
			}),
			options,
		);
	});

	it("answer bodies that are no JSON, or broken JSON", async () => {
		const broken = fc.tuple(request, fc.nat(), fc.uint8Array({ maxLength: 6 })).map(([one, at, bytes]) => {
			const whole = Buffer.from(JSON.stringify(one.members));
			const cut = at % (whole.length + 1);
			return { ...one, body: Buffer.concat([whole.subarray(0, cut), bytes, whole.subarray(cut + 1)]) };
		});
		const type = fc.constantFrom(
			"application/json",
			"application/x-www-form-urlencoded",
			"text/plain; charset=utf-16le",
			"application/json; charset=nosuch",
			"",
		);
		await fc.assert(
			fc.asyncProperty(broken, type, async ({ path: [server, name], body }, contentType) => {
				const headers = { "Content-Type": contentType };
				const answer = await node.ask(`${FOLDER[server]}/${name}`, { server, body, headers });
				expectToBeAnswer(answer, `${name} ${contentType} ${body.toString("latin1")}`);
			}),
			options,
		);
	});

	it("answer any path and method", async () => {
		const method = fc.constantFrom("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE");
		const path = fc
			.array(fc.constantFrom("wallet", "getaccount", "..", ".", "", "%2e", "%", "%zz", ";x", "a?b=%", "é"))
			.map((parts) => `/${parts.map((part) => encodeURI(part).replaceAll("%25", "%")).join("/")}`);
		await fc.assert(
			fc.asyncProperty(method, path, async (verb, target) => {
				const { status } = await node.ask(target, { method: verb });
				expect([200, 302, 404, 405, 501], `${verb} ${target}`).toContain(status);
			}),
			options,
		);
	});

	it("survive bytes that are no request, and clients that leave", async () => {
		const start = fc.constantFrom(
			"",
			"GET ",
			"POST /wallet/getaccount HTTP/1.1\r\nContent-Length: 9\r\n\r\n{",
		);
		await fc.assert(
			fc.asyncProperty(
				start,
				fc.uint8Array({ maxLength: 200 }),
				fc.boolean(),
				async (text, bytes, leaves) => {
					await sendRaw(Buffer.concat([Buffer.from(text), bytes, Buffer.from("\r\n\r\n")]), leaves);
				},
			),
			{ ...options, numRuns: Math.min(RUNS, 2_000) },
		);
		expect((await node.ask("/health")).json).toEqual({ status: "ok" });
	});

	it("keep no memory of requests", async () => {
		const ask = async (count: number): Promise<void> => {
			for (let i = 0; i < count; i++) {
				const body = JSON.stringify({ address: RICH_HEX, [`x${i}`]: "a".repeat(200) });
				await node.ask("/wallet/getaccount", { body });
			}
		};
		await ask(1_000);
		const before = settledHeap();
		await ask(Math.max(2_000, RUNS));
		expect(settledHeap() - before).toBeLessThan(24 << 20);
	});
});

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes in use, after a collection. */
function settledHeap(): number {
	collect();
	return process.memoryUsage().heapUsed;
}

/** Sends bytes and waits for an answer, for the end of the connection, or for a moment. */
function sendRaw(bytes: Uint8Array, leaves: boolean): Promise<void> {
	return new Promise((resolve) => {
		const socket = connect(node.port, "127.0.0.1", () => {
			socket.write(bytes);
			if (leaves) socket.destroy();
		});
		const done = (): void => {
			clearTimeout(deadline);
			socket.destroy();
			resolve();
		};
		const deadline = setTimeout(done, 30);
		socket.on("data", done);
		socket.on("close", done);
		socket.on("error", done);
	});
}
