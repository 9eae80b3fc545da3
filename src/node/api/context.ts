/** What the servers need from the node, and the part of it that one request sees. */

import type { JsonStyle } from "../../protocol/json/message-writer.js";
import type { Randomness } from "../../protocol/sapling/descriptions.js";
import type { Prover } from "../../protocol/sapling/prover.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { NodeConfig } from "../config/config.js";
import type { ContractSources } from "../history/contract-sources.js";
import type { HistoryReader } from "../history/history-index.js";
import type { ChainRules } from "../rules/chain-rules.js";
import type { ForkGates } from "../rules/fork-gates.js";
import type { Simulator } from "../simulation/simulator.js";
import type { StoreDefinition } from "../state/definition.js";
import type { FollowedHash } from "../state/state-hash/followed-hash.js";
import type { StateView } from "../state/view.js";
import type { TraceRunner } from "../tracing/trace-runner.js";
import type { ContractMachine } from "../vm/contract-machine.js";
import type { Broadcaster } from "./broadcast.js";
import type { DoubleSigner, NodeStatistics } from "./meters.js";
import type { ApiObserver } from "./observer.js";
import type { RateLimiter } from "./rate-limiter.js";

/** The servers, by the state they serve: head with pending transactions, solidified, confirmed by PBFT. */
export type ServerKind = "full" | "solidity" | "pbft";

/** The transaction pool. */
interface PoolView {
	/** Pending, queued and popped transactions. */
	readonly size: number;
	/** Pending and queued transactions: what the pool limit counts. */
	readonly queued: number;
	/** Whether the memory budget is used up. */
	readonly isFull: boolean;
	list(): readonly { readonly transaction: SignedTransaction }[];
	find(idHex: string): SignedTransaction | undefined;
}

/** A peer as clients see it. Times in milliseconds. */
export interface PeerFacts {
	readonly host: string;
	readonly outgoing: boolean;
	readonly needSyncFromPeer: boolean;
	readonly needSyncFromUs: boolean;
	readonly averageLatencyMs: number;
	readonly connectTimeMs: bigint;
	readonly lastBlockUpdateTimeMs: bigint;
	readonly disconnected: boolean;
	readonly disconnectTimes: number;
	readonly localDisconnectReason: string;
	readonly remoteDisconnectReason: string;
	/** `Num:<n>,ID:<hex>`. */
	readonly headBlockBoth: string;
	/** `Num:<n>`, or empty. */
	readonly lastSyncBlock: string;
	readonly remain: bigint;
	readonly blocksInProcess: number;
	readonly requestedBlocks: number;
	readonly blocksToFetch: number;
	/** Number of the next block to fetch; -1 if there is none. */
	readonly nextToFetch: bigint;
}

interface ListedPeer {
	readonly host: string;
	readonly port: number;
}

/** The network side of the node. */
export interface NetworkView {
	peers(): readonly PeerFacts[];
	/** Discovered nodes that accept connections. */
	connectableNodes(): readonly ListedPeer[];
	/** Announces a transaction to peers. Returns how many it was sent to. */
	announce(transaction: SignedTransaction): number;
	/** Number of discovered nodes in the table. */
	readonly tableSize: number;
	/** 64 bytes in hex. */
	readonly nodeId: string;
	/** This node's public IPv4 address; empty without a peer network. */
	readonly ownHost: string;
}

/** Dependencies for building shielded transactions. */
export interface ShieldedWork {
	/** Cryptographically secure random bytes, as many as requested. */
	readonly random: Randomness;
	/** Undefined if the node makes no proofs. */
	prover(): Promise<Prover | undefined>;
}

/** States of past blocks. */
export interface PastStates {
	/** The lowest block with a known state. */
	readonly first: bigint;
	/** The state after a block, undefined if unknown. Must not be kept across an await. */
	at(number: bigint): StateView | undefined;
	/** Fork gates of such a state. */
	forks(state: StateView): ForkGates;
}

