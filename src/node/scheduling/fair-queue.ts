/** Items delivered by peers: served round robin, in each peer's own order. */
export class FairQueue<P, T> {
	private readonly queues = new Map<P, T[]>();

	push(peer: P, item: T): void {
		const queue = this.queues.get(peer);
		if (queue) queue.push(item);
		else this.queues.set(peer, [item]);
	}

	/** The next item and its peer; undefined if nothing is queued. */
	next(): readonly [peer: P, item: T] | undefined {
		const [first] = this.queues;
		if (!first) return undefined;
		const [peer, queue] = first;
		// A served peer moves to the back: a turn may end after any of them.
		this.queues.delete(peer);
		const item = queue.shift() as T;
		if (queue.length > 0) this.queues.set(peer, queue);
		return [peer, item];
	}

	/** Drops a peer's items. @returns what waited */
	drop(peer: P): readonly T[] {
		const items = this.queues.get(peer) ?? [];
		this.queues.delete(peer);
		return items;
	}
}
