/** Pools of notes: the chain's own, or a contract's for an ORC-20 token (protocol/shielded §§4, 11). */

import { toBase58Check } from "../../protocol/address.js";

/** The token of the chain's own pool in a node's default configuration. */
export const USUAL_POOL_TOKEN = "000000";

export type Pool =
	| {
			readonly kind: "native";
			/** Id of the ORC-10 token that notes hold. */
			readonly tokenId: string;
	  }
	| {
			readonly kind: "contract";
			/** 21 bytes. */
			readonly contract: Uint8Array;
	  };

export type ContractPool = Extract<Pool, { kind: "contract" }>;
export type NativePool = Extract<Pool, { kind: "native" }>;

/** A pool's name: `native`, or the contract's Base58 address. */
export function poolName(pool: Pool): string {
	return pool.kind === "native" ? "native" : toBase58Check(pool.contract);
}

/** A new note as published on the chain. */
export interface PublishedNote {
	/** Index among the new notes of its transaction, from 0. */
	readonly index: number;
	/** Position in the tree, if the pool publishes it. */
	readonly position: bigint | undefined;
	readonly cm: Uint8Array;
	readonly cv: Uint8Array;
	readonly epk: Uint8Array;
	/** c_enc, 580 bytes. */
	readonly forReceiver: Uint8Array;
	/** c_out, 80 bytes. */
	readonly forSender: Uint8Array;
}

/** A payment from a pool to a transparent account. */
export interface PublishedBurn {
	/** 21 bytes. */
	readonly to: Uint8Array;
	/** In the token's smallest units. */
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
	/** Whether it spent notes without showing which ones. */
	readonly isSilent: boolean;
}
