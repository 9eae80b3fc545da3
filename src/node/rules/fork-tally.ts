/** Where votes for block versions are counted (protocol/consensus §6.3). */

import type { StateView } from "../state/view.js";

/** One count of votes. */
export interface ForkTally {
	/** A byte for each active witness; undefined: nothing was ever counted. */
	statistics(version: number): Uint8Array | undefined;
	setStatistics(version: number, statistics: Uint8Array): void;
	/** The newest version that counts as passed; 0: not known. */
	latest: number;
}

/** The count in the properties of the chain. */
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
	/** That of the node's release, in the properties. */
	readonly recorded: ForkTally;
	/** That of all versions, by which rules begin. */
	readonly whole: ForkTally;
	/** Does the same in each count, each as it was before. */
	each(work: (tally: ForkTally, rows: readonly R[]) => void): void;
}

/** Both are one: the release counts all versions. */
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
