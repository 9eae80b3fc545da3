/** Opens a chain without servers, to import or export blocks. */

import { OpenChain } from "../node/chain/open-chain.js";
import { createContractMachine } from "../node/contract-runner.js";
import { prepareDevelopment } from "../node/development/development.js";
import { readFounding } from "../node/development/directory.js";
import type { Fork } from "../node/fork/fork.js";
import type { ForkFounding } from "../node/fork/fork-facts.js";
import type { PrepareProofs } from "../node/shielded/proof-queue.js";
import { loadShieldedSupport } from "../node/shielded-support.js";
import { installRecoverEngine } from "../node/signatures/engine.js";
import { SignaturePool, workerScript } from "../node/signatures/pool.js";
import { setAddressPrefix } from "../protocol/address.js";
import { useFastHashing } from "../protocol/hash.js";
import { type ConfigSource, readConfig } from "./config-source.js";
import { startFailure } from "./run-node.js";

export interface OfflineChain {
	readonly open: OpenChain;
	/** Threads that recover signatures; absent when running from source. */
	readonly pool: SignaturePool | undefined;
	/** Verifies the shielded proofs of blocks ahead of time; absent if they can't be verified. */
	readonly prepare: PrepareProofs | undefined;
	/** Throws the storage's error, if any. */
	check(): void;
	/** @throws {Failure} `start_failed` with the node's message if the last write fails; no data is lost in that case */
	close(): Promise<void>;
}

async function openFork(founding: ForkFounding): Promise<Fork> {
	const { Fork, forkRequests } = await import("../node/fork/fork.js");
	return new Fork(founding, forkRequests(), false);
}

/** Options of a development chain that seals no blocks and serves no clients. */
const AT_REST = {
	seal: "manual",
	solidLag: 0n,
	unstakeDelayMs: 60_000n,
	dialect: "neutral",
	ports: {},
} as const;

/**
 * Opens the chain of a configuration, or the development chain in a directory.
 * @param threads number of threads for signatures; 0 for none
 * @param warn told in a sentence that the block log was lost: the next start finds a new one, and tells no more
 * @throws {Failure} `start_failed` with the node's message
 */
export async function openOffline(
	source: ConfigSource,
	dataDirectory: string,
	threads: number,
	warn: (message: string) => void,
): Promise<OfflineChain> {
	let failure: unknown;
	try {
		const founding = readFounding(dataDirectory);
		const development = founding && prepareDevelopment({ ...AT_REST, ...founding });
		const config = development?.config ?? (await readConfig(source));
		setAddressPrefix(config.net.addressPrefix);
		const [shielded] = await Promise.all([
			loadShieldedSupport(config, development !== undefined),
			installRecoverEngine(),
			useFastHashing(),
		]);
		const script = workerScript();
		const machine = createContractMachine(config, false, undefined, shielded?.proofs);
		const fork = founding?.fork && (await openFork(founding.fork));
		const open = await OpenChain.open({
			config,
			dataDirectory,
			fork,
			clock: () => BigInt(Math.trunc(performance.now())),
			machine: machine.run,
			guess: (transaction) => machine.guesses.of(transaction),
			shielded,
			development: development?.schedule,
			initialize: development?.initialize,
			onLogLost: (head) => warn(`the block log is empty: blocks after ${head}, if there were any, are lost`),
			onStorageFailure: (error) => {
				failure = error;
			},
		});
		const pool = script && threads > 0 ? await SignaturePool.start(script, threads) : undefined;
		return {
			open,
			pool,
			prepare: shielded?.prepare,
			check: () => {
				if (failure !== undefined) throw startFailure(failure);
			},
			close: async () => {
				await Promise.all([pool?.close(), shielded?.close?.()]);
				// The last write may fail because the disk is full.
				await open.close().catch((error: unknown) => {
					throw startFailure(error);
				});
				await fork?.close();
			},
		};
	} catch (error) {
		throw startFailure(error);
	}
}
