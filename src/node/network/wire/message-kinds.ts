/**
 * Maximum size per message type, checked before decompression and hence before decoding.
 *
 * A wrapped body states the length of its content, and its first element is always a literal starting with
 * the type byte: both are known before any memory is allocated. The limits leave every honest message several
 * times its size; those of blocks and transactions are network rules (protocol/peers §§7.5, 8.2).
 */

import { MAX_BLOCK_BYTES } from "../../consensus/block-judgement.js";
import { ApplicationType, Reason } from "./application-messages.js";
import {
	DisconnectReason,
	ProtocolViolation,
	TransportType,
	transportTypeName,
} from "./transport-messages.js";

/** Maximum serialized transaction, in bytes. */
const MAX_TRANSACTION_BYTES = 512_000;
/** TXS is sent as soon as it exceeds this: the transaction that crosses the limit is the last. */
export const TXS_BYTES = 1_000_000;
/** Ids of a list: 2001 of them (§7.3), each with its number, tags and lengths. */
const BLOCK_REFERENCE_BYTES = 48;
export const MAX_LIST_IDS = 2001;
/** Bytes of an inventory id with tag and length. */
const ITEM_BYTES = 34;
/** An INVENTORY has at most 1001 ids (§8.5: what waits to be spread); this allows for nodes with larger limits. */
const MAX_INVENTORY_IDS = 4000;
/** Maximum blocks per request: two full lists (§7.4). */
const MAX_FETCHED_IDS = 4002;
/** A summary halves the distance with each id, so 64 ids reach any height; this is four times that. */
const MAX_SUMMARY_IDS = 256;

interface MessageKind {
	/** Type byte and payload. */
	readonly maxBytes: number;
	/** The reason sent to a peer that sends more. */
	readonly reason: Reason;
}

const kind = (maxBytes: number, reason: Reason = Reason.BAD_PROTOCOL): MessageKind => ({ maxBytes, reason });

const APPLICATION_KINDS: ReadonlyMap<number, MessageKind> = new Map([
	[ApplicationType.BLOCK, kind(1 + MAX_BLOCK_BYTES)],
	[ApplicationType.TXS, kind(TXS_BYTES + MAX_TRANSACTION_BYTES + 1024)],
	[ApplicationType.INVENTORY, kind(1024 + MAX_INVENTORY_IDS * ITEM_BYTES)],
	[ApplicationType.FETCH_INV_DATA, kind(1024 + MAX_FETCHED_IDS * ITEM_BYTES)],
	[ApplicationType.SYNC_BLOCK_CHAIN, kind(1024 + MAX_SUMMARY_IDS * BLOCK_REFERENCE_BYTES)],
	[ApplicationType.BLOCK_CHAIN_INVENTORY, kind(1024 + MAX_LIST_IDS * BLOCK_REFERENCE_BYTES)],
	// 27 witnesses and their signatures take less than 3 KB.
	[ApplicationType.PBFT_COMMIT_MSG, kind(16 << 10)],
	[ApplicationType.PBFT_MSG, kind(8 << 10)],
	// Its fields may be 200 bytes long (§5.2 row 3), on Nile those of a signature 3743; the reason is up to the release.
	[ApplicationType.P2P_HELLO, kind(32 << 10)],
	[ApplicationType.P2P_DISCONNECT, kind(1 << 10)],
	[ApplicationType.P2P_PING, kind(1 << 10)],
	[ApplicationType.P2P_PONG, kind(1 << 10)],
]);

/** Unknown types are refused at any size, just earlier if oversized. */
const UNKNOWN_KIND = kind(1 << 10, Reason.NO_SUCH_MESSAGE);

/** Two addresses as text, an id and some numbers: a HELLO has about a hundred bytes, a PING eight. */
const TRANSPORT_BYTES: ReadonlyMap<number, number> = new Map([
	[TransportType.PING, 256],
	[TransportType.PONG, 256],
	[TransportType.DISCONNECT, 256],
	[TransportType.HELLO, 2 << 10],
	[TransportType.STATUS, 2 << 10],
]);

/** Before the handshake: a HELLO, a STATUS request, or the first message of a legacy peer. */
export const MAX_GREETING_BYTES = 64 << 10;

/** An application message above the limit of its type. */
export class OversizeMessage extends Error {
	override readonly name = "OversizeMessage";

	constructor(
		readonly type: number,
		readonly reason: Reason,
		bytes: number,
	) {
		super(`${bytes} bytes`);
	}
}

/**
 * Must be called before a message is processed any further.
 * @param bytes of type byte and payload
 * @throws {ProtocolViolation | OversizeMessage}
 */
export function checkSize(type: number, bytes: number): void {
	const limit = TRANSPORT_BYTES.get(type);
	if (limit !== undefined) {
		if (bytes <= limit) return;
		const why = `${transportTypeName(type)} of ${bytes} bytes`;
		throw new ProtocolViolation(DisconnectReason.BAD_MESSAGE, why);
	}
	// Nonexistent transport types are refused by their reader.
	if (type >= 0x7f) return;
	const { maxBytes, reason } = APPLICATION_KINDS.get(type) ?? UNKNOWN_KIND;
	if (bytes > maxBytes) throw new OversizeMessage(type, reason, bytes);
}
