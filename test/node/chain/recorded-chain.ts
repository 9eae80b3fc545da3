/** Chains of recorded sets, fed block by block without servers, for tests of storage and restarts. */

import type { ChainOptions, FlushLimits } from "../../../src/node/chain/chain-options.js";
import { OpenChain } from "../../../src/node/chain/open-chain.js";
import { loadConfig, type NodeConfig } from "../../../src/node/config/config.js";
import { ChainError } from "../../../src/node/rules/errors.js";
import { loadShieldedSupport } from "../../../src/node/shielded-support.js";
import { installRecoverEngine } from "../../../src/node/signatures/engine.js";
import { settleAccountAssets } from "../../../src/node/state/asset-layout.js";
import { type StoreDefinition, storeDefinitions, stores } from "../../../src/node/state/definition.js";
import { setAddressPrefix } from "../../../src/protocol/address.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { fromHex, toHex, toKey } from "../../../src/protocol/bytes.js";
import { Account } from "../../../src/protocol/messages.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";
import { openRecordings } from "../../../tools/replay/recording.js";

/** Longer than any jump of recorded times: nothing leaves the pool by age. */
const NEVER_MS = 1n << 50n;

export interface RecordedBlock {
	readonly bytes: Uint8Array;
	/** The reference produced it; otherwise it came as from a peer, and may be wrong. */
	readonly produced: boolean;
}

export interface RecordedSet {
	readonly config: NodeConfig;
	readonly blocks: readonly RecordedBlock[];
}

/** Reads a set of test/golden, or of another folder. */
export function recordedSet(name: string, folder = "test/golden"): RecordedSet {
	const [recording] = openRecordings(`${folder}/${name}/${name}.conf`);
	if (!recording) throw new Error(`no set ${name}`);
	const blocks: RecordedBlock[] = [];
	for (const [, line] of recording.lines()) {
		if (line.t === "block") blocks.push({ bytes: fromHex(line.block), produced: true });
		if (line.t === "push") blocks.push({ bytes: fromHex(line.block), produced: false });
	}
	const config = loadConfig(recording.configFile);
	const { node } = config;
	return {
		config: {
			...config,
			node: {
				...node,
				pending: { ...node.pending, timeoutMs: NEVER_MS },
				// The parameters of proofs are large files of the network.
				shielded: { ...node.shielded, allowsUnverified: true },
			},
		},
		blocks,
	};
}

/** Opens the set's chain, in a directory or in memory. */
export async function openRecorded(
	{ config }: RecordedSet,
	dataDirectory?: string,
	flushLimits?: FlushLimits,
	others: Partial<ChainOptions> = {},
): Promise<OpenChain> {
	installRecoverEngine();
	setAddressPrefix(config.net.addressPrefix);
	return OpenChain.open({
		config,
		dataDirectory,
		clock: () => 0n,
		shielded: await loadShieldedSupport(config, false),
		machine: () => {
			throw new Error("this set runs no contracts");
		},
		flushLimits,
		onStorageFailure: (error) => {
			throw error;
		},
		...others,
	});
}

/** Offers a block as the recording did, then runs what waits; the outcome as one word or sentence. */
export function feed({ chain }: OpenChain, { bytes }: RecordedBlock): string {
	try {
		return chain.push(SignedBlock.decode(bytes), "recording").kind;
	} catch (error) {
		if (!(error instanceof ChainError)) throw error;
		return `${error.className}: ${error.message}`;
	} finally {
		while (chain.executeWaiting(Number.POSITIVE_INFINITY));
	}
}

/** Brings the transactions of a coming block into the pool; those that don't fit are refused. */
export function feedPool({ chain }: OpenChain, { bytes }: RecordedBlock): void {
	for (const { message } of SignedBlock.decode(bytes).transactions) {
		try {
			chain.pushTransaction(new SignedTransaction(message));
		} catch (error) {
			if (!(error instanceof ChainError)) throw error;
		}
	}
}

/** What the pool holds: pending, waiting and popped, as ids. */
export function poolIds({ chain }: OpenChain): string[] {
	return [...new Set(chain.pool.all().map(({ transaction }) => transaction.idHex))].sort();
}

/** The whole head state: store name and key to value, in hexadecimal. */
export async function dumpState({ database }: OpenChain): Promise<Map<string, string>> {
	const entries = new Map<string, string>();
	for (const store of storeDefinitions) {
		for await (const [key, bytes] of database.dump(store)) {
			entries.set(
				`${store.name} ${toHex(Buffer.from(key, "latin1"))}`,
				toHex(settled(database, store, key, bytes)),
			);
		}
	}
	return entries;
}

/**
 * When an account's record is rewritten on its way into the base is not part of what it says (protocol/tokens §8.3), neither
 * in its store nor in the copies that rewards are computed from.
 */
function settled(
	{ headBackend }: OpenChain["database"],
	store: StoreDefinition<unknown>,
	key: string,
	bytes: Uint8Array,
): Uint8Array {
	const isAccount =
		store.name === "account" || (store.name === "delegation" && key.endsWith("-account-vote"));
	if (!isAccount) return bytes;
	return Account.encode(settleAccountAssets(headBackend, stores.account, Account.decode(bytes)));
}

/** What the solidity API shows of the properties and the block index. */
export function solidHead({ solidState }: OpenChain): string {
	return `${solidState.properties.headNumber} ${toKey(solidState.properties.headId)}`;
}
