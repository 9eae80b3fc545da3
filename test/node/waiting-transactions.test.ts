import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ChainObserver, CommittedBlock } from "../../src/node/chain/observers.js";
import type { NodeCore } from "../../src/node/node-core.js";
import { waitingTransactions } from "../../src/node/node-services.js";
import { executions } from "../../src/node/scheduling/call-queue.js";
import { SignedBlock } from "../../src/protocol/block.js";
import { openSmall, produce, transfer, users } from "./chain/small-chain.js";

test("what a block of others leaves waiting is pending again soon after it", async () => {
	const [open, peer] = [await openSmall(), await openSmall()];
	const failures: unknown[] = [];
	const report = (error: unknown): void => void failures.push(error);
	const running = await waitingTransactions.start({ open, report } as unknown as NodeCore);
	const payment = transfer(open, 0, users[1] as Uint8Array, 5n);
	open.chain.pushTransaction(payment);
	open.chain.push(SignedBlock.decode(produce(peer).bytes), "peer");
	const isPending = () => open.chain.state.transaction.has(payment.id);
	expect([isPending(), open.chain.pool.hasWaiting]).toEqual([false, true]);
	await setImmediate();
	expect([isPending(), open.chain.pool.hasWaiting, failures]).toEqual([true, false, []]);
	await running.stop?.();
	for (const each of [open, peer]) await each.close();
});

test("their execution and those of clients take turns, and end with the service", async () => {
	const done: string[] = [];
	const observers: ChainObserver[] = [];
	const chain = {
		observe: (observer: ChainObserver) => {
			observers.push(observer);
			return () => {};
		},
		executeWaiting: () => {
			done.push("own");
			return true;
		},
	};
	const running = await waitingTransactions.start({
		open: { chain },
		report: () => {},
	} as unknown as NodeCore);
	for (const observer of observers) observer.committed?.({} as CommittedBlock);
	while (done.length < 3) await setImmediate();
	await executions.run(() => void done.push("client"), undefined, "10.0.0.1");
	expect(done).toContain("client");
	await running.stop?.();
	await setImmediate();
	await setImmediate();
	const { length } = done;
	for (let round = 0; round < 20; round++) await setImmediate();
	expect(done).toHaveLength(length);
});
