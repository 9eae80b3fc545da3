/** Events of a simulation, ordered by time, then by insertion. */

export interface SimulatedEvent {
	readonly atMs: number;
	readonly sequence: number;
	/** Undefined once cancelled. */
	task: (() => void) | undefined;
}

export class EventQueue {
	private readonly heap: SimulatedEvent[] = [];
	private sequence = 0;

	get size(): number {
		return this.heap.length;
	}

	add(atMs: number, task: () => void): SimulatedEvent {
		const event: SimulatedEvent = { atMs, sequence: this.sequence++, task };
		const heap = this.heap;
		let index = heap.length;
		heap.push(event);
		while (index > 0) {
			const parent = (index - 1) >> 1;
			const above = heap[parent] as SimulatedEvent;
			if (isBefore(above, event)) break;
			heap[index] = above;
			index = parent;
		}
		heap[index] = event;
		return event;
	}

	/** Time of the next event that isn't cancelled. */
	nextMs(): number | undefined {
		for (;;) {
			const first = this.heap[0];
			if (first === undefined) return undefined;
			if (first.task !== undefined) return first.atMs;
			this.take();
		}
	}

	take(): SimulatedEvent | undefined {
		const heap = this.heap;
		const first = heap[0];
		const last = heap.pop();
		if (first === undefined || last === undefined || heap.length === 0) return first;
		let index = 0;
		for (;;) {
			let child = 2 * index + 1;
			if (child >= heap.length) break;
			if (
				child + 1 < heap.length &&
				isBefore(heap[child + 1] as SimulatedEvent, heap[child] as SimulatedEvent)
			) {
				child++;
			}
			const below = heap[child] as SimulatedEvent;
			if (isBefore(last, below)) break;
			heap[index] = below;
			index = child;
		}
		heap[index] = last;
		return first;
	}
}

function isBefore(a: SimulatedEvent, b: SimulatedEvent): boolean {
	return a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence);
}
