/** Token contracts' metadata, read by constant calls (protocol/history §5). */

import { addressFromHash, toBase58Check } from "../../../protocol/address.js";
import { concatBytes, fromHex, fromKey, toHex, toKey } from "../../../protocol/bytes.js";
import { executions } from "../../scheduling/call-queue.js";
import type { ApiContext, ServerKind } from "../context.js";
import { askOnHead } from "../queries/contract-calls.js";

/** Far more than a balance or a name needs. */
const ENERGY_LIMIT = 3_000_000n;
/** Contracts whose metadata is cached. */
const KEPT_FACTS = 5_000;
/** Longer names and symbols are truncated. */
const MAX_TEXT = 128;

const NAME = fromHex("06fdde03");
const SYMBOL = fromHex("95d89b41");
const DECIMALS = fromHex("313ce567");
const TOTAL_SUPPLY = fromHex("18160ddd");
const BALANCE_OF = fromHex("70a08231");
/** `supportsInterface` of ORC-721. */
const IS_ORC721 = fromHex(`01ffc9a780ac58cd${"0".repeat(56)}`);

interface TokenFacts {
	/** Undefined if the contract doesn't say. */
	readonly name: string | undefined;
	readonly symbol: string | undefined;
	readonly decimals: number | undefined;
}

const kept = new WeakMap<object, Map<string, TokenFacts>>();

/** A contract's answer; undefined if the call fails or there is no contract. @param contract 20 bytes */
async function ask(
	{ node, ...context }: ApiContext,
	contract: Uint8Array,
	data: Uint8Array,
	server: ServerKind = "full",
): Promise<Uint8Array | undefined> {
	const run = () => askOnHead(node, node.view(server), addressFromHash(contract), data, ENERGY_LIMIT);
	return executions.run(run, context.isAbandoned, context.client);
}

/** Name, symbol and decimals of a token, cached. @param contract 20 bytes */
export async function tokenFacts(context: ApiContext, contract: Uint8Array): Promise<TokenFacts> {
	const known = factsOf(context);
	const key = toKey(contract);
	const found = known.get(key);
	if (found) return found;
	const [name, symbol, decimals] = [
		await ask(context, contract, NAME),
		await ask(context, contract, SYMBOL),
		await ask(context, contract, DECIMALS),
	];
	const facts = { name: readText(name), symbol: readText(symbol), decimals: readSmall(decimals) };
	if (known.size >= KEPT_FACTS) known.clear();
	known.set(key, facts);
	return facts;
}

/** Whether a token's metadata is already cached. */
export const isKnownToken = (context: ApiContext, contract: Uint8Array): boolean =>
	factsOf(context).has(toKey(contract));

function factsOf({ node }: ApiContext): Map<string, TokenFacts> {
	// Keyed by the chain's state database, however often the node object is wrapped.
	const owner = node.history ?? node;
	let facts = kept.get(owner);
	if (!facts) {
		facts = new Map();
		kept.set(owner, facts);
	}
	return facts;
}

/** Balance of an account; undefined if the contract gives none. @param holder 20 bytes */
export async function askTokenBalance(
	context: ApiContext,
	contract: Uint8Array,
	holder: Uint8Array,
	server: ServerKind,
): Promise<bigint | undefined> {
	return readNumber(
		await ask(context, contract, concatBytes(BALANCE_OF, new Uint8Array(12), holder), server),
	);
}

interface TokenInfo extends TokenFacts {
	readonly type: "orc20" | "orc721";
	readonly totalSupply: bigint | undefined;
}

/** @param contract 20 bytes */
export async function tokenInfo(context: ApiContext, contract: Uint8Array): Promise<TokenInfo> {
	const facts = await tokenFacts(context, contract);
	const is721 = readNumber(await ask(context, contract, IS_ORC721)) === 1n;
	const totalSupply = readNumber(await ask(context, contract, TOTAL_SUPPLY));
	return { ...facts, type: is721 ? "orc721" : "orc20", totalSupply };
}

function readNumber(output: Uint8Array | undefined): bigint | undefined {
	return output && output.length >= 32 ? BigInt(`0x${toHex(output.subarray(0, 32))}`) : undefined;
}

function readSmall(output: Uint8Array | undefined): number | undefined {
	const number = readNumber(output);
	return number !== undefined && number < 256n ? Number(number) : undefined;
}

/** An ABI-encoded string, or a bytes32 as old contracts return it. */
function readText(output: Uint8Array | undefined): string | undefined {
	if (!output || output.length < 32) return undefined;
	if (output.length === 32) return textOf(output);
	const at = readNumber(output) ?? 0n;
	if (at > BigInt(output.length - 32)) return undefined;
	const length = readNumber(output.subarray(Number(at))) ?? 0n;
	const begin = Number(at) + 32;
	if (length > BigInt(output.length - begin)) return undefined;
	return textOf(output.subarray(begin, begin + Number(length)));
}

function textOf(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString("utf8").replaceAll("\0", "").slice(0, MAX_TEXT);
}

/** A 20-byte address as text. */
export const base58Of = (bytes: Uint8Array | string): string =>
	toBase58Check(addressFromHash(typeof bytes === "string" ? fromKey(bytes) : bytes));
