/**
 * What an offline machine needs to know about the chain to build a transaction: a reference block, and the time
 * until which it can be used. One line of JSON, written by `coin chain head --ref` and read by `--ref`.
 */

import { refBlockOf } from "../../protocol/block.js";
import { fromHex, readBe64, toHex } from "../../protocol/bytes.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, readJson } from "../json.js";
import { fetchGenesisId, fetchHead } from "../node/chain-query.js";
import type { NodeClient } from "../node/node-client.js";
import { clockOf, MAX_LIFE_MS } from "./lifetime.js";
import { checkReference } from "./second-source.js";

/** A reference block, with the expiration for transactions that refer to it. */
export interface Reference {
	readonly number: bigint;
	/** 32 bytes; the first 8 are the number. */
	readonly id: Uint8Array;
	readonly expirationMs: bigint;
	/** Genesis block id of the chain, 32 bytes. */
	readonly chain: Uint8Array | undefined;
}

const MAX_TEXT = 65_536;

/**
 * Fetches a reference from a node. The block is the newest irreversible one, which no reorg can remove.
 * @param lifeMs validity of transactions, counted from now
 * @param nowMs this machine's clock
 * @throws {Failure} `wrong_network` if the node of the setting `referenceNode` has another block there
 */
export async function currentReference(
	client: NodeClient,
	lifeMs: number,
	nowMs = Date.now(),
): Promise<Reference> {
	if (lifeMs > MAX_LIFE_MS)
		throw new Failure("bad_value", "the network accepts expiries up to 24h after the head block");
	const [solid, { countedMs }, chain] = await Promise.all([
		fetchHead(client, "solidity"),
		clockOf(client, nowMs),
		fetchGenesisId(client),
	]);
	const { refBlockBytes, refBlockHash } = refBlockOf(solid.id);
	// The machine that signs can't ask anyone whether this is a block of another chain.
	await checkReference(client, { raw: { ref_block_bytes: refBlockBytes, ref_block_hash: refBlockHash } });
	return { number: solid.number, id: solid.id, expirationMs: countedMs + BigInt(lifeMs), chain };
}

/** The members to write; `refBlockBytes` and `refBlockHash` are for programs that build transactions themselves. */
export function referenceRecord({ number, id, expirationMs, chain }: Reference): object {
	const { refBlockBytes, refBlockHash } = refBlockOf(id);
	return {
		number,
		blockID: toHex(id),
		refBlockBytes: toHex(refBlockBytes),
		refBlockHash: toHex(refBlockHash),
		expiration: expirationMs,
		chain: chain ? toHex(chain) : undefined,
	};
}

/** Reads the JSON of a {@link referenceRecord}. @throws {Failure} `bad_value` */
export function readReference(text: string): Reference {
	if (text.length > MAX_TEXT) throw new Failure("bad_value", "the reference is larger than 64 KiB");
	let json: Json;
	try {
		json = readJson(text);
	} catch {
		throw notReference("it is not one JSON object");
	}
	if (!isRecord(json)) throw notReference("it is not one JSON object");
	const { number, blockID, expiration, chain } = json;
	const id = hash(blockID, "blockID");
	if (!/^\d{1,18}$/.test(String(number)) || readBe64(id.subarray(0, 8)) !== BigInt(String(number)))
		throw notReference("number and blockID are not of the same block");
	if (!/^\d{1,16}$/.test(String(expiration))) throw notReference("expiration is not a time in milliseconds");
	return {
		number: BigInt(String(number)),
		id,
		expirationMs: BigInt(String(expiration)),
		chain: chain === undefined ? undefined : hash(chain, "chain"),
	};
}

function hash(value: Json | undefined, name: string): Uint8Array {
	if (typeof value !== "string" || !/^[0-9a-fA-F]{64}$/.test(value))
		throw notReference(`${name} doesn't have 64 hexadecimal digits`);
	return fromHex(value);
}

function notReference(why: string): Failure {
	return new Failure("bad_value", `this is not what coin chain head --ref prints: ${why}`);
}
