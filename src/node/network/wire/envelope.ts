/** The wrapper of every body after the handshake, compressed where that helps (protocol/peers §4.2). */

import { DecodeError } from "../../../protocol/codec/reader.js";
import { TransportCompressed } from "../../../protocol/messages.js";
import {
	compress,
	firstByteOf,
	SnappyError,
	uncompress,
	uncompressedLength,
} from "../../../protocol/snappy.js";
import { MAX_LENGTH, writeFrame } from "./frames.js";
import { DisconnectReason, ProtocolViolation, withType } from "./transport-messages.js";

const SNAPPY = 1;

/** @param plain type byte and payload */
export function wrapMessage(plain: Uint8Array): Uint8Array {
	const compressed = compress(plain);
	return TransportCompressed.encode(
		TransportCompressed.create(
			compressed.length < plain.length ? { type: SNAPPY, data: compressed } : { data: plain },
		),
	);
}

/** Called with type byte and size of a message before decompression; throws to refuse it. */
type SizeCheck = (type: number, bytes: number) => void;

/**
 * @returns type byte and payload: never empty, perhaps a view of the body
 * @throws {ProtocolViolation} and what `check` throws
 */
export function unwrap(body: Uint8Array, check?: SizeCheck): Uint8Array {
	const { type, data } = decode(body);
	if (type === 0 && data.length > 0) check?.(data[0] as number, data.length);
	const plain = type === 0 ? data : expand(data, check);
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

function expand(data: Uint8Array, check: SizeCheck | undefined): Uint8Array {
	try {
		const length = uncompressedLength(data);
		if (length >= MAX_LENGTH) {
			throw new ProtocolViolation(DisconnectReason.UNKNOWN, "message too long when uncompressed");
		}
		if (check && length > 0) check(firstByteOf(data) as number, length);
		return uncompress(data);
	} catch (error) {
		if (!(error instanceof SnappyError)) throw error;
		throw new ProtocolViolation(undefined, `broken compression: ${error.message}`);
	}
}

/** Turns messages into frames. A message sent to many peers is compressed once. */
export class FrameWriter {
	private lastType = -1;
	private lastPayload: Uint8Array | undefined;
	private lastFrame: Uint8Array | undefined;

	/**
	 * Frame of an application message.
	 * @param payload asking again with the very same bytes gives the frame that was made before
	 * @param wrapped whether the other side expects bodies in a wrapper
	 */
	application(type: number, payload: Uint8Array, wrapped: boolean): Uint8Array {
		if (!wrapped) return writeFrame(withType(type, payload));
		if (this.lastFrame === undefined || payload !== this.lastPayload || type !== this.lastType) {
			this.lastFrame = writeFrame(wrapMessage(withType(type, payload)));
			this.lastPayload = payload;
			this.lastType = type;
		}
		return this.lastFrame;
	}

	/** Frame of a transport message, too short to be worth caching. */
	transport(message: Uint8Array, wrapped: boolean): Uint8Array {
		return writeFrame(wrapped ? wrapMessage(message) : message);
	}
}