/** The node as seen by its servers. */
export interface ApiNode {
	readonly config: NodeConfig;
	readonly rules: ChainRules;
	/** Milliseconds; only used as the timestamp of built transactions. */
	nowMs(): number;
	/** The state a server serves right now. Must not be kept across an await. */
	view(server: ServerKind): StateView;
	/** Fork gates of a view. */
	forks(state: StateView): ForkGates;
	/** Absent if the node keeps no past states and behaves like stock nodes. */
	readonly past?: PastStates | undefined;
	/** History by account and contract; absent without an index (`node.history.index`). */
	readonly history?: HistoryReader | undefined;
	/** States whose raw store entries clients may read; absent if this node doesn't serve them. */
	readonly rawStates?: PastStates | undefined;
	/** State hash after finalized blocks; absent if disabled (`node.state.hash`). */
	readonly stateHash?: Pick<FollowedHash, "kept" | "progress" | "hasFailed"> | undefined;
	/** Source code the owner has verified against deployed contracts; absent if none can be stored. */
	readonly sources?: ContractSources | undefined;
	/** Runs constant contract calls. */
	readonly machine: {
		/** @param isTrial whether the call tries a transaction, as whoever asks says */
		call(
			...call: [...Parameters<ContractMachine["call"]>, isTrial?: boolean]
		): ReturnType<ContractMachine["call"]>;
	};
	/** Re-executes transactions of blocks; undefined if not offered to clients. */
	readonly tracing?: TraceRunner | undefined;
	/** Executes calls and transactions outside any block; undefined if not offered to clients. */
	readonly simulator?: Simulator | undefined;
	readonly pool: PoolView;
	/** Shared by all servers of the process. */
	readonly limiter: RateLimiter;
	/** Absent: the process's randomness and no proofs. */
	readonly shieldedWork?: ShieldedWork | undefined;
	/** Number of the oldest block that a reorg can still undo. */
	readonly oldestRevertible: bigint;
	/**
	 * Validates a transaction against the head and adds it to the pool.
	 * @param client its address, if it is known
	 * @throws {ChainError} the first rule that it breaks
	 */
	submit(transaction: SignedTransaction, client?: string): Promise<void>;
	/**
	 * Starts verifying a transaction's post-quantum signatures off-thread; undefined if there is nothing to wait for.
	 * @param client its address, if it is known
	 */
	verifySignatures?(transaction: SignedTransaction, client?: string): Promise<void> | undefined;
	/** Starts verifying a call's shielded proofs off-thread; undefined if there is nothing to wait for. */
	prepareCall?(transaction: SignedTransaction): Promise<void> | undefined;
	/**
	 * Brings a stale development chain head up to the present.
	 * @returns whether anything changed
	 * @param olderThanMs how far behind it must be; absent: so far that a rule can notice
	 */
	catchUp(olderThanMs?: bigint): boolean;
	/** First key of a store in the head state, at or after `from` and before `end`. */
	firstKey(
		store: StoreDefinition<unknown>,
		from: Uint8Array,
		end: Uint8Array,
	): Promise<Uint8Array | undefined>;
	readonly network: NetworkView;
	/** Witnesses that signed several blocks with the same number; none on a development chain. */
	doubleSigners(): readonly DoubleSigner[];
	/** What `getstatsinfo` reports besides the chain. */
	readonly statistics: NodeStatistics;
	/** Undefined if metrics are off. */
	readonly observer: ApiObserver | undefined;
	/** Warnings for the operator about the node's state. */
	warnings?(): readonly string[];
	/** Whether it would make a block in a slot of its witnesses; undefined: it has no keys. */
	isProducing?(): boolean | undefined;
	/** Whether the node started from a snapshot without history. */
	readonly isLite: boolean;
	/** Whether the chain started from another node's state. */
	readonly isFork: boolean;
	/** Milliseconds since the process's servers started. */
	readonly upMs: number;
	/** Logs an error caused by a bug in this program. */
	report(error: unknown, where: string): void;
}

/** The node as one request sees it. */
export interface ApiContext {
	readonly server: ServerKind;
	readonly node: ApiNode;
	readonly state: StateView;
	readonly style: JsonStyle;
	readonly broadcaster: Broadcaster;
	/** Client address; absent where clients aren't told apart. */
	readonly client?: string | undefined;
	/** Whether unsigned transactions are rejected, even where a development chain accepts them from some accounts. */
	readonly signedOnly?: boolean | undefined;
	/** Whether the client has gone away; absent if it is known to wait. */
	readonly isAbandoned?: (() => boolean) | undefined;
}

/** The current state of the request's server, looked up on each call. */
export function liveView({ node, server }: ApiContext): () => StateView {
	return () => node.view(server);
}
