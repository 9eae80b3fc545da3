/** Finds contracts by name (own, source or token), or by functions and selectors. */

import { keccak_256 } from "@noble/hashes/sha3.js";
import { type AbiItem, hashedSignature } from "../abi/parameter.js";
import { COMMON, isKnown, selectorOf } from "./abi.js";
import { addressText, bytesOf, hexAddress, hexOf } from "./address-text.js";
import { isJson, type Json, objectsOf, textOf, textsOf, wholeOf } from "./answer.js";
import { blockFacts, transactionFacts } from "./block-facts.js";
import type { Contracts } from "./contracts.js";
import { shortened } from "./format.js";
import type { NodeClient } from "./node-client.js";
import { fewAtATime } from "./one-at-a-time.js";
import { TRANSFER } from "./token-moves.js";
import { tokenInfos } from "./tokens.js";

/** A matching contract. */
export interface ContractMatch {
	/** Base58Check. */
	readonly address: string;
	readonly text: string;
}

/** The most functions, events and errors listed for a match. */
const NAMED_ITEMS = 3;

/**
 * Finds contracts by full or partial name, or by the names of their functions, events and errors. Exact
 * matches come first, and contract names before those of items.
 */
export async function contractsNamed(
	client: NodeClient,
	contracts: Contracts,
	addresses: readonly string[],
	typed: string,
): Promise<readonly ContractMatch[]> {
	const wanted = typed.toLowerCase();
	const tokens = await tokenInfos(client, addresses);
	const found: (ContractMatch & { readonly rank: number })[] = [];
	await fewAtATime(addresses, async (address) => {
		const token = tokens.get(address) ?? {};
		const { name, sourceName, items } = await contracts.factsOf(address);
		const symbol = textOf(token, "symbol");
		const names = [symbol, textOf(token, "name"), name, sourceName].filter((each) => each !== "");
		const holding = names.filter((each) => each.toLowerCase().includes(wanted));
		const had = itemsNamed(items, wanted);
		if (holding.length === 0 && had.length === 0) return;
		// Names aren't unique: the address distinguishes contracts of the same name.
		const called = [...new Set(names)].map((each) => shortened(each, 20)).join(", ");
		const kind = symbol === "" ? "contract" : "token";
		const text = called === "" ? `${kind} ${address}` : `${kind}: ${called} at ${address}`;
		const isWhole = [...holding, ...had.map((item) => item.name)].some(
			(each) => each.toLowerCase() === wanted,
		);
		const has = holding.length > 0 ? "" : `, ${had.slice(0, NAMED_ITEMS).map(said).join(", ")}`;
		const rank = (isWhole ? 0 : 2) + (has === "" ? 0 : 1);
		found.push({ address, text: `${text}${has}`, rank });
	});
	return found.sort((a, b) => a.rank - b.rank || addresses.indexOf(a.address) - addresses.indexOf(b.address));
}

/** Items matching a full or partial name, exact matches first. @param wanted in lower case */
function itemsNamed(items: readonly AbiItem[], wanted: string): readonly AbiItem[] {
	const like = items.filter((item) => isKnown(item) && item.name.toLowerCase().includes(wanted));
	const isWhole = ({ name }: AbiItem): boolean => name.toLowerCase() === wanted;
	return [...like.filter(isWhole), ...like.filter((item) => !isWhole(item))];
}

/** Signatures of common functions and errors with that name. */
export const commonNamed = (typed: string): readonly string[] =>
	COMMON.filter(({ name, kind }) => kind !== "event" && name.toLowerCase() === typed.toLowerCase()).map(
		(item) => `${said(item)}, selector 0x${selectorOf(item)}`,
	);

/** The signatures with a selector, and the contracts that have it. */
interface SelectorFacts {
	/** `transfer(address,uint256)`; several if they share the selector, none if unknown. */
	readonly signatures: readonly string[];
	readonly contracts: readonly ContractMatch[];
}

/** @param selector 8 hexadecimal digits in lower case */
export async function selectorFacts(
	contracts: Contracts,
	addresses: readonly string[],
	selector: string,
): Promise<SelectorFacts> {
	const isMeant = (item: AbiItem): boolean =>
		(item.kind === "function" || item.kind === "error") && isKnown(item) && selectorOf(item) === selector;
	const signatures = new Set(COMMON.filter(isMeant).map(said));
	const found = new Map<string, ContractMatch>();
	await fewAtATime(addresses, async (address) => {
		const { items, name, code } = await contracts.factsOf(address);
		const own = items.filter(isMeant);
		for (const item of own) signatures.add(said(item));
		// Compiled dispatchers push each selector for comparison: opcode 63 is PUSH4.
		const isInCode = code.toLowerCase().includes(`63${selector}`);
		if (own.length === 0 && !isInCode) return;
		const how = own.length > 0 ? "by its interface" : "its code holds these bytes";
		found.set(address, { address, text: `contract ${name === "" ? "" : `${name} at `}${address}, ${how}` });
	});
	return {
		signatures: [...signatures],
		contracts: addresses.map((each) => found.get(each)).filter((each) => each !== undefined),
	};
}

const said = (item: AbiItem): string => `${item.kind} ${hashedSignature(item)}`;

/** The most contracts examined; each costs a few requests. */
const MOST = 40;
/** Blocks fetched first: on a busy network they call enough contracts. */
const NEWEST = 20;
const BLOCKS_A_QUESTION = 99;
const QUESTIONS = 5;
/** A node's default limit of blocks for one query of logs. */
const LOGGED_BLOCKS = 4_999;

export interface SeenContracts {
	/** Base58Check, newest first. */
	readonly addresses: readonly string[];
	/** The oldest block examined. */
	readonly since: number;
}

/** The contract that a transaction calls or creates. @returns Base58Check */
export function contractOf(transaction: Json): string | undefined {
	const { id, type, value } = transactionFacts(transaction);
	if (type === "TriggerSmartContract") return addressText(textOf(value, "contract_address"));
	const owner = bytesOf(hexAddress(addressText(textOf(value, "owner_address")) ?? "") ?? "");
	const hash = bytesOf(id);
	if (type !== "CreateSmartContract" || !owner || !hash) return undefined;
	// The address follows from transaction id and sender (protocol/blocks §1.1), so no receipt is needed.
	return addressText(hexOf(keccak_256(Uint8Array.of(...hash, ...owner)).subarray(-20)));
}

/**
 * Contracts whose sources the node's owner stored.
 * @param typed a part of a name, or a selector with `0x`
 * @returns in Base58Check; empty if the node has none
 */
export async function storedContracts(client: NodeClient, typed: string): Promise<readonly string[]> {
	const answer = await client.history(`contracts?name=${encodeURIComponent(typed)}`).catch((): Json => ({}));
	return objectsOf(answer, "data").map((row) => textOf(row, "contract_address"));
}

/** Contracts of the newest blocks, up to the limits of contracts and of blocks. @throws {NodeError} */
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
	// Contract-created tokens are found by their logs. Skipped if there are enough: a busy chain has too many.
	if (found.size < MOST) for (const address of await loggingTokens(client)) found.add(address);
	return { addresses: [...found].slice(0, MOST), since };
}

/** Tokens with recent transfers, newest first; none if the node doesn't answer JSON-RPC here. */
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
