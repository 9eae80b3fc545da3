/**
 * Version counts of a node whose release lacks some versions (protocol/consensus §6.3): the properties keep
 * that release's count; a store of its own has the differences of the count of all versions.
 */

import { be32, equalBytes, readBe32, utf8 } from "../../../protocol/bytes.js";
import type { StateView } from "../../state/view.js";
import type { ForkCounts, ForkTally } from "../fork-tally.js";

interface Row {
	readonly version: number;
}

const LATEST_KEY = utf8("latest");
const keyOf = (version: number): Uint8Array => utf8(String(version));

/** The count of all versions: stored differences over the recorded count of fewer versions. */
class WholeTally implements ForkTally {
	constructor(
		private readonly state: StateView,
		private readonly recorded: ForkTally,
	) {}

	statistics(version: number): Uint8Array | undefined {
		const own = this.state.upgradeVotes.get(keyOf(version));
		if (own === undefined) return this.recorded.statistics(version);
		return own.length === 0 ? undefined : own;
	}

	/** Stores a value only if it differs from the record. @param statistics undefined: nothing was counted */
	setStatistics(version: number, statistics: Uint8Array | undefined): void {
		const value = statistics ?? new Uint8Array(0);
		this.keep(
			keyOf(version),
			value,
			equalBytes(value, this.recorded.statistics(version) ?? new Uint8Array(0)),
		);
	}

	get latest(): number {
		const own = this.state.upgradeVotes.get(LATEST_KEY);
		return own === undefined ? this.recorded.latest : readBe32(own);
	}

	set latest(version: number) {
		this.keep(LATEST_KEY, be32(version), version === this.recorded.latest);
	}

	/** Moves a version's stored difference into the record. */
	moveStatistics(version: number): void {
		const key = keyOf(version);
		const own = this.state.upgradeVotes.get(key);
		if (own === undefined) return;
		this.recorded.setStatistics(version, own);
		this.state.upgradeVotes.delete(key);
	}

	moveLatest(): void {
		const { latest } = this;
		if (!this.state.upgradeVotes.has(LATEST_KEY)) return;
		this.recorded.latest = latest;
		this.state.upgradeVotes.delete(LATEST_KEY);
	}

	private keep(key: Uint8Array, value: Uint8Array, isRecorded: boolean): void {
		const { upgradeVotes } = this.state;
		if (!isRecorded) upgradeVotes.put(key, value);
		else if (upgradeVotes.has(key)) upgradeVotes.delete(key);
	}
}

/** A draft over another count, which it doesn't change until settled. */
class DraftTally implements ForkTally {
	private readonly changed = new Map<number, Uint8Array>();
	private changedLatest: number | undefined;

	constructor(private readonly base: ForkTally) {}

	statistics(version: number): Uint8Array | undefined {
		return this.changed.get(version) ?? this.base.statistics(version);
	}

	setStatistics(version: number, statistics: Uint8Array): void {
		this.changed.set(version, statistics);
	}

	get latest(): number {
		return this.changedLatest ?? this.base.latest;
	}

	set latest(version: number) {
		this.changedLatest = version;
	}

	get versions(): Iterable<number> {
		return this.changed.keys();
	}

	/** Writes the changes to the base. */
	settle(): void {
		for (const [version, statistics] of this.changed) this.base.setStatistics(version, statistics);
		if (this.changedLatest !== undefined) this.base.latest = this.changedLatest;
	}
}

/** @param counted the rows that the release counts */
export class TwoCounts<R extends Row> implements ForkCounts<R> {
	readonly whole: WholeTally;

	constructor(
		state: StateView,
		readonly recorded: ForkTally,
		private readonly counted: readonly R[],
		private readonly rows: readonly R[],
	) {
		this.whole = new WholeTally(state, recorded);
	}

	each(work: (tally: ForkTally, rows: readonly R[]) => void): void {
		const recorded = new DraftTally(this.recorded);
		const whole = new DraftTally(this.whole);
		work(recorded, this.counted);
		work(whole, this.rows);
		const wanted = [...new Set([...recorded.versions, ...whole.versions])].map(
			(version) => [version, whole.statistics(version)] as const,
		);
		const { latest } = whole;
		recorded.settle();
		for (const [version, statistics] of wanted) this.whole.setStatistics(version, statistics);
		this.whole.latest = latest;
	}
}

/** Makes the count of all versions the record, where an older release may have stored its own. */
export function adoptWholeCount(state: StateView, recorded: ForkTally, rows: readonly Row[]): void {
	const kept = new WholeTally(state, recorded);
	for (const { version } of rows) kept.moveStatistics(version);
	kept.moveLatest();
}
