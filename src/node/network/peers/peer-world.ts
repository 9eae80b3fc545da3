/** Shared context of this directory: chain, settings and connected peers. */

import type { SignedBlock } from "../../../protocol/block.js";
import type { PostQuantumScheme } from "../../../protocol/post-quantum/schemes.js";
import { Recent } from "../../memory/recent.js";
import type { NetworkName } from "../../rules/chain-rules.js";
import type { Release } from "../../rules/release.js";
import { BAD_PEER_BAN_MS, BAN_MS } from "../connection.js";
import type { NetworkEnvironment } from "../environment.js";
import type { LocalChain, PushResult } from "../local-chain.js";
import type { PeerMeter } from "../metered-environment.js";
import { ApplicationType, encodeDisconnect, Reason, reasonName } from "../wire/application-messages.js";
import { type Conduct, conductOf } from "./conduct.js";
import type { Peer } from "./peer.js";

/** Log of the peer network; pino fits. */
interface PeerLog {
	debug(fields: object, message: string): void;
	info(fields: object, message: string): void;
	warn(fields: object, message: string): void;
}

/** The configuration as used here (protocol/peers §13). */
export interface PeerSettings {
	readonly networkId: number;
	/** The release whose rules apply to peers; announced to them as `codeVersion`. */
	readonly release: Release;
	/** The network whose fields the unknown-field filter knows; absent: the main network. */
	readonly network?: NetworkName;
	readonly maxConnections: number;
	readonly minConnections: number;
	readonly minActiveConnections: number;
	readonly maxTransactionsPerSecond: number;
	/** Announced blocks that are considered, averaged over ten seconds. */
	readonly maxBlocksPerSecond: number;
	/** Requests per peer and second that are answered. */
	readonly summariesPerSecond: number;
	readonly fetchesPerSecond: number;
	readonly disconnectsPerSecond: number;
	/** Maximum blocks requested from all peers together. */
	readonly maxRequestedBlocks: number;
	/** Maximum queued transactions, in all places together. */
	readonly maxWaitingTransactions: number;
	/** Ids to collect before requesting blocks, while more lists follow. */
	readonly syncFetchBatch: number;
	readonly fetchBlockTimeoutMs: number;
	readonly blockCacheTimeoutMs: number;
	readonly inactiveThresholdMs: number;
	readonly eliminateAtRandom: boolean;
	readonly effectiveCheck: boolean;
	/** Refuse transactions while this many blocks are not solidified; undefined: never. */
	readonly maxUnsolidified: number | undefined;
	/** This node is a fast-forward relay. */
	readonly isFastForward: boolean;
	readonly relayHosts: ReadonlySet<string>;
	readonly maxRelayWitnesses: number;
	/** Votes needed to confirm a block. */
	readonly quorum: number;
	readonly voteExpireBlocks: number;
	/** Maximum bytes of blocks queued for applying. */
	readonly maxQueuedBytes: number;
}

/** A witness whose key this node holds. */
export interface OwnWitness {
	readonly witness: Uint8Array;
	/** Address of the signing key. */
	readonly signer: Uint8Array;
	readonly sign: (hash: Uint8Array) => Uint8Array;
	/** Signs remotely if the key isn't here; rejects if it can't. */
	readonly remote?: {
		readonly hello: (timestampMs: bigint) => Promise<Uint8Array>;
		readonly vote: (vote: Uint8Array) => Promise<Uint8Array>;
	};
	/** A key that signs in a field of its own, and doesn't vote. */
	readonly postQuantum?: { readonly scheme: PostQuantumScheme; readonly publicKey: Uint8Array };
}

/** Reasons for which an address is banned for an hour (protocol/peers §4.6). */
const GRAVE: ReadonlySet<number> = new Set([Reason.BAD_PROTOCOL, Reason.BAD_BLOCK, Reason.BAD_TX]);

/** A peer that delivered a sync block this recently is assumed to have more for us. */
const DELIVERING_MS = 10_000;

