/** The rows of one block, derived only from the block and its receipts: they can be rebuilt at any time. */

import { contractAddress } from "../../protocol/address.js";
import type { SignedBlock } from "../../protocol/block.js";
import { asBuffer, fromHex, toKey } from "../../protocol/bytes.js";
import { getField, type Message } from "../../protocol/codec/descriptor.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import type { ContractType } from "../../protocol/contract-types.js";
import { byteClass } from "../../protocol/json/byte-fields.js";
import {
	CreateSmartContract,
	type InternalTransaction,
	type TransactionInfo,
	type TransactionInfoLog,
	TransactionResultContractResult,
	TransferAssetContract,
	TriggerSmartContract,
	VoteWitnessContract,
} from "../../protocol/messages.js";
import { ParameterError, type SignedTransaction } from "../../protocol/transaction.js";
import { transactionInfosOf } from "../chain/block-store.js";
import type { StateView } from "../state/view.js";
import {
	ADDRESS_BYTES,
	assetValue,
	DIRECTIONS,
	eventOwner,
	type HistoryRow,
	MAX_ORDINAL,
	placeSuffix,
	pointerValue,
	type RowKind,
	type TokenType,
	tokenValue,
} from "./rows.js";

/** Bound on addresses per transaction; a valid one has far fewer. */
const MAX_TARGETS = 64;

const targetFields = new Map<string, readonly string[]>();

/** Address fields other than the owner's. */
function fieldsOf(type: ContractType): readonly string[] {
	let fields = targetFields.get(type.name);
	if (!fields) {
		const { message } = type;
		fields = (message?.fields ?? [])
			.filter(({ kind, name }) => kind === "bytes" && name !== type.owner)
			.map(({ name }) => name)
			.filter((name) => byteClass(message?.typeName ?? "", name) === "address");
		targetFields.set(type.name, fields);
	}
	return fields;
}

/**
 * The accounts a transaction concerns besides its owner (protocol/history §2).
 * @param created contract address from the receipt, if there is one
 */
function targetsOf(transaction: SignedTransaction, created?: Uint8Array | undefined): readonly Uint8Array[] {
	const { type } = transaction;
	const parameter = type?.message && readParameter(transaction);
	if (!type || !parameter) return [];
	const targets: Uint8Array[] = [];
	for (const field of fieldsOf(type)) {
		const value = getField(parameter, field) as Uint8Array | readonly Uint8Array[];
		if (value instanceof Uint8Array) targets.push(value);
		else targets.push(...value.slice(0, MAX_TARGETS));
	}
	if (parameter instanceof VoteWitnessContract) {
		targets.push(...parameter.votes.slice(0, MAX_TARGETS).map(({ vote_address }) => vote_address));
	}
	if (type.name === "CreateSmartContract") {
		targets.push(created?.length ? created : contractAddress(transaction.id, transaction.owner));
	}
	return targets;
}

function readParameter(transaction: SignedTransaction): Readonly<Message> | undefined {
	try {
		return transaction.parameter;
	} catch (error) {
		if (error instanceof ParameterError || error instanceof DecodeError) return undefined;
		throw error;
	}
}

type Receipt = Readonly<TransactionInfo>;

