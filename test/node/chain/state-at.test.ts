import { describe, expect, test } from "vitest";
import { openSmall, produce, transfer, users } from "./small-chain.js";

const receiver = users[1] as Uint8Array;

describe("the state at a block", () => {
	test("is that after each block above the base, with the block's own properties", async () => {
		const open = await openSmall();
		const balances: bigint[] = [open.chain.state.account.get(receiver)?.balance ?? 0n];
		for (let n = 1n; n <= 4n; n++) {
			open.chain.pushTransaction(transfer(open, 0, receiver, n));
			produce(open);
			balances.push((balances.at(-1) as bigint) + n);
		}
		open.chain.pushTransaction(transfer(open, 0, receiver, 1_000n));
		const settled = open.database.finalizedNumber;
		expect(settled).toBeLessThan(3n);
		for (let n = settled; n <= 4n; n++) {
			const view = open.stateAt(n);
			expect(view?.account.get(receiver)?.balance).toBe(balances[Number(n)]);
			expect(view?.properties.headNumber).toBe(n);
		}
		await open.close();
	});

	test("isn't known of blocks that are too old, or not there yet", async () => {
		const open = await openSmall();
		for (let n = 0; n < 12; n++) produce(open);
		expect(open.database.finalizedNumber).toBeGreaterThan(1n);
		expect(open.stateAt(open.database.finalizedNumber - 1n)).toBeUndefined();
		expect(open.stateAt(13n)).toBeUndefined();
		expect(open.stateAt(-1n)).toBeUndefined();
		await open.close();
	});
});
