/** Where notes lie: in the chain's own pool, or in a contract that keeps notes of an ORC-20 token (protocol/shielded §§4 and 11). */

import { toBase58Check } from "../../protocol/address.js";

/** What the network's nodes are configured with unless their operators say otherwise. */
export const USUAL_POOL_TOKEN = "000000";

export type Pool =
	| {
			readonly kind: "native";
			/** Id of the ORC-10 token whose units notes count. */
			readonly tokenId: string;
	  }
	| {
			readonly kind: "contract";
			/** 21 bytes. */
			readonly contract: Uint8Array;
	  };

export type ContractPool = Extract<Pool, { kind: "contract" }>;
export type NativePool = Extract<Pool, { kind: "native" }>;

/** One word for a pool. */
export function poolName(pool: Pool): string {
	return pool.kind === "native" ? "native" : toBase58Check(pool.contract);
}

/** A new note as everybody sees it. */
export interface PublishedNote {
	/** Among the new notes of its transaction, from 0 on. */
	readonly index: number;
	/** In the tree, where the pool says it. */
	readonly position: bigint | undefined;
	readonly cm: Uint8Array;
	readonly cv: Uint8Array;
	readonly epk: Uint8Array;
	/** c_enc, 580 bytes. */
	readonly forReceiver: Uint8Array;
	/** c_out, 80 bytes. */
	readonly forSender: Uint8Array;
}

/** What left a pool for a transparent account. */
export interface PublishedBurn {
	/** 21 bytes. */
	readonly to: Uint8Array;
	/** In the token's own units. */
	readonly amount: bigint;
}

/** What a transaction did in a pool, in the order of the chain. */
export interface PoolTransaction {
	/** 64 hexadecimal digits. */
	readonly txID: string;
	readonly block: bigint;
	readonly notes: readonly PublishedNote[];
	readonly nullifiers: readonly Uint8Array[];
	readonly burns: readonly PublishedBurn[];
	/** It spent notes and doesn't tell which. */
	readonly isSilent: boolean;
}
