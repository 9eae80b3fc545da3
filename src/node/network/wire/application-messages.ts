/**
 * Application layer messages: types, disconnect reasons, and decoded payloads (protocol/peers §§1 and 6).
 * Payloads are protobuf; callers validate the rest.
 */

import { numberOfBlockId, SignedBlock } from "../../../protocol/block.js";
import { be64, concatBytes } from "../../../protocol/bytes.js";
import { varintSize } from "../../../protocol/codec/unknown-fields.js";
import {
	BlockInventory,
	BlockInventoryBlockId,
	BlockInventoryType,
	ChainInventory,
	ChainInventoryBlockId,
	DisconnectMessage,
	HelloMessage,
	HelloMessageBlockId,
	Inventory,
	InventoryInventoryType,
	PBFTCommitResult,
	PBFTMessage,
	PBFTMessageRaw,
	ReasonCode,
} from "../../../protocol/messages.js";
import { SignedTransaction } from "../../../protocol/transaction.js";
import type { BlockRef } from "../local-chain.js";

export { HelloMessage, PBFTCommitResult, PBFTMessage, PBFTMessageRaw, SignedBlock, SignedTransaction };

/** Type bytes of protocol/peers §6.1 that have a payload. Every other byte from 0x00 to 0x7e is not a message. */
export const ApplicationType = {
	/** Decoded and then refused by every node: never sent. */
	TX: 0x01,
	BLOCK: 0x02,
	TXS: 0x03,
	INVENTORY: 0x06,
	FETCH_INV_DATA: 0x07,
	SYNC_BLOCK_CHAIN: 0x08,
	BLOCK_CHAIN_INVENTORY: 0x09,
	PBFT_COMMIT_MSG: 0x14,
	P2P_HELLO: 0x20,
	P2P_DISCONNECT: 0x21,
	P2P_PING: 0x22,
	P2P_PONG: 0x23,
	PBFT_MSG: 0x34,
} as const;
/** Field number of the ids in BLOCK_CHAIN_INVENTORY. */
export const INVENTORY_IDS_FIELD = 1;
export type ApplicationType = (typeof ApplicationType)[keyof typeof ApplicationType];

const TYPE_NAMES = new Map<number, string>(
	Object.entries(ApplicationType).map(([name, type]) => [type, name]),
);

/** Name of a type byte for logs: `SYNC_BLOCK_CHAIN`, or `0x30` if unknown. */
export function applicationTypeName(type: number): string {
	return TYPE_NAMES.get(type) ?? `0x${type.toString(16).padStart(2, "0")}`;
}

/** Reasons of P2P_DISCONNECT (protocol/peers §6.3). */
export const Reason = ReasonCode;
export type Reason = (typeof ReasonCode)[keyof typeof ReasonCode];

const REASON_NAMES = new Map<number, string>(Object.entries(ReasonCode).map(([name, code]) => [code, name]));

/** Name of a reason for logs and APIs, or its number if unknown. */
export function reasonName(reason: number): string {
	return REASON_NAMES.get(reason) ?? String(reason);
}

/** A block id whose hash is not 32 bytes long (protocol/peers §1). */
export class BlockIdLengthError extends Error {
	override readonly name = "BlockIdLengthError";
}

interface WireBlockId {
	readonly hash: Uint8Array;
	readonly number: bigint;
}

/**
 * A block id as received: the number field overwrites the first eight bytes of the hash.
 * @throws {BlockIdLengthError}
 */
export function readBlockId(id: WireBlockId | undefined): BlockRef {
	const hash = id?.hash;
	const number = id?.number ?? 0n;
	if (hash?.length !== 32) throw new BlockIdLengthError(`block id of ${hash?.length ?? 0} bytes`);
	return {
		id: numberOfBlockId(hash) === number ? hash : concatBytes(be64(number), hash.subarray(8)),
		number,
	};
}

/** A block id in an inventory: 32 bytes that contain the number. @throws {BlockIdLengthError} */
export function readBareBlockId(hash: Uint8Array): BlockRef {
	if (hash.length !== 32) throw new BlockIdLengthError(`block id of ${hash.length} bytes`);
	return { id: hash, number: numberOfBlockId(hash) };
}

