/** Loads the keys with which a network's node produces blocks (protocol/configuration §1.8). */

import { readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ConfigError } from "../hocon/hocon.js";
import { parseKeyFile } from "../keystore/key-file.js";
import { MAX_PLAIN_KEY_BYTES, type PlainKeyMembers, plainKeyOf } from "../keystore/plain-post-quantum-key.js";
import type { PostQuantumKey } from "../keystore/post-quantum-key.js";
import { checkPrivateKey, decryptSecret, passwordBytes } from "../keystore/secret-storage.js";
import type { SignerKey, SignerPlace } from "../keystore/signer/client.js";
import type { Producer } from "../node/chain/packing.js";
import type { NodeConfig } from "../node/config/config.js";
import type { NodeOptions } from "../node/node.js";
import { producerOf, producerWithKey, producerWithPostQuantumKey } from "../node/production/slot-producer.js";
import { toHex } from "../protocol/bytes.js";
import { loadPostQuantum } from "../protocol/post-quantum/algorithms.js";
import { Failure } from "../wallet/failure.js";

/**
 * Reads a file with a post-quantum key (protocol/post-quantum §10), whose library must be loaded. Error messages contain nothing of the
 * key except lengths and names.
 * @param index of the file in the setting, for messages
 * @throws {ConfigError}
 */
export function readPostQuantumKey(path: string, index: number): PostQuantumKey {
	const place = `localPqWitness.keys[${index}]`;
	return plainKeyOf(readMembers(path, place), {
		whole: `${place} (${path})`,
		key: place,
		member: (name) => `${place}.${name}`,
		refuse: (text) => new ConfigError(text),
		reason: " (BouncyCastle provides no API to derive it from the private key)",
	});
}

function readMembers(path: string, place: string): PlainKeyMembers {
	if (path.trim() === "") throw new ConfigError(`${place} must be a non-blank JSON key file path`);
	const file = resolve(path);
	const unreadable = (why: string) => new ConfigError(`${place} failed to parse key file ${path}: ${why}`);
	const size = statSync(file, { throwIfNoEntry: false })?.size;
	if (size === undefined) throw new ConfigError(`${place} key file not found: ${file}`);
	if (size > MAX_PLAIN_KEY_BYTES) throw unreadable(`it has more than ${MAX_PLAIN_KEY_BYTES} bytes`);
	let value: unknown;
	try {
		value = JSON.parse(readFileSync(file, "utf8"));
	} catch (error) {
		// The parser's message would quote the file.
		const { code } = error as NodeJS.ErrnoException;
		throw unreadable(code ?? "it is not JSON");
	}
	if (typeof value !== "object" || value === null || Array.isArray(value))
		throw unreadable("it is no object");
	return value as PlainKeyMembers;
}

/**
 * The keys that produce blocks: those of the configuration, or of its first key file, and on Nile post-quantum ones as well; or those of
 * a signer, for which this waits if it is unavailable.
 * @param password called only if a key file has to be decrypted
 * @param mayAwait whether to wait for a signer: not if this process replaces a node that is running with its keys
 * @throws {Failure} if the signer's response is wrong, or it is unavailable and `mayAwait` is false
 * @throws {KeystoreError} if the key file can't be decrypted
 * @throws {ConfigError} for an invalid file of a post-quantum key
 */
export async function producersOf(
	config: NodeConfig,
	password: (file: string) => Promise<string>,
	mayAwait: boolean,
): Promise<Pick<NodeOptions, "producers" | "awaitedSigner">> {
	const { signer } = config.localWitness;
	if (!config.run.witness) return { producers: [] };
	if (signer === undefined) return { producers: await producersHere(config, password) };
	const { keysOfSigner, SignerError } = await import("../keystore/signer/client.js");
	const ask = async () => producersOfSigner(signer, await keysOfSigner(signer), config.localWitness);
	try {
		return { producers: await ask() };
	} catch (error) {
		if (!(error instanceof SignerError)) throw error;
		if (mayAwait && error.isAway) return { producers: [], awaitedSigner: { reason: error.message, ask } };
		throw new Failure("start_failed", error.message, {
			hint: "localwitness.signer is the place of a coin signer serve",
		});
	}
}

/** @throws as {@link producersOf} */
async function producersHere(
	config: NodeConfig,
	password: (file: string) => Promise<string>,
): Promise<Producer[]> {
	const recoverable = await recoverableProducers(config, password);
	const { files, accountAddress } = config.localWitness.postQuantum;
	if (files.length === 0) return recoverable;
	await loadPostQuantum();
	const postQuantum = files.map((file, index) => {
		const { scheme, ...keys } = readPostQuantumKey(file, index);
		return producerWithPostQuantumKey(scheme, keys, { witness: accountAddress });
	});
	const both = postQuantum.find(({ witness }) => producerOf(recoverable, witness));
	if (!both) return [...recoverable, ...postQuantum];
	throw new ConfigError(
		`Witness account address ${toHex(both.witness)} is authorised to both an ECDSA and a PQ key; one account address should authorise witness permission to only one key.`,
	);
}

/** Producers whose keys are held by a signer. @throws {ConfigError} for several keys although one account is configured */
export async function producersOfSigner(
	place: SignerPlace,
	keys: readonly SignerKey[],
	{ accountAddress }: NodeConfig["localWitness"],
): Promise<Producer[]> {
	if (accountAddress && keys.length > 1)
		throw new ConfigError(
			`localWitnessAccountAddress is for a single key, and the signer at ${place.at} has ${keys.length}`,
		);
	if (keys.some(({ postQuantum }) => postQuantum)) await loadPostQuantum();
	return keys.map(({ address, postQuantum, sign, prepare, isElsewhere }) => ({
		witness: accountAddress ?? address,
		signer: address,
		sign: () => {
			throw new Error("this key signs elsewhere");
		},
		remote: {
			prepare,
			isElsewhere,
			block: (header) => sign("block", header),
			hello: (timestampMs) => sign("hello", timestampMs),
			vote: (vote) => sign("vote", vote),
		},
		...(postQuantum && { postQuantum }),
	}));
}

async function recoverableProducers(
	config: NodeConfig,
	password: (file: string) => Promise<string>,
): Promise<Producer[]> {
	const { keys, accountAddress, keystores } = config.localWitness;
	if (keys.count > 0) return keys.reveal().map((key) => producerWithKey(key, accountAddress));
	const [file] = keystores;
	if (file === undefined) return [];
	let text: string;
	try {
		text = await readFile(file, "utf8");
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new Failure(
			"start_failed",
			`the witness's key file ${file} can't be read (${code ?? "unknown error"})`,
		);
	}
	const keyFile = parseKeyFile(text, file);
	if (keyFile.scheme) {
		throw new Failure(
			"start_failed",
			`the witness's key file ${file} holds a key of ${keyFile.scheme.name}: localPqWitness.keys names such keys, in files that coin keystore export key writes`,
		);
	}
	const key = await decryptSecret(keyFile, passwordBytes(await password(file)), file);
	return [producerWithKey(checkPrivateKey(key), accountAddress)];
}
