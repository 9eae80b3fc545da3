/**
 * Adjustments to the gRPC library for which it has no hook: two answers that differ from the network's, long
 * messages sent in parts, knowing when a message has been sent, and intercepting calls early. They use
 * private members of the pinned release; a test compares what arrives.
 */

import { constants, type Http2Server, type ServerHttp2Stream } from "node:http2";
import {
	type handleBidiStreamingCall,
	type Metadata,
	type Server,
	type ServerCredentials,
	ServerInterceptingCall,
	type ServerInterceptor,
	ServerListenerBuilder,
	type StatusObject,
	status,
} from "@grpc/grpc-js";

/** Calls that may start per event loop round, over all connections. */
export const MAX_STARTS = 32;

/**
 * Starts a few calls per event loop round, one per connection in turn: the library's work on a call costs
 * several times as much as reading it, and one round may read a hundred calls from every connection.
 */
export class CallStarts {
	/** Waiting calls by connection; connections in round-robin order. */
	private readonly waiting = new Map<object, Set<() => void>>();
	private inRound = 0;
	private isScheduled = false;

	/** @param inNextRound calls a function once all that has been read by now is done */
	constructor(private readonly inNextRound: (next: () => void) => void = setImmediate) {}

	/**
	 * Starts a call, now or in a later round.
	 * @returns removes a waiting call from the queue, so that a cancelled one holds nothing; undefined if it has started
	 * @param begin must not throw
	 */
	start(connection: object, begin: () => void): (() => void) | undefined {
		this.schedule();
		if (this.waiting.size === 0 && this.inRound < MAX_STARTS) {
			this.inRound++;
			begin();
			return undefined;
		}
		const line = this.waiting.get(connection) ?? new Set();
		this.waiting.set(connection, line.add(begin));
		return () => {
			if (line.delete(begin) && line.size === 0) this.waiting.delete(connection);
		};
	}

	private schedule(): void {
		if (this.isScheduled) return;
		this.isScheduled = true;
		this.inNextRound(this.round);
	}

	private readonly round = (): void => {
		this.isScheduled = false;
		this.inRound = 0;
		const { waiting } = this;
		if (waiting.size > 0) this.schedule();
		for (const [connection, line] of waiting) {
			if (this.inRound >= MAX_STARTS) break;
			this.inRound++;
			const [begin] = line;
			waiting.delete(connection);
			if (begin) line.delete(begin);
			if (line.size > 0) waiting.set(connection, line);
			begin?.();
		}
	};
}

interface Handler {
	readonly path: string;
	readonly type: "bidi";
	readonly func: handleBidiStreamingCall<Buffer, Buffer>;
	readonly serialize: (bytes: Buffer) => Buffer;
	readonly deserialize: (bytes: Buffer) => Buffer;
}

interface HandlerLookup {
	_retrieveHandler?(path: string): Handler | null;
}

/**
 * Makes a server answer unknown methods with `Method not found: <service>/<method>` before any message
 * arrives: a client that opens a stream may wait for the answer first.
 */
export function nameUnknownMethods(server: Server): void {
	const lookup = server as unknown as HandlerLookup;
	const known = lookup._retrieveHandler;
	if (!known) return;
	lookup._retrieveHandler = (path) => known.call(server, path) ?? unknownMethod(path);
}

function unknownMethod(path: string): Handler {
	return {
		path,
		type: "bidi",
		func: (call) => {
			const details = `Method not found: ${path.replace(/^\//, "")}`;
			call.emit("error", { code: status.UNIMPLEMENTED, details });
		},
		serialize: (bytes) => bytes,
		deserialize: (bytes) => bytes,
	};
}

interface ServerMaker {
	createHttp2Server?(credentials: ServerCredentials): Http2Server;
}

/**
 * Shows the server only admitted streams, a few at a time: the library's work on a call costs three times as
 * much as HTTP/2's. Must be called before the server creates its listeners.
 * @param admits called with every stream before anything is done for it; has closed it if it says no
 * @param starts when the library sees which stream
 */
export function admitStreams(
	server: Server,
	admits: (stream: ServerHttp2Stream) => boolean,
	starts: CallStarts,
): void {
	const maker = server as unknown as ServerMaker;
	const known = maker.createHttp2Server;
	if (!known) return;
	maker.createHttp2Server = (credentials) => {
		const made = known.call(server, credentials);
		const { emit } = made;
		made.emit = (event: string, ...values: unknown[]) => {
			if (event !== "stream") return emit.call(made, event, ...values);
			const stream = values[0] as ServerHttp2Stream;
			if (!admits(stream)) return true;
			// Handles errors before the library has seen the stream.
			stream.on("error", () => {});
			const leave = starts.start(stream.session ?? made, () => {
				if (!stream.destroyed) emit.call(made, event, ...values);
			});
			if (leave) stream.once("close", leave);
			return true;
		};
		return made;
	};
}

/** The gRPC message prefix: a compression flag and the length. */
const MESSAGE_HEAD_BYTES = 5;

/** An outgoing message. */
interface Sending {
	/** For a message in parts: its prefix, then its bytes. */
	readonly parts?: readonly [Buffer, ...Uint8Array[]];
	readonly done: (() => void)[];
	/** Set once the library sends it. */
	stream?: ServerHttp2Stream;
}

const sending = new WeakMap<Buffer, Sending>();

/**
 * A message in parts, sent one after another without joining them first: it may take hundreds of megabytes.
 * @returns an empty placeholder for it until it is sent
 */