/** A block id for a HelloMessage. */
export function helloBlockId(block: BlockRef): HelloMessageBlockId {
	return HelloMessageBlockId.create({ hash: block.id, number: block.number });
}

/** Kinds of an inventory; receivers refuse all others. */
export const InventoryKind = {
	TX: InventoryInventoryType.COIN,
	BLOCK: InventoryInventoryType.BLOCK,
} as const;
export type InventoryKind = (typeof InventoryKind)[keyof typeof InventoryKind];

export interface InventoryList {
	/** As received: check it against {@link InventoryKind}. */
	readonly kind: number;
	/** Transaction or block ids, of any length. */
	readonly ids: readonly Uint8Array[];
}

/** Payload of INVENTORY and FETCH_INV_DATA. */
export function encodeInventory(kind: InventoryKind, ids: readonly Uint8Array[]): Uint8Array {
	return Inventory.encode(Inventory.create({ type: kind, ids }));
}

/** @throws {DecodeError} */
export function decodeInventory(payload: Uint8Array): InventoryList {
	const { type, ids } = Inventory.decode(payload);
	return { kind: type, ids };
}

/** Payload of SYNC_BLOCK_CHAIN: a summary of our chain, ascending. */
export function encodeSyncBlockChain(summary: readonly BlockRef[]): Uint8Array {
	const ids = summary.map(({ id, number }) => BlockInventoryBlockId.create({ hash: id, number }));
	return BlockInventory.encode(BlockInventory.create({ ids, type: BlockInventoryType.SYNC }));
}

/** @throws {DecodeError | BlockIdLengthError} */
export function decodeSyncBlockChain(payload: Uint8Array): readonly BlockRef[] {
	return BlockInventory.decode(payload).ids.map(readBlockId);
}

export interface BlockList {
	readonly ids: readonly BlockRef[];
	/** Number of blocks after the last id on the sender's chain. */
	readonly remain: bigint;
}

/** Payload of BLOCK_CHAIN_INVENTORY. */
export function encodeBlockChainInventory({ ids, remain }: BlockList): Uint8Array {
	return ChainInventory.encode(
		ChainInventory.create({
			ids: ids.map(({ id, number }) => ChainInventoryBlockId.create({ hash: id, number })),
			remain_num: remain,
		}),
	);
}

/** @throws {DecodeError | BlockIdLengthError} */
export function decodeBlockChainInventory(payload: Uint8Array): BlockList {
	const { ids, remain_num } = ChainInventory.decode(payload);
	return { ids: ids.map(readBlockId), remain: remain_num };
}

const TRANSACTIONS_TAG = 0x0a;

/** The parts of a transaction needed to send it. */
export type EncodedTransaction = Pick<SignedTransaction, "bytes" | "size">;

/** Bytes that a transaction adds to a TXS payload. */
function transactionItemSize(transaction: EncodedTransaction): number {
	return 1 + varintSize(transaction.size) + transaction.size;
}

/** Payload of TXS, from already serialized transactions. */
export function encodeTransactions(transactions: readonly EncodedTransaction[]): Uint8Array {
	const payload = new Uint8Array(
		transactions.reduce((sum, transaction) => sum + transactionItemSize(transaction), 0),
	);
	let at = 0;
	for (const { bytes } of transactions) {
		payload[at++] = TRANSACTIONS_TAG;
		let length = bytes.length;
		for (; length > 0x7f; length >>>= 7) payload[at++] = (length & 0x7f) | 0x80;
		payload[at++] = length;
		payload.set(bytes, at);
		at += bytes.length;
	}
	return payload;
}

/** Payload of P2P_DISCONNECT. */
export function encodeDisconnect(reason: Reason): Uint8Array {
	return DisconnectMessage.encode(DisconnectMessage.create({ reason }));
}

/** The reason as a number, known or not. @throws {DecodeError} */
export function decodeDisconnect(payload: Uint8Array): number {
	return DisconnectMessage.decode(payload).reason;
}

/** Payload of P2P_PING and P2P_PONG; receivers ignore it. */
export const PING_PAYLOAD: Uint8Array = Uint8Array.of(0xc0);
