/** Block versions and the rules they activate (protocol/consensus §6). */

import type { StateView } from "../state/view.js";
import type { ChainRules, NetworkName } from "./chain-rules.js";
import { type ForkCounts, type ForkTally, OneCount, RecordedTally } from "./fork-tally.js";
import { adoptWholeCount, TwoCounts } from "./older/two-counts.js";
import { isFrom, type Release } from "./release.js";

/** This version passes by height, not by votes. */
export const ENERGY_LIMIT_VERSION = 5;

/** Versions up to here need all witnesses. */
const LAST_UNANIMOUS = 16;

/** Releases after 4.8.0 with their own block version, whose number depends on the network. */
export type LaterRelease = "4.8.0.1" | "4.8.1" | "4.8.1.1" | "4.8.2" | "4.8.2.2" | "4.8.2.3" | "4.8.2_PQ1";

interface ForkRow {
	readonly version: number;
	/** Release of the reference node. */
	readonly release: string;
	readonly hardForkMs: bigint;
	/** Percentage of active witnesses that must produce this version; undefined: all, at any time. */
	readonly ratePercent?: number;
	/** The first answering release that counts its votes; undefined: all do. */
	readonly countedFrom?: Release;
	/** Absent: recorded from a reference node. This node doesn't vote for merely documented versions. */
	readonly certainty?: "documented";
}

const HARD_FORK_MS = 1_596_780_000_000n;
export const voted = (
	version: number,
	release: string,
	ratePercent = 80,
	more: Pick<ForkRow, "countedFrom" | "certainty"> = {},
): ForkRow => ({ version, release, hardForkMs: HARD_FORK_MS, ratePercent, ...more });
const unanimous = (version: number, release: string): ForkRow => ({ version, release, hardForkMs: 0n });
const later = (
	version: number,
	release: LaterRelease,
	ratePercent: number,
	more: Pick<ForkRow, "countedFrom" | "certainty">,
): ForkRow => voted(version, release, ratePercent, more);

/** Versions shared by all networks, ascending. */
const common: readonly ForkRow[] = [
	unanimous(ENERGY_LIMIT_VERSION, "energy limit"),
	unanimous(6, "3.2.2"),
	unanimous(7, "3.5"),
	unanimous(8, "3.6"),
	unanimous(9, "3.6.5"),
	unanimous(10, "3.6.6"),
	unanimous(16, "4.0"),
	voted(17, "4.0.1"),
	voted(19, "4.1"),
	voted(20, "4.1.2"),
	voted(21, "4.2"),
	voted(22, "4.3"),
	voted(23, "4.4"),
	voted(24, "4.5"),
	voted(25, "4.6"),
	voted(26, "4.7"),
	voted(27, "4.7.1"),
	voted(28, "4.7.2"),
	voted(29, "4.7.4"),
	voted(30, "4.7.5"),
	voted(31, "4.7.7"),
	voted(32, "4.8.0"),
];

/**
 * Versions of the main network and of private chains, ascending (protocol/consensus §6.1), with the rules
 * they activate besides gated parameters.
 */
export const forkTable: readonly ForkRow[] = [
	...common,
	// Refuses blocks with exchange trades until #98 is 1.
	later(33, "4.8.0.1", 70, { countedFrom: "4.8.1" }),
	// Closes #44; refuses frozen supply whose end overflows.
	later(34, "4.8.1", 80, { countedFrom: "4.8.1" }),
	// Two timeouts of the virtual machine: CREATE2 at depth 64, one form of MODEXP.
	later(35, "4.8.1.1", 70, { countedFrom: "4.8.2" }),
	later(36, "4.8.2", 80, { countedFrom: "4.8.2" }),
	// Virtual machine checks of self-destruction, negative delegated stakes, and contracts under creation.
	later(37, "4.8.2.2", 70, { countedFrom: "4.8.2", certainty: "documented" }),
	// Transactions with colliding storage slot keys end.
	later(38, "4.8.2.3", 70, { countedFrom: "4.8.2", certainty: "documented" }),
];

