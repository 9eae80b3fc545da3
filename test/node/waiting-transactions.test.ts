import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { NodeCore } from "../../src/node/node-core.js";
import { waitingTransactions } from "../../src/node/node-services.js";
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
