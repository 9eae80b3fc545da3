import { describe, expect, it } from "vitest";
import { behind, type LimiterClock, RateLimiter } from "../../../src/node/api/rate-limiter.js";
import type { RateLimiterConfig } from "../../../src/node/config/rate-limit-config.js";

/** A clock that jumps to the end of each wait, in order. */
class TestClock implements LimiterClock {
	private time = 0;
	private readonly waiting: { at: number; done: () => void }[] = [];

	now = (): number => this.time;

	wait = (ms: number): Promise<void> =>
		new Promise((done) => {
			this.waiting.push({ at: this.time + ms, done });
		});

	async advance(ms: number): Promise<void> {
		const end = this.time + ms;
		for (;;) {
			await new Promise((resolve) => setImmediate(resolve));
			this.waiting.sort((a, b) => a.at - b.at);
			const next = this.waiting[0];
			if (!next || next.at > end) break;
			this.waiting.shift();
			this.time = next.at;
			next.done();
		}
		this.time = end;
	}
}

const config = (more: Partial<RateLimiterConfig>): RateLimiterConfig => ({
	enabled: true,
	globalQps: 50_000,
	globalIpQps: 50_000,
	apiQps: 50_000,
	http: [],
	rpc: [],
	...more,
});

/** Times at which calls that are made at once are let in; null: refused. */
async function admissions(
	more: Partial<RateLimiterConfig>,
	count: number,
	{ idleMs = 0, addresses = ["a"], heldMs = 0 } = {},
): Promise<(number | null)[]> {
	const clock = new TestClock();
	const gate = new RateLimiter(config(more), clock).http("GetAccountServlet");
	await clock.advance(idleMs);
	const start = clock.now();
	const calls = Array.from({ length: count }, async (_, i) => {
		const admitted = gate.enter(addresses[i % addresses.length] ?? "");
		if (!(await admitted)) return null;
		const at = clock.now() - start;
		await clock.wait(heldMs);
		gate.leave();
		return Math.round(at);
	});
	await clock.advance(10_000);
	return Promise.all(calls);
}

describe("the rate limiter", () => {
	it.each<[string, Partial<RateLimiterConfig>, (number | null)[], object]>([
		["delays calls beyond the rate of all", { globalQps: 4 }, [0, 250, 500], {}],
		["delays calls beyond the rate of an address", { globalIpQps: 2 }, [0, 500, 1000], {}],
		["counts each address by itself", { globalIpQps: 2 }, [0, 0, 500, 500], { addresses: ["a", "b"] }],
		["delays calls beyond the default of an endpoint", { apiQps: 2 }, [0, 500, 1000], {}],
		[
			"has saved the permits of a second by the time it is asked after a pause",
			{ apiQps: 2 },
			[0, 0, 0, 500, 1000],
			{ idleMs: 9_000 },
		],
		[
			"takes the rate of a component from its entry, in any case of letters",
			{ apiQps: 2, http: [{ component: "getaccountservlet", strategy: "qps", value: 4 }] },
			[0, 250],
			{},
		],
		[
			"does not take entries of another component",
			{ apiQps: 2, http: [{ component: "GetAccountOnSolidityServlet", strategy: "qps", value: 4 }] },
			[0, 500],
			{},
		],
		[
			"gives a new address an empty bucket of the component",
			{ http: [{ component: "GetAccountServlet", strategy: "ipQps", value: 2 }] },
			[0, 500, 1000],
			{ idleMs: 9_000 },
		],
		[
			"lets in so many at the same time, the others when one leaves",
			{ http: [{ component: "GetAccountServlet", strategy: "permits", value: 2 }] },
			[0, 0, 900, 900, 1800],
			{ heldMs: 900 },
		],
		[
			"refuses who has waited two seconds for a permit",
			{ http: [{ component: "GetAccountServlet", strategy: "permits", value: 1 }] },
			[0, null, null],
			{ heldMs: 2_500 },
		],
		[
			"asks for the rate of all first, and for the others after that wait",
			{ globalQps: 10, apiQps: 5 },
			[0, 200, 400],
			{},
		],
	])("%s", async (_, more, expected, options) => {
		expect(await admissions(more, expected.length, options)).toEqual(expected);
	});

	it("lets everything in at once where calls aren't limited", async () => {
		const tight = { globalQps: 1, globalIpQps: 1, apiQps: 1 };
		expect(await admissions({ ...tight, enabled: false }, 4)).toEqual([0, 0, 0, 0]);
		expect(await admissions(tight, 2)).not.toEqual([0, 0]);
	});

	it.each([
		["an endpoint", { apiQps: 100 }],
		["all", { globalQps: 100 }],
	] as const)(
		"lets one client reserve only a part of a second of %s: another one gets in soon",
		async (_, more) => {
			const clock = new TestClock();
			const gate = new RateLimiter(config(more), clock).http("x");
			const admitted: number[] = [];
			const crowd = Array.from({ length: 1_000 }, async () => {
				await gate.enter("a");
				admitted.push(clock.now());
			});
			await clock.advance(15);
			let waitedMs = -1;
			const other = Promise.resolve(gate.enter("b")).then(() => {
				waitedMs = clock.now() - 15;
			});
			await clock.advance(15_000);
			await Promise.all([...crowd, other]);
			expect(waitedMs).toBeGreaterThan(0);
			expect(waitedMs).toBeLessThan(150);
			// The rate itself is what it was.
			expect(Math.round(admitted.at(-1) ?? 0)).toBe(10_000);
		},
	);

	it("keeps gRPC methods apart from HTTP components", async () => {
		const clock = new TestClock();
		const limiter = new RateLimiter(config({ apiQps: 1 }), clock);
		await clock.advance(1_000);
		expect(limiter.rpc("protocol.Wallet/GetAccount").enter("a")).toBe(true);
		expect(limiter.http("GetAccountServlet").enter("b")).toBe(true);
		expect(limiter.rpc("protocol.Wallet/GetAccount")).toBe(limiter.rpc("protocol.Wallet/GetAccount"));
	});

	it("forgets an address after its time", async () => {
		const clock = new TestClock();
		const entry = { component: "x", strategy: "ipQps", value: 1 } as const;
		const gate = new RateLimiter(config({ http: [entry] }), clock).http("x");
		expect(gate.enter("a")).toBe(true);
		await clock.advance(599_999);
		expect([gate.enter("a"), gate.enter("a")]).toEqual([true, true]);
		await clock.advance(1);
		expect(gate.enter("a")).toBe(true);
		expect(gate.enter("a")).toBeInstanceOf(Promise);
	});
});

