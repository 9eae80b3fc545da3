/**
 * Which connections hold the places of a listener, and which is next when there are not enough: every address has a share, and
 * an idle connection gives way to one that waits.
 */

import type { Socket } from "node:net";

/** From this number of places on, one address can't hold more than four fifths. */
const SHARED_FROM = 10;
const RESERVED_PART = 5;
/** An unfinished request of this age is closed for an address that holds fewer places. */
const UNFINISHED_MS = 1_000;

/** What a connection sends first may still be on its way. */
const FIRST_REQUEST_MS = 200;

/** What a server knows about its connections. Milliseconds. */
export interface ConnectionFacts {
	/** How long nothing has been asked; undefined: something is being asked or answered. */
	idleMs(socket: Socket): number | undefined;
	/** Whether anything was ever answered on it. */
	hasAsked(socket: Socket): boolean;
	/** How long a request has been coming; undefined: none is. */
	unfinishedMs(socket: Socket): number | undefined;
}

export class ConnectionPlaces {
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
	 * @returns whether a place will be free
	 */
	makeRoom(address: string, facts: ConnectionFacts, waiting: number): boolean {
		if (this.leaving >= waiting) return true;
		const victim = this.leastMissed(address, facts);
		if (!victim) return false;
		this.leaving++;
		victim.destroy();
		return true;
	}

	/** Of the address with the most places the one that is idle longest; else the oldest unfinished request of others. */
	private leastMissed(address: string, facts: ConnectionFacts): Socket | undefined {
		const onlyOwn = this.heldBy(address) >= this.perAddress;
		let best: { readonly socket: Socket; readonly rank: readonly number[] } | undefined;
		for (const [socket, holder] of this.open) {
			if (socket.destroyed || (onlyOwn && holder !== address)) continue;
			const held = this.heldBy(holder);
			const idle = facts.idleMs(socket);
			let rank: readonly number[] | undefined;
			if (idle !== undefined) {
				const hasAsked = facts.hasAsked(socket);
				if (hasAsked || idle > FIRST_REQUEST_MS) rank = [1, held, idle];
			} else {
				const age = facts.unfinishedMs(socket);
				if (age !== undefined && age > UNFINISHED_MS && held > this.heldBy(address) + 1)
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
