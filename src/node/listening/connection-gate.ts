/**
 * A listener that serves only so many connections at a time. Further ones wait, connected but unread, until one
 * closes; only those beyond {@link MAX_WAITING} are refused. While one waits, connections on which nothing is
 * asked are closed; those that have become stale always are.
 */

import { closeSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";

/**
 * Connections that listeners without a setting of their own serve at a time; the others have theirs from the configuration. Every
 * listener is a `ConnectionGate`, which takes the number; `test/listeners.test.ts` finds one that isn't.
 */
export const MAX_CONNECTIONS = {
	/** The network's node has no such limit, but an operating system's. */
	grpc: 1_000,
	eventQueue: 1_000,
	/** Prometheus needs one; a person looks now and then. */
	metrics: 16,
	/** The explorer of another node, on the user's own machine. */
	explorer: 64,
	/** Nodes and wallets of one operator, a line each way. */
	signer: 64,
	/** A restore has four files on their way. */
	snapshots: 128,
} as const;

/** How long a client may take to send a request. */
export interface ConnectionTimes {
	/** From the first byte of a request to its last. */
	readonly requestMs: number;
	/** The same while other connections wait for a place. */
	readonly crowdedMs: number;
}

/** So that slow clients can't hold all connections. */
export const CONNECTION_TIMES: ConnectionTimes = { requestMs: 60_000, crowdedMs: 10_000 };

/** How often connections are looked at. */
export function sweepIntervalMs({ crowdedMs }: ConnectionTimes): number {
	return Math.min(1_000, crowdedMs / 4);
}

const MAX_WAITING = 1_000;
/** Connections that the system holds until they are taken; of one too many the client hears nothing for a second. */
const BACKLOG = 4_096;
const LOOK_AGAIN_MS = 100;
/** Connections that give way in one round of the event loop: each is looked for among all. */
const MAX_CLOSED_AT_ONCE = 16;

const MAPPED_PREFIX = "::ffff:";
/** Groups of 16 bits that a provider assigns; the other half of an address is the subscriber's to choose. */
const NETWORK_GROUPS = 4;

/**
 * The address whose budgets a connection counts against. One subscriber has a whole network of IPv6 addresses: they count as one.
 * @returns an IPv4 address, `2001:db8:0:1::/64`, or an empty text for a connection that is closed or has no address
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

/** From this number of places on, one address can't hold more than four fifths. */
const SHARED_FROM = 10;
const RESERVED_PART = 5;
/** An unfinished request of this age is closed for an address that holds fewer places, and an answer that isn't taken for any other. */
const UNFINISHED_MS = 1_000;

/** What a connection sends first may still be on its way. */
const FIRST_REQUEST_MS = 200;

/**
 * Waits for the first line of a connection that has a line each way.
 * @param limit characters; a longer line is undefined
 * @param lateMs when the connection is closed, however slowly it sends and whatever it doesn't read
 */
export function onFirstLine(
	socket: Socket,
	limit: number,
	lateMs: number,
	take: (line: string | undefined) => void,
): void {
	let text = "";
	// Nobody waits for a program's end because of it.
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

/** What a server knows about its connections. Milliseconds. */
interface ConnectionFacts {
	/** How long nothing has been asked; undefined: something is being asked or answered. */
	idleMs(socket: Socket): number | undefined;
	/** Whether anything was ever answered on it. */
	hasAsked(socket: Socket): boolean;
	/** How long a request has been coming; undefined: none is. */
	unfinishedMs(socket: Socket): number | undefined;
	/** How long a client has taken nothing of an answer that waits for it; undefined: none does. */
	unreadMs?(socket: Socket): number | undefined;
}

/**
 * Which connections hold the places of a listener, and which is next when there are not enough: every address has a share, and
 * an idle connection gives way to one that waits.
 */
class ConnectionPlaces {
	readonly open = new Map<Socket, string>();
	private readonly counts = new Map<string, number>();
	/** Connections that were told to go and haven't gone yet. */
	private leaving = 0;
	private readonly perAddress: number;

	/** @param limit places; 0 or less: any number */
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

	/** A connection that is others' from now on gives its place back. */
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
	 * Closes the least useful connection, if there is one, so that a connection of this address gets a place.
	 * @param waiting how many wait: no more places are made than are needed
	 * @param unreadMs what has come for so long may lie unread: a client isn't said to have been silent in that time
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
	 * Of the address with the most places the one that is idle longest; else the oldest unfinished request of others, or the answer of
	 * which nothing was taken for longest.
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
	/** How often connections are looked at. */
	readonly everyMs: number;
}

interface Waiting {
	readonly socket: Socket;
	readonly address: string;
}

/**
 * A bound socket as another process inherits it: what was asked for, 0 for any free port, and its descriptor. As long as one of the
 * two has it, clients that connect wait in the system's queue and are not refused.
 */
export interface ListeningSocket {
	readonly port: number;
	readonly host?: string | undefined;
	readonly fd: number;
}

/** In the order in which they began to listen: that tells those apart that asked for any free port. */
const listening = new Map<ConnectionGate, ListeningSocket>();
let inherited: ListeningSocket[] = [];
let isHandedOver = false;

/** What every gate of this process listens on, where the system has descriptors. */
export function listeningSockets(): readonly ListeningSocket[] {
	return [...listening.values()].filter(({ fd }) => fd >= 0);
}

/** Gates that ask for the same as these sockets take them, and bind nothing. */
export function inheritSockets(sockets: readonly ListeningSocket[]): void {
	inherited = [...sockets];
}

/** Closes inherited sockets that no gate has asked for: the configuration has changed. */
export function dropInherited(): void {
	for (const { fd } of inherited.splice(0)) closeSync(fd);
}

/** From now on what closes is there again at once, and tells its clients. */
export function markHandedOver(): void {
	isHandedOver = true;
}

/** Whether another process goes on with the listeners of this one. */
export function wasHandedOver(): boolean {
	return isHandedOver;
}

/** The descriptor of a listener; -1 where the system has none. */
function descriptorOf(listener: Server): number {
	// Nothing public has the number, which stands here in every release of Node.js; without it nothing is handed over.
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
	 * @param limit connections served at a time; 0 or less: no limit
	 * @param serve takes over a connection
	 * @param allowHalfOpen whether a client that has said everything still gets answers; else the connection ends
	 * @param now milliseconds of a clock that only goes forward
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
			const at = inherited.findIndex((socket) => socket.port === port && socket.host === host);
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

	/** A connection that is others' from now on gives its place back, and isn't closed with the gate. */
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

	/** Refuses the newest connection of the address of which most wait, if that isn't this one. */
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
	 * Calls behind a whole round of the event loop, in which whatever had come before it was read: where the loop stood still, a clock
	 * says nothing about clients whose requests lie in their sockets. A round that is such a one itself is followed by another.
	 * @param then gets how long the round took
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
	 * Admits waiting connections, first those whose address holds the fewest places; looks for others to close where all are taken.
	 * @returns the address of the next one, for which there is no place
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
	 * Closes connections for those that wait; looks again, where there are too few to close: one that had just come may turn out to be
	 * an idle one.
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
