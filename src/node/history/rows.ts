/**
 * Row kinds of the history index and their binary format.
 *
 * A row belongs to an owner (an account or a contract, 20 bytes) and is ordered by its suffix within kind and
 * owner. The suffix is a place in the chain (height, position in the block, ordinal), or for sets another
 * address. Rows hold places and participants; bodies are read from blocks and receipts.
 */

import { toKey } from "../../protocol/bytes.js";

/** First key byte of each kind in the store. Changing a row's meaning takes a new number or a new version. */
export const ROW_KINDS = {
	/** Transactions by participant. */
	transaction: 1,
	/** Internal transactions by sender and receiver. */
	internal: 2,
	/** Transfers and approvals of ORC-20 and ORC-721 tokens by participant. */
	token: 3,
	/** Transfers of ORC-10 tokens by participant. */
	asset: 4,
	/** Logs by contract. */
	log: 5,
	/** Logs by contract and first topic. */
	event: 6,
	/** Accounts that a contract's transfers named, by contract. */
	holder: 7,
	/** Contracts whose transfers named an account, by account. */
	holding: 8,
} as const;

export type RowKind = keyof typeof ROW_KINDS;

/** Kinds whose suffix is an address: membership, independent of place. */
export const isSetKind = (kind: RowKind): boolean => kind === "holder" || kind === "holding";

export interface HistoryRow {
	readonly kind: RowKind;
	/** Latin-1 text of the bytes: a 20-byte address, for events followed by 8 bytes of the topic. */
	readonly owner: string;
	/** Latin-1 text of the bytes: a place, or an address. */
	readonly suffix: string;
	readonly value: Uint8Array;
}

/** A place in the chain. */
export interface Place {
	readonly height: number;
	/** Index of the transaction in its block. */
	readonly position: number;
	/** Index of the log or internal transaction, counted per kind. */
	readonly ordinal: number;
}

/** Bytes of an address without its prefix. */
export const ADDRESS_BYTES = 20;
const HEIGHT_BYTES = 5;
const POSITION_BYTES = 3;
const PLACE_BYTES = HEIGHT_BYTES + 2 * POSITION_BYTES;
/** Bytes of a topic in the owner of events. */
const TOPIC_BYTES = 8;
/** Bytes of a transaction id kept in rows: enough to detect that a block isn't the indexed one. */
const MARK_BYTES = 8;
/** Largest position and ordinal of a {@link Place}. */
export const MAX_ORDINAL = 0xff_ff_ff;

const scratch = Buffer.alloc(PLACE_BYTES);

export function placeSuffix(height: number, position: number, ordinal: number): string {
	scratch.writeUIntBE(height, 0, HEIGHT_BYTES);
	scratch.writeUIntBE(position, HEIGHT_BYTES, POSITION_BYTES);
	scratch.writeUIntBE(ordinal, HEIGHT_BYTES + POSITION_BYTES, POSITION_BYTES);
	return scratch.toString("latin1");
}

const MAX_HEIGHT = 2 ** (8 * HEIGHT_BYTES) - 1;

/** The lowest suffix of a block; heights are clamped to the valid range. */
export const blockSuffix = (height: number): string =>
	placeSuffix(Math.min(Math.max(height, 0), MAX_HEIGHT), 0, 0);

export function readPlace(suffix: string): Place {
	const bytes = Buffer.from(suffix, "latin1");
	return {
		height: bytes.readUIntBE(0, HEIGHT_BYTES),
		position: bytes.readUIntBE(HEIGHT_BYTES, POSITION_BYTES),
		ordinal: bytes.readUIntBE(HEIGHT_BYTES + POSITION_BYTES, POSITION_BYTES),
	};
}

/** The first place not below a list bound of any length. */
export function placeAtOrAbove(bound: string): Place {
	const place = readPlace(bound.slice(0, PLACE_BYTES).padEnd(PLACE_BYTES, "\0"));
	// A longer bound is above the place it begins with.
	return bound.length > PLACE_BYTES ? { ...place, ordinal: place.ordinal + 1 } : place;
}

/** The owner of event rows. @param contract 20 bytes as Latin-1 text */
export const eventOwner = (contract: string, topic: Uint8Array): string =>
	contract + toKey(topic.subarray(0, TOPIC_BYTES));

/** Role bits of a participant; both if an account transacts with itself. */
export const DIRECTIONS = { from: 1, to: 2 } as const;

