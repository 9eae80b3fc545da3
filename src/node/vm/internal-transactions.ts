/**
 * Internal transactions: calls, creations, stakes and votes that contracts made within a transaction (protocol/machine §8).
 */

import { toBase58Check } from "../../protocol/address.js";
import { be64, concatBytes, EMPTY, utf8 } from "../../protocol/bytes.js";
import { type Dialect, spell } from "../../protocol/dialect.js";
import { keccak256 } from "../../protocol/hash.js";
import { wrap } from "../../protocol/int64.js";
import {
	InternalTransaction,
	InternalTransactionCallValueInfo,
	ResourceCode,
	type Vote,
} from "../../protocol/messages.js";
import { type QuotingMessage, quoting, spellMessage } from "../../protocol/quoting-message.js";
import { type CallData, type CallDataCopies, setInternalCallData } from "../rules/internal-call-data.js";

/** What an internal transaction transfers: coins in sun, and tokens by id. */
export interface InternalTransfer {
	readonly value: bigint;
	readonly tokens?: ReadonlyMap<string, bigint>;
}

/** Parent of internal transactions; its id may be computed lazily. */
export interface Identified {
	readonly id: Uint8Array;
}

/** One internal transaction; some members are filled in after it was created. */
export interface InternalRecord {
	readonly id: Uint8Array;
	readonly caller: Uint8Array;
	readonly receiver: Uint8Array;
	readonly note: string;
	value: bigint;
	readonly tokens: ReadonlyMap<string, bigint>;
	rejected: boolean;
	extra: string | QuotingMessage;
	/** Input or code, if events need it. */
	readonly data?: CallData | undefined;
}

/** Notes that are recorded even without `vm.saveFeaturedInternalTx`. */
const PLAIN_NOTES: ReadonlySet<string> = new Set(["call", "create", "suicide"]);

export const NO_TOKENS: ReadonlyMap<string, bigint> = new Map();

export class InternalTransactions {
	private readonly records: InternalRecord[] = [];
	private count = 0;

	/**
	 * @param listed whether to keep the list; otherwise only the count, which avoids expensive hashing
	 * @param copies keeps input and code; absent: they aren't kept
	 */
	constructor(
		private readonly listed = true,
		private readonly copies?: CallDataCopies,
	) {}

	/** Number made so far, including reverted ones: the addresses of created contracts depend on it. */
	get nonce(): number {
		return this.count;
	}

	/** Whether the list is kept. */
	get isListed(): boolean {
		return this.listed;
	}

	/** Length of the list. */
	get length(): number {
		return this.records.length;
	}

	/**
	 * Adds an internal transaction to the list.
	 * @param opener what opened the frame that makes it
	 * @param data call data, or code of a creation
	 */
	add(
		opener: Identified,
		caller: Uint8Array,
		receiver: Uint8Array,
		note: string,
		{ value, tokens }: InternalTransfer,
		data: Uint8Array = EMPTY,
	): InternalRecord {
		this.count++;
		if (!this.listed) {
			return { id: EMPTY, caller, receiver, note, value, tokens: NO_TOKENS, rejected: false, extra: "" };
		}
		const id = keccak256(
			concatBytes(
				opener.id,
				note === "create" ? EMPTY : receiver,
				data,
				be64(wrap(value)),
				be64(BigInt(this.count)),
			),
		);
		const record: InternalRecord = {
			id,
			caller,
			receiver,
			note,
			value,
			tokens: tokens ?? NO_TOKENS,
			rejected: false,
			extra: "",
			data: this.copies?.copy(data),
		};
		this.records.push(record);
		return record;
	}

	/** Marks all from an index on as rejected. */
	reject(from: number): void {
		for (let i = from; i < this.records.length; i++) (this.records[i] as InternalRecord).rejected = true;
	}

	/** Truncates the list to a length; the removed ones stay counted. */
	keep(length: number): void {
		if (length < this.records.length) this.records.length = length;
	}

	/** The list in its stored form; without `featured`, only calls, creations and self-destructs. */
	toMessages(featured: boolean, dialect: Dialect): InternalTransaction[] {
		return this.records
			.filter((record) => featured || PLAIN_NOTES.has(record.note))
			.map((record) => toMessage(record, dialect));
	}
}

function toMessage(record: InternalRecord, dialect: Dialect): InternalTransaction {
	const values = [InternalTransactionCallValueInfo.create({ callValue: record.value })];
	for (const [tokenId, callValue] of record.tokens) {
		values.push(InternalTransactionCallValueInfo.create({ callValue, tokenId }));
	}
	const message = InternalTransaction.create({
		hash: record.id,
		caller_address: record.caller,
		transferTo_address: record.receiver,
		callValueInfo: values,
		note: utf8(spell(record.note, dialect)),
		rejected: record.rejected,
		extra: spellMessage(record.extra, dialect),
	});
	if (record.data !== undefined) setInternalCallData(message, record.data);
	return message;
}

/** Name of a resource code at the end of a note. */
export function resourceNote(code: number): string {
	switch (code) {
		case ResourceCode.BANDWIDTH:
			return "Bandwidth";
		case ResourceCode.ENERGY:
			return "Energy";
		case ResourceCode.COIN_POWER:
			return "CoinPower";
		default:
			return "UnknownType";
	}
}

/** The `extra` text of a vote, the same in every dialect. */
export function votesText(votes: readonly Readonly<Vote>[]): QuotingMessage {
	const rows = votes.map(
		(vote) => `{"vote_address":"${toBase58Check(vote.vote_address)}","vote_count":${vote.vote_count}}`,
	);
	return quoting`${`{"votes":[${rows.join(",")}]}`}`;
}
