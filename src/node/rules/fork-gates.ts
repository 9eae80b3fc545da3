/** Block versions and the rules that wait for them (protocol/consensus §6). */

import type { StateView } from "../state/view.js";
import type { ChainRules } from "./chain-rules.js";

/** The version that our blocks carry. */
export const BLOCK_VERSION = 32;

/** The version that is passed by height, not by votes. */
export const ENERGY_LIMIT_VERSION = 5;

/** Releases after 4.8.0 with a block version of their own: rules ask for them by name, since networks number them differently. */
export type LaterRelease = "4.8.0.1" | "4.8.1" | "4.8.1.1" | "4.8.2" | "4.8.2.2" | "4.8.2.3" | "4.8.2_PQ1";

export interface ForkRow {
	readonly version: number;
	/** Release of the reference node. */
	readonly release: string;
	readonly hardForkMs: bigint;
	/** Share of active witnesses that must produce this version; undefined: all, at any time. */
	readonly ratePercent?: number;
	/** What begins when the version has passed, besides the parameters that the table of parameters gates by it. */
	readonly opens?: string;
	/** How well the row is known; absent: recorded from a reference node. */
	readonly certainty?: "documented";
}

const HARD_FORK_MS = 1_596_780_000_000n;
export const voted = (
	version: number,
	release: string,
	ratePercent = 80,
	more: Pick<ForkRow, "opens" | "certainty"> = {},
): ForkRow => ({ version, release, hardForkMs: HARD_FORK_MS, ratePercent, ...more });
const unanimous = (version: number, release: string): ForkRow => ({ version, release, hardForkMs: 0n });
const later = (
	version: number,
	release: LaterRelease,
	ratePercent: number,
	opens: string,
	certainty?: "documented",
): ForkRow => voted(version, release, ratePercent, certainty ? { opens, certainty } : { opens });

/** The versions that all networks have in common, ascending. */
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

const CLOSED_EXCHANGE = "blocks with exchange trades are refused, until #98 is 1";
const FROZEN_SUPPLY = "#92 and #94; #44 is closed; frozen supply whose end overflows is refused";
const TIME_GUARDS = "two time-outs of the machine: CREATE2 at depth 64, one shape of MODEXP";
const HARDENING = "#95 to #98";

/** The versions of the main network and of every chain of its own, ascending (protocol/consensus §6.1). */
export const forkTable: readonly ForkRow[] = [
	...common,
	later(33, "4.8.0.1", 70, CLOSED_EXCHANGE),
	later(34, "4.8.1", 80, FROZEN_SUPPLY),
	later(35, "4.8.1.1", 70, TIME_GUARDS),
	later(36, "4.8.2", 80, HARDENING),
	later(
		37,
		"4.8.2.2",
		70,
		"guards of the machine on self-destruction, on delegated stakes below 0, and on contracts being created",
		"documented",
	),
	later(38, "4.8.2.3", 70, "#99; storage slots of one key end a transaction", "documented"),
];

/** The versions of the test network Nile, which numbers them in another order (protocol/consensus §6.4). */
export const nileForkTable: readonly ForkRow[] = [
	...common,
	later(33, "4.8.1", 80, FROZEN_SUPPLY, "documented"),
	later(34, "4.8.0.1", 70, CLOSED_EXCHANGE, "documented"),
	later(35, "4.8.1.1", 70, TIME_GUARDS, "documented"),
	later(36, "4.8.2", 80, HARDENING, "documented"),
	later(37, "4.8.2_PQ1", 80, "#1000 and #1001: signatures of post-quantum schemes", "documented"),
];

export class ForkGates {
	private readonly byVersion: ReadonlyMap<number, ForkRow>;
	private readonly byRelease: ReadonlyMap<string, number>;

	constructor(
		private readonly state: StateView,
		private readonly rules: ChainRules,
		private readonly table: readonly ForkRow[] = forkTable,
	) {
		this.byVersion = new Map(table.map((row) => [row.version, row]));
		this.byRelease = new Map(table.map((row) => [row.release, row.version]));
	}

	/** Whether the rules of a version hold at the head. */
	passed(version: number): boolean {
		const properties = this.state.properties;
		if (version === ENERGY_LIMIT_VERSION) return properties.headNumber >= this.rules.energyLimitHeight;
		const row = this.byVersion.get(version);
		const statistics = properties.forkStatistics(version);
		if (row?.ratePercent === undefined) {
			if (version > 16) return false;
			return statistics !== undefined && statistics.length > 0 && statistics.every((byte) => byte === 1);
		}
		if (!statistics || statistics.length === 0) return false;
		const interval = properties.get("MAINTENANCE_TIME_INTERVAL");
		const from = ((row.hardForkMs - 1n) / interval + 1n) * interval;
		// Before its first block a development chain is older than any upgrade, and has passed them all (protocol/development-chain §2).
		if (properties.headTimestampMs < from && !this.rules.development) return false;
		let count = 0;
		for (const byte of statistics) if (byte === 1) count++;
		return count >= Math.ceil((row.ratePercent * statistics.length) / 100);
	}

	/** Whether the rules of a release after 4.8.0 hold at the head; never, on a network whose table lacks it. */
	upgradedTo(release: LaterRelease): boolean {
		const version = this.byRelease.get(release);
		return version !== undefined && this.passed(version);
	}

	/** Sets VERSION_NUMBER to the highest passed version, as a start and some traces do. */
	init(): void {
		let latest = 0;
		for (const { version } of this.table) if (this.passed(version)) latest = version;
		this.state.properties.set("VERSION_NUMBER", latest);
	}

	/** Runs {@link init} where the network does before a transaction: while no version is recorded. */
	initIfUnset(): void {
		if (this.state.properties.get("VERSION_NUMBER") === 0) this.init();
	}

	/**
	 * Counts a block's version, after maintenance.
	 * @param version of the block's header
	 * @param position of its witness in the active list; negative if it is not in it
	 * @param activeCount length of the active list
	 */
	update(version: number, position: number, activeCount: number): void {
		const properties = this.state.properties;
		if (position < 0 || version < ENERGY_LIMIT_VERSION || properties.get("VERSION_NUMBER") >= version) return;
		for (const row of this.table) {
			if (row.version <= version || this.passed(row.version)) continue;
			const statistics = properties.forkStatistics(row.version);
			if (!statistics) continue;
			const copy = Buffer.from(statistics);
			if (position < copy.length) copy[position] = 0;
			properties.setForkStatistics(row.version, copy);
		}
		const stored = properties.forkStatistics(version);
		const statistics = Buffer.from(
			stored && stored.length === activeCount ? stored : new Uint8Array(activeCount),
		);
		if (this.passed(version)) {
			this.upgradeTo(version, activeCount);
			return;
		}
		statistics[position] = 1;
		properties.setForkStatistics(version, statistics);
	}

	private upgradeTo(version: number, activeCount: number): void {
		const properties = this.state.properties;
		for (const row of this.table) {
			if (row.version >= version || this.passed(row.version)) continue;
			const size = properties.forkStatistics(row.version)?.length || activeCount;
			properties.setForkStatistics(row.version, Buffer.alloc(size, 1));
		}
		properties.set("VERSION_NUMBER", version);
	}

	/** Clears the counts of versions that haven't passed, in every maintenance block. */
	reset(activeCount: number): void {
		const properties = this.state.properties;
		for (const { version } of this.table) {
			if (!properties.forkStatistics(version) || this.passed(version)) continue;
			properties.setForkStatistics(version, new Uint8Array(activeCount));
		}
	}
}
