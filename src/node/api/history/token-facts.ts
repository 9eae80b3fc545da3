/** Token contracts' metadata, read by constant calls (protocol/history §5). */

import { addressFromHash, toBase58Check } from "../../../protocol/address.js";
import { concatBytes, fromHex, fromKey, toHex, toKey } from "../../../protocol/bytes.js";
import { Recent } from "../../memory/recent.js";
import { executions } from "../../scheduling/call-queue.js";
import type { ApiContext, ServerKind } from "../context.js";
import { askOnHead } from "../queries/contract-calls.js";

/** Energy limit of one call: a balance or a name takes a small part of it. */
const QUESTION_ENERGY = 200_000n;
/** Energy limit of all calls for one answer: whoever deploys contracts decides how many there are and what each uses. */
const ANSWER_ENERGY = 5_000_000n;
/** Contracts whose facts are cached. */
const KEPT_FACTS = 5_000;
/** Cached results of calls. */
const KEPT_ANSWERS = 20_000;
/** A name or symbol that is longer is cut. */
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

interface TokenInfo extends TokenFacts {
	readonly type: "orc20" | "orc721";
	readonly totalSupply: bigint | undefined;
}

/** The result of a call at a block. */
interface Answer {
	/** Undefined if the contract doesn't say, or ran out of energy. */
	readonly value: bigint | string | undefined;
	/** Energy limit of the call. */
	readonly limit: bigint;
	readonly energyUsed: bigint;
	readonly isCutShort: boolean;
}

interface Kept {
	readonly facts: Recent<TokenFacts>;
	/** By state, contract and call data; results of older blocks are evicted by newer ones. */
	readonly answers: Recent<Answer>;
}

const kept = new WeakMap<object, Kept>();

function keptOf({ node }: ApiContext): Kept {
	// A chain and its blocks belong to one state database, however often the node is wrapped.
	const owner = node.history ?? node;
	let found = kept.get(owner);
	if (!found) {
		const forever = [Number.POSITIVE_INFINITY, () => 0] as const;
		found = { facts: new Recent(KEPT_FACTS, ...forever), answers: new Recent(KEPT_ANSWERS, ...forever) };
		kept.set(owner, found);
	}
	return found;
}

/** Whether the facts of a token are cached. */
export const isKnownToken = (context: ApiContext, contract: Uint8Array): boolean =>
	keptOf(context).facts.has(toKey(contract));

/**
 * The calls to token contracts for one answer. They share an energy limit, and each is executed once a block. A cached result counts
 * with the energy it used, so that all requests of a block get the same answer.
 */
export class TokenQuestions {
	private energyLeft = ANSWER_ENERGY;
	private unanswered = 0;
	private readonly told = new Map<string, TokenFacts>();

	/** @param questions number of calls the energy is divided among; what one leaves goes to all later ones */
	constructor(
		private readonly context: ApiContext,
		private questions: number,
		private readonly server: ServerKind = "full",
	) {}

	/** Whether each call had enough energy. */
	get isComplete(): boolean {
		return this.unanswered === 0;
	}

	/** Balance of an account; undefined if the contract doesn't say. @param contract @param holder 20 bytes each */
	async balance(contract: Uint8Array, holder: Uint8Array): Promise<bigint | undefined> {
		return this.ask(contract, concatBytes(BALANCE_OF, new Uint8Array(12), holder), readNumber);
	}

	/** Name, symbol and decimals of a token; cached once all are known. @param contract 20 bytes */
	async facts(contract: Uint8Array): Promise<TokenFacts> {
		const { facts: known } = keptOf(this.context);
		const key = toKey(contract);
		const found = known.get(key) ?? this.told.get(key);
		if (found) return found;
		const { unanswered } = this;
		const name = await this.ask(contract, NAME, readText);
		const symbol = await this.ask(contract, SYMBOL, readText);
		const decimals = await this.ask(contract, DECIMALS, readNumber);
		const facts = {
			name,
			symbol,
			decimals: decimals !== undefined && decimals < 256n ? Number(decimals) : undefined,
		};
		this.told.set(key, facts);
		// A proxy that isn't initialized has no facts yet, and the owner of a development chain can change them.
		const isLasting = facts.name !== undefined && this.context.node.rules.development === undefined;
		if (this.unanswered === unanswered && isLasting) known.renew(key, facts);
		return facts;
	}

	/** @param contract 20 bytes */
	async info(contract: Uint8Array): Promise<TokenInfo> {
		const facts = await this.facts(contract);
		const is721 = (await this.ask(contract, IS_ORC721, readNumber)) === 1n;
		const totalSupply = await this.ask(contract, TOTAL_SUPPLY, readNumber);
		return { ...facts, type: is721 ? "orc721" : "orc20", totalSupply };
	}

	private async ask<T extends bigint | string>(
		contract: Uint8Array,
		data: Uint8Array,
		read: (output: Uint8Array | undefined) => T | undefined,
	): Promise<T | undefined> {
		const { node, isAbandoned, client } = this.context;
		const { answers } = keptOf(this.context);
		const share = this.energyLeft / BigInt(Math.max(1, this.questions--));
		const limit = share < QUESTION_ENERGY ? share : QUESTION_ENERGY;
		const key = (): string =>
			this.server + toKey(concatBytes(node.view(this.server).properties.headId, contract, data));
		let answer = answers.get(key());
		if (limit > 0n && (!answer || (answer.isCutShort && answer.limit < limit))) {
			answer = await executions.run(
				() => {
					const state = node.view(this.server);
					const { output, ...cost } = askOnHead(node, state, addressFromHash(contract), data, limit);
					const asked: Answer = { value: read(output), limit, ...cost };
					// The owner of a development chain edits its state between two blocks.
					if (!node.rules.development) answers.renew(key(), asked);
					return asked;
				},
				isAbandoned,
				client,
			);
		}
		if (answer) this.energyLeft -= answer.energyUsed < limit ? answer.energyUsed : limit;
		if (!answer || answer.isCutShort) this.unanswered++;
		return answer?.value as T | undefined;
	}
}

function readNumber(output: Uint8Array | undefined): bigint | undefined {
	return output && output.length >= 32 ? BigInt(`0x${toHex(output.subarray(0, 32))}`) : undefined;
}

/** A text of the contract ABI, or one of 32 bytes as old contracts give it. */
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
	// A short part of a long string would keep all of it.
	const begin = Buffer.from(bytes.subarray(0, 4 * MAX_TEXT));
	return begin.toString("utf8").replaceAll("\0", "").slice(0, MAX_TEXT);
}

/** A 20-byte address as text. */
export const base58Of = (bytes: Uint8Array | string): string =>
	toBase58Check(addressFromHash(typeof bytes === "string" ? fromKey(bytes) : bytes));
