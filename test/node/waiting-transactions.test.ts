import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Chain } from "../../src/node/chain/chain.js";
import type { ChainObserver } from "../../src/node/chain/observers.js";
import { scheduledWitness, slotTimeMs } from "../../src/node/consensus/slots.js";
import type { NodeCore } from "../../src/node/node-core.js";
import { waitingTransactions } from "../../src/node/node-services.js";
import { executions } from "../../src/node/scheduling/call-queue.js";
import { SignedBlock } from "../../src/protocol/block.js";
import type { Message } from "../../src/protocol/codec/descriptor.js";
import { forge, keyOfWitness, openSmall, produce, signed, transfer, users } from "./chain/small-chain.js";

/** A turn, where the event loop has time for one at once. */
async function untilNoneWaits({ pool }: Pick<Chain, "pool">): Promise<void> {
	while (pool.hasWaiting) await setImmediate();
}

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
	await untilNoneWaits(open.chain);
	expect([isPending(), failures]).toEqual([true, []]);
	await running.stop?.();
	for (const each of [open, peer]) await each.close();
});

test.each([
	["joins a side branch", "branch"],
	["is refused", undefined],
])("so is what a block that %s leaves waiting", async (_, kind) => {
	const [open, peer] = [await openSmall(), await openSmall()];
	const running = await waitingTransactions.start({ open, report: () => {} } as unknown as NodeCore);
	const { chain } = open;
	if (kind) produce(open);
	const payment = transfer(open, 0, users[1] as Uint8Array, 5n);
	chain.pushTransaction(payment);
	const witness = scheduledWitness(peer.chain.state, 2n);
	const block = forge(peer.chain.head, slotTimeMs(peer.chain.state, 2n), {
		...{ witness, key: keyOfWitness(witness) },
		// Another's coins.
		transactions: kind ? [] : [signed(open, 1, "TransferContract", payment.parameter as Message)],
	});
	if (kind) expect(chain.push(block, "peer")).toEqual({ kind });
	else expect(() => chain.push(block, "peer")).toThrow("but it is not contained of permission");
	const isPending = () => chain.state.transaction.has(payment.id);
	expect([isPending(), chain.pool.hasWaiting]).toEqual([false, true]);
	await untilNoneWaits(chain);
	expect(isPending()).toBe(true);
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
	for (const observer of observers) observer.waiting?.();
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
