/** Queries that most commands need: blocks, accounts, the identity of the chain. */

import { toBase58Check } from "../../protocol/address.js";
import { blockId } from "../../protocol/block.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { sha256 } from "../../protocol/hash.js";
import {
	Account,
	BlockHeader,
	BlockHeaderRaw,
	PQAuthSig,
	TransactionInfo,
	type TransactionRaw,
} from "../../protocol/messages.js";
import { headerFieldOf } from "../../protocol/post-quantum/fields.js";
import { DEVELOPMENT_PARENT_HASH } from "../../protocol/public-networks.js";
import { Failure } from "../failure.js";
import { isRecord, type JsonRecord } from "../json.js";
import { messageFrom } from "./answer.js";
import type { NodeClient, NodeView } from "./node-client.js";

/** A block's header, with the id computed from it and compared with the node's. */
export interface BlockReference {
	readonly id: Uint8Array;
	readonly number: bigint;
	readonly timestampMs: bigint;
	readonly header: Readonly<BlockHeader>;
	/** The node's response, with the transactions if they were requested. */
	readonly answer: JsonRecord;
}

/** Reads a block from a response; undefined if there is no such block. @throws {Failure} if id and header disagree */
function blockFrom(answer: JsonRecord): BlockReference | undefined {
	const { blockID, block_header: headerJson } = answer;
	if (!isRecord(headerJson)) return undefined;
	const header = messageFrom(BlockHeader, headerJson);
	const { pq_auth_sig: postQuantum } = headerJson;
	if (isRecord(postQuantum)) header.$unknown = headerFieldOf(messageFrom(PQAuthSig, postQuantum));
	const raw = header.raw_data ?? new BlockHeaderRaw();
	const id = blockId(raw.number, sha256(BlockHeaderRaw.encode(raw)));
	if (typeof blockID === "string" && blockID.toLowerCase() !== toHex(id)) {
		throw new Failure(
			"rpc_error",
			`the node's block ${raw.number} has the id ${blockID}, but its header gives ${toHex(id)}`,
		);
	}
	return { id, number: raw.number, timestampMs: raw.timestamp, header, answer };
}

/** The newest block of a view. */
export async function fetchHead(client: NodeClient, view: NodeView = "full"): Promise<BlockReference> {
	const block = blockFrom(await client.call("getnowblock", {}, view));
	if (!block) throw new Failure("rpc_error", "the node has no head block");
	return block;
}

export async function fetchBlockByNumber(
	client: NodeClient,
	number: bigint,
	view: NodeView = "full",
): Promise<BlockReference | undefined> {
	return blockFrom(await client.call("getblockbynum", { num: number }, view));
}

/** Fetches a block, without its transactions if the node can leave them out. */
export async function fetchHeader(client: NodeClient, number: bigint): Promise<BlockReference | undefined> {
	try {
		return blockFrom(await client.call("getblock", { id_or_num: String(number), detail: false }));
	} catch (error) {
		// Either the node lacks this endpoint, or, in some releases, it responds with an error because it has no such block.
		if (!(error instanceof Failure) || (error.code !== "not_served" && error.code !== "rpc_error"))
			throw error;
		return fetchBlockByNumber(client, number);
	}
}

export async function fetchBlockById(
	client: NodeClient,
	id: Uint8Array,
	view: NodeView = "full",
): Promise<BlockReference | undefined> {
	const block = blockFrom(await client.call("getblockbyid", { value: toHex(id) }, view));
	if (block && !equalBytes(block.id, id))
		throw new Failure("rpc_error", "the node answered with another block");
	return block;
}

/** Fetches an account as stored; undefined if it doesn't exist. */
export async function fetchAccount(
	client: NodeClient,
	address: Uint8Array,
	view: NodeView = "full",
): Promise<Readonly<Account> | undefined> {
	const answer = await client.call("getaccount", { address: toHex(address) }, view);
	if (Object.keys(answer).length === 0) return undefined;
	const account = messageFrom(Account, answer);
	if (!equalBytes(account.address, address)) {
		throw new Failure("rpc_error", `the node answered with another account than ${toBase58Check(address)}`);
	}
	return account;
}

/** Fetches an account that must exist. @throws {Failure} `not_found` */
export async function existingAccount(
	client: NodeClient,
	address: Uint8Array,
	view: NodeView = "full",
): Promise<Readonly<Account>> {
	const account = await fetchAccount(client, address, view);
	if (!account)
		throw new Failure("not_found", `the account ${toBase58Check(address)} does not exist on this chain`);
	return account;
}

/** Fetches the receipt of a transaction; undefined if it isn't in a block. */
export async function fetchReceipt(
	client: NodeClient,
	transactionId: Uint8Array,
	view: NodeView = "full",
): Promise<Readonly<TransactionInfo> | undefined> {
	const answer = await client.call("gettransactioninfobyid", { value: toHex(transactionId) }, view);
	return Object.keys(answer).length === 0 ? undefined : messageFrom(TransactionInfo, answer);
}

const genesisIds = new WeakMap<NodeClient, Promise<Uint8Array>>();

/**
 * Id of the chain's genesis block, fetched once per client.
 * @throws {Failure} `wrong_network` if the profile expects another chain
 */
export function fetchGenesisId(client: NodeClient): Promise<Uint8Array> {
	let known = genesisIds.get(client);
	if (!known) {
		known = askGenesisId(client);
		genesisIds.set(client, known);
	}
	return known;
}

/** Whether a node serves a development chain, whose keys and proving parameters are for testing only. */
export async function isDevelopmentChain(client: NodeClient): Promise<boolean> {
	const parent = (await fetchBlockByNumber(client, 0n))?.header.raw_data?.parentHash;
	return parent !== undefined && equalBytes(parent, DEVELOPMENT_PARENT_HASH);
}

async function askGenesisId(client: NodeClient): Promise<Uint8Array> {
	const genesis = await fetchBlockByNumber(client, 0n);
	if (!genesis) throw new Failure("rpc_error", "the node doesn't know its genesis block");
	const { genesis: expected, profile } = client.settings;
	if (expected !== undefined && !toHex(genesis.id).endsWith(expected)) {
		throw new Failure(
			"wrong_network",
			`the node serves the chain ${toHex(genesis.id)}, the profile "${profile}" means ${expected}`,
		);
	}
	return genesis.id;
}

/** A transaction's reference contains the last two bytes of a block's number, so it repeats after this many blocks, and 8 of its id. */
export const REFERENCE_NUMBERS = 65_536n;

/** The highest block number, up to the head's, that a transaction can refer to; negative if there is none. */
export function referredNumber(
	head: bigint,
	{ ref_block_bytes: bytes }: Pick<TransactionRaw, "ref_block_bytes">,
): bigint {
	const low = BigInt(`0x${toHex(bytes)}`);
	return head - ((((head - low) % REFERENCE_NUMBERS) + REFERENCE_NUMBERS) % REFERENCE_NUMBERS);
}
