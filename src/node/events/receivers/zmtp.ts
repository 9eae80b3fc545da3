/** ZMTP 3.0 with the NULL mechanism, as far as a publisher needs it (ZeroMQ RFC 23; protocol/events §5). */

import { concatBytes, utf8 } from "../../../protocol/bytes.js";

const GREETING_BYTES = 64;
/** Signature, version 3.0, mechanism, as-server 0. */
export const GREETING: Uint8Array = concatBytes(
	Uint8Array.of(0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0),
	utf8("NULL".padEnd(20, "\0")),
	new Uint8Array(32),
);

const MORE = 1;
const LONG = 2;
const COMMAND = 4;

function frame(flags: number, body: Uint8Array): Uint8Array {
	if (body.length < 256) return concatBytes(Uint8Array.of(flags, body.length), body);
	const head = Buffer.alloc(9);
	head[0] = flags | LONG;
	head.writeBigUInt64BE(BigInt(body.length), 1);
	return concatBytes(head, body);
}

/** The publisher's READY command. */
export const READY: Uint8Array = frame(
	COMMAND,
	concatBytes(
		Uint8Array.of(5),
		utf8("READY"),
		Uint8Array.of(11),
		utf8("Socket-Type"),
		Uint8Array.of(0, 0, 0, 3),
		utf8("PUB"),
	),
);

/** A two-frame message. */
export const messageBytes = (name: Uint8Array, body: Uint8Array): Uint8Array =>
	concatBytes(frame(MORE, name), frame(0, body));

/** A PING with TTL 0, which a peer answers with a PONG. */
export const PING: Uint8Array = frame(
	COMMAND,
	concatBytes(Uint8Array.of(4), utf8("PING"), Uint8Array.of(0, 0)),
);

const pong = (context: Uint8Array): Uint8Array =>
	frame(COMMAND, concatBytes(Uint8Array.of(4), utf8("PONG"), context));

/** Parsed input of a subscriber. */
export type SubscriberEvent =
	| { readonly is: "greeting"; readonly answersPing: boolean }
	| { readonly is: "ready" }
	| { readonly is: "subscribe" | "unsubscribe"; readonly prefix: string }
	| { readonly is: "answer"; readonly bytes: Uint8Array };

/** A subscriber violated the protocol; one sentence. */
export class ZmtpError extends Error {
	override readonly name = "ZmtpError";
}

/** Maximum bytes of a subscriber's frame: no valid one is longer. */
const MAX_FRAME = 4096;

/** Maximum frames per read: enough for a subscriber's full list of subscriptions. */
const MAX_FRAMES = 2_000;

/** Incremental parser of a subscriber's stream; keeps at most one frame. */
export class SubscriberReader {
	/** Unread bytes of earlier reads plus the current one; those before {@link at} are consumed. */
	private rest: Uint8Array = new Uint8Array(0);
	private at = 0;
	private count = 0;
	private state: "greeting" | "handshake" | "open" = "greeting";

	/** Number of frames read. */
	get frames(): number {
		return this.count;
	}

	/** @param most maximum number of frames @throws {ZmtpError} */
	*read(bytes: Uint8Array, most = MAX_FRAMES): Generator<SubscriberEvent> {
		this.rest = this.rest.length === 0 ? bytes : concatBytes(this.rest, bytes);
		this.at = 0;
		yield* this.events(most);
		// A copy, so that the connection's whole buffer isn't retained.
		this.rest = this.rest.slice(this.at);
	}

	private *events(most: number): Generator<SubscriberEvent> {
		if (this.state === "greeting") {
			checkSignature(this.rest);
			if (this.rest.length < GREETING_BYTES) return;
			const answersPing = checkGreeting(this.rest);
			this.at = GREETING_BYTES;
			this.state = "handshake";
			yield { is: "greeting", answersPing };
		}
		const before = this.count;
		const limit = Math.min(most, MAX_FRAMES);
		for (let next = this.frame(); next; next = this.frame()) {
			if (++this.count - before > limit) throw new ZmtpError("too many frames at once");
			const event = next.flags & COMMAND ? this.command(next.body) : this.message(next.flags, next.body);
			if (event) yield event;
		}
	}

	private frame(): { readonly flags: number; readonly body: Uint8Array } | undefined {
		const { rest, at } = this;
		const flags = rest[at];
		const short = rest[at + 1];
		if (flags === undefined || short === undefined) return undefined;
		const body = at + (flags & LONG ? 9 : 2);
		if (rest.length < body) return undefined;
		const length = flags & LONG ? Number(Buffer.from(rest.subarray(at + 1, body)).readBigUInt64BE()) : short;
		if (length > MAX_FRAME) throw new ZmtpError("a frame is too long");
		if (rest.length < body + length) return undefined;
		this.at = body + length;
		return { flags, body: rest.subarray(body, this.at) };
	}

	private command(body: Uint8Array): SubscriberEvent | undefined {
		const length = body[0] ?? 0;
		const name = latin1(body.subarray(1, 1 + length));
		const data = body.subarray(1 + length);
		if (this.state === "handshake") {
			if (name !== "READY") throw new ZmtpError("the first command is not READY");
			const type = propertyOf(data, "socket-type");
			if (type !== "SUB" && type !== "XSUB") throw new ZmtpError("only subscribers may connect");
			this.state = "open";
			return { is: "ready" };
		}
		if (name === "SUBSCRIBE") return { is: "subscribe", prefix: latin1(data) };
		if (name === "CANCEL") return { is: "unsubscribe", prefix: latin1(data) };
		// The first two bytes are the TTL.
		if (name === "PING") return { is: "answer", bytes: pong(data.subarray(2, 18)) };
		return undefined;
	}

	private message(flags: number, body: Uint8Array): SubscriberEvent | undefined {
		if (this.state !== "open") throw new ZmtpError("a message comes before the handshake");
		if (flags & MORE) throw new ZmtpError("a subscription has one frame");
		if (body[0] === 1) return { is: "subscribe", prefix: latin1(body.subarray(1)) };
		if (body[0] === 0) return { is: "unsubscribe", prefix: latin1(body.subarray(1)) };
		return undefined;
	}
}

/** A metadata property: length-prefixed name, then value with 4-byte length. Names are case-insensitive. */
function propertyOf(metadata: Uint8Array, wanted: string): string | undefined {
	const view = Buffer.from(metadata);
	for (let at = 0; at < view.length; ) {
		const nameEnd = at + 1 + (view[at] as number);
		if (nameEnd + 4 > view.length) return undefined;
		const end = nameEnd + 4 + view.readUInt32BE(nameEnd);
		if (end > view.length) return undefined;
		const name = view.toString("latin1", at + 1, nameEnd).toLowerCase();
		if (name === wanted) return view.toString("latin1", nameEnd + 4, end);
		at = end;
	}
	return undefined;
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

function checkSignature(bytes: Uint8Array): void {
	if (bytes.length > 0 && bytes[0] !== 0xff) throw new ZmtpError("not a greeting");
	if (bytes.length > 9 && ((bytes[9] as number) & 1) === 0) throw new ZmtpError("not a greeting");
	if (bytes.length > 10 && (bytes[10] as number) < 3)
		throw new ZmtpError("the protocol is older than ZMTP 3");
}

/** @returns whether the peer answers PING (ZMTP 3.1 and later) */
function checkGreeting(bytes: Uint8Array): boolean {
	if (latin1(bytes.subarray(12, 32)).replace(/\0+$/, "") !== "NULL") {
		throw new ZmtpError("the mechanism is not NULL");
	}
	return bytes[10] !== 3 || bytes[11] !== 0;
}