/** Versions of the test network Nile, which are numbered differently (protocol/consensus §6.4). */
export const nileForkTable: readonly ForkRow[] = [
	...common,
	later(33, "4.8.1", 80, { countedFrom: "4.8.1" }),
	later(34, "4.8.0.1", 70, { countedFrom: "4.8.1" }),
	later(35, "4.8.1.1", 70, { countedFrom: "4.8.2" }),
	later(36, "4.8.2", 80, { countedFrom: "4.8.2" }),
	// Post-quantum signatures.
	later(37, "4.8.2_PQ1", 80, { countedFrom: "4.8.2" }),
];

const tables: Readonly<Record<NetworkName, readonly ForkRow[]>> = { main: forkTable, nile: nileForkTable };

/** The versions of a chain's network. */
export const forkTableOf = ({ network = "main" }: Pick<ChainRules, "network">): readonly ForkRow[] =>
	tables[network];

/** The newest version whose rules this program implements. */
export const newestVersion = (rules: Pick<ChainRules, "network">): number =>
	(forkTableOf(rules).at(-1) as ForkRow).version;

/** The version of blocks produced here: the newest known to the release, unless configured. */
export function producedVersion(rules: Pick<ChainRules, "network" | "release" | "blockVersion">): number {
	if (rules.blockVersion !== undefined) return rules.blockVersion;
	const votable = forkTableOf(rules).filter((row) => isCounted(row, rules.release) && !row.certainty);
	return (votable.at(-1) as ForkRow).version;
}

const isCounted = ({ countedFrom }: ForkRow, release: Release): boolean => isFrom(release, countedFrom);

interface VersionVote {
	readonly version: number;
	/** Index of its witness in the active list. */
	readonly position: number;
	/** Length of the active list. */
	readonly activeCount: number;
}

export class ForkGates {
	private readonly byVersion: ReadonlyMap<number, ForkRow>;
	private readonly byRelease: ReadonlyMap<string, number>;
	private readonly counts: ForkCounts<ForkRow>;
	/** PERF: rules ask for each transaction; statistics change at most once per block, and never in place. */
	private readonly judged = new Map<number, { readonly statistics: Uint8Array; readonly enough: boolean }>();
	private readonly openings = new Map<number, { readonly interval: bigint; readonly from: bigint }>();
	readonly network: NetworkName;

	constructor(
		private readonly state: StateView,
		private readonly rules: ChainRules,
		private readonly table: readonly ForkRow[] = forkTableOf(rules),
	) {
		this.network = rules.network ?? "main";
		const counted = table.filter((row) => isCounted(row, rules.release));
		const recorded = new RecordedTally(state);
		this.counts =
			counted.length === table.length
				? new OneCount(recorded, table)
				: new TwoCounts(state, recorded, counted, table);
		this.byVersion = new Map(table.map((row) => [row.version, row]));
		this.byRelease = new Map(table.map((row) => [row.release, row.version]));
	}

	/**
	 * Whether the rules of a version apply at the head: versions that every release counts go by the recorded
	 * count, later ones by the count of all versions.
	 */
	passed(version: number): boolean {
		const isLater = this.byVersion.get(version)?.countedFrom !== undefined;
		return this.passedIn(isLater ? this.counts.whole : this.counts.recorded, version);
	}

	private passedIn(tally: ForkTally, version: number): boolean {
		const properties = this.state.properties;
		if (version === ENERGY_LIMIT_VERSION) return properties.headNumber >= this.rules.energyLimitHeight;
		const row = this.byVersion.get(version);
		const statistics = tally.statistics(version);
		if (row?.ratePercent === undefined) {
			if (version > LAST_UNANIMOUS) return false;
			return statistics !== undefined && statistics.length > 0 && statistics.every((byte) => byte === 1);
		}
		if (!statistics || statistics.length === 0) return false;
		const interval = properties.get("MAINTENANCE_TIME_INTERVAL");
		// A development chain passes all upgrades from before its first block (protocol/development-chain §2).
		const from = this.openingMs(row, interval);
		if (properties.headTimestampMs < from && !this.rules.development) return false;
		return this.isEnough(version, row.ratePercent, statistics);
	}