export function messageOfParts(parts: readonly Uint8Array[], length: number): Buffer {
	const head = Buffer.alloc(MESSAGE_HEAD_BYTES);
	head.writeUInt32BE(length, 1);
	const message = Buffer.alloc(0);
	sending.set(message, { parts: [head, ...parts], done: [] });
	return message;
}

/** Length of a message in bytes, whole or in parts. */
export function messageLength(message: Buffer): number {
	const [head] = sending.get(message)?.parts ?? [];
	return head ? head.readUInt32BE(1) : message.length;
}

/**
 * Calls a function once a message has left the process; the library has no callback for it.
 * @returns ends the message's call, which clients report as RESOURCE_EXHAUSTED; doesn't hold on to the message
 */
export function whenSent(message: Buffer, done: () => void): () => void {
	const known: Sending = sending.get(message) ?? { done: [] };
	known.done.push(done);
	sending.set(message, known);
	return () => known.stream?.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
}

/** The members of the library's call object used here. */
export interface LibraryCall {
	readonly stream?: ServerHttp2Stream;
	sendMessage(message: unknown, callback: () => void): void;
	serializeMessage(message: Buffer): Uint8Array;
	sendStatus(status: Partial<StatusObject>): void;
}

/** Streams closed here without a status. */
const cancelled = new WeakSet<ServerHttp2Stream>();

/** Whether a closed stream was reset by its client. */
export function wasReset(stream: ServerHttp2Stream): boolean {
	return stream.rstCode !== constants.NGHTTP2_NO_ERROR && !cancelled.has(stream);
}

/** The library's errors for an oversized message, as received or after decompression. */
const TOO_LARGE = /^Received message larger than max \((\d+) vs (\d+)\)$/;
const TOO_LARGE_INSIDE = /^Received message that decompresses to a size larger than (\d+)$/;

/** The network's text for that error; undefined if the call ended for another reason. */
function oversizeText({ code, details = "" }: Partial<StatusObject>): string | undefined {
	if (code !== status.RESOURCE_EXHAUSTED) return undefined;
	const [, size, max] = TOO_LARGE.exec(details) ?? [];
	if (size !== undefined) return `gRPC message exceeds maximum size ${max}: ${size}`;
	const [, inside] = TOO_LARGE_INSIDE.exec(details) ?? [];
	return inside === undefined ? undefined : `Decompressed gRPC message exceeds maximum size ${inside}`;
}

/**
 * An oversized message ends its call as cancelled, without a status (recorded in ops/limits), or with a
 * status that says so (recorded in late-grpc). Also tracks when messages have been sent.
 * @param tellsOversize whether there is a status
 * @param begun called with every call, before anything of it is read
 */
export const watchCalls =
	(tellsOversize: boolean, begun: (call: LibraryCall) => void): ServerInterceptor =>
	(_method, call) => {
		const own = call as unknown as LibraryCall;
		const { stream, sendStatus, sendMessage, serializeMessage } = own;
		own.serializeMessage = (message) =>
			sending.get(message)?.parts?.[0] ?? serializeMessage.call(call, message);
		own.sendMessage = (message, callback) => {
			const known = Buffer.isBuffer(message) ? sending.get(message) : undefined;
			const sent = (): void => {
				for (const then of known?.done ?? []) then();
				callback();
			};
			const rest = known?.parts?.slice(1) ?? [];
			if (known && stream) known.stream = stream;
			sendMessage.call(call, message, rest.length === 0 ? sent : () => {});
			if (stream) writeParts(stream, rest, sent);
		};
		own.sendStatus = (answer) => {
			const details = oversizeText(answer);
			if (details === undefined || !stream) sendStatus.call(call, answer);
			else if (tellsOversize) sendStatus.call(call, { ...answer, details });
			else {
				cancelled.add(stream);
				stream.close(constants.NGHTTP2_CANCEL);
			}
		};
		begun(own);
		return new ServerInterceptingCall(call);
	};

/** Writes what follows a message's prefix. @param sent not called if the stream ends before */
function writeParts(stream: ServerHttp2Stream, parts: readonly Uint8Array[], sent: () => void): void {
	for (const [at, part] of parts.entries()) {
		if (stream.destroyed || stream.writableEnded) return;
		const isLast = at === parts.length - 1;
		stream.write(part, (error) => {
			if (isLast && !error) sent();
		});
	}
}

/** Bytes HTTP/2 counts per header field besides its name and value. */
const FIELD_OVERHEAD = 32;

/** Ends calls whose header fields exceed the limit; the library's own limit is 64 KiB. */
export function limitHeaders(maxBytes: number): ServerInterceptor {
	return (_method, call) =>
		new ServerInterceptingCall(call, {
			start: (next) =>
				next(
					new ServerListenerBuilder()
						.withOnReceiveMetadata((metadata, pass) => {
							const bytes = headerBytes(metadata);
							if (bytes <= maxBytes) return pass(metadata);
							const details = `Header size ${bytes} exceeds the limit of ${maxBytes}`;
							call.sendStatus({ code: status.RESOURCE_EXHAUSTED, details });
						})
						.build(),
				),
		});
}

function headerBytes(metadata: Metadata): number {
	let bytes = 0;
	for (const [name, values] of Object.entries(metadata.toHttp2Headers())) {
		for (const value of Array.isArray(values) ? values : [values]) {
			bytes += name.length + String(value ?? "").length + FIELD_OVERHEAD;
		}
	}
	return bytes;
}
