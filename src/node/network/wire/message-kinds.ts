/**
 * How large a message of each kind may be: looked at before it is uncompressed, and so before it is decoded.
 *
 * A wrapped body says how long its content is, and its first element is always a literal that begins with the type
 * byte: both are known before any memory is taken. The sizes leave every honest message room several times over; those
 * of blocks and transactions are rules of the network (protocol/peers §§7.5, 8.2).
 */

import { MAX_BLOCK_BYTES } from "../../consensus/block-judgement.js";
import { ApplicationType, Reason } from "./application-messages.js";
import {
	DisconnectReason,
	ProtocolViolation,
	TransportType,
	transportTypeName,
} from "./transport-messages.js";

/** Largest transaction of the network, serialised. */
const MAX_TRANSACTION_BYTES = 512_000;
/** TXS goes out as soon as it holds more than this: the transaction that is one too many is the last. */
export const TXS_BYTES = 1_000_000;
/** Ids of a list: 2001 of them (§7.3), each with its number, tags and lengths. */
const BLOCK_REFERENCE_BYTES = 48;
export const MAX_LIST_IDS = 2001;
/** An id of an inventory with its tag and length. */
const ITEM_BYTES = 34;
/** An INVENTORY has at most 1001 ids (§8.5: what waits to be spread); this is for nodes with larger limits. */
const MAX_INVENTORY_IDS = 4000;
/** Blocks that may be asked for at once: two full lists (§7.4). */
const MAX_FETCHED_IDS = 4002;
/** A summary halves the distance with each id, so 64 ids reach any height; four times that. */
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

/** Unknown types are refused whatever their size, only sooner. */
const UNKNOWN_KIND = kind(1 << 10, Reason.NO_SUCH_MESSAGE);

/** Two addresses as text, an id and some numbers: a HELLO has about a hundred bytes, a PING eight. */
const TRANSPORT_BYTES: ReadonlyMap<number, number> = new Map([
	[TransportType.PING, 256],
	[TransportType.PONG, 256],
	[TransportType.DISCONNECT, 256],
	[TransportType.HELLO, 2 << 10],
	[TransportType.STATUS, 2 << 10],
]);

/** Before the handshake there is a HELLO, a question, or the first words of a peer of the old kind. */
export const MAX_GREETING_BYTES = 64 << 10;

/** An application message that is longer than any of its kind. */
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
 * To be asked before a message is looked at any further.
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
	// Transport types that don't exist are refused by their reader.
	if (type >= 0x7f) return;
	const { maxBytes, reason } = APPLICATION_KINDS.get(type) ?? UNKNOWN_KIND;
	if (bytes > maxBytes) throw new OversizeMessage(type, reason, bytes);
}
