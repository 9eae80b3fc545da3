/**
 * Counts the layers the reference node keeps above its base: they decide which blocks can still be undone and
 * what the solidity API shows (protocol/blocks §6.2, protocol/http §5.1). This chain undoes with
 * before-images and needs no layers, but their number still matters.
 *
 * The reference calls them sessions. Opening one while there are more layers than the capacity first merges
 * the surplus into the base. Every block is a layer that stays; the mempool is one that is discarded before a
 * block; each transaction tried, for the pool or for packing, is a short-lived one inside.
 */
export class UndoLayers {
	/** Layers above the base. */
	private layers = 0;
	private pending = false;
	/** Head minus solidified number plus one: how many layers may stay. */
	capacity = 1;

	/** @param base number of the block whose state is the base */
	constructor(private base: bigint) {}

	/** A copy of the current counts, to go back to. */
	copy(): UndoLayers {
		return Object.assign(new UndoLayers(this.base), this);
	}

	/** Number of the block whose state is the base. */
	get merged(): bigint {
		return this.base;
	}

	/** Opens the layer of a block, or of one transaction. */
	open(): void {
		if (this.layers > this.capacity) {
			this.base += BigInt(this.layers - this.capacity);
			this.layers = this.capacity;
		}
		this.layers++;
	}

	/** Closes the newest layer: its transaction was tried, or its block failed or was undone. */
	close(): void {
		this.layers--;
	}

	/** Opens the layer of the mempool, or of a block being packed, unless already open. */
	openPending(): void {
		if (this.pending) return;
		this.open();
		this.pending = true;
	}

	closePending(): void {
		if (this.pending) this.close();
		this.pending = false;
	}

	/** A block was packed from this many tried transactions; the block itself is then opened like any other. */
	packed(transactions: number): void {
		this.closePending();
		this.openPending();
		for (let i = 0; i < transactions; i++) {
			this.open();
			this.close();
		}
		this.closePending();
	}
}
