/** What a replay needs of a node. The one over the real node is in node-target.ts; tests use their own. */

import type { HelloLine, PeerTransactionsLine, Recording } from "./recording.js";

/** An entry that a block changed, before and after; null: not there. */
export interface Change {
	readonly before: Uint8Array | null;
	readonly after: Uint8Array | null;
}

/** Changed entries by the store's recorded name and by key in hexadecimal. */
export type Changes = ReadonlyMap<string, ReadonlyMap<string, Change>>;

/** Entries to set; null: to delete. By the store's recorded name and by key in hexadecimal. */
export type Entries = ReadonlyMap<string, ReadonlyMap<string, Uint8Array | null>>;

/** Entries by the store's recorded name and by key in hexadecimal. */
export type State = ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>;

/** The head after a block was offered. */
export interface Head {
	readonly number: number;
	/** Hexadecimal. */
	readonly id: string;
	/** The receipts of the head block, an encoded TransactionRet; null: none are stored. */
	readonly infos: Uint8Array | null;
}

export interface AppliedBlock extends Head {
	readonly changes: Changes;
}

/** The node refused a block: `ClassName: message`. */
export interface Refusal {
	readonly error: string;
}

export interface HttpRequest {
	/** full, solidity, pbft, jsonrpc, jsonrpcSolidity, jsonrpcPbft. */
	readonly port: string;
	readonly verb: string;
	/** With a leading slash and the query. */
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
	/** Send it as one message of a bidirectional stream. */
	readonly stream: boolean;
}

export type GrpcAnswer =
	| { readonly answer: Uint8Array }
	| { readonly error: { readonly code: number; readonly message: string } };

/** What executing a block's transactions again came to. */
export interface TracedBlock {
	/** Transactions that called or made contracts. */
	readonly contracts: number;
	/** The list of their outcomes, as the chain keeps it; null: the block has no transactions. */
	readonly infos: Uint8Array | null;
	/** Where a trace doesn't agree with its own receipt. */
	readonly problems: readonly string[];
}

export interface ReplayTarget {
	/** Of the chain's shielded token. */
	readonly shieldedToken: string;
	/** Sets the wall clock, in ms. */
	setClock(ms: bigint): void;
	/** The state before block 1. */
	genesisState(): Promise<State>;
	/** Offers the block that follows the head. */
	applyBlock(block: Uint8Array): Promise<AppliedBlock | Refusal>;
	/** Offers any block directly to the chain. */
	push(block: Uint8Array): Promise<Head | Refusal>;
	/** Offers any block as a peer that advertised it. */
	advertise(block: Uint8Array): Promise<Head | Refusal>;
	/** Offers the body of a peer's message TXS. */
	peerTransactions(body: Uint8Array): PeerTransactionsLine["answer"];
	/** Offers a peer's greeting, type byte and body, to a node that only witnesses may reach. */
	peerHello(message: Uint8Array): HelloLine["answer"];
	http(request: HttpRequest): Promise<HttpAnswer>;
	grpc(request: GrpcRequest): Promise<GrpcAnswer>;
	/** The present value of an entry in the head state. */
	read(store: string, keyHex: string): Uint8Array | null;
	/**
	 * Makes the head what the recording says: the block on top, its receipts and its changed entries.
	 * @returns whether it could: the block must be the head or follow it
	 */
	heal(block: Uint8Array, infos: Uint8Array | null, writes: Entries): Promise<boolean>;
	/** The value of an entry after a block. @throws {Error} where the history doesn't have that state */
	readAt(number: number, store: string, keyHex: string): Uint8Array | null;
	/** The newest block that can't be undone. */
	settled(): number;
	/** Brings what can't be undone to the database. */
	flush(): Promise<void>;
	/** Executes the transactions of the head block again, watched. Only of a target that was opened for it. */
	trace(): Promise<TracedBlock | Refusal>;
	/** Every store of the head state. */
	finalState(): Promise<State>;
	close(): Promise<void>;
}

/** What a target is to be able to do beside replaying. */
interface TargetAbilities {
	/** Tracing blocks. */
	readonly trace?: boolean;
	/** Reading the state after every block. */
	readonly history?: boolean;
	/** Every contract program is compiled before it runs. */
	readonly compiled?: boolean;
}

/** Boots a node from a recording's configuration on an empty data directory. */
export type OpenTarget = (
	recording: Recording,
	params?: string,
	abilities?: TargetAbilities,
) => Promise<ReplayTarget>;
