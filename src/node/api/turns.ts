/** Long work in short turns, so that blocks and other requests never wait long. */

export class Turns {
	private endsAt: number;

	/** @param turnMs how long others may have to wait */
	constructor(private readonly turnMs: number) {
		this.endsAt = performance.now() + turnMs;
	}

	/** Whether it is the others' turn. */
	get over(): boolean {
		return performance.now() > this.endsAt;
	}

	/** Lets everything in that waits. What was read of the state may be outdated afterwards. */
	async yield(): Promise<void> {
		await new Promise((resolve) => setImmediate(resolve));
		this.endsAt = performance.now() + this.turnMs;
	}
}
