/** What every part of the room works with: world, chain, settings and the peers that are there. */

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

/** The configuration, as this room uses it (protocol/peers §13). */
export interface PeerSettings {
	readonly networkId: number;
	/** Whose rules peers are held to; announced to them as `codeVersion`. */
	readonly release: Release;
	/** Whose fields the filter of unknown ones knows; absent: the main network's. */
	readonly network?: NetworkName;
	readonly maxConnections: number;
	readonly minConnections: number;
	readonly minActiveConnections: number;
	readonly maxTransactionsPerSecond: number;
	/** Announced blocks that are looked at, on average of ten seconds. */
	readonly maxBlocksPerSecond: number;
	/** Requests of one peer that are answered in a second. */
	readonly summariesPerSecond: number;
	readonly fetchesPerSecond: number;
	readonly disconnectsPerSecond: number;
	/** Blocks that all peers together may owe us. */
	readonly maxRequestedBlocks: number;
	/** Transactions that may wait, in all places together. */
	readonly maxWaitingTransactions: number;
	/** Ids that must wait before blocks are asked for while lists follow. */
	readonly syncFetchBatch: number;
	readonly fetchBlockTimeoutMs: number;
	readonly blockCacheTimeoutMs: number;
	readonly inactiveThresholdMs: number;
	readonly eliminateAtRandom: boolean;
	readonly effectiveCheck: boolean;
	/** Transactions are not taken while this many blocks are not solidified; undefined: always. */
	readonly maxUnsolidified: number | undefined;
	/** This node is a fast-forward relay. */
	readonly isFastForward: boolean;
	readonly relayHosts: ReadonlySet<string>;
	readonly maxRelayWitnesses: number;
	/** Votes that confirm a block. */
	readonly quorum: number;
	readonly voteExpireBlocks: number;
	/** Bytes of blocks that may wait to be applied. */
	readonly maxQueuedBytes: number;
}

/** A witness whose key this node holds. */
export interface OwnWitness {
	readonly witness: Uint8Array;
	/** Address of the key. */
	readonly signer: Uint8Array;
	readonly sign: (hash: Uint8Array) => Uint8Array;
	/** Signs where the key is, if that isn't here; rejects if it can't. */
	readonly remote?: {
		readonly hello: (timestampMs: bigint) => Promise<Uint8Array>;
		readonly vote: (vote: Uint8Array) => Promise<Uint8Array>;
	};
	/** Of a key that signs in a field of its own, and doesn't vote. */
	readonly postQuantum?: { readonly scheme: PostQuantumScheme; readonly publicKey: Uint8Array };
}

/** Reasons for which an address stays banned for an hour (protocol/peers §4.6). */
const GRAVE: ReadonlySet<number> = new Set([Reason.BAD_PROTOCOL, Reason.BAD_BLOCK, Reason.BAD_TX]);

/** A peer that delivered a block of a list this lately has more for us. */
const DELIVERING_MS = 10_000;

/** Addresses of which it is remembered how often a connection with them ended. */
const MAX_DEPARTED = 10_000;

export class PeerWorld {
	private readonly list: Peer[] = [];
	private readonly departed = new Recent<number>(MAX_DEPARTED, Number.POSITIVE_INFINITY, () => 0);
	readonly settings: PeerSettings;
	/** What peers are held to. */
	readonly conduct: Conduct;

	constructor(
		readonly environment: NetworkEnvironment,
		readonly chain: LocalChain,
		settings: PeerSettings,
		readonly log: PeerLog,
		/** Keys with which this node votes and identifies itself. */
		readonly witnesses: readonly OwnWitness[],
		/** Whether this node is the one of its group that acts. */
		readonly isMaster: () => boolean,
		/** Undefined: metrics are off. */
		readonly meter?: PeerMeter | undefined,
	) {
		this.conduct = conductOf(settings.release);
		this.settings = { ...settings, ...this.conduct.unlimited };
	}

	/** The clock that only goes forward, see {@link NetworkEnvironment}. */
	now = (): number => this.environment.now();

	/** The wall clock. */
	wallClock = (): number => this.environment.wallClock();

	/** Peers by their mean round trip, the fastest first. */
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

	/** How often a peer of an address has gone, whoever ended the connection. */
	departures(host: string): number {
		return this.departed.get(host) ?? 0;
	}

	sortByLatency(): void {
		this.list.sort((a, b) => a.connection.averageLatencyMs - b.connection.averageLatencyMs);
	}

	/** Peers that take and make announcements. */
	get synced(): readonly Peer[] {
		return this.list.filter((peer) => peer.isSynced);
	}

	/**
	 * Whether blocks are missing: no peer is connected, or one is sending us some (protocol/peers §11.2). For the network a
	 * peer counts that says it is ahead. But claiming so is free, and opening one silent connection after the
	 * other could keep a node from voting: a peer counts while it delivers.
	 */
	get isSyncing(): boolean {
		return this.list.length === 0 || this.isReceiving;
	}

	/** Whether a peer that has blocks we lack is sending them. */
	get isReceiving(): boolean {
		const now = this.now();
		return this.list.some((peer) => peer.needSyncFromPeer && now - peer.lastBlockMs < DELIVERING_MS);
	}

	/** Gives the chain a block of a peer. @param inSync it was asked for by synchronizing, not announced */
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
	 * Says why, and closes (protocol/peers §6.4).
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
