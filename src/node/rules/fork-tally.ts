/** Storage of votes for block versions (protocol/consensus §6.3). */

import type { StateView } from "../state/view.js";

export interface ForkTally {
	/** One byte per active witness; undefined if nothing was counted yet. */
	statistics(version: number): Uint8Array | undefined;
	setStatistics(version: number, statistics: Uint8Array): void;
	/** The newest passed version; 0 if unknown. */
	latest: number;
}

/** The count in the chain's properties. */
export class RecordedTally implements ForkTally {
	constructor(private readonly state: StateView) {}

	statistics(version: number): Uint8Array | undefined {
		return this.state.properties.forkStatistics(version);
	}

	setStatistics(version: number, statistics: Uint8Array): void {
		this.state.properties.setForkStatistics(version, statistics);
	}

	get latest(): number {
		return this.state.properties.get("VERSION_NUMBER");
	}

	set latest(version: number) {
		this.state.properties.set("VERSION_NUMBER", version);
	}
}

/** The counts that a node keeps. */
export interface ForkCounts<R> {
	/** The count of the node's release, in the properties. */
	readonly recorded: ForkTally;
	/** The count of all versions, which activates rules. */
	readonly whole: ForkTally;
	/** Does the same work in each count, each with its own state before. */
	each(work: (tally: ForkTally, rows: readonly R[]) => void): void;
}

/** One count for both: the release counts all versions. */
export class OneCount<R> implements ForkCounts<R> {
	constructor(
		readonly recorded: ForkTally,
		private readonly rows: readonly R[],
	) {}

	get whole(): ForkTally {
		return this.recorded;
	}

	each(work: (tally: ForkTally, rows: readonly R[]) => void): void {
		work(this.recorded, this.rows);
	}
}
