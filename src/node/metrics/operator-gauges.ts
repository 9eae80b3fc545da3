/** What an operator's alarms ask for beside the network's own families: room on the disk, memory, and votes for a new block version. */

import { statfsSync } from "node:fs";
import { Gauge, type Registry } from "prom-client";
import type { Dialect } from "../../protocol/dialect.js";
import type { StateView } from "../state/view.js";

/** Block versions that are looked at; the network's are in the thirties. */
const HIGHEST_VERSION = 99;

/** A vote of the witnesses for a block version that hasn't passed. */
export interface VersionVote {
	readonly version: number;
	/** Witnesses whose blocks have it, in percent of the active ones. */
	readonly percent: number;
}

/** The highest version that some witnesses vote for and not all, above the newest one that all do; undefined: there is none. */
export function versionVote({ properties }: Pick<StateView, "properties">): VersionVote | undefined {
	for (let version = HIGHEST_VERSION; version > 0; version--) {
		const votes = properties.forkStatistics(version);
		if (!votes || votes.length === 0) continue;
		const count = votes.reduce((sum, vote) => sum + (vote === 1 ? 1 : 0), 0);
		if (count === votes.length) return undefined;
		if (count > 0) return { version, percent: (100 * count) / votes.length };
	}
	return undefined;
}

/** @param folder whose file system counts; undefined: the chain lives in memory */
export function registerOperatorGauges(
	registry: Registry,
	dialect: Dialect,
	state: () => Pick<StateView, "properties">,
	folder: string | undefined,
): void {
	const brand = dialect === "deployed" ? "tron" : "coin";
	const gauge = (name: string, help: string, value: () => number): void => {
		new Gauge({
			name: `${brand}:${name}`,
			help,
			registers: [registry],
			collect() {
				this.set(value());
			},
		});
	};
	gauge("resident_bytes", "Memory of the process.", () => process.memoryUsage.rss());
	gauge("version_vote", "Block version that some active witnesses vote for; 0: none.", () =>
		Number(versionVote(state())?.version ?? 0),
	);
	gauge("version_vote_percent", "Active witnesses that vote for it, in percent.", () =>
		Number(versionVote(state())?.percent ?? 0),
	);
	if (folder === undefined) return;
	gauge("disk_free_bytes", "Room on the file system of the data directory.", () => {
		const { bavail, bsize } = statfsSync(folder);
		return bavail * bsize;
	});
}