/** A row with only the direction and the start of the transaction id. */
export function pointerValue(directions: number, id: Uint8Array): Uint8Array {
	const bytes = Buffer.allocUnsafe(1 + MARK_BYTES);
	bytes[0] = directions;
	bytes.set(id.subarray(0, MARK_BYTES), 1);
	return bytes;
}

interface Pointer {
	readonly directions: number;
	/** Start of the transaction id. */
	readonly mark: Uint8Array;
}

export const readPointer = (value: Uint8Array): Pointer => ({
	directions: value[0] as number,
	mark: value.subarray(1, 1 + MARK_BYTES),
});

export const TOKEN_TYPES = ["Transfer", "Approval", "Transfer721", "Approval721"] as const;
export type TokenType = (typeof TOKEN_TYPES)[number];

/** A token transfer or approval, complete without reading the block. */
interface TokenMovement {
	readonly directions: number;
	readonly type: TokenType;
	readonly timeMs: number;
	/** 32 bytes. */
	readonly transactionId: Uint8Array;
	/** 20 bytes each. */
	readonly contract: Uint8Array;
	readonly from: Uint8Array;
	readonly to: Uint8Array;
	/** The amount; for ORC-721 the token id. */
	readonly amount: bigint;
}

const TOKEN_HEAD = 1 + 1 + 6 + 32 + 3 * 20;

/** @param amount 32 bytes */
export function tokenValue(movement: Omit<TokenMovement, "amount">, amount: Uint8Array): Uint8Array {
	let zeros = 0;
	while (zeros < amount.length && amount[zeros] === 0) zeros++;
	const bytes = Buffer.allocUnsafe(TOKEN_HEAD + amount.length - zeros);
	bytes[0] = movement.directions;
	bytes[1] = TOKEN_TYPES.indexOf(movement.type);
	bytes.writeUIntBE(movement.timeMs, 2, 6);
	bytes.set(movement.transactionId, 8);
	bytes.set(movement.contract, 40);
	bytes.set(movement.from, 60);
	bytes.set(movement.to, 80);
	bytes.set(amount.subarray(zeros), TOKEN_HEAD);
	return bytes;
}

export function readTokenValue(value: Uint8Array): TokenMovement {
	const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
	const amount = bytes.toString("hex", TOKEN_HEAD);
	return {
		directions: bytes[0] as number,
		type: TOKEN_TYPES[bytes[1] as number] ?? "Transfer",
		timeMs: bytes.readUIntBE(2, 6),
		transactionId: bytes.subarray(8, 40),
		contract: bytes.subarray(40, 60),
		from: bytes.subarray(60, 80),
		to: bytes.subarray(80, TOKEN_HEAD),
		amount: amount === "" ? 0n : BigInt(`0x${amount}`),
	};
}

/** A transfer of an ORC-10 token. */
interface AssetMovement {
	readonly directions: number;
	readonly timeMs: number;
	/** 32 bytes. */
	readonly transactionId: Uint8Array;
	/** 20 bytes each. */
	readonly from: Uint8Array;
	readonly to: Uint8Array;
	readonly amount: bigint;
	/** Token id as text; before proposal 14 its name. */
	readonly token: string;
}

const ASSET_HEAD = 1 + 6 + 32 + 2 * 20 + 8;

export function assetValue(movement: AssetMovement): Uint8Array {
	const token = Buffer.from(movement.token, "utf8");
	const bytes = Buffer.alloc(ASSET_HEAD + token.length);
	bytes[0] = movement.directions;
	bytes.writeUIntBE(movement.timeMs, 1, 6);
	bytes.set(movement.transactionId, 7);
	bytes.set(movement.from, 39);
	bytes.set(movement.to, 59);
	bytes.writeBigInt64BE(BigInt.asIntN(64, movement.amount), 79);
	bytes.set(token, ASSET_HEAD);
	return bytes;
}

export function readAssetValue(value: Uint8Array): AssetMovement {
	const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
	return {
		directions: bytes[0] as number,
		timeMs: bytes.readUIntBE(1, 6),
		transactionId: bytes.subarray(7, 39),
		from: bytes.subarray(39, 59),
		to: bytes.subarray(59, 79),
		amount: bytes.readBigInt64BE(79),
		token: bytes.toString("utf8", ASSET_HEAD),
	};
}
