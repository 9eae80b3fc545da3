/**
 * Calls of many connections, a few of them at a time: each is let in by a limiter that delays all callers alike, and a
 * thousand connections with a call each would keep everybody else waiting. Addresses take turns.
 */

export class CallLine {
	private running = 0;
	/** What waits, by the address that asked; addresses in the order of their turns. */
	private readonly waiting = new Map<string, (() => void)[]>();

	/** @param most calls at a time */
	constructor(private readonly most: number) {}

	/** Resolves when a call of an address may begin; it must {@link leave}. */
	enter(address: string): Promise<void> {
		if (this.running < this.most) {
			this.running++;
			return Promise.resolve();
		}
		return new Promise((resolve) => {
			const line = this.waiting.get(address);
			if (line) line.push(resolve);
			else this.waiting.set(address, [resolve]);
		});
	}

	/** A call has ended: the next address takes its place. */
	leave(): void {
		const [next] = this.waiting;
		if (!next) {
			this.running--;
			return;
		}
		const [address, line] = next;
		const begin = line.shift();
		this.waiting.delete(address);
		if (line.length > 0) this.waiting.set(address, line);
		begin?.();
	}
}