/** Keccak-256 of `Transfer(address,address,uint256)` and `Approval(address,address,uint256)`. */
const TRANSFER_TOPIC = fromHex("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
const APPROVAL_TOPIC = fromHex("8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925");

/** Bounds the rows of a block, which are in memory until it is written: later logs are not indexed. */
const MAX_LOGS = 20_000;

/**
 * The rows of a block, in transaction order.
 * @param infos its receipts; if empty (not stored), only rows from the transactions themselves
 */
export function rowsOfBlock(block: SignedBlock, infos: readonly Receipt[]): readonly HistoryRow[] {
	const { transactions } = block;
	const isWhole = infos.length === transactions.length;
	const byId = isWhole ? undefined : new Map(infos.map((info) => [toKey(info.id), info]));
	const rows = new BlockRows(Number(block.number), Number(block.timestampMs));
	for (const [position, transaction] of transactions.entries()) {
		rows.add(transaction, position, byId ? byId.get(toKey(transaction.id)) : infos[position]);
	}
	return rows.rows;
}

class BlockRows {
	readonly rows: HistoryRow[] = [];
	private position = 0;
	private id: Uint8Array = new Uint8Array(0);

	constructor(
		private readonly height: number,
		private readonly timeMs: number,
	) {}

	add(transaction: SignedTransaction, position: number, info: Receipt | undefined): void {
		this.position = position;
		this.id = transaction.id;
		this.addPointers("transaction", 0, [transaction.owner], targetsOf(transaction, info?.contract_address));
		this.addSentAssets(transaction, info);
		if (!info) return;
		for (const [at, log] of info.log.slice(0, MAX_LOGS).entries()) this.addLog(log, at);
		for (const [at, call] of info.internal_transactions.slice(0, MAX_LOGS).entries())
			this.addInternal(call, at);
	}

	private put(kind: RowKind, owner: string, ordinal: number, value: Uint8Array): void {
		const suffix = placeSuffix(this.height, this.position, Math.min(ordinal, MAX_ORDINAL));
		this.rows.push({ kind, owner, suffix, value });
	}

	private addPointers(
		kind: "transaction" | "internal",
		ordinal: number,
		from: readonly Uint8Array[],
		to: readonly Uint8Array[],
	): void {
		for (const [owner, directions] of directionsOf(from, to)) {
			this.put(kind, owner, ordinal, pointerValue(directions, this.id));
		}
	}

	private addInternal(call: Readonly<InternalTransaction>, at: number): void {
		const { caller_address: from, transferTo_address: to } = call;
		this.addPointers("internal", at + 1, [from], [to]);
		if (call.rejected) return;
		for (const { tokenId, callValue } of call.callValueInfo) {
			if (tokenId !== "" && callValue !== 0n) this.addAsset(from, to, tokenId, callValue, at + 1);
		}
	}

	/** Tokens moved by the transaction itself, unless it failed. */
	private addSentAssets(transaction: SignedTransaction, info: Receipt | undefined): void {
		const result = transaction.message.ret[0]?.contractRet ?? 0;
		if (result > TransactionResultContractResult.SUCCESS) return;
		const parameter = readParameter(transaction);
		const from = transaction.owner;
		if (parameter instanceof TransferAssetContract) {
			const token = asBuffer(parameter.asset_name).toString("utf8");
			this.addAsset(from, parameter.to_address, token, parameter.amount, 0);
		} else if (parameter instanceof TriggerSmartContract && parameter.call_token_value > 0n) {
			const { contract_address, token_id, call_token_value } = parameter;
			this.addAsset(from, contract_address, String(token_id), call_token_value, 0);
		} else if (parameter instanceof CreateSmartContract && parameter.call_token_value > 0n) {
			const [created] = targetsOf(transaction, info?.contract_address).slice(-1);
			if (created) {
				this.addAsset(from, created, String(parameter.token_id), parameter.call_token_value, 0);
			}
		}
	}

	private addAsset(from: Uint8Array, to: Uint8Array, token: string, amount: bigint, ordinal: number): void {
		const movement = {
			timeMs: this.timeMs,
			transactionId: this.id,
			from: bare(from),
			to: bare(to),
			amount,
			token,
		};
		for (const [owner, directions] of directionsOf([from], [to])) {
			this.put("asset", owner, ordinal, assetValue({ ...movement, directions }));
		}
	}

	private addLog(log: Readonly<TransactionInfoLog>, at: number): void {
		const contract = toKey(bare(log.address));
		const value = pointerValue(0, this.id);
		this.put("log", contract, at, value);
		const [topic] = log.topics;
		if (!topic) return;
		this.put("event", eventOwner(contract, topic), at, value);
		this.addTokens(log, contract, at);
	}

	private addTokens(log: Readonly<TransactionInfoLog>, contract: string, at: number): void {
		const read = readTokenLog(log);
		if (!read) return;
		const { type, from, to, amount } = read;
		const movement = {
			type,
			timeMs: this.timeMs,
			transactionId: this.id,
			contract: bare(log.address),
			from,
			to,
		};
		for (const [owner, directions] of directionsOf([from], [to])) {
			this.put("token", owner, at, tokenValue({ ...movement, directions }, amount));
			if (!type.startsWith("Transfer") || owner === NOBODY) continue;
			this.rows.push({ kind: "holder", owner: contract, suffix: owner, value: NOTHING });
			this.rows.push({ kind: "holding", owner, suffix: contract, value: NOTHING });
		}
	}
}

const NOTHING = new Uint8Array(0);
/** Mints come from this address and burns go to it. */
const NOBODY = "\0".repeat(ADDRESS_BYTES);

interface TokenLog {
	readonly type: TokenType;
	/** 20 bytes each. */
	readonly from: Uint8Array;
	readonly to: Uint8Array;
	/** 32 bytes. */
	readonly amount: Uint8Array;
}

/** The token movement in a log of ORC-20 or ORC-721 form; undefined for other logs. */
function readTokenLog({ topics, data }: Readonly<TransactionInfoLog>): TokenLog | undefined {
	const [topic, from, to, number] = topics;
	if (!topic || from?.length !== 32 || to?.length !== 32) return undefined;
	const name = nameOf(topic);
	if (!name) return undefined;
	const parties = { from: from.subarray(12), to: to.subarray(12) };
	if (topics.length === 3 && data.length === 32) return { ...parties, type: name, amount: data };
	if (topics.length !== 4 || number?.length !== 32 || data.length > 0) return undefined;
	return { ...parties, type: `${name}721`, amount: number };
}

function nameOf(topic: Uint8Array): "Transfer" | "Approval" | undefined {
	if (Buffer.compare(topic, TRANSFER_TOPIC) === 0) return "Transfer";
	return Buffer.compare(topic, APPROVAL_TOPIC) === 0 ? "Approval" : undefined;
}

/** An address without its prefix, 20 bytes; empty for anything that isn't an address. */
function bare(address: Uint8Array): Uint8Array {
	if (address.length === ADDRESS_BYTES) return address;
	return address.length === ADDRESS_BYTES + 1 ? address.subarray(1) : NOTHING;
}

/** Each participant once, with its direction bits. */
function directionsOf(from: readonly Uint8Array[], to: readonly Uint8Array[]): ReadonlyMap<string, number> {
	const found = new Map<string, number>();
	const add = (address: Uint8Array, direction: number): void => {
		const owner = toKey(bare(address));
		if (owner !== "") found.set(owner, (found.get(owner) ?? 0) | direction);
	};
	for (const address of from) add(address, DIRECTIONS.from);
	for (const address of to) add(address, DIRECTIONS.to);
	return found;
}

/** The chain as the index sees it. */
export interface IndexedChain {
	/** The head state, for receipts. Must not be kept across an await. */
	readonly state: StateView;
	/** A block of the chain by height; undefined if it isn't stored. */
	block(number: number): SignedBlock | undefined;
	readonly headNumber: number;
	/** Blocks below are not indexed: on a fork they belong to another node. */
	readonly lowestNumber: number;
	/** Highest final block up to which the database is complete. */
	readonly storedNumber: number;
	/** Whether receipts of new blocks are stored. */
	readonly hasReceipts: boolean;
	/** Writes final blocks to the database. */
	flush(): Promise<void>;
}

interface BlockRowsFound {
	readonly idHex: string;
	readonly rows: readonly HistoryRow[];
}

/** The rows of a stored block; undefined if it isn't stored. */
export function storedRows(chain: IndexedChain, number: number): BlockRowsFound | undefined {
	const block = chain.block(number);
	if (!block) return undefined;
	return { idHex: block.idHex, rows: rowsOfBlock(block, transactionInfosOf(chain.state, block)) };
}
