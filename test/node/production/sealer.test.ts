import { expect, test } from "vitest";
import { Sealer } from "../../../src/node/production/sealer.js";

type Parts = ConstructorParameters<typeof Sealer>[0];

/** A chain whose blocks hold one transaction each. @param failing number of the block that can't be made */
function sealerOf(pending: number, failing: number) {
	const pool = { size: pending };
	const failures: unknown[] = [];
	let blocks = 0;
	const conditions = {
		...{ sealMode: "instant", slotMs: 1n, nextTimestampMs: undefined, now: () => 1_000n },
		whileSealing: <T>(work: () => T): T => work(),
	};
	const produce = (): object => {
		blocks++;
		if (blocks === failing) throw new Error(`block ${blocks}`);
		pool.size--;
		return {};
	};
	const chain = { pool, produce, state: { properties: { headTimestampMs: 0n } } };
	const sealer = new Sealer({
		chain,
		producer: {},
		conditions,
		onSealed: () => {},
		onFailure: (error: unknown) => failures.push(error),
	} as unknown as Parts);
	return { sealer, pool, failures, made: () => blocks };
}

test("what came at once is sealed block by block until nothing waits", async () => {
	const { sealer, pool, failures, made } = sealerOf(3, 0);
	await Promise.all([sealer.submitted(), sealer.submitted(), sealer.submitted()]);
	expect([pool.size, made(), failures]).toEqual([0, 3, []]);
});

test("what came at once is sealed in turns too, and told to those who wait behind the last; the mode changes only then", async () => {
	const { sealer, pool, made } = sealerOf(4, 0);
	const seen: number[] = [];
	const other = (): void => {
		seen.push(made());
		if (pool.size > 0) setImmediate(other);
	};
	const sealed = Promise.all([sealer.submitted(), sealer.submitted()]).then(() => made());
	setImmediate(other);
	setImmediate(() => void sealer.exclusive(() => seen.push(-made())));
	expect(await sealed).toBe(4);
	expect(seen).toEqual(expect.arrayContaining([1, 2, 3]));
	await sealer.exclusive(() => undefined);
	expect(seen.filter((count) => count < 0)).toEqual([-4]);
});

test("what had gathered before is sealed in turns, between which others have theirs, and the call ends behind the last", async () => {
	const { sealer, pool, failures, made } = sealerOf(4, 0);
	const seen: number[] = [];
	const other = (): void => {
		seen.push(made());
		if (pool.size > 0) setImmediate(other);
	};
	setImmediate(other);
	await sealer.exclusive(() => sealer.setMode("instant"));
	expect([pool.size, made(), failures]).toEqual([0, 4, []]);
	expect(seen).toEqual(expect.arrayContaining([1, 2, 3]));
});

test("a node that closes seals no more of it", async () => {
	const { sealer, made } = sealerOf(4, 0);
	const changed = sealer.setMode("instant");
	sealer.close();
	await changed;
	expect(made()).toBe(1);
});

test("a closed one begins no interval and seals nothing that was asked for or had come before", async () => {
	const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
	const { sealer, pool, made } = sealerOf(2, 0);
	const submitted = expect(sealer.submitted()).rejects.toThrow("the node stops");
	const changed = sealer.exclusive(() => sealer.setMode({ intervalMs: 3_600_000 }));
	const before = timers();
	sealer.close();
	await changed;
	expect(timers()).toBe(before);
	await sealer.setMode("instant");
	await submitted;
	expect([pool.size, made()]).toEqual([2, 0]);
});

test("what a node that closes has sealed a part of is told as unknown, and as done where nothing is left", async () => {
	const { sealer, pool, made } = sealerOf(2, 0);
	const submitted = sealer.submitted();
	setImmediate(() => sealer.close());
	await expect(submitted).rejects.toMatchObject({ name: "CancellationException" });
	expect([pool.size, made()]).toEqual([1, 1]);
	const whole = sealerOf(1, 0);
	const last = whole.sealer.submitted();
	setImmediate(() => whole.sealer.close());
	await last;
	expect(whole.made()).toBe(1);
});

test("a first block that can't be made is told to those who wait for it", async () => {
	const { sealer, pool, failures } = sealerOf(2, 1);
	await expect(sealer.submitted()).rejects.toThrow("block 1");
	expect([pool.size, failures]).toEqual([2, []]);
});

test("a later one isn't: their transaction may be in the first, and nothing is tried again and again", async () => {
	const { sealer, pool, failures, made } = sealerOf(3, 2);
	await sealer.submitted();
	expect([pool.size, made()]).toEqual([2, 2]);
	expect(failures).toEqual([new Error("block 2")]);
});
