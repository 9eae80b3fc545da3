/** A list that is taken from at its front and cut at its end, each at constant cost. */

export class Queue<T> {
	private items: T[] = [];
	private head = 0;

	get length(): number {
		return this.items.length - this.head;
	}

	/** The next item; undefined if there is none. */
	get front(): T | undefined {
		return this.items[this.head];
	}

	get back(): T | undefined {
		return this.length > 0 ? this.items.at(-1) : undefined;
	}

	at(index: number): T {
		return this.items[this.head + index] as T;
	}

	push(...items: readonly T[]): void {
		for (const item of items) this.items.push(item);
	}

	shift(): void {
		if (this.length === 0) return;
		this.head++;
		if (this.head > 1024 && this.head * 2 > this.items.length) {
			this.items = this.items.slice(this.head);
			this.head = 0;
		}
	}

	pop(): void {
		if (this.length > 0) this.items.pop();
	}

	clear(): void {
		this.items = [];
		this.head = 0;
	}
}
