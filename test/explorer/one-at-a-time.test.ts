import { expect, test } from "vitest";
import { oneAtATime } from "../../src/explorer/one-at-a-time.js";

test("work that is asked for while it runs is done once more, not once a call", async () => {
	const waiting: (() => void)[] = [];
	const call = oneAtATime(() => new Promise<void>((resolve) => void waiting.push(resolve)));
	const settle = async (): Promise<void> => {
		for (let turns = 0; turns < 5; turns++) await Promise.resolve();
	};
	for (let calls = 0; calls < 10; calls++) call();
	expect(waiting).toHaveLength(1);
	waiting[0]?.();
	await settle();
	expect(waiting).toHaveLength(2);
	waiting[1]?.();
	await settle();
	expect(waiting).toHaveLength(2);
	call();
	expect(waiting).toHaveLength(3);
});
