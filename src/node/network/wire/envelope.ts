/** The wrapper of every body after the handshake, with compression where it helps (sheet 09 §4.2). */

import { DecodeError } from "../../../protocol/codec/reader.js";
import { TransportCompressed } from "../../../protocol/messages.js";
import { MAX_LENGTH } from "./frames.js";
import { compress, SnappyError, uncompress, uncompressedLength } from "./snappy.js";
import { DisconnectReason } from "./transport-messages.js";
import { ProtocolViolation } from "./violation.js";

const SNAPPY = 1;

/** @param plain type byte and payload */
export function wrap(plain: Uint8Array): Uint8Array {
	const compressed = compress(plain);
	return TransportCompressed.encode(
		TransportCompressed.create(
			compressed.length < plain.length ? { type: SNAPPY, data: compressed } : { data: plain },
		),
	);
}

/**
 * @returns type byte and payload: never empty, perhaps a view of the body
 * @throws {ProtocolViolation}
 */
export function unwrap(body: Uint8Array): Uint8Array {
	const { type, data } = decode(body);
	const plain = type === 0 ? data : expand(data);
	if (plain.length === 0) throw new ProtocolViolation(DisconnectReason.EMPTY_MESSAGE, "empty message");
	return plain;
}

function decode(body: Uint8Array): TransportCompressed {
	try {
		return TransportCompressed.decode(body);
	} catch (error) {
		if (!(error instanceof DecodeError)) throw error;
		throw new ProtocolViolation(DisconnectReason.BAD_MESSAGE, "not a wrapped message");
	}
}

function expand(data: Uint8Array): Uint8Array {
	try {
		if (uncompressedLength(data) >= MAX_LENGTH) {
			throw new ProtocolViolation(DisconnectReason.UNKNOWN, "message too long when uncompressed");
		}
		return uncompress(data);
	} catch (error) {
		if (!(error instanceof SnappyError)) throw error;
		throw new ProtocolViolation(undefined, `broken compression: ${error.message}`);
	}
}
