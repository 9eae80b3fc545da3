/** The base of commands about notes: selecting the key and the pool, and scanning it. */

import { Flags } from "@oclif/core";
import { findShielded, type ShieldedEntry, unlockShielded } from "../../keystore/shielded-keystore.js";
import { toHex } from "../../protocol/bytes.js";
import { DEVELOPMENT_POOL_TOKEN } from "../../protocol/public-networks.js";
import type { ShieldedKeys } from "../../protocol/sapling/key-set.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { fetchGenesisId, isDevelopmentChain } from "../../wallet/node/chain-query.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import type { JudgedNote } from "../../wallet/shielded/note-state.js";
import { judgedNotes } from "../../wallet/shielded/pay.js";
import { type Pool, poolName, USUAL_POOL_TOKEN } from "../../wallet/shielded/pool.js";
import { type PoolUnits, unitsOf } from "../../wallet/shielded/pool-units.js";
import { fileStore, type ScanResult, type ScanStore, scanPool } from "../../wallet/shielded/scan.js";
import { tokenContract } from "../../wallet/token/orc20.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { parseNatural } from "../../wallet/values/integer-text.js";
import type { Terminal } from "../base/command-row.js";
import { keystoreFlags, nodeFlags, type PasswordFlags, passwordFlags, progressFlag } from "../flags/flags.js";
import { agentShielded } from "../keys/agent-signature.js";
import { openedKey, type PasswordSource } from "../keys/secrets.js";
import { type ProgressAudience, withProgress } from "../progress/progress.js";

/** Flags that select a key of shielded addresses. */
export const shieldedKeyFlags = {
	key: Flags.string({
		description: "key of shielded addresses (default: the only one)",
		helpValue: "<name>",
		helpGroup: "SHIELDED",
		env: "COIN_SHIELDED_KEY",
	}),
	"key-password-file": Flags.string({
		description: "file with the password of that key, where it is another one; - for standard input",
		helpValue: "<path>",
		helpGroup: "SHIELDED",
	}),
};

/** Flags that select the pool. */
export const poolFlags = {
	contract: Flags.string({
		description: "contract that keeps the notes (default: the chain's own pool)",
		helpValue: "<account>",
		helpGroup: "SHIELDED",
		env: "COIN_SHIELDED_CONTRACT",
	}),
	token: Flags.string({
		description: "the contract's ORC-20 token, where it doesn't tell",
		helpValue: "<token>",
		helpGroup: "SHIELDED",
		dependsOn: ["contract"],
	}),
	"pool-token": Flags.string({
		description: `ORC-10 token of the chain's own pool, as its nodes are configured (${USUAL_POOL_TOKEN}; ${DEVELOPMENT_POOL_TOKEN} on a development chain)`,
		helpValue: "<id>",
		helpGroup: "SHIELDED",
		exclusive: ["contract"],
	}),
	since: Flags.string({
		description: "first block to read, where nothing was read yet (default: all)",
		helpValue: "<block>",
		helpGroup: "SHIELDED",
	}),
};

/** Flags of all queries about notes. */
export const shieldedQueryFlags = {
	...nodeFlags,
	...keystoreFlags,
	...passwordFlags,
	...progressFlag,
	...shieldedKeyFlags,
	...poolFlags,
};

/** The values of {@link shieldedKeyFlags}. */
type KeyFlags = PasswordFlags & {
	readonly key?: string | undefined;
	readonly "key-password-file"?: string | undefined;
};

/** The values of {@link poolFlags}. */
interface PoolFlags {
	readonly contract?: string | undefined;
	readonly token?: string | undefined;
	readonly "pool-token"?: string | undefined;
	readonly since?: string | undefined;
}

/** How a command prompts and reports. */
interface Manner {
	readonly source: PasswordSource;
	readonly audience: ProgressAudience;
	readonly note: (text: string) => void;
	readonly warn: (text: string) => void;
}

/** An unlocked key. */
interface OpenKey {
	readonly entry: ShieldedEntry;
	readonly keys: ShieldedKeys;
}

