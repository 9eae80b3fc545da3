/**
 * Rate and concurrency limits (protocol/http §1.4, protocol/configuration §1.9): for all calls of the process, per client
 * address, and per component, in the release's order. Buckets delay a call but never reject it; only a concurrency limit
 * does, after two seconds. In non-blocking mode no call waits: one that would have to is rejected at once.
 */

import type { ComponentLimit, RateLimiterConfig } from "../config/rate-limit-config.js";
import { budgetAddress } from "../listening/connection-gate.js";
import { LongAnswerGate, UnreadAnswers } from "./long-answer.js";
import { BodyBudget } from "./request-body.js";

/** Addresses tracked; another one replaces the oldest. */
const MAX_ADDRESSES = 10_000;
const GLOBAL_ADDRESS_MS = 3_600_000;
const COMPONENT_ADDRESS_MS = 600_000;
/** How long a call waits for its turn under a concurrency limit. */
const PERMIT_WAIT_MS = 2_000;

/** The error for a call that waited too long. */
export const OUT_OF_RESOURCES = "lack of computing resources";

/** Clock and timer of the limiter. Milliseconds; `now` is monotonic. */
export interface LimiterClock {
	now(): number;
	wait(ms: number): Promise<void>;
}

const wallClock: LimiterClock = {
	now: () => performance.now(),
	wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** One component's gate. */
export interface CallGate {
	/**
	 * Admits a call: at once (`true`) or later; `false` rejects it. An admitted call must {@link leave}.
	 * @param address of the client
	 */
	enter(address: string): true | Promise<boolean>;
	leave(): void;
}

/**
 * Does a call's work behind a gate, and leaves it when done. All addresses of an IPv6 /64 are one client.
 * @param refused what is done instead of it where the gate doesn't let the call in
 */
export function behind(
	gate: CallGate,
	socket: { readonly remoteAddress?: string | undefined },
	work: () => Promise<void> | void,
	refused: () => void,
): Promise<void> | void {
	const within = (): Promise<void> | void => {
		let done: Promise<void> | undefined;
		try {
			done = work() ?? undefined;
		} finally {
			if (!done) gate.leave();
		}
		return done?.finally(() => gate.leave());
	};
	const admitted = gate.enter(budgetAddress(socket));
	return admitted === true ? within() : admitted.then((isIn) => (isIn ? within() : refused()));
}

/** Limits for the process, the client's address, and a component. */
type Limit = "all" | "address" | "component";

/**
 * Takes a permit.
 * @returns true if it may be used at once, otherwise resolves when it may; false if there is none
 */
type Take = (now: number) => boolean | Promise<void>;

/**
 * A token bucket that fills evenly and holds at most one second's permits. It never rejects: a call that
 * finds it empty is told how long to wait, and the next one waits longer.
 */
class TokenBucket {
	private readonly intervalMs: number;
	private stored = 0;
	/** When the next permit becomes available. */
	private nextFree: number;

	/** @param now milliseconds; the bucket begins empty, and its first permit is there at once */
	constructor(
		private readonly perSecond: number,
		now: number,
	) {
		this.intervalMs = 1000 / perSecond;
		this.nextFree = now;
	}

	/**
	 * Takes one permit.
	 * @param mayWait false: none is taken that could not be used at once
	 * @returns milliseconds until it may be used
	 */
	reserve(now: number, mayWait = true): number {
		if (now > this.nextFree) {
			this.stored = Math.min(this.perSecond, this.stored + (now - this.nextFree) / this.intervalMs);
			this.nextFree = now;
		}
		const waitMs = this.nextFree - now;
		if (waitMs > 0 && !mayWait) return waitMs;
		const taken = Math.min(1, this.stored);
		this.stored -= taken;
		this.nextFree += (1 - taken) * this.intervalMs;
		return waitMs;
	}
}

/** Fraction of a second's permits that one client may reserve. */
const RESERVED_PART = 10;

/** A client's waiting calls: those from `first` on. */
interface Line {
	readonly calls: (() => void)[];
	first: number;
}

/** Calls are removed from a queue in bulk, since removing the first of many moves all others. */
const LINE_PART = 1_024;

/** A bucket shared by clients: each may only reserve so many permits ahead, and queues its other calls separately. */
export class SharedBucket {
	private readonly bucket: TokenBucket;
	/** Permits one client may have reserved but not used. */
	private readonly most: number;
	/** Permits clients are waiting for. */
	private readonly reserved = new Map<string, number>();
	/** Calls that will reserve one, by client. */
	private readonly lines = new Map<string, Line>();

	/** @param mayWait false: no permit is taken that could not be used at once */
	constructor(
		perSecond: number,
		private readonly clock: LimiterClock,
		private readonly mayWait: boolean,
	) {
		this.bucket = new TokenBucket(perSecond, clock.now());
		this.most = Math.max(1, Math.ceil(perSecond / RESERVED_PART));
	}

	/**
	 * Takes a permit for a client.
	 * @returns true if it may be used at once, otherwise resolves when it may; false if there is none
	 */
	take(client: string, now: number): boolean | Promise<void> {
		if (!this.mayWait) return this.bucket.reserve(now, false) === 0;
		const reserved = this.reserved.get(client) ?? 0;
		if (reserved >= this.most) return this.takeLater(client);
		const waitMs = this.bucket.reserve(now);
		if (waitMs === 0) return true;
		this.reserved.set(client, reserved + 1);
		return this.use(client, waitMs);
	}

	private takeLater(client: string): Promise<void> {
		return new Promise((resolve) => {
			const line = this.lines.get(client) ?? { calls: [], first: 0 };
			line.calls.push(resolve);
			this.lines.set(client, line);
		});
	}

	/** Waits for a permit; then the client's next call reserves one. */
	private async use(client: string, waitMs: number): Promise<void> {
		await this.clock.wait(waitMs);
		const left = (this.reserved.get(client) ?? 1) - 1;
		if (left > 0) this.reserved.set(client, left);
		else this.reserved.delete(client);
		this.goOn(client);
	}

	/**
	 * Starts the next waiting calls, up to one that must wait for its permit: permits that accumulated
	 * meanwhile can be used at once.
	 */
	private goOn(client: string): void {
		for (;;) {
			const line = this.lines.get(client);
			const next = line?.calls[line.first++];
			if (!line || !next) return;
			if (line.first === line.calls.length) this.lines.delete(client);
			else if (line.first === LINE_PART) {
				line.calls.splice(0, LINE_PART);
				line.first = 0;
			}
			const taken = this.take(client, this.clock.now());
			if (taken instanceof Promise) {
				void taken.then(next);
				return;
			}
			next();
		}
	}
}

export class RateLimiter {
	/** All request bodies of the process. */
	readonly bodies = new BodyBudget();
	/** All long answers of the process. */
	readonly longAnswers = LongAnswerGate.ofBytes();
	/** Answers of all kinds whose clients aren't reading. */
	readonly unreadAnswers = new UnreadAnswers();
	/** Long JSON-RPC results, which must be complete before they are sent. */
	readonly longResults = new LongAnswerGate(2, 1);
	/** Long gRPC messages. */
	readonly longMessages = new LongAnswerGate(2, 1);
	private readonly all: SharedBucket;
	private readonly byAddress: AddressBuckets;
	private readonly gates = new Map<string, CallGate>();
	private readonly order: readonly Limit[];

	constructor(
		private readonly config: RateLimiterConfig,
		private readonly clock: LimiterClock = wallClock,
	) {
		const mayWait = config.nonBlocking !== true;
		this.all = new SharedBucket(config.globalQps, clock, mayWait);
		this.byAddress = new AddressBuckets(config.globalIpQps, GLOBAL_ADDRESS_MS, clock, mayWait);
		this.order = config.componentFirst ? ["component", "all", "address"] : ["all", "address", "component"];
	}

	/** The gate of an HTTP or JSON-RPC component, such as `GetAccountServlet`, in neutral spelling. */
	http(component: string): CallGate {
		return this.gate("http", component);
	}

	/** The gate of a gRPC method, such as `protocol.Wallet/GetAccount`, in neutral spelling. */
	rpc(component: string): CallGate {
		return this.gate("rpc", component);
	}

	private gate(list: "http" | "rpc", component: string): CallGate {
		if (!this.config.enabled) return OPEN_GATE;
		const name = component.toLowerCase();
		const known = this.gates.get(`${list} ${name}`);
		if (known) return known;
		// The last entry of a component wins.
		const entry = this.config[list].findLast((limit) => limit.component.toLowerCase() === name);
		const gate = this.makeGate(entry ?? { component, strategy: "qps", value: this.config.apiQps });
		this.gates.set(`${list} ${name}`, gate);
		return gate;
	}

	private makeGate({ strategy, value }: ComponentLimit): CallGate {
		const { clock } = this;
		const mayWait = this.config.nonBlocking !== true;
		switch (strategy) {
			case "permits": {
				const permits = new Permits(value, clock, mayWait);
				return {
					enter: (address) =>
						this.config.componentFirst
							? this.passPermitted(address, permits)
							: this.pass(address, () => true, permits),
					leave: () => permits.leave(),
				};
			}
			case "ipQps": {
				const buckets = new AddressBuckets(value, COMPONENT_ADDRESS_MS, clock, mayWait);
				return { enter: (address) => this.pass(address, (now) => buckets.take(address, now)), leave };
			}
			default: {
				const bucket = new SharedBucket(value, clock, mayWait);
				return { enter: (address) => this.pass(address, (now) => bucket.take(address, now)), leave };
			}
		}
	}

	/** The call holds its permit while it waits for the shared limits. */
	private passPermitted(address: string, permits: Permits): true | Promise<boolean> {
		const all = (): true | Promise<boolean> => {
			const passed = this.pass(address, () => true);
			if (passed === true) return true;
			return passed.then((isIn) => {
				if (!isIn) permits.leave();
				return isIn;
			});
		};
		const entered = permits.enter(address);
		return entered === true ? all() : entered.then((isIn) => isIn && all());
	}

	/** Passes the three limits in order; a call that waits for one continues with the next afterwards. */
	private pass(
		address: string,
		own: Take,
		permits: Permits | undefined = undefined,
	): true | Promise<boolean> {
		const { order } = this;
		const now = this.clock.now();
		for (let at = 0; at < order.length; at++) {
			const taken = this.take(order[at] as Limit, now, address, own);
			if (taken === true) continue;
			if (taken === false) return Promise.resolve(false);
			return this.passLater(taken, order.slice(at + 1), address, own, permits);
		}
		return permits ? permits.enter(address) : true;
	}

	private take(limit: Limit, now: number, address: string, own: Take): boolean | Promise<void> {
		if (limit === "all") return this.all.take(address, now);
		return limit === "address" ? this.byAddress.take(address, now) : own(now);
	}

	private async passLater(
		first: Promise<void>,
		rest: readonly Limit[],
		address: string,
		own: Take,
		permits: Permits | undefined,
	): Promise<boolean> {
		await first;
		for (const limit of rest) await this.take(limit, this.clock.now(), address, own);
		return permits ? permits.enter(address) : true;
	}
}

const leave = (): void => {};

const OPEN_GATE: CallGate = { enter: () => true, leave };

/** One bucket per recently seen address. */
class AddressBuckets {
	private readonly buckets = new Map<string, { readonly bucket: TokenBucket; readonly since: number }>();

	constructor(
		private readonly perSecond: number,
		private readonly keptMs: number,
		private readonly clock: LimiterClock,
		private readonly mayWait: boolean,
	) {}

	/** Like {@link Take}. */
	take(address: string, now: number): boolean | Promise<void> {
		const waitMs = this.bucketOf(address, now).reserve(now, this.mayWait);
		if (waitMs === 0) return true;
		return this.mayWait && this.clock.wait(waitMs);
	}

	private bucketOf(address: string, now: number): TokenBucket {
		const known = this.buckets.get(address);
		if (known && now - known.since < this.keptMs) return known.bucket;
		this.buckets.delete(address);
		for (const oldest of this.buckets.keys()) {
			if (this.buckets.size < MAX_ADDRESSES) break;
			this.buckets.delete(oldest);
		}
		const bucket = new TokenBucket(this.perSecond, now);
		this.buckets.set(address, { bucket, since: now });
		return bucket;
	}
}

/** A concurrency limit; excess calls wait for a limited time, and clients take turns, each with its calls in order. */
class Permits {
	private free: number;
	/** Waiting calls by client, in the order of their turns; none is empty. */
	private readonly lines = new Map<string, Set<(admitted: boolean) => void>>();

	constructor(
		count: number,
		private readonly clock: LimiterClock,
		private readonly mayWait: boolean,
	) {
		this.free = count;
	}

	enter(client: string): true | Promise<boolean> {
		if (this.free > 0) {
			this.free--;
			return true;
		}
		if (!this.mayWait) return Promise.resolve(false);
		return new Promise((resolve) => {
			const line = this.lines.get(client) ?? new Set();
			this.lines.set(client, line.add(resolve));
			void this.clock.wait(PERMIT_WAIT_MS).then(() => {
				if (!line.delete(resolve)) return;
				if (line.size === 0) this.lines.delete(client);
				resolve(false);
			});
		});
	}

	leave(): void {
		const [first] = this.lines;
		if (!first) {
			this.free++;
			return;
		}
		const [client, line] = first;
		const [next] = line;
		line.delete(next as (admitted: boolean) => void);
		// Who was served goes to the back.
		this.lines.delete(client);
		if (line.size > 0) this.lines.set(client, line);
		next?.(true);
	}
}
