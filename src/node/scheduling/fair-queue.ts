/** What peers delivered and waits: taken one of each peer in turn, in the order in which that peer sent it. */
export class FairQueue<P, T> {
	private readonly queues = new Map<P, T[]>();

	push(peer: P, item: T): void {
		const queue = this.queues.get(peer);
		if (queue) queue.push(item);
		else this.queues.set(peer, [item]);
	}

	/** The next one, and whose it is; undefined if nothing waits. */
	next(): readonly [peer: P, item: T] | undefined {
		const [first] = this.queues;
		if (!first) return undefined;
		const [peer, queue] = first;
		// A peer that was served goes behind the others: a turn may end after any of them.
		this.queues.delete(peer);
		const item = queue.shift() as T;
		if (queue.length > 0) this.queues.set(peer, queue);
		return [peer, item];
	}

	/** Forgets what a peer sent. @returns what waited */
	drop(peer: P): readonly T[] {
		const items = this.queues.get(peer) ?? [];
		this.queues.delete(peer);
		return items;
	}
}
