/** The interface of a replayed node. node-target.ts implements it for the real node; tests have their own. */

import type { HelloLine, PeerTransactionsLine, Recording } from "./recording.js";

/** An entry changed by a block; null if absent. */
export interface Change {
	readonly before: Uint8Array | null;
	readonly after: Uint8Array | null;
}

/** Changed entries, by the store's recorded name and hexadecimal key. */
export type Changes = ReadonlyMap<string, ReadonlyMap<string, Change>>;

/** Entries to set, or null to delete, by the store's recorded name and hexadecimal key. */
export type Entries = ReadonlyMap<string, ReadonlyMap<string, Uint8Array | null>>;

/** Entries, by the store's recorded name and hexadecimal key. */
export type State = ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>;

/** The head after a block was pushed. */
export interface Head {
	readonly number: number;
	/** Hexadecimal. */
	readonly id: string;
	/** Receipts of the head block, an encoded TransactionRet; null if none are stored. */
	readonly infos: Uint8Array | null;
}

export interface AppliedBlock extends Head {
	readonly changes: Changes;
}

/** Why the node refused a block: `ClassName: message`. */
export interface Refusal {
	readonly error: string;
}

export interface HttpRequest {
	/** full, solidity, pbft, jsonrpc, jsonrpcSolidity, jsonrpcPbft. */
	readonly port: string;
	readonly verb: string;
	/** With leading slash and query. */
	readonly path: string;
	readonly body: string | undefined;
	readonly headers: Readonly<Record<string, string>>;
}

export interface HttpAnswer {
	readonly status: number;
	readonly type: string | null;
	readonly allow: string | undefined;
	readonly body: string;
}

export interface GrpcRequest {
	/** grpc, grpcSolidity, grpcPbft. */
	readonly port: string;
	readonly path: string;
	readonly request: Uint8Array;
	/** Whether to send it as a message on a bidirectional stream. */
	readonly stream: boolean;
}

export type GrpcAnswer =
	| { readonly answer: Uint8Array }
	| { readonly error: { readonly code: number; readonly message: string } };

/** Result of re-executing a block's transactions. */
export interface TracedBlock {
	/** Transactions that called or created contracts. */
	readonly contracts: number;
	/** Their receipts as stored on the chain; null if the block has no transactions. */
	readonly infos: Uint8Array | null;
	/** Contradictions between traces and receipts. */
	readonly problems: readonly string[];
}

export interface ReplayTarget {
	/** Id of the chain's shielded token. */
	readonly shieldedToken: string;
	/** Sets the wall clock, in ms. */
	setClock(ms: bigint): void;
	/** The state before block 1. */
	genesisState(): Promise<State>;
	/** Applies a block on top of the head. */
	applyBlock(block: Uint8Array): Promise<AppliedBlock | Refusal>;
	/** Pushes any block directly to the chain. */
	push(block: Uint8Array): Promise<Head | Refusal>;
	/** Pushes any block as advertised by a peer. */
	advertise(block: Uint8Array): Promise<Head | Refusal>;
	/** Handles the body of a peer's message TXS. */
	peerTransactions(body: Uint8Array): PeerTransactionsLine["answer"];
	/** Handles a peer's handshake message (type byte and body) on a node that accepts only witnesses. */
	peerHello(message: Uint8Array): HelloLine["answer"];
	http(request: HttpRequest): Promise<HttpAnswer>;
	grpc(request: GrpcRequest): Promise<GrpcAnswer>;
	/** An entry's value in the head state. */
	read(store: string, keyHex: string): Uint8Array | null;
	/**
	 * Forces the recorded head: the block on top, its receipts and changed entries.
	 * @returns whether that is possible: the block must be the head or its child
	 */
	heal(block: Uint8Array, infos: Uint8Array | null, writes: Entries): Promise<boolean>;
	/** An entry's value after a block. @throws {Error} if the history doesn't have that state */
	readAt(number: number, store: string, keyHex: string): Uint8Array | null;
	/** The newest irreversible block. */
	settled(): number;
	/** Writes irreversible state to the database. */
	flush(): Promise<void>;
	/** Re-executes the head block with tracing. Only for targets opened with `trace`. */
	trace(): Promise<TracedBlock | Refusal>;
	/** All stores of the head state. */
	finalState(): Promise<State>;
	close(): Promise<void>;
}

/** Optional features of a target. */
interface TargetAbilities {
	/** Tracing blocks. */
	readonly trace?: boolean;
	/** Reading the state after every block. */
	readonly history?: boolean;
	/** Compiles every contract program before it runs. */
	readonly compiled?: boolean;
}

/** Starts a node with a recording's configuration and an empty data directory. */
export type OpenTarget = (
	recording: Recording,
	params?: string,
	abilities?: TargetAbilities,
) => Promise<ReplayTarget>;
