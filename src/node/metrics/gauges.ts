/** Prometheus gauges that the network's node doesn't have, registered where a node has the data for them. */

import { statfsSync } from "node:fs";
import { Counter, Gauge, type Registry } from "prom-client";
import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import type { Dialect } from "../../protocol/dialect.js";
import type { LiveAudit } from "../audit/live-audit.js";
import type { EventCounts } from "../events/deliveries.js";
import type { DeliveryCounts } from "../events/delivery.js";
import type { FaultWatch } from "../faults/fault-watch.js";
import type { HistoryReader } from "../history/history-index.js";
import type { FollowedHash } from "../state/state-hash/followed-hash.js";
import type { StateView } from "../state/view.js";

/** Maximum characters of a label value. */
const MAX_LABEL = 300;

/** The network's name in the node's dialect. */
const brandOf = (dialect: Dialect): string => (dialect === "deployed" ? "tron" : "coin");

/** Registers single-value gauges, read at each scrape. @param begin name prefix after the brand */
export function gaugesOf(registry: Registry, dialect: Dialect, begin: string) {
	return (name: string, help: string, value: () => number): void => {
		new Gauge({
			name: `${brandOf(dialect)}:${begin}${name}`,
			help,
			registers: [registry],
			collect() {
				this.set(value());
			},
		});
	};
}

/** Blocks on which this node and others disagree. */
export function registerDisagreements(
	registry: Registry,
	dialect: Dialect,
	faults: Pick<FaultWatch, "found" | "first">,
): void {
	const brand = brandOf(dialect);
	new Gauge({
		name: `${brand}:faults`,
		help: "Blocks on which this node and others don't agree, since the start, by how they were found.",
		labelNames: ["kind"],
		registers: [registry],
		collect() {
			for (const [kind, count] of Object.entries(faults.found)) this.set({ kind }, count);
		},
	});
	new Gauge({
		name: `${brand}:first_fault_block`,
		help: "The first of these blocks; 0: none.",
		labelNames: ["transaction", "computed", "recorded", "file"],
		registers: [registry],
		collect() {
			this.reset();
			const { first } = faults;
			const { transaction = "", computed = "", recorded = "", file = "" } = first ?? {};
			const cut = (text: string): string => text.slice(0, MAX_LABEL);
			this.set(
				{ transaction, computed: cut(computed), recorded: cut(recorded), file: cut(file) },
				first?.block ?? 0,
			);
		},
	});
}

/**
 * Gauges of the comparison with another node.
 * @param auditOf undefined if it hasn't started
 */
export function registerAuditGauges(
	registry: Registry,
	dialect: Dialect,
	auditOf: () => Pick<LiveAudit, "last" | "counts" | "skipped" | "different" | "busy"> | undefined,
): void {
	const brand = brandOf(dialect);
	const gauge = gaugesOf(registry, dialect, "audit_");
	gauge("block", "Last block that is the same at the other node.", () => Number(auditOf()?.last ?? 0n));
	gauge("different_block", "First block that differs from the other node's; 0: none.", () =>
		Number(auditOf()?.different ?? 0n),
	);
	gauge("skipped_blocks", "Blocks that were not compared since the other node is too slow.", () =>
		Number(auditOf()?.skipped ?? 0n),
	);
	gauge("busy_answers", "How often the other node was busy or didn't answer.", () => auditOf()?.busy ?? 0);
	new Gauge({
		name: `${brand}:audit_compared`,
		help: "What was compared with the other node.",
		labelNames: ["what"],
		registers: [registry],
		collect() {
			for (const [what, count] of Object.entries(auditOf()?.counts ?? {})) this.set({ what }, count);
		},
	});
}

/** Scrapes of two nodes rarely fall on the same newest block, so only every hundredth, one in five minutes, is compared. */
const COMPARED_EVERY = 100n;
/** Bytes of a hash that fit exactly in a sample's double. */
const SHOWN_BYTES = 6;

/**
 * The witnesses for which a node makes blocks: the slots that they miss are its operator's own.
 * @param madeElsewhere blocks that the node received and neither it nor its signer made, by witness
 */
export function registerProducers(
	registry: Registry,
	dialect: Dialect,
	producers: () => readonly Uint8Array[],
	madeElsewhere: () => ReadonlyMap<string, number>,
): void {
	new Gauge({
		name: `${brandOf(dialect)}:producer`,
		help: "1: the node has the key of this witness, or its signer has.",
		labelNames: ["miner"],
		registers: [registry],
		collect() {
			this.reset();
			for (const witness of producers()) this.set({ miner: toBase58Check(witness) }, 1);
		},
	});
	new Counter({
		name: `${brandOf(dialect)}:made_elsewhere_total`,
		help: "Blocks with the key of this witness that neither the node nor its signer made.",
		labelNames: ["miner"],
		registers: [registry],
		collect() {
			this.reset();
			for (const witness of producers()) {
				const miner = toBase58Check(witness);
				this.inc({ miner }, madeElsewhere().get(miner) ?? 0);
			}
		},
	});
}

