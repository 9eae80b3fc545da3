/** Signing with an agent where one is named by `COIN_AGENT`; otherwise keys are opened with their passwords. */

import { agentAt } from "../../keystore/agent/client.js";
import type { KeystoreEntry } from "../../keystore/keystore.js";
import { equalBytes } from "../../protocol/bytes.js";
import { recoverAddress, SignatureError } from "../../protocol/signature.js";
import { Failure } from "../../wallet/failure.js";

/** Names the agent's socket; set by `coin keystore unlock`. */
export const AGENT_VARIABLE = "COIN_AGENT";

/**
 * The signature of a key over a hash of 32 bytes.
 * @returns undefined without an agent, or if it is gone or doesn't hold the key
 * @throws {Failure | KeystoreError} if the agent is not the user's own, or answers with another key's signature
 */
export async function agentSignature(key: KeystoreEntry, hash: Uint8Array): Promise<Uint8Array | undefined> {
	const socketPath = process.env[AGENT_VARIABLE];
	if (!socketPath) return undefined;
	const signature = await agentAt(socketPath)?.sign(key.base58, hash);
	if (!signature) return undefined;
	if (!isOf(key, hash, signature)) throw new Failure("internal", "the agent's signature is another key's");
	return signature;
}

function isOf(key: KeystoreEntry, hash: Uint8Array, signature: Uint8Array): boolean {
	try {
		return equalBytes(recoverAddress(hash, signature), key.address);
	} catch (error) {
		if (error instanceof SignatureError) return false;
		throw error;
	}
}