/** Unlocks the key given by the flags, through an agent if one holds it. @throws {Failure | KeystoreError} */
export async function openShielded(
	settings: Settings,
	flags: KeyFlags,
	{ source, audience }: Manner,
): Promise<OpenKey> {
	const entry = await findShielded(settings.keystoreDirectory, flags.key);
	const lent = await agentShielded(entry);
	if (lent) return { entry, keys: lent };
	const own = { ...source, file: flags["key-password-file"] ?? source.file };
	return { entry, keys: await openedKey(own, audience, entry, unlockShielded) };
}

/** The pool given by the flags. @throws {Failure} */
export async function poolOf(client: NodeClient, flags: PoolFlags): Promise<Pool> {
	if (flags.contract !== undefined)
		return { kind: "contract", contract: await accountNamed(client.settings, flags.contract) };
	return { kind: "native", tokenId: flags["pool-token"] ?? (await usualToken(client)) };
}

async function usualToken(client: NodeClient): Promise<string> {
	return (await isDevelopmentChain(client)) ? DEVELOPMENT_POOL_TOKEN : USUAL_POOL_TOKEN;
}

/** The units of a pool's amounts. @throws {Failure} */
export async function poolUnits(client: NodeClient, pool: Pool, flags: PoolFlags): Promise<PoolUnits> {
	const { token } = flags;
	const address =
		token === undefined
			? undefined
			: ((await tokenContract(client.settings, token)) ?? (await accountNamed(client.settings, token)));
	return unitsOf(client, pool, address);
}

/** A pool as seen with a key. */
interface OpenPool {
	readonly client: NodeClient;
	readonly pool: Pool;
	readonly store: ScanStore;
	scan(): Promise<ScanResult>;
}

/** Opens a pool for scanning. @param again discard the stored scan state */
export async function openPool(
	client: NodeClient,
	{ keys }: OpenKey,
	flags: PoolFlags,
	{ audience, note, warn }: Manner,
	again = false,
): Promise<OpenPool> {
	const pool = await poolOf(client, flags);
	const chain = toHex(await fetchGenesisId(client));
	const store = fileStore(client.settings.keystoreDirectory, keys, chain, poolName(pool), note);
	if (again) await store.clear();
	const since = flags.since === undefined ? undefined : parseNatural(flags.since);
	const scan = (): Promise<ScanResult> =>
		withProgress("reading blocks", audience, (progress) =>
			scanPool({
				client,
				pool,
				keys,
				store,
				since,
				onProgress: (block, last) => progress.update(`reading blocks: ${block} of ${last}`),
				onRewind: (block) => warn(`the chain is another one from block ${block} on: reading goes back to it`),
			}),
		);
	return { client, pool, store, scan };
}

/** The result of scanning a pool. */
interface ReadNotes {
	readonly pool: OpenPool;
	readonly scan: ScanResult;
	readonly notes: readonly JudgedNote[];
	readonly units: PoolUnits;
}

/** How a command prompts for passwords and reports progress. */
export function mannerOf(
	{ passwordSource, audience, note, warning: warn }: Omit<Terminal, "settings">,
	settings: Settings,
): Manner {
	return { source: passwordSource(settings), audience: audience(), note, warn };
}

/** Unlocks the key, scans the pool up to the head, and determines the state of each note. @param again scan from the beginning */
export async function readNotes(
	terminal: Terminal,
	flags: KeyFlags & PoolFlags,
	again = false,
): Promise<ReadNotes> {
	const settings = await terminal.settings();
	const client = new NodeClient(settings);
	const manner = mannerOf(terminal, settings);
	const open = await openShielded(settings, flags, manner);
	const pool = await openPool(client, open, flags, manner, again);
	const scan = await pool.scan();
	const units = await poolUnits(client, pool.pool, flags);
	const notes = await judgedNotes(client, pool.pool, scan, manner.warn);
	return { pool, scan, notes, units };
}
