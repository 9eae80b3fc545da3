/** The thread of requests: what it asks, what it refuses, how others wait for it. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MessageChannel } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Answer, answerRequests, type Request } from "../../../src/node/fork/request-thread.js";
import { RequestError, ThreadRequests } from "../../../src/node/fork/requests.js";

/** One request through what the thread does. */
async function ask(fetched: typeof fetch, more: Partial<Request> = {}): Promise<Answer> {
	const { port1, port2 } = new MessageChannel();
	const answers = new Int32Array(new SharedArrayBuffer(4));
	answerRequests({ port: port2, answers }, { fetch: fetched, pause: async () => {} });
	port1.postMessage({
		id: 1,
		url: "http://node.example/jsonrpc",
		body: "{}",
		mostBytes: 1_000,
		timeoutMs: 5_000,
		...more,
	} satisfies Request);
	const answer = await new Promise<Answer>((resolve) => port1.once("message", resolve));
	port1.close();
	expect(Atomics.load(answers, 0)).toBeLessThanOrEqual(1);
	return answer;
}

const refused = (code: string): Error => Object.assign(new TypeError("fetch failed"), { cause: { code } });

describe("a request", () => {
	test("gives the text of its answer", async () => {
		expect(await ask(async () => new Response("text"))).toEqual({ id: 1, text: "text" });
	});

	test("is ended when its answer is too long, before all of it has come", async () => {
		let sent = 0;
		const endless = new ReadableStream({
			pull(controller) {
				sent++;
				controller.enqueue(new Uint8Array(400));
			},
		});
		expect((await ask(async () => new Response(endless))).failure).toBe("an answer of more than 1000 bytes");
		expect(sent).toBeLessThan(10);
	});

	test("is refused when reading its answer would take far more memory than the answer", async () => {
		const { failure } = await ask(async () => new Response("[".repeat(500)));
		expect(failure).toBe("an answer of too many values");
	});

	test("tells the status, and tries again where that may help", async () => {
		for (const [status, times] of [
			[404, 1],
			[503, 4],
			[429, 4],
		] as const) {
			let asked = 0;
			const answer = await ask(async () => {
				asked++;
				return new Response("", { status });
			});
			expect(answer.failure).toBe(`status ${status}`);
			expect(asked).toBe(times);
		}
	});

	test("goes on after a failure that passes", async () => {
		let asked = 0;
		const answer = await ask(async () => {
			if (++asked === 1) throw refused("ECONNRESET");
			return new Response("late");
		});
		expect(answer.text).toBe("late");
	});

	test("ends with its time", async () => {
		const never: typeof fetch = (_, init) =>
			new Promise((_resolve, reject) => {
				init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
			});
		expect((await ask(never, { timeoutMs: 50 })).failure).toBe("no answer within 0.05 s");
	});

	test("sends user and password as a header, and names neither them nor the address when it fails", async () => {
		const url = "http://user:pass%21@node.example/secret?key=1";
		let seen: { readonly place: string; readonly header: string | null } | undefined;
		const answer = await ask(
			async (place, init) => {
				seen = { place: String(place), header: new Headers(init?.headers).get("authorization") };
				throw refused("ECONNREFUSED");
			},
			{ url },
		);
		expect(seen).toEqual({ place: "http://node.example/secret?key=1", header: "Basic dXNlcjpwYXNzIQ==" });
		expect(answer.failure).toBe("ECONNREFUSED");
	});
});

describe("whoever waits", () => {
	let folder: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "coin-requests-"));
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	/** A thread that answers with what the given makes of a request. */
	function requests(answer: string, timeoutMs = 600_000): ThreadRequests {
		const path = join(folder, "thread.mjs");
		writeFileSync(
			path,
			`import { workerData } from "node:worker_threads";
			const { port, answers } = workerData;
			const tell = (given) => { port.postMessage(given); Atomics.add(answers, 0, 1); Atomics.notify(answers, 0); };
			port.on("message", ({ id, url, body }) => { ${answer} });`,
		);
		return new ThreadRequests(pathToFileURL(path), { mostBytes: 1_000, timeoutMs });
	}

	test("sleeps until its own answer is there; others get theirs", async () => {
		const thread = requests(`setTimeout(() => tell({ id, text: body }), body === "slow" ? 100 : 0);`);
		const slow = thread.later("u", "slow");
		const quick = thread.later("u", "quick");
		expect(thread.now("u", "mine")).toBe("mine");
		expect(thread.now("u", "slow")).toBe("slow");
		expect(await Promise.all([slow, quick])).toEqual(["slow", "quick"]);
		await thread.close();
	});

	test("hears why there is no answer", async () => {
		const thread = requests(`tell({ id, failure: "because" });`);
		expect(() => thread.now("u", "")).toThrow(new RequestError("because"));
		await expect(thread.later("u", "")).rejects.toThrow("because");
		await thread.close();
		expect(() => thread.now("u", "")).toThrow("the node is stopping");
	});

	test("gives up when the thread says nothing", async () => {
		const thread = requests("", -1_900);
		expect(() => thread.now("u", "")).toThrow("no answer within");
		await thread.close();
	});

	test("hears that the thread has failed", async () => {
		const thread = requests(`throw new Error("broken");`);
		await expect(thread.later("u", "")).rejects.toThrow(/the thread of requests/);
		await thread.close();
	});
});
