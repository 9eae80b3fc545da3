/**
 * A listener with a limited number of connections. Further ones wait, connected but unread, until one closes;
 * only those beyond {@link MAX_WAITING} are refused. While any waits, idle connections are closed; stale ones
 * always are.
 */

import { closeSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";

/**
 * Connection limits of listeners without a configured one. Every listener is a `ConnectionGate`, which takes
 * the limit; `test/listeners.test.ts` checks that.
 */
export const MAX_CONNECTIONS = {
	/** The network's node has no such limit, only the operating system's. */
	grpc: 1_000,
	eventQueue: 1_000,
	/** Prometheus needs one; people look rarely. */
	metrics: 16,
	/** The explorer of another node, on the user's own machine. */
	explorer: 64,
	/** Nodes and wallets of one operator, one connection each way. */
	signer: 64,
	/** A restore fetches four files at once. */
	snapshots: 128,
} as const;

/** Time limits for receiving a request. */
export interface ConnectionTimes {
	/** From the first byte of a request to the last. */
	readonly requestMs: number;
	/** The same while other connections wait for a place. */
	readonly crowdedMs: number;
}

/** Keeps slow clients from holding all connections. */
export const CONNECTION_TIMES: ConnectionTimes = { requestMs: 60_000, crowdedMs: 10_000 };

/** Interval of checking connections. */
export function sweepIntervalMs({ crowdedMs }: ConnectionTimes): number {
	return Math.min(1_000, crowdedMs / 4);
}

const MAX_WAITING = 1_000;
/** The system's accept queue; a client beyond it retries after a second. */
const BACKLOG = 4_096;
const LOOK_AGAIN_MS = 100;
/** Connections closed per round of the event loop: each search scans all. */
const MAX_CLOSED_AT_ONCE = 16;

const MAPPED_PREFIX = "::ffff:";
/** 16-bit groups of an IPv6 network prefix; the subscriber chooses the other half of the address. */
const NETWORK_GROUPS = 4;

/**
 * The address that budgets count against. An IPv6 subscriber owns a whole /64, which counts as one.
 * @returns an IPv4 address, `2001:db8:0:1::/64`, or an empty text for a closed connection
 */
export function budgetAddress({
	remoteAddress = "",
}: {
	readonly remoteAddress?: string | undefined;
}): string {
	const isMapped = remoteAddress.startsWith(MAPPED_PREFIX) && remoteAddress.includes(".");
	const plain = isMapped ? remoteAddress.slice(MAPPED_PREFIX.length) : remoteAddress;
	if (!plain.includes(":")) return plain;
	const [head, tail] = remoteAddress.split("::") as [string, string?];
	const groups = head === "" ? [] : head.split(":");
	if (tail !== undefined) {
		const behind = tail === "" ? 0 : tail.split(":").length;
		groups.push(...Array<string>(Math.max(0, 2 * NETWORK_GROUPS - groups.length - behind)).fill("0"));
	}
	return `${groups.slice(0, NETWORK_GROUPS).join(":")}::/64`;
}

/** From this limit on, one address can hold at most four fifths of the places. */
const SHARED_FROM = 10;
const RESERVED_PART = 5;
/** Age for closing unread answers, and unfinished requests if the new address holds fewer places. */
const UNFINISHED_MS = 1_000;

/** Grace period for a new connection's first request. */
const FIRST_REQUEST_MS = 200;

/**
 * Waits for the first line of a connection that exchanges one line each way.
 * @param limit characters; a longer line is undefined
 * @param lateMs when the connection is closed, however slowly it sends and whatever it leaves unread
 */
export function onFirstLine(
	socket: Socket,
	limit: number,
	lateMs: number,
	take: (line: string | undefined) => void,
): void {
	let text = "";
	// Must not keep the process alive.
	const late = setTimeout(() => socket.destroy(), lateMs).unref();
	socket.setEncoding("utf8").on("close", () => clearTimeout(late));
	socket.on("error", () => socket.destroy());
	socket.on("data", (chunk: string) => {
		text += chunk;
		if (!chunk.includes("\n") && text.length <= limit) return;
		const end = text.indexOf("\n");
		socket.removeAllListeners("data");
		take(end < 0 || end > limit ? undefined : text.slice(0, end));
	});
}

/** A server's knowledge of its connections, in milliseconds. */
interface ConnectionFacts {
	/** Time without a request; undefined while a request or answer is in progress. */
	idleMs(socket: Socket): number | undefined;
	/** Whether anything was ever answered on it. */
	hasAsked(socket: Socket): boolean;
	/** Age of a partly received request; undefined if there is none. */
	unfinishedMs(socket: Socket): number | undefined;
	/** Time for which the client has read nothing of a pending answer; undefined if none is pending. */
	unreadMs?(socket: Socket): number | undefined;
}

/**
 * The places of a listener, and which connection is closed if they run out: every address has a share, and
 * idle connections yield to waiting ones.
 */
class ConnectionPlaces {
	readonly open = new Map<Socket, string>();
	private readonly counts = new Map<string, number>();
	/** Connections being closed that haven't closed yet. */
	private leaving = 0;
	private readonly perAddress: number;

	/** @param limit places; 0 or less: unlimited */
	constructor(private readonly limit: number) {
		const reserved = limit >= SHARED_FROM ? Math.floor(limit / RESERVED_PART) : 0;
		this.perAddress = limit > 0 ? limit - reserved : Number.POSITIVE_INFINITY;
	}

	/** How many places an address holds. */
	heldBy(address: string): number {
		return this.counts.get(address) ?? 0;
	}

	hasRoom(address: string): boolean {
		return (this.limit <= 0 || this.open.size < this.limit) && this.heldBy(address) < this.perAddress;
	}

	take(socket: Socket, address: string): void {
		this.open.set(socket, address);
		this.counts.set(address, this.heldBy(address) + 1);
		socket.once("close", () => this.leave(socket, address));
	}

	/** Gives up the place of a connection that another owner takes over. */
	release(socket: Socket): void {
		const address = this.open.get(socket);
		if (address !== undefined) this.giveBack(socket, address);
	}

	private leave(socket: Socket, address: string): void {
		this.leaving = Math.max(0, this.leaving - 1);
		this.giveBack(socket, address);
	}

	private giveBack(socket: Socket, address: string): void {
		if (!this.open.delete(socket)) return;
		const left = this.heldBy(address) - 1;
		if (left > 0) this.counts.set(address, left);
		else this.counts.delete(address);
	}

	/**
	 * Closes the least useful connection, if there is one, to free a place for an address.
	 * @param waiting number of waiting connections: no more places are freed
	 * @param unreadMs time for which input may lie unread: it doesn't count as a client's silence
	 * @returns whether a place will be free
	 */
	makeRoom(address: string, facts: ConnectionFacts, waiting: number, unreadMs: number): boolean {
		if (this.leaving >= waiting) return true;
		const victim = this.leastMissed(address, facts, unreadMs);
		if (!victim) return false;
		this.leaving++;
		victim.destroy();
		return true;
	}

	/**
	 * The longest idle connection of the address with the most places; else the oldest unfinished request or
	 * unread answer.
	 */
	private leastMissed(address: string, facts: ConnectionFacts, unreadMs: number): Socket | undefined {
		const onlyOwn = this.heldBy(address) >= this.perAddress;
		let best: { readonly socket: Socket; readonly rank: readonly number[] } | undefined;
		for (const [socket, holder] of this.open) {
			if (socket.destroyed || (onlyOwn && holder !== address)) continue;
			const held = this.heldBy(holder);
			const idle = facts.idleMs(socket);
			let rank: readonly number[] | undefined;
			if (idle !== undefined) {
				const hasAsked = facts.hasAsked(socket);
				if (hasAsked || idle - unreadMs > FIRST_REQUEST_MS) rank = [1, held, idle];
			} else {
				const unread = facts.unreadMs?.(socket);
				const age = unread ?? facts.unfinishedMs(socket) ?? 0;
				if (age - unreadMs > UNFINISHED_MS && (unread !== undefined || held > this.heldBy(address) + 1))
					rank = [0, held, age];
			}
			if (rank && (!best || isGreater(rank, best.rank))) best = { socket, rank };
		}
		return best?.socket;
	}
}

function isGreater(a: readonly number[], b: readonly number[]): boolean {
	const at = a.findIndex((value, i) => value !== b[i]);
	return at >= 0 && (a[at] as number) > (b[at] as number);
}

export interface ConnectionRule extends ConnectionFacts {
	/** @param crowded whether others wait for a place */
	readonly isStale: (socket: Socket, crowded: boolean) => boolean;
	/** Interval of checking connections. */
	readonly everyMs: number;
}

interface Waiting {
	readonly socket: Socket;
	readonly address: string;
}

/**
 * A bound socket to be inherited by another process: the requested port (0: any free one) and its descriptor.
 * While either process has it open, clients queue in the system and are not refused.
 */
export interface ListeningSocket {
	readonly port: number;
	readonly host?: string | undefined;
	/** Whether its address was chosen by a service manager, in place of the configuration's. */
	readonly isManaged?: boolean;
	readonly fd: number;
}

/** In the order of listening, which distinguishes those that requested any free port. */
const listening = new Map<ConnectionGate, ListeningSocket>();
let inherited: ListeningSocket[] = [];
let isHandedOver = false;

/** All listening sockets of this process that have descriptors. */
export function listeningSockets(): readonly ListeningSocket[] {
	return [...listening.values()].filter(({ fd }) => fd >= 0);
}

/** Gates that request the same addresses use these sockets instead of binding. */
export function inheritSockets(sockets: readonly ListeningSocket[]): void {
	inherited = [...sockets];
}

/** Closes inherited sockets that no gate requested: the configuration has changed. */
export function dropInherited(): void {
	for (const { fd } of inherited.splice(0)) closeSync(fd);
}

/** From now on, closing services tell their clients that the service is back at once. */
export function markHandedOver(): void {
	isHandedOver = true;
}

/** Whether another process continues this one's listeners. */
export function wasHandedOver(): boolean {
	return isHandedOver;
}

/** The descriptor of a listener; -1 if the system has none. */
function descriptorOf(listener: Server): number {
	// There is no public API, but every Node.js release has this field; without it no socket is handed over.
	const { _handle } = listener as unknown as { readonly _handle?: { readonly fd?: number } | null };
	return _handle?.fd ?? -1;
}

export class ConnectionGate {
	private readonly listener: Server;
	private readonly places: ConnectionPlaces;
	private waiting: Waiting[] = [];
	private sweeping: NodeJS.Timeout | undefined;
	private looking: NodeJS.Timeout | undefined;

	/**
	 * @param limit maximum concurrent connections; 0 or less: unlimited
	 * @param serve takes over a connection
	 * @param allowHalfOpen whether a client that closed its sending side still gets answers
	 * @param now monotonic milliseconds
	 */
	constructor(
		limit: number,
		private readonly serve: (socket: Socket) => void,
		allowHalfOpen = true,
		private readonly rule?: ConnectionRule,
		private readonly now: () => number = () => performance.now(),
	) {
		this.places = new ConnectionPlaces(limit);
		this.listener = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen }, (socket) => {
			socket.on("error", () => socket.destroy());
			const address = budgetAddress(socket);
			if (this.waiting.length === 0 && this.places.hasRoom(address)) this.admit(socket, address);
			else this.queue({ socket, address });
		});
	}

	/** Binds the port; rejects with the system's error. @returns the bound port */
	listen(port: number, host: string | undefined): Promise<number> {
		return new Promise((resolve, reject) => {
			this.listener.once("error", reject);
			const at = inherited.findIndex(
				(socket) => socket.port === port && (socket.isManaged || socket.host === host),
			);
			const [given] = at < 0 ? [] : inherited.splice(at, 1);
			const place = given ? { fd: given.fd } : { port, ...(host === undefined ? {} : { host }) };
			this.listener.listen({ ...place, backlog: BACKLOG }, () => {
				this.listener.off("error", reject);
				listening.set(this, { port, host, fd: descriptorOf(this.listener) });
				const address = this.listener.address();
				resolve(typeof address === "object" && address ? address.port : port);
			});
		});
	}

	/** Gives up the place of a connection that another owner takes over; it isn't closed with the gate. */
	letGo(socket: Socket): void {
		this.places.release(socket);
		this.admitWaiting();
	}

	private admit(socket: Socket, address: string): void {
		this.places.take(socket, address);
		this.sweepRegularly();
		socket.once("close", () => this.admitWaiting());
		this.serve(socket);
		socket.resume();
	}

	private queue(newcomer: Waiting): void {
		if (this.waiting.length >= MAX_WAITING && !this.refuseCrowd(newcomer.address)) {
			newcomer.socket.destroy();
			return;
		}
		this.waiting.push(newcomer);
		this.admitWaiting();
	}

	/** Refuses the newest connection of the address with most waiting ones, unless it is this address. */
	private refuseCrowd(address: string): boolean {
		const counts = new Map<string, number>();
		for (const waiting of this.waiting) counts.set(waiting.address, (counts.get(waiting.address) ?? 0) + 1);
		const [crowd, most] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0]);
		if (most <= (counts.get(address) ?? 0) + 1) return false;
		const [refused] = this.waiting.splice(
			this.waiting.findLastIndex((waiting) => waiting.address === crowd),
			1,
		);
		refused?.socket.destroy();
		return true;
	}

	private sweepRegularly(): void {
		const { rule } = this;
		if (!rule || this.sweeping) return;
		const sweep = (): void => {
			const crowded = this.waiting.length > 0;
			for (const socket of this.places.open.keys()) if (rule.isStale(socket, crowded)) socket.destroy();
			this.admitWaiting();
			if (this.places.open.size > 0) return;
			clearInterval(this.sweeping);
			this.sweeping = undefined;
		};
		this.sweeping = setInterval(() => this.onceRead(sweep), rule.everyMs).unref();
	}

	/**
	 * Calls back after a full round of the event loop, in which all earlier input was read: after a blocked
	 * loop, clients' requests may still be unread in their sockets. A slow round is followed by another.
	 * @param then gets the duration of the round
	 */
	private onceRead(then: (roundMs: number) => void, isAgain = false): void {
		setImmediate(() => {
			const fromMs = this.now();
			setImmediate(() => {
				const roundMs = this.now() - fromMs;
				if (roundMs > FIRST_REQUEST_MS && !isAgain) this.onceRead(then, true);
				else then(roundMs);
			});
		});
	}

	/**
	 * Admits waiting connections, fewest held places first; looks for others to close if all places are taken.
	 * @returns the address of the next one that has no place
	 */
	private admitWaiting(): string | undefined {
		this.waiting = this.waiting.filter(({ socket }) => !socket.destroyed);
		while (this.waiting.length > 0) {
			let best: Waiting | undefined;
			for (const candidate of this.waiting) {
				const isFewer = !best || this.places.heldBy(candidate.address) < this.places.heldBy(best.address);
				if (isFewer) best = candidate;
			}
			if (!best) return;
			if (!this.places.hasRoom(best.address)) {
				this.look(0);
				return best.address;
			}
			this.waiting.splice(this.waiting.indexOf(best), 1);
			this.admit(best.socket, best.address);
		}
		return;
	}

	/**
	 * Closes connections in favor of waiting ones. If too few can be closed it checks again later: a new
	 * connection may turn out to be idle.
	 */
	private look(inMs: number): void {
		const { rule } = this;
		if (!rule) return;
		const close = (roundMs: number): void => {
			const next = this.admitWaiting();
			this.looking = undefined;
			if (next === undefined) return;
			let closed = 0;
			while (closed < MAX_CLOSED_AT_ONCE && this.places.makeRoom(next, rule, this.waiting.length, roundMs))
				closed++;
			if (closed < MAX_CLOSED_AT_ONCE) this.look(LOOK_AGAIN_MS);
		};
		this.looking ??= setTimeout(() => this.onceRead(close), inMs).unref();
	}

	/** Stops listening and closes every connection that `isIdle`; the others get `graceMs` to finish. */
	async close(isIdle: (socket: Socket) => boolean, graceMs: number): Promise<void> {
		listening.delete(this);
		const closed = new Promise<void>((resolve) => this.listener.close(() => resolve()));
		for (const { socket } of this.waiting.splice(0)) socket.destroy();
		const open = [...this.places.open.keys()];
		for (const socket of open) if (isIdle(socket)) socket.destroy();
		const deadline = setTimeout(() => {
			for (const socket of this.places.open.keys()) socket.destroy();
		}, graceMs);
		await closed;
		clearTimeout(deadline);
	}
}