	/** End of the maintenance cycle that contains a version's hard fork time. */
	private openingMs({ version, hardForkMs }: ForkRow, interval: bigint): bigint {
		const known = this.openings.get(version);
		if (known?.interval === interval) return known.from;
		const from = ((hardForkMs - 1n) / interval + 1n) * interval;
		this.openings.set(version, { interval, from });
		return from;
	}

	/** Whether enough witnesses have produced a version. */
	private isEnough(version: number, ratePercent: number, statistics: Uint8Array): boolean {
		const known = this.judged.get(version);
		if (known?.statistics === statistics) return known.enough;
		let count = 0;
		for (const byte of statistics) if (byte === 1) count++;
		const enough = count >= Math.ceil((ratePercent * statistics.length) / 100);
		this.judged.set(version, { statistics, enough });
		return enough;
	}

	/** Whether the rules of a release after 4.8.0 apply at the head; false if the network's table lacks it. */
	upgradedTo(release: LaterRelease): boolean {
		const version = this.byRelease.get(release);
		return version !== undefined && this.passed(version);
	}

	/** Sets VERSION_NUMBER to the highest passed version, as at start and in some traces. */
	init(): void {
		this.counts.each((tally, rows) => this.initIn(tally, rows));
	}

	/** Runs {@link init} where the network does before a transaction: while no version is recorded. */
	initIfUnset(): void {
		if (this.counts.recorded.latest !== 0 && this.counts.whole.latest !== 0) return;
		this.counts.each((tally, rows) => {
			if (tally.latest === 0) this.initIn(tally, rows);
		});
	}

	private initIn(tally: ForkTally, rows: readonly ForkRow[]): void {
		let latest = 0;
		for (const { version } of rows) if (this.passedIn(tally, version)) latest = version;
		tally.latest = latest;
	}

	/**
	 * Counts a block's version, after maintenance.
	 * @param version of the block's header
	 * @param position of its witness in the active list, or negative
	 * @param activeCount length of the active list
	 */
	update(version: number, position: number, activeCount: number): void {
		if (position < 0 || version < ENERGY_LIMIT_VERSION) return;
		this.counts.each((tally, rows) => this.updateIn(tally, rows, { version, position, activeCount }));
	}

	private updateIn(tally: ForkTally, rows: readonly ForkRow[], vote: VersionVote): void {
		const { version, position, activeCount } = vote;
		if (tally.latest >= version) return;
		for (const row of rows) {
			if (row.version <= version || this.passedIn(tally, row.version)) continue;
			const statistics = tally.statistics(row.version);
			if (!statistics) continue;
			const copy = Buffer.from(statistics);
			if (position < copy.length) copy[position] = 0;
			tally.setStatistics(row.version, copy);
		}
		const stored = tally.statistics(version);
		const statistics = Buffer.from(
			stored && stored.length === activeCount ? stored : new Uint8Array(activeCount),
		);
		const canPass = version <= LAST_UNANIMOUS || rows.some((row) => row.version === version);
		if (canPass && this.passedIn(tally, version)) {
			this.upgradeIn(tally, rows, version, activeCount);
			return;
		}
		statistics[position] = 1;
		tally.setStatistics(version, statistics);
	}

	private upgradeIn(tally: ForkTally, rows: readonly ForkRow[], version: number, activeCount: number): void {
		for (const row of rows) {
			if (row.version >= version || this.passedIn(tally, row.version)) continue;
			const size = tally.statistics(row.version)?.length || activeCount;
			tally.setStatistics(row.version, Buffer.alloc(size, 1));
		}
		tally.latest = version;
	}

	/** Clears the counts of versions that haven't passed, in every maintenance block. */
	reset(activeCount: number): void {
		this.counts.each((tally, rows) => {
			for (const { version } of rows) {
				if (!tally.statistics(version) || this.passedIn(tally, version)) continue;
				tally.setStatistics(version, new Uint8Array(activeCount));
			}
		});
	}

	/**
	 * Copies the count of all versions to the properties when a node starts with a release that counts them: an
	 * older release may have stored its own there.
	 */
	adopt(): void {
		const { recorded, whole } = this.counts;
		if (whole === recorded) adoptWholeCount(this.state, recorded, this.table);
	}
}
