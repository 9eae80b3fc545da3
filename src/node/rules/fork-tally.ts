/**
 * Where votes for block versions are counted (protocol/consensus §6.3). A node that answers as a release that lacks some
 * versions keeps that release's record in the properties; what it differs in from the count of all versions, by which
 * rules begin, stands in a store of its own.
 */

import { be32, equalBytes, readBe32, utf8 } from "../../protocol/bytes.js";
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

const LATEST_KEY = utf8("latest");
const keyOf = (version: number): Uint8Array => utf8(String(version));

/** The count of all versions, where the properties hold that of fewer: what differs there, else the properties. */
export class WholeTally implements ForkTally {
	constructor(
		private readonly state: StateView,
		private readonly recorded: ForkTally,
	) {}

	statistics(version: number): Uint8Array | undefined {
		const own = this.state.upgradeVotes.get(keyOf(version));
		if (own === undefined) return this.recorded.statistics(version);
		return own.length === 0 ? undefined : own;
	}

	/** Keeps a value only where the record has another. @param statistics undefined: nothing was counted */
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

	/** Brings what is kept of a version into the record. */
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

/** A count in the making over another one, which stays as it is. */
export class DraftTally implements ForkTally {
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

	/** Puts into the base what has changed. */
	settle(): void {
		for (const [version, statistics] of this.changed) this.base.setStatistics(version, statistics);
		if (this.changedLatest !== undefined) this.base.latest = this.changedLatest;
	}
}
