/**
 * The layers that the network's node keeps above its base, counted: they decide which blocks can still be undone and
 * which one the solidity API shows (protocol/blocks §6.2, protocol/http §5.1). The chain undoes by before-images and needs no such
 * layers; their number matters all the same.
 *
 * The reference calls them sessions. Opening one while there are more layers than the capacity first merges the surplus into the
 * base. Every block is a layer that stays; the pending pool is one that is thrown away before a block; and every
 * transaction that is tried, for the pool or for a block being packed, is a short one inside.
 */
export class UndoLayers {
	/** Layers above the base. */
	private layers = 0;
	private pending = false;
	/** Head minus solidified number plus one: the layers that may stay. */
	capacity = 1;

	/** @param base number of the block whose state is the base */
	constructor(private base: bigint) {}

	/** As it is now, to go back to. */
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

	/** Ends the newest layer: its transaction was tried, its block failed or was undone. */
	close(): void {
		this.layers--;
	}

	/** Opens the layer of the pending pool, or of a block being packed, unless it is open. */
	openPending(): void {
		if (this.pending) return;
		this.open();
		this.pending = true;
	}

	closePending(): void {
		if (this.pending) this.close();
		this.pending = false;
	}

	/** A block was packed from this many tried transactions; the block itself comes as any other. */
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