describe("a limit of calls at the same time", () => {
	const one = [{ component: "GetAccountServlet", strategy: "permits", value: 1 } as const];

	it("comes before those of all from release 4.8.2 on: who is refused takes no turn", async () => {
		const held = { heldMs: 4_000 };
		expect(await admissions({ http: one, globalQps: 0.2, componentFirst: true }, 2, held)).toEqual([0, null]);
		expect(await admissions({ http: one, globalQps: 0.2 }, 2, held)).toEqual([0, 5_000]);
	});

	it("is given to waiting clients in turn, however many calls one of them has waiting", async () => {
		const clock = new TestClock();
		const gate = new RateLimiter(config({ http: one }), clock).http("GetAccountServlet");
		const admitted: string[] = [];
		for (const client of ["a", "a", "a", "b", "a", "c"]) {
			void Promise.resolve(gate.enter(client)).then((isIn) => isIn && admitted.push(client));
		}
		for (let i = 0; i < 4; i++) {
			await clock.advance(1);
			gate.leave();
		}
		await clock.advance(1);
		expect(admitted).toEqual(["a", "a", "b", "c", "a"]);
		await clock.advance(2_000);
		// Whose time was over has left the line.
		gate.leave();
		expect(gate.enter("d")).toBe(true);
	});

	it("is given back by a call that the limits of all refuse", async () => {
		const clock = new TestClock();
		const limits = { http: one, globalQps: 1, componentFirst: true, nonBlocking: true };
		const gate = new RateLimiter(config(limits), clock).http("GetAccountServlet");
		expect(await gate.enter("a")).toBe(true);
		gate.leave();
		expect(await gate.enter("a")).toBe(false);
		await clock.advance(1_000);
		expect(await gate.enter("a")).toBe(true);
	});
});

it("takes all addresses of an IPv6 network for one client", () => {
	const clients: string[] = [];
	const gate = { enter: (client: string) => clients.push(client) > 0, leave: () => {} } as const;
	for (const remoteAddress of ["2001:db8:0:1::5", "2001:db8:0:1:ffff::6", "::ffff:192.0.2.1", undefined])
		void behind(
			gate as never,
			{ remoteAddress },
			() => {},
			() => {},
		);
	expect(clients).toEqual(["2001:db8:0:1::/64", "2001:db8:0:1::/64", "192.0.2.1", ""]);
});
