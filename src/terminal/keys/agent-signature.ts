/** Signs with the agent given by `COIN_AGENT`, if any; otherwise keys are unlocked with their passwords. */

import { agentAt } from "../../keystore/agent/client.js";
import { checkHasKey, type KeystoreEntry, unlockKey } from "../../keystore/keystore.js";
import type { LentKey } from "../../keystore/private-key.js";
import type { ShieldedEntry } from "../../keystore/shielded-keystore.js";
import { equalBytes } from "../../protocol/bytes.js";
import { isPostQuantumSignature, loadPostQuantum } from "../../protocol/post-quantum/algorithms.js";
import { addressOfPostQuantumKey } from "../../protocol/post-quantum/schemes.js";
import { addressOfKeys, type ShieldedKeys } from "../../protocol/sapling/key-set.js";
import { writePaymentAddress } from "../../protocol/sapling/payment-address.js";
import { isAuthorizedBy } from "../../protocol/sapling/spend-authorization.js";
import { recoverAddress, SignatureError, sign } from "../../protocol/signature.js";
import { Failure } from "../../wallet/failure.js";
import type { Signature } from "../../wallet/transaction/envelope.js";
import { present } from "../prompt/confirmation.js";
import { canAsk } from "../prompt/controlling-terminal.js";
import { openedKey, type PasswordSource } from "./secrets.js";

/** Environment variable with the agent's socket; set by `coin keystore unlock`. */
export const AGENT_VARIABLE = "COIN_AGENT";

/**
 * Signs a hash of 32 bytes with a secp256k1 key of the agent.
 * @returns undefined without an agent, or if it has ended or doesn't hold the key
 * @throws {Failure | KeystoreError} if the agent is not the user's own, or returns another key's signature
 */
export async function agentSignature(key: KeystoreEntry, hash: Uint8Array): Promise<Uint8Array | undefined> {
	const socketPath = process.env[AGENT_VARIABLE];
	if (!socketPath) return undefined;
	const signature = await agentAt(socketPath)?.sign(key.base58, hash);
	if (!signature) return undefined;
	if (!isOf(key, hash, signature)) throw another();
	return signature;
}

/**
 * {@link agentSignature} with a key of any scheme.
 * @throws {Failure | KeystoreError} as {@link agentSignature}
 */
export async function anyAgentSignature(
	key: KeystoreEntry,
	hash: Uint8Array,
): Promise<Signature | undefined> {
	const { scheme, base58, address } = key;
	if (!scheme) return agentSignature(key, hash);
	const socketPath = process.env[AGENT_VARIABLE];
	if (!socketPath) return undefined;
	const signature = await agentAt(socketPath)?.signPostQuantum(base58, scheme, hash);
	if (!signature) return undefined;
	await loadPostQuantum();
	const isOwn = equalBytes(addressOfPostQuantumKey(signature.public_key), address);
	if (!isOwn || !isPostQuantumSignature(hash, signature)) throw another();
	return signature;
}

const another = (): Failure => new Failure("internal", "the agent's signature is another key's");

function isOf(key: KeystoreEntry, hash: Uint8Array, signature: Uint8Array): boolean {
	try {
		return equalBytes(recoverAddress(hash, signature), key.address);
	} catch (error) {
		if (error instanceof SignatureError) return false;
		throw error;
	}
}

/**
 * A key that a signer can use through an agent, as long as the agent holds it.
 * @returns undefined without an agent, if it doesn't hold the key, or if the key isn't a secp256k1 key
 * @throws {Failure | KeystoreError} if the agent is not the user's own
 */
export async function lentByAgent(key: KeystoreEntry): Promise<LentKey | undefined> {
	const socketPath = process.env[AGENT_VARIABLE];
	if (!socketPath || key.scheme || !(await agentAt(socketPath)?.list())?.includes(key.base58))
		return undefined;
	const sign = async (hash: Uint8Array): Promise<Uint8Array> => {
		const signature = await agentSignature(key, hash);
		if (signature) return signature;
		throw new Failure("signer_unavailable", `the agent doesn't hold the key of ${key.base58} any more`);
	};
	return { address: key.address, sign };
}

/**
 * The key of a shielded address from an agent: it reads notes and produces proofs here, while the agent authorizes spends.
 * @returns undefined without an agent, or if it has ended or doesn't hold the key
 * @throws {Failure | KeystoreError} if the agent is not the user's own, or returns another key
 */
export async function agentShielded({ address, reach }: ShieldedEntry): Promise<ShieldedKeys | undefined> {
	const socketPath = process.env[AGENT_VARIABLE];
	if (!socketPath) return undefined;
	const keys = await agentAt(socketPath)?.view(address);
	if (!keys || keys.reach !== reach) return undefined;
	if (writePaymentAddress(addressOfKeys(keys), "neutral") !== address)
		throw new Failure("internal", "the agent's key is another one");
	const { full, delegated } = keys;
	if (!full || !delegated) return keys;
	const authorize = async (alpha: Uint8Array, hash: Uint8Array): Promise<Uint8Array> => {
		const signature = await delegated.authorize(alpha, hash);
		if (isAuthorizedBy(full.ak, alpha, hash, signature)) return signature;
		throw another();
	};
	return { ...keys, delegated: { ...delegated, authorize } };
}

// Signs something other than a transaction with a key of the keystore: by the agent if it holds the key, else with the password.

/** A hash to sign, with its description for the user. */
interface ShownHash {
	/** 32 bytes. */
	readonly hash: Uint8Array;
	/** Completes the message `<key> signs …`. */
	readonly what: string;
	/** Completes the message if no password is requested. */
	readonly whatUnlocked: string;
	/** The hashed contents, line by line. */
	readonly shown: readonly string[];
}

/** @returns 65 bytes @throws {Failure | KeystoreError} */
export async function hashSignature(
	terminal: { readonly chatty: boolean; note(line: string): void },
	key: KeystoreEntry,
	{ hash, what, whatUnlocked, shown }: ShownHash,
	source: PasswordSource,
): Promise<Uint8Array> {
	if (key.signer) checkHasKey(key);
	const byAgent = await agentSignature(key, hash);
	if (byAgent) terminal.note(`${key.name} signs (unlocked) ${whatUnlocked}`);
	if (canAsk() && (byAgent || source.file === undefined))
		await present([`${key.name} (${key.base58}) signs ${what}:`, ...shown]);
	if (byAgent) return byAgent;
	return passwordSignature(key, hash, source, terminal.chatty);
}

/** Signs with a key that is unlocked for this signature only. @returns 65 bytes */
export async function passwordSignature(
	key: KeystoreEntry,
	hash: Uint8Array,
	source: PasswordSource,
	chatty: boolean,
): Promise<Uint8Array> {
	return openedKey(source, chatty, key, async (_, password) => {
		const privateKey = await unlockKey(key, password);
		try {
			return sign(hash, privateKey);
		} finally {
			privateKey.fill(0);
		}
	});
}
