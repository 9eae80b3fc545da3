/**
 * Connections that have not said HELLO yet. They cost something, too, and the limits of protocol/peers §4.4 begin with the
 * HELLO: opening many and saying nothing must not keep others out.
 */

import { type BanList, NO_BAN_MS } from "./ban-list.js";
import type { Channel } from "./channel.js";

/** From here on it is crowded. */
const CROWDED = 64;
const MOST = 128;
/** Of one address. */
const MAX_OF_HOST = 16;
const MAX_OF_HOST_WHEN_CROWDED = 4;
/** How long the first HELLO may take when it is crowded; otherwise as long as anything may take. */
const HURRIED_MS = 5_000;

export class Greetings {
	/** @param channels all connections, the oldest first */
	constructor(
		private readonly channels: ReadonlySet<Channel>,
		private readonly bans: BanList,
		private readonly now: () => number,
	) {}

	/**
	 * Whether one more connection from an address may be taken; the oldest of the address that has most goes for it if
	 * there are too many. A banned peer gets its reason if it says HELLO, but not while others need the place.
	 */
	makeRoom(host: string): boolean {
		const greeting = this.greeting();
		const isCrowded = greeting.length >= CROWDED;
		if (isCrowded && this.bans.has(host, this.now())) return false;
		const same = greeting.filter((channel) => channel.remote.host === host).length;
		if (same >= (isCrowded ? MAX_OF_HOST_WHEN_CROWDED : MAX_OF_HOST)) return false;
		if (greeting.length >= MOST) oldestOfLargest(greeting)?.close(NO_BAN_MS);
		return true;
	}

	/** To be called every two seconds: no connection may be silent for long while it is crowded. */
	dropSilent(): void {
		const greeting = this.greeting();
		if (greeting.length < CROWDED) return;
		const latest = this.now() - HURRIED_MS;
		for (const channel of greeting) if (channel.startMs <= latest) channel.close();
	}

	private greeting(): readonly Channel[] {
		return [...this.channels].filter((channel) => channel.isGreeting);
	}
}

function oldestOfLargest(greeting: readonly Channel[]): Channel | undefined {
	const counts = new Map<string, number>();
	for (const { remote } of greeting) counts.set(remote.host, (counts.get(remote.host) ?? 0) + 1);
	const most = Math.max(...counts.values());
	return greeting.find(({ remote }) => counts.get(remote.host) === most);
}
