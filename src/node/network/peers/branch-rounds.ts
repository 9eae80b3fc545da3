/** Counts how many consecutive times a peer's list brought new blocks of side branches and none that became the head. */

/**
 * A node that was on the losing side of a partition has one such branch, perhaps a few. A peer that has one after the other
 * costs memory and a place, and gives nothing.
 */
const MAX_ROUNDS = 16;

export class BranchRounds {
	private rounds = 0;
	private hasBranch = false;

	/** A block of its list was accepted. */
	accepted(isNew: boolean, movedHead: boolean): void {
		if (movedHead) {
			this.rounds = 0;
			this.hasBranch = false;
		} else if (isNew) this.hasBranch = true;
	}

	/** Its next list came. @returns whether it has led to side branches too often */
	next(): boolean {
		if (this.hasBranch) this.rounds++;
		this.hasBranch = false;
		return this.rounds >= MAX_ROUNDS;
	}
}
