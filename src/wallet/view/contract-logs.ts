/** Fetches logs by JSON-RPC: past ones in ranges that the server allows, new ones by a filter (protocol/json-rpc §9). */

import { fromHex, toHex } from "../../protocol/bytes.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord } from "../json.js";
import { callJsonRpc, quantityOf } from "../node/json-rpc.js";
import type { NodeClient } from "../node/node-client.js";
import { isFilterMissing, rangeLimitIn } from "../node/node-messages.js";

/** The logs to select. */
interface LogQuery {
	/** Contracts, 21 bytes each; if empty, any. */
	readonly addresses: readonly Uint8Array[];
	/** Topics by position; null matches any. */
	readonly topics: readonly (Uint8Array | null)[];
}

export interface ContractLog {
	readonly block: bigint;
	readonly txID: string;
	readonly logIndex: number;
	/** 20 bytes. */
	readonly address: Uint8Array;
	readonly topics: readonly Uint8Array[];
	readonly data: Uint8Array;
	/** Whether its block was removed in a reorg. */
	readonly removed: boolean;
}

/** Blocks per request: the servers' default limit. */
export const USUAL_RANGE = 5000n;
const POLL_MS = 1000;

/** Fetches the number of the head block. */
export async function fetchHeadNumber(client: NodeClient): Promise<bigint> {
	return quantityOf(await callJsonRpc(client, "eth_blockNumber", []));
}

/** Yields the logs of blocks `from` to `to`, both included, in order. @throws {Failure} */
export async function* pastLogs(
	client: NodeClient,
	query: LogQuery,
	from: bigint,
	to: bigint,
): AsyncGenerator<ContractLog> {
	let size = USUAL_RANGE;
	for (let start = from; start <= to; ) {
		const end = start + size - 1n < to ? start + size - 1n : to;
		let answer: Json;
		try {
			answer = await callJsonRpc(client, "eth_getLogs", [filterObject(query, start, end)]);
		} catch (error) {
			const smaller = smallerRange(error, end - start + 1n);
			if (smaller === undefined) throw error;
			size = smaller;
			continue;
		}
		yield* logsOf(answer);
		start = end + 1n;
	}
}

/** A smaller range to try after an error; undefined if that wouldn't help. */
function smallerRange(error: unknown, tried: bigint): bigint | undefined {
	if (!(error instanceof Failure) || tried <= 1n) return undefined;
	const allowed = rangeLimitIn(error);
	if (allowed === undefined) return undefined;
	return allowed !== "unknown" && allowed < tried ? allowed : tried / 2n;
}

/**
 * Yields past logs from a block on, then new ones as they arrive, until the caller stops. A filter that the server has dropped
 * is registered again.
 */
export async function* followLogs(
	client: NodeClient,
	query: LogQuery,
	from: bigint | undefined,
): AsyncGenerator<ContractLog> {
	let seen = from === undefined ? await fetchHeadNumber(client) : from - 1n;
	for (;;) {
		const id = await callJsonRpc(client, "eth_newFilter", [{ ...filterObject(query), fromBlock: "latest" }]);
		const head = await fetchHeadNumber(client);
		// Fetches the logs from before the filter was created; logs of these blocks are yielded only once.
		if (head > seen) yield* pastLogs(client, query, seen + 1n, head);
		const caughtUp = head > seen ? head : seen;
		seen = caughtUp;
		for (;;) {
			await new Promise((resolve) => setTimeout(resolve, POLL_MS));
			let changes: Json;
			try {
				changes = await callJsonRpc(client, "eth_getFilterChanges", [id]);
			} catch (error) {
				if (error instanceof Failure && isFilterMissing(error)) break;
				throw error;
			}
			for (const log of logsOf(changes)) {
				if (log.block <= caughtUp && !log.removed) continue;
				if (log.block > seen) seen = log.block;
				yield log;
			}
		}
	}
}

function filterObject({ addresses, topics }: LogQuery, from?: bigint, to?: bigint): JsonRecord {
	return {
		...(from === undefined ? {} : { fromBlock: `0x${from.toString(16)}` }),
		...(to === undefined ? {} : { toBlock: `0x${to.toString(16)}` }),
		...(addresses.length > 0
			? { address: addresses.map((address) => `0x${toHex(address.subarray(1))}`) }
			: {}),
		...(topics.length > 0 ? { topics: topics.map((topic) => topic && `0x${toHex(topic)}`) } : {}),
	};
}

function logsOf(answer: Json): ContractLog[] {
	if (!Array.isArray(answer)) throw new Failure("rpc_error", "the node answered with no list of logs");
	return answer.filter(isRecord).map((log) => {
		const { blockNumber, transactionHash, logIndex, address, topics, data, removed } = log;
		return {
			block: quantityOf(blockNumber),
			txID: String(transactionHash).replace(/^0x/, ""),
			logIndex: Number(quantityOf(logIndex)),
			address: bytes(address),
			topics: Array.isArray(topics) ? topics.map((topic: Json) => bytes(topic)) : [],
			data: bytes(data),
			removed: removed === true,
		};
	});
}

function bytes(value: Json | undefined): Uint8Array {
	if (typeof value !== "string" || !/^0x([0-9a-f]{2})*$/i.test(value)) {
		throw new Failure("rpc_error", "the node's answer holds a log that can't be read");
	}
	return fromHex(value.slice(2));
}
