/** Compares the state of two nodes by their state hashes (protocol/state-hash). */

import { Failure, onRefusal } from "../failure.js";
import { isRecord, type Json } from "../json.js";
import { callJsonRpc } from "./json-rpc.js";
import type { NodeClient } from "./node-client.js";

/** A node's hash of the state after a block. */
interface NodeStateHash {
	readonly version: number;
	readonly block: number;
	/** 64 hexadecimal digits. */
	readonly hash: string;
	/** Hashes of the individual stores, by name. */
	readonly stores: ReadonlyMap<string, string>;
}

interface StateComparison {
	/** The newest finalized block for which both have the hash. */
	readonly block: number;
	readonly equal: boolean;
	readonly hashes: readonly [string, string];
	/** Stores that differ, ascending. */
	readonly stores: readonly string[];
	/** The lowest block after which they differ, if both keep the hash of the block before it; absent if not known. */
	readonly firstDifference?: number;
}

const STATE_HASH = /^[0-9a-f]{64}$/;
const MAX_STORES = 100;

/** @throws {Failure} `rpc_error` */
function readStateHash(answer: Json, url: string): NodeStateHash {
	const { version, block, hash, stores } = isRecord(answer) ? answer : {};
	const digits = (value: Json | undefined): value is string =>
		typeof value === "string" && STATE_HASH.test(value);
	const count = (value: Json | undefined): number =>
		typeof value === "bigint" || typeof value === "number" ? Number(value) : Number.NaN;
	const rows = isRecord(stores)
		? Object.entries(stores).map(([name, row]) => [name, isRecord(row) ? row["hash"] : undefined] as const)
		: [];
	const isWhole =
		Number.isSafeInteger(count(version)) &&
		Number.isSafeInteger(count(block)) &&
		count(block) >= 0 &&
		digits(hash) &&
		rows.length <= MAX_STORES &&
		rows.every(([name, row]) => /^[\w-]{1,64}$/.test(name) && digits(row));
	if (!isWhole) throw new Failure("rpc_error", `${url} answered coin_getStateHash with something else`);
	return {
		version: count(version),
		block: count(block),
		hash: hash as string,
		stores: new Map(rows.map(([name, row]) => [name, row as string])),
	};
}

/**
 * Fetches the hash of the state after a block; if none is given, after the newest finalized block.
 * @param url the node's JSON-RPC
 * @throws {Failure} `not_served` or `rpc_error` if the node doesn't have it
 */
export async function fetchStateHash(
	client: NodeClient,
	url: string,
	block?: number,
): Promise<NodeStateHash> {
	const parameters = block === undefined ? [] : [block];
	const answer = readStateHash(await callJsonRpc(client, "coin_getStateHash", parameters, url), url);
	if (block !== undefined && answer.block !== block)
		throw new Failure(
			"rpc_error",
			`${url} was asked for block ${block} and answered for block ${answer.block}`,
		);
	return answer;
}

/**
 * Compares two nodes after the newest finalized block for which both keep the hash, and finds the first block at which they differ.
 * @param urls the JSON-RPC of each node
 * @throws {Failure} if a node doesn't compute the hash, or they have no block in common for which both keep it
 */
export async function compareStates(
	client: NodeClient,
	urls: readonly [string, string],
): Promise<StateComparison> {
	const both = async (block?: number): Promise<[NodeStateHash, NodeStateHash]> => {
		const pair = await Promise.all([
			fetchStateHash(client, urls[0], block),
			fetchStateHash(client, urls[1], block),
		]);
		if (pair[0].version !== pair[1].version)
			throw new Failure("not_served", "the two nodes hash in different versions, which can't be compared");
		return pair;
	};
	const newest = await both();
	const block = Math.min(newest[0].block, newest[1].block);
	const [one, other] = newest[0].block === newest[1].block ? newest : await both(block);
	const hashes = [one.hash, other.hash] as const;
	if (one.hash === other.hash) return { block, equal: true, hashes, stores: [] };
	const names = [...new Set([...one.stores.keys(), ...other.stores.keys()])].sort();
	const stores = names.filter((name) => one.stores.get(name) !== other.stores.get(name));
	const first = await firstDifference(block, both);
	return { block, equal: false, hashes, stores, ...(first === undefined ? {} : { firstDifference: first }) };
}

/** Finds the first difference by bisection: states that differ once practically never become equal again. */
async function firstDifference(
	differs: number,
	both: (block: number) => Promise<readonly [NodeStateHash, NodeStateHash]>,
): Promise<number | undefined> {
	// Undefined if one of them doesn't keep the hash.
	const isSame = (block: number): Promise<boolean | undefined> =>
		both(block)
			.then(([one, other]) => one.hash === other.hash)
			.catch(onRefusal(undefined, "rpc_error"));
	let [same, different] = [Math.max(0, differs - KEPT_BLOCKS), differs];
	while (different - same > 1) {
		const middle = Math.floor((same + different) / 2);
		if ((await isSame(middle)) === false) different = middle;
		else same = middle;
	}
	return (await isSame(same)) ? different : undefined;
}

/** Number of blocks for which nodes keep hashes. */
const KEPT_BLOCKS = 1_024;
