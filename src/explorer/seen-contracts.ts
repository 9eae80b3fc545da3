/** Contracts that a search looks at: no node lists all that it has, so they are those of the newest blocks. */

import { keccak_256 } from "@noble/hashes/sha3.js";
import { addressText, bytesOf, hexAddress, hexOf } from "./address-text.js";
import { isJson, type Json, objectsOf, textOf, textsOf, wholeOf } from "./answer.js";
import { blockFacts, transactionFacts } from "./block-facts.js";
import type { NodeClient } from "./node-client.js";
import { TRANSFER } from "./token-moves.js";

/** Contracts that are looked at; each costs a few questions. */
const MOST = 40;
/** Blocks that are asked for at first: on a busy network they call enough contracts. */
const NEWEST = 20;
const BLOCKS_A_QUESTION = 99;
const QUESTIONS = 5;
/** What a node goes through for one question of logs, unless it is told otherwise. */
const LOGGED_BLOCKS = 4_999;

export interface SeenContracts {
	/** Base58Check, the newest first. */
	readonly addresses: readonly string[];
	/** The oldest block that was looked at. */
	readonly since: number;
}

/** The contract that a transaction calls or creates. @returns Base58Check */
export function contractOf(transaction: Json): string | undefined {
	const { id, type, value } = transactionFacts(transaction);
	if (type === "TriggerSmartContract") return addressText(textOf(value, "contract_address"));
	const owner = bytesOf(hexAddress(addressText(textOf(value, "owner_address")) ?? "") ?? "");
	const hash = bytesOf(id);
	if (type !== "CreateSmartContract" || !owner || !hash) return undefined;
	// A contract's address follows from its transaction and who sent it (protocol/blocks §1.1): no receipt has to be asked for.
	return addressText(hexOf(keccak_256(Uint8Array.of(...hash, ...owner)).subarray(-20)));
}

/** Those of the newest blocks: as many as are looked at, or of as many blocks. @throws {NodeError} */
export async function seenContracts(client: NodeClient): Promise<SeenContracts> {
	const found = new Set<string>();
	let answer = await client.call("getblockbylatestnum", { num: NEWEST });
	let since = Number.MAX_SAFE_INTEGER;
	for (let question = 0; question <= QUESTIONS; question++) {
		const blocks = objectsOf(answer, "block").map(blockFacts);
		blocks.sort((a, b) => Number(b.number - a.number));
		for (const transaction of blocks.flatMap(({ transactions }) => [...transactions].reverse())) {
			const address = contractOf(transaction);
			if (address !== undefined) found.add(address);
		}
		since = Math.min(since, ...blocks.map(({ number }) => Number(number)));
		if (blocks.length === 0 || since === 0 || found.size >= MOST || question === QUESTIONS) break;
		const startNum = Math.max(0, since - BLOCKS_A_QUESTION);
		answer = await client.call("getblockbylimitnext", { startNum, endNum: since });
	}
	// Those that other contracts made are called by nobody at first, but tokens among them log. Where much happens there would be too many logs.
	if (found.size < MOST) for (const address of await loggingTokens(client)) found.add(address);
	return { addresses: [...found].slice(0, MOST), since };
}

/** Tokens that moved, the newest first; none where the node answers no JSON-RPC here. */
async function loggingTokens(client: NodeClient): Promise<readonly string[]> {
	try {
		const head = wholeOf({ number: Number(await client.rpc("eth_blockNumber")) }, "number");
		const fromBlock = `0x${Math.max(0, Number(head) - LOGGED_BLOCKS).toString(16)}`;
		const filter = { fromBlock, toBlock: "latest", topics: [`0x${TRANSFER}`] };
		const logs = await client.rpc("eth_getLogs", [filter]);
		return (Array.isArray(logs) ? logs : [])
			.filter(isJson)
			.reverse()
			.filter((log) => textsOf(log, "topics").length > 1)
			.map((log) => addressText(textOf(log, "address")))
			.filter((address) => address !== undefined);
	} catch {
		return [];
	}
}