/** Maximum addresses whose ended connections are counted. */
const MAX_DEPARTED = 10_000;

export class PeerWorld {
	private readonly list: Peer[] = [];
	private readonly departed = new Recent<number>(MAX_DEPARTED, Number.POSITIVE_INFINITY, () => 0);
	readonly settings: PeerSettings;
	/** The rules for peers. */
	readonly conduct: Conduct;

	constructor(
		readonly environment: NetworkEnvironment,
		readonly chain: LocalChain,
		settings: PeerSettings,
		readonly log: PeerLog,
		/** Keys with which this node votes and identifies itself. */
		readonly witnesses: readonly OwnWitness[],
		/** Whether this node is the active one of its backup group. */
		readonly isMaster: () => boolean,
		/** Undefined: metrics are off. */
		readonly meter?: PeerMeter | undefined,
	) {
		this.conduct = conductOf(settings.release);
		this.settings = { ...settings, ...this.conduct.unlimited };
	}

	/** The monotonic clock, see {@link NetworkEnvironment}. */
	now = (): number => this.environment.now();

	/** The wall clock. */
	wallClock = (): number => this.environment.wallClock();

	/** Peers by mean round trip, fastest first. */
	get peers(): readonly Peer[] {
		return this.list;
	}

	add(peer: Peer): void {
		this.list.push(peer);
	}

	remove(peer: Peer): void {
		peer.isLeaving = true;
		const at = this.list.indexOf(peer);
		if (at >= 0) this.list.splice(at, 1);
		const { host } = peer.connection.remote;
		this.departed.renew(host, this.departures(host) + 1);
	}

	/** How often connections with an address have ended, by either side. */
	departures(host: string): number {
		return this.departed.get(host) ?? 0;
	}

	sortByLatency(): void {
		this.list.sort((a, b) => a.connection.averageLatencyMs - b.connection.averageLatencyMs);
	}

	/** Peers that exchange announcements. */
	get synced(): readonly Peer[] {
		return this.list.filter((peer) => peer.isSynced);
	}

	/**
	 * Whether blocks are missing: no peer is connected, or one is sending us some (protocol/peers §11.2). The
	 * reference counts any peer that claims to be ahead. But claiming so is free, and a series of silent
	 * connections could keep a node from voting: here, a peer counts only while it delivers.
	 */
	get isSyncing(): boolean {
		return this.list.length === 0 || this.isReceiving;
	}

	/** Whether a peer is sending blocks that we lack. */
	get isReceiving(): boolean {
		const now = this.now();
		return this.list.some((peer) => peer.needSyncFromPeer && now - peer.lastBlockMs < DELIVERING_MS);
	}

	/** Pushes a peer's block to the chain. @param inSync it was asked for by synchronizing, not announced */
	take(block: SignedBlock, inSync: boolean): PushResult {
		const startMs = this.now();
		const result = this.chain.push(block);
		if (result.kind === "accepted" && result.isNew) {
			this.meter?.blockTaken(block, inSync, this.now() - startMs);
		}
		return result;
	}

	send(peer: Peer, type: number, payload: Uint8Array): void {
		if (!peer.isLeaving) peer.connection.send(type, payload);
	}

	/**
	 * Sends the reason, and closes (protocol/peers §6.4).
	 * @param mayBeHonest bans for a minute only, whatever the reason
	 */
	disconnect(peer: Peer, reason: Reason, why: string, mayBeHonest = false): void {
		if (peer.isLeaving) return;
		peer.localReason = reasonName(reason);
		this.meter?.disconnected(peer.localReason);
		this.log.info({ peer: peer.name, reason: peer.localReason, why, mayBeHonest }, "disconnecting peer");
		peer.connection.send(ApplicationType.P2P_DISCONNECT, encodeDisconnect(reason));
		peer.isLeaving = true;
		peer.connection.close(GRAVE.has(reason) && !mayBeHonest ? BAD_PEER_BAN_MS : BAN_MS);
	}
}
