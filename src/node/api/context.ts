/** What the servers need from the node, and what one request sees of it. */

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

/** The waiting transactions. */
interface PoolView {
	/** Pending, waiting and popped transactions. */
	readonly size: number;
	/** Pending and waiting transactions: what the limit of the pool counts. */
	readonly queued: number;
	/** Whether they take up as much memory as they may. */
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
	/** Discovered nodes that a connection can be made to. */
	connectableNodes(): readonly ListedPeer[];
	/** Offers a transaction to the peers; how many of them it was sent to. */
	announce(transaction: SignedTransaction): number;
	/** Size of the table of discovered nodes. */
	readonly tableSize: number;
	/** 64 bytes, hexadecimal. */
	readonly nodeId: string;
	/** This node's address as others see it, of IPv4; empty where it has no peer network. */
	readonly ownHost: string;
}

/** What shielded transactions are built with. */
export interface ShieldedWork {
	/** Unpredictable bytes, as many as are asked for. */
	readonly random: Randomness;
	/** Undefined: the node makes no proofs. */
	prover(): Promise<Prover | undefined>;
}

/** States of past blocks. */
export interface PastStates {
	/** The lowest block whose state is known. */
	readonly first: bigint;
	/** The state after a block; undefined: it isn't known. Must not be kept across an await. */
	at(number: bigint): StateView | undefined;
	/** Upgrade gates as such a state has them. */
	forks(state: StateView): ForkGates;
}

/** The node as its servers know it. */
export interface ApiNode {
	readonly config: NodeConfig;
	readonly rules: ChainRules;
	/** Milliseconds; enters answers only as the timestamp of built transactions. */
	nowMs(): number;
	/** The state that a server serves at this moment. Must not be kept across an await. */
	view(server: ServerKind): StateView;
	/** Upgrade gates over a view. */
	forks(state: StateView): ForkGates;
	/** Absent: the node keeps none, and answers as the network's do. */
	readonly past?: PastStates | undefined;
	/** What happened by account and contract; absent: the node keeps no index of it (`node.history.index`). */
	readonly history?: HistoryReader | undefined;
	/** States whose entries clients may have as they are stored; absent: not of this node. */
	readonly rawStates?: PastStates | undefined;
	/** The hash of the state after final blocks; absent: it isn't followed (`node.state.hash`). */
	readonly stateHash?: Pick<FollowedHash, "kept" | "progress" | "hasFailed"> | undefined;
	/** Sources that the owner has compared with contracts' code; absent: none can be stored. */
	readonly sources?: ContractSources | undefined;
	/** Executes contracts that are only asked. */
	readonly machine: {
		/** @param isTrial whether the call tries a transaction, as whoever asks says */
		call(
			...call: [...Parameters<ContractMachine["call"]>, isTrial?: boolean]
		): ReturnType<ContractMachine["call"]>;
	};
	/** Executes transactions of blocks again; undefined: not for clients of this node. */
	readonly tracing?: TraceRunner | undefined;
	/** Executes what is in no block; undefined: not for clients of this node. */
	readonly simulator?: Simulator | undefined;
	readonly pool: PoolView;
	/** One for all servers of the process. */
	readonly limiter: RateLimiter;
	/** Absent: the process's randomness, and no proofs. */
	readonly shieldedWork?: ShieldedWork | undefined;
	/** Number of the oldest block that can still be undone. */
	readonly oldestRevertible: bigint;
	/**
	 * Checks a transaction against the head and puts it into the pool.
	 * @param client its address, if it is known
	 * @throws {ChainError} the first rule that it breaks
	 */
	submit(transaction: SignedTransaction, client?: string): Promise<void>;
	/**
	 * Begins verifying the post-quantum signatures of a transaction elsewhere; undefined if there is nothing to wait for.
	 * @param client its address, if it is known
	 */
	verifySignatures?(transaction: SignedTransaction, client?: string): Promise<void> | undefined;
	/** Begins checking the shielded proofs of a call elsewhere; undefined if there is nothing to wait for. */
	prepareCall?(transaction: SignedTransaction): Promise<void> | undefined;
	/**
	 * Brings the head of a development chain to the present, if it is behind.
	 * @param olderThanMs how far behind it must be; absent: so far that a rule can notice
	 * @returns whether that changed anything
	 */
	catchUp(olderThanMs?: bigint): boolean;
	/** The first key of a store in the head state at or after `from` and before `end`. */
	firstKey(
		store: StoreDefinition<unknown>,
		from: Uint8Array,
		end: Uint8Array,
	): Promise<Uint8Array | undefined>;
	readonly network: NetworkView;
	/** Witnesses that signed several blocks of one number; none on a development chain. */
	doubleSigners(): readonly DoubleSigner[];
	/** What `getstatsinfo` shows besides the chain. */
	readonly statistics: NodeStatistics;
	/** Undefined: metrics are off. */
	readonly observer: ApiObserver | undefined;
	/** What an operator must know of the node's state; absent: nothing. */
	warnings?(): readonly string[];
	/** Whether the node started from a snapshot without history. */
	readonly isLite: boolean;
	/** The chain began with another node's state. */
	readonly isFork: boolean;
	/** Milliseconds since the start of the process's servers. */
	readonly upMs: number;
	/** An error that is a fault of this program: to be logged. */
	report(error: unknown, where: string): void;
}

/** The node as one request sees it. */
export interface ApiContext {
	readonly server: ServerKind;
	readonly node: ApiNode;
	readonly state: StateView;
	readonly style: JsonStyle;
	readonly broadcaster: Broadcaster;
	/** Address of the client; absent where clients are not told apart. */
	readonly client?: string | undefined;
	/** Whether transactions without a signature are refused, although a development chain takes those of some accounts. */
	readonly signedOnly?: boolean | undefined;
	/** Whether the client has stopped waiting for the answer; absent: it waits. */
	readonly isAbandoned?: (() => boolean) | undefined;
}

/** The state that a request's server serves at each moment. */
export function liveView({ node, server }: ApiContext): () => StateView {
	return () => node.view(server);
}
