import { expect, test } from "vitest";
import { PacedWork } from "../../../src/node/scheduling/paced-work.js";

class Counting extends PacedWork {
	pieces = 0;

	protected async work(): Promise<void> {
		for (;;) {
			this.pieces++;
			await this.rest(0);
		}
	}
}

test("work rests nine times as long as it took, and a stop ends the rest", async () => {
	const rests: number[] = [];
	const work = new Counting({
		now: () => 4,
		pause: (ms) => {
			rests.push(ms);
			return rests.length < 3 ? Promise.resolve() : new Promise(() => {});
		},
	});
	const done = work.run();
	while (rests.length < 3) await Promise.resolve();
	await work.stop();
	await done;
	expect([work.pieces, rests]).toEqual([3, [36, 36, 36]]);
	await work.run();
	expect([work.pieces, rests.length]).toEqual([4, 3]);
});
