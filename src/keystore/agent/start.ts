/** What the program that opened keys sends to the process that will hold them. */

import type { PostQuantumKeys } from "../../protocol/post-quantum/algorithms.js";
import { postQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import type { ShieldedKeys } from "../../protocol/sapling/key-set.js";
import type { PrivateKey } from "../private-key.js";

export interface AgentStart {
	readonly keys: readonly SentKey[];
	readonly shielded: readonly ShieldedKeys[];
	readonly lifeMs: number;
	readonly parent: string;
	/** Device that exists as long as the terminal does. */
	readonly terminal: string;
}

/** A key on its way: a scheme, which is one object in each process, by its number. */
type SentKey = Uint8Array | (PostQuantumKeys & { readonly schemeId: number });

/** Shares the key's bytes. */
export const sentOfKey = (key: PrivateKey): SentKey => {
	if (key instanceof Uint8Array) return key;
	const { scheme, privateKey, publicKey } = key;
	return { schemeId: scheme.id, privateKey, publicKey };
};

/** @throws {Error} for a scheme that isn't known here, which is a fault of the program */
export function keyOfSent(sent: SentKey): PrivateKey {
	if (sent instanceof Uint8Array) return sent;
	const { schemeId, privateKey, publicKey } = sent;
	const scheme = postQuantumScheme(schemeId);
	if (!scheme) throw new Error(`no scheme has the number ${schemeId}`);
	return { scheme, privateKey, publicKey };
}
