import { describe, expect, it } from "vitest";
import { UndoLayers } from "../../../src/node/chain/undo-layers.js";

/** Blocks after which the solidified number is three lower, as with five producers. */
const LAG = 3;

function block(undoLayers: UndoLayers): void {
	undoLayers.closePending();
	undoLayers.open();
	undoLayers.capacity = LAG + 1;
}

function transaction(undoLayers: UndoLayers): void {
	undoLayers.openPending();
	undoLayers.open();
	undoLayers.close();
}

/** A chain with a steady lag: head 40, solidified 37. */
function steady(): UndoLayers {
	const undoLayers = new UndoLayers(0n);
	for (let number = 1; number <= 40; number++) block(undoLayers);
	return undoLayers;
}

describe("the block that the solidity API shows", () => {
	it("is one below the solidified number of the parent while the pool is idle", () => {
		expect(steady().merged).toBe(35n);
	});

	it("is the solidified one after a transaction came for the pool", () => {
		const undoLayers = steady();
		transaction(undoLayers);
		expect(undoLayers.merged).toBe(37n);
		transaction(undoLayers);
		expect(undoLayers.merged).toBe(37n);
	});

	it("stays for the block that follows, and is one behind again after the next", () => {
		const undoLayers = steady();
		transaction(undoLayers);
		const shown: bigint[] = [];
		for (let i = 0; i < 3; i++) {
			block(undoLayers);
			shown.push(undoLayers.merged);
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
		const undoLayers = steady();
		undoLayers.close();
		undoLayers.open();
		expect(undoLayers.merged).toBe(35n);
	});
});
