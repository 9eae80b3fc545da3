import { describe, expect, it } from "vitest";
import { Sessions } from "../../../src/node/chain/sessions.js";

/** Blocks after which the solidified number is three lower, as with five producers. */
const LAG = 3;

function block(sessions: Sessions): void {
	sessions.closePending();
	sessions.open();
	sessions.capacity = LAG + 1;
}

function transaction(sessions: Sessions): void {
	sessions.openPending();
	sessions.open();
	sessions.close();
}

/** A chain with a steady lag: head 40, solidified 37. */
function steady(): Sessions {
	const sessions = new Sessions(0n);
	for (let number = 1; number <= 40; number++) block(sessions);
	return sessions;
}

describe("the block that the solidity API shows", () => {
	it("is one below the solidified number of the parent while the pool is idle", () => {
		expect(steady().merged).toBe(35n);
	});

	it("is the solidified one after a transaction came for the pool", () => {
		const sessions = steady();
		transaction(sessions);
		expect(sessions.merged).toBe(37n);
		transaction(sessions);
		expect(sessions.merged).toBe(37n);
	});

	it("stays for the block that follows, and is one behind again after the next", () => {
		const sessions = steady();
		transaction(sessions);
		const shown: bigint[] = [];
		for (let i = 0; i < 3; i++) {
			block(sessions);
			shown.push(sessions.merged);
		}
		expect(shown).toEqual([37n, 37n, 38n]);
	});

	it("follows a block that was packed from the pool as it follows transactions", () => {
		const packed = steady();
		packed.packed(2);
		expect(packed.merged).toBe(37n);
		const empty = steady();
		empty.packed(0);
		expect(empty.merged).toBe(36n);
	});

	it("does not move when a block is undone", () => {
		const sessions = steady();
		sessions.close();
		sessions.open();
		expect(sessions.merged).toBe(35n);
	});
});