/** State hash gauges, on nodes that compute it. */
export function registerStateHashGauges(
	registry: Registry,
	dialect: Dialect,
	hash: Pick<FollowedHash, "kept" | "progress" | "hasFailed">,
	genesisId: Uint8Array,
): void {
	const gauge = gaugesOf(registry, dialect, "state_hash_");
	gauge("up", "1: the hash of the state follows final blocks.", () =>
		hash.hasFailed || hash.progress !== undefined ? 0 : 1,
	);
	gauge("block", "Final block after which the newest hash is.", () => Number(hash.kept.newest?.number ?? 0n));
	const chain = `0x${toHex(genesisId.subarray(-4))}`;
	new Gauge({
		name: `${brandOf(dialect)}:state_hash_value`,
		help: "First six bytes of the hash after the newest block with a multiple of 100: the same at nodes with the same state.",
		labelNames: ["chain", "block"],
		registers: [registry],
		collect() {
			this.reset();
			const { newest } = hash.kept;
			const number = newest && newest.number - (newest.number % COMPARED_EVERY);
			const compared = number === undefined ? undefined : hash.kept.at(number);
			if (!compared) return;
			const value = Buffer.from(compared.hash).readUIntBE(0, SHOWN_BYTES);
			this.set({ chain, block: String(number) }, value);
		},
	});
}

/**
 * Event gauges, on nodes that publish events.
 * @param read called at each scrape; undefined: no counts yet
 */
export function registerEventGauges(
	registry: Registry,
	dialect: Dialect,
	read: () => EventCounts | undefined,
): void {
	const native = gaugesOf(registry, dialect, "event_queue_");
	const count = (name: keyof NonNullable<EventCounts["native"]>) => (): number => read()?.native?.[name] ?? 0;
	native("subscribers", "Subscribers of the native event queue.", count("subscribers"));
	native("sent", "Messages given to subscribers.", count("sent"));
	native("lost", "Messages that subscribers were too slow for.", count("lost"));
	native("left_out", "Events that could not be published.", count("leftOut"));
	const receiver = (name: string, help: string, value: (counts: DeliveryCounts) => number): void => {
		new Gauge({
			name: `${brandOf(dialect)}:event_receiver_${name}`,
			help,
			labelNames: ["receiver"],
			registers: [registry],
			collect() {
				for (const counts of read()?.receivers ?? []) this.set({ receiver: counts.name }, value(counts));
			},
		});
	};
	receiver("position", "Last block that a receiver has acknowledged.", ({ position }) => position);
	receiver("lag", "Blocks above it that are to be published to it.", ({ lag }) => lag);
	receiver("errors", "Deliveries that failed.", ({ errors }) => errors);
	receiver("sent", "Messages that it has acknowledged.", ({ sent }) => sent);
	receiver("lost", "Messages that it was too slow for, where no position is stored.", ({ lost }) => lost);
	receiver("left_out", "Events that could not be published.", ({ leftOut }) => leftOut);
}

/** Gauges of the history by account and contract, on nodes that have it. */
export function registerHistoryGauges(registry: Registry, dialect: Dialect, history: HistoryReader): void {
	const gauge = gaugesOf(registry, dialect, "history_");
	gauge("database_up", "1: the database of the history answers.", () => (history.status.isReachable ? 1 : 0));
	gauge("blocks_behind", "Final blocks that the database doesn't have.", () => history.status.behind);
	gauge("blocks_missing", "Blocks that aren't indexed yet.", () => history.coverage.missing);
	gauge("bytes", "Bytes of the history on disk.", () => history.bytes);
}

/** Highest block version examined; the network's are in the thirties. */
const HIGHEST_VERSION = 99;

/** A pending vote of witnesses for a block version. */
interface VersionVote {
	readonly version: number;
	/** Active witnesses whose blocks have it, in percent. */
	readonly percent: number;
}

/** The highest version with some votes above the newest unanimous one; undefined if there is none. */
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

/**
 * Gauges for operators' alarms beyond the network's families: disk space, memory, votes for a block version.
 * @param folder selects the file system; undefined for an in-memory chain
 */
export function registerOperatorGauges(
	registry: Registry,
	dialect: Dialect,
	state: () => Pick<StateView, "properties">,
	folder: string | undefined,
	signerAway: () => boolean,
): void {
	const gauge = gaugesOf(registry, dialect, "");
	gauge("resident_bytes", "Memory of the process.", () => process.memoryUsage.rss());
	gauge("version_vote", "Block version that some active witnesses vote for; 0: none.", () =>
		Number(versionVote(state())?.version ?? 0),
	);
	gauge("version_vote_percent", "Active witnesses that vote for it, in percent.", () =>
		Number(versionVote(state())?.percent ?? 0),
	);
	gauge(
		"signer_away",
		"1: no block is made, or the last slot was lost, since the witness's signer is away or refuses.",
		() => (signerAway() ? 1 : 0),
	);
	if (folder === undefined) return;
	gauge("disk_free_bytes", "Room on the file system of the data directory.", () => {
		const { bavail, bsize } = statfsSync(folder);
		return bavail * bsize;
	});
}
