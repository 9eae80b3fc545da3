/**
 * Which witness has which slot, as far as blocks show it (protocol/consensus §1.1): in a cycle each of them has one place in every
 * round, and no place has two. What contradicts that is a block that nobody's turn allows, or the first of a new cycle.
 */

/** A cycle lasts longer than this many rounds on every network. */
const MIN_ROUNDS = 2;

export class PlaceTable {
	private constructor(
		private readonly round: number,
		/** Numbered in the order of cycles as they were noticed. */
		readonly cycle: number,
		/** Slot in which this cycle was noticed; undefined: it may have begun at any time before. */
		private readonly since: number | undefined,
		private readonly witnessAt: ReadonlyMap<number, string>,
		private readonly placeOf: ReadonlyMap<string, number>,
	) {}

	/** @param round slots of a round: active witnesses */
	static empty(round: number): PlaceTable {
		return new PlaceTable(round, 0, undefined, new Map(), new Map());
	}

	/** The table after a block; undefined: that witness can't have that slot. */
	taking(witness: string, slot: number): PlaceTable | undefined {
		const place = ((slot % this.round) + this.round) % this.round;
		const [holder, own] = [this.witnessAt.get(place), this.placeOf.get(witness)];
		if (holder === witness) return this;
		if (holder === undefined && own === undefined) {
			const { round, cycle, since } = this;
			const witnessAt = new Map(this.witnessAt).set(place, witness);
			return new PlaceTable(round, cycle, since, witnessAt, new Map(this.placeOf).set(witness, place));
		}
		if (this.since !== undefined && slot - this.since < MIN_ROUNDS * this.round) return undefined;
		const { round, cycle } = this;
		return new PlaceTable(round, cycle + 1, slot, new Map([[place, witness]]), new Map([[witness, place]]));
	}
}
