/** Long work in short turns, so that blocks and other requests never wait long. */

/** How long others may have to wait for long work. */
export const TURN_MS = 20;

/** Work that waits for another turn; one gets it between two rounds of the event loop, however many there are. */
const waiting: (() => void)[] = [];
let scheduled = false;

function next(): void {
	const resume = waiting.shift();
	scheduled = waiting.length > 0;
	if (scheduled) setImmediate(next);
	resume?.();
}

/** Waits for a turn: for work that is done in one go, such as reading a large text. */
export function ownTurn(): Promise<void> {
	return new Promise((resolve) => {
		waiting.push(resolve);
		if (!scheduled) setImmediate(next);
		scheduled = true;
	});
}

export class Turns {
	private endsAt: number;

	/**
	 * Where other long work is under way the first turn has to be waited for, too.
	 * @param turnMs how long others may have to wait
	 */
	constructor(private readonly turnMs: number) {
		this.endsAt = scheduled ? 0 : performance.now() + turnMs;
	}

	/** Whether it is the others' turn. */
	get over(): boolean {
		return performance.now() > this.endsAt;
	}

	/** Gives waiting work its turn. What was read of the state may be outdated afterwards. */
	async yield(): Promise<void> {
		await ownTurn();
		this.endsAt = performance.now() + this.turnMs;
	}
}
