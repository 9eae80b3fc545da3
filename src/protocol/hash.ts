/**
 * The network's two hash functions (protocol/blocks §1.2): SHA-256 for ids, Merkle trees and Base58Check;
 * Keccak-256 (padding 0x01, not SHA-3) for addresses and the contract machine.
 */

import { hash } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";

/** SHA-256, 32 bytes. */
export function sha256(data: Uint8Array): Uint8Array {
	return hash("sha256", data, "buffer");
}

let keccakEngine: (data: Uint8Array) => Uint8Array = (data) => keccak_256(data);

/** Keccak-256, 32 bytes. */
export function keccak256(data: Uint8Array): Uint8Array {
	return keccakEngine(data);
}

/**
 * Switches Keccak to a WebAssembly build, several times faster on short inputs. Programs that hash a lot call
 * this once at startup; until then the portable implementation is used.
 */
export async function useFastHashing(): Promise<void> {
	const { createKeccak } = await import("hash-wasm");
	const hasher = await createKeccak(256);
	keccakEngine = (data) => hasher.init().update(data).digest("binary");
}
