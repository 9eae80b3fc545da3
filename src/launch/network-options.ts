/** A node of a network: its configuration, and the keys with which it produces blocks (protocol/configuration §§1.2, 1.8). */

import { readFile } from "node:fs/promises";
import { parseKeyFile } from "../keystore/key-file.js";
import { checkPrivateKey, decryptSecret, passwordBytes } from "../keystore/secret-storage.js";
import type { Producer } from "../node/chain/chain.js";
import type { NodeConfig, StartOptions } from "../node/config/config.js";
import type { PeerAddress } from "../node/config/peer-config.js";
import { producerWithKey } from "../node/production/witness-keys.js";
import { Failure } from "../wallet/failure.js";

/** The flags that stand in for keys of the file; undefined where not given. */
export interface NetworkFlags {
	readonly witness: boolean;
	readonly debug: boolean;
	readonly es: boolean;
	readonly "p2p-disable"?: string | undefined;
	readonly "fast-forward": boolean;
	readonly "trust-node"?: string | undefined;
	readonly "support-constant": boolean;
	readonly "max-energy-limit-for-constant"?: string | undefined;
	readonly "lru-cache-size"?: number | undefined;
	readonly "min-time-ratio"?: string | undefined;
	readonly "max-time-ratio"?: string | undefined;
	readonly "long-running-time"?: number | undefined;
	readonly "save-cancel-all-unfreeze-v2-details": boolean;
	readonly "storage-db-directory"?: string | undefined;
	readonly "storage-db-engine"?: string | undefined;
	readonly "storage-db-synchronous"?: string | undefined;
	readonly "storage-transactionHistory-switch"?: string | undefined;
	readonly "contract-parse-enable"?: string | undefined;
	readonly "witness-address"?: string | undefined;
}

/** The command line as the configuration takes it. @param privateKey text of a producer's key */
export function startOptions(
	flags: NetworkFlags,
	peers: readonly string[],
	privateKey: string | undefined,
): StartOptions {
	const options: { [K in keyof StartOptions]: StartOptions[K] | undefined } = {
		witness: flags.witness || undefined,
		privateKey,
		witnessAddress: flags["witness-address"],
		debug: flags.debug || undefined,
		events: flags.es || undefined,
		peersDisabled: flags["p2p-disable"] === undefined ? undefined : flags["p2p-disable"] === "true",
		fastForward: flags["fast-forward"] || undefined,
		seeds: peers.length > 0 ? peers.map(parsePeer) : undefined,
		trustNode: flags["trust-node"],
		supportConstant: flags["support-constant"] || undefined,
		maxEnergyLimitForConstant: long(flags["max-energy-limit-for-constant"]),
		lruCacheSize: flags["lru-cache-size"],
		minTimeRatio: decimal("min-time-ratio", flags["min-time-ratio"]),
		maxTimeRatio: decimal("max-time-ratio", flags["max-time-ratio"]),
		longRunningTime: flags["long-running-time"],
		saveCancelAllUnfreezeV2Details: flags["save-cancel-all-unfreeze-v2-details"] || undefined,
		storageDbDirectory: flags["storage-db-directory"],
		storageDbEngine: flags["storage-db-engine"],
		storageDbSynchronous: flags["storage-db-synchronous"],
		storageTransactionHistorySwitch: flags["storage-transactionHistory-switch"],
		contractParseEnable: flags["contract-parse-enable"],
	};
	return Object.fromEntries(
		Object.entries(options).filter(([, value]) => value !== undefined),
	) as StartOptions;
}

function parsePeer(text: string): PeerAddress {
	const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
	const port = Number(match?.[3]);
	if (!match || port < 1 || port > 65535) {
		throw new Failure("usage", `Invalid inetSocketAddress: "${text}", use ipv4:port or [ipv6]:port`);
	}
	return { host: (match[1] ?? match[2]) as string, port };
}

function long(text: string | undefined): bigint | undefined {
	if (text === undefined) return undefined;
	if (!/^\d{1,19}$/.test(text)) throw new Failure("bad_value", `"${text}" is no whole number`);
	return BigInt(text);
}

function decimal(name: string, text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const value = Number(text);
	if (text.trim() === "" || !Number.isFinite(value))
		throw new Failure("bad_value", `--${name} "${text}" is no number`);
	return value;
}

/**
 * The keys that produce blocks: those of the configuration, or of its first key file.
 * @param password asked for only where a key file has to be opened
 * @throws {KeystoreError} if the key file can't be opened
 */
export async function producersOf(
	config: NodeConfig,
	password: (file: string) => Promise<string>,
): Promise<Producer[]> {
	if (!config.run.witness) return [];
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
	const key = await decryptSecret(parseKeyFile(text, file), passwordBytes(await password(file)), file);
	return [producerWithKey(checkPrivateKey(key), accountAddress)];
}
