/**
 * Two answers of the library that differ from the network's, long messages that are sent in parts, the moment at which a
 * message has been sent, and the one before it sees a call: for none of them it offers a hook. They use private members of the
 * release that is pinned; a test compares what arrives.
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

/** Calls that begin in one round, over all connections. */
export const MAX_STARTS = 32;

/**
 * Calls begin a few in each round of the event loop, one of each connection in turn: the library's part of a call takes several times
 * what reading it takes, and one round may read a hundred calls of every connection.
 */
export class CallStarts {
	/** What waits, by connection; connections in the order in which they come next. */
	private readonly waiting = new Map<object, Set<() => void>>();
	private inRound = 0;
	private isScheduled = false;

	/** @param inNextRound calls a function once all that has been read by now is done */
	constructor(private readonly inNextRound: (next: () => void) => void = setImmediate) {}

	/**
	 * Begins a call: now, or in a later round.
	 * @param begin must not throw
	 * @returns takes a call that waits out of the line: one that its client gives up must hold nothing; undefined: it has begun
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
 * Makes a server answer unknown methods with `Method not found: <service>/<method>`, before any message: a client that
 * opens a stream may wait for the answer first.
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
 * Lets a server see only the streams that are admitted, and a few at a time: what the library does for a call costs three times
 * what HTTP/2 does. To be called before the server makes its listeners.
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
			// One that fails before the library has seen it.
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

/** What gRPC puts before a message: whether it is compressed, and its length. */
const MESSAGE_HEAD_BYTES = 5;

/** A message on its way to its client. */
interface Sending {
	/** Of a message in parts, its head and then its bytes. */
	readonly parts?: readonly [Buffer, ...Uint8Array[]];
	readonly done: (() => void)[];
	/** Known once the library sends it. */
	stream?: ServerHttp2Stream;
}

const sending = new WeakMap<Buffer, Sending>();

/**
 * A message of parts, which are sent one after the other without being joined first: it may take hundreds of megabytes.
 * @returns what stands for it until it is sent: without bytes
 */
export function messageOfParts(parts: readonly Uint8Array[], length: number): Buffer {
	const head = Buffer.alloc(MESSAGE_HEAD_BYTES);
	head.writeUInt32BE(length, 1);
	const message = Buffer.alloc(0);
	sending.set(message, { parts: [head, ...parts], done: [] });
	return message;
}

/** Bytes of a message, joined or in parts. */
export function messageLength(message: Buffer): number {
	const [head] = sending.get(message)?.parts ?? [];
	return head ? head.readUInt32BE(1) : message.length;
}

/**
 * Has a function called once a message has left the process; the library has no callback for it.
 * @returns ends the call of the message, with what clients show as RESOURCE_EXHAUSTED; doesn't keep the message itself
 */
export function whenSent(message: Buffer, done: () => void): () => void {
	const known: Sending = sending.get(message) ?? { done: [] };
	known.done.push(done);
	sending.set(message, known);
	return () => known.stream?.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
}

/** The library's call, as far as it is known. */
export interface LibraryCall {
	readonly stream?: ServerHttp2Stream;
	sendMessage(message: unknown, callback: () => void): void;
	serializeMessage(message: Buffer): Uint8Array;
	sendStatus(status: Partial<StatusObject>): void;
}

/** Streams that were closed here without a status. */
const cancelled = new WeakSet<ServerHttp2Stream>();

/** Whether a stream that has closed was reset by its client. */
export function wasReset(stream: ServerHttp2Stream): boolean {
	return stream.rstCode !== constants.NGHTTP2_NO_ERROR && !cancelled.has(stream);
}

/** The library's texts for a message that is too long, as it comes or decompressed. */
const TOO_LARGE = /^Received message larger than max \((\d+) vs (\d+)\)$/;
const TOO_LARGE_INSIDE = /^Received message that decompresses to a size larger than (\d+)$/;

/** The network's text for it; undefined: the call ended for another reason. */
function oversizeText({ code, details = "" }: Partial<StatusObject>): string | undefined {
	if (code !== status.RESOURCE_EXHAUSTED) return undefined;
	const [, size, max] = TOO_LARGE.exec(details) ?? [];
	if (size !== undefined) return `gRPC message exceeds maximum size ${max}: ${size}`;
	const [, inside] = TOO_LARGE_INSIDE.exec(details) ?? [];
	return inside === undefined ? undefined : `Decompressed gRPC message exceeds maximum size ${inside}`;
}

/**
 * A message above the limit ends its call as cancelled, without a status (recorded in ops/limits), or with a status that
 * says so (recorded in late-grpc). Also tells when messages have been sent.
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

/** Writes what follows a message's head. @param sent not called if the stream ends before */
function writeParts(stream: ServerHttp2Stream, parts: readonly Uint8Array[], sent: () => void): void {
	for (const [at, part] of parts.entries()) {
		if (stream.destroyed || stream.writableEnded) return;
		const isLast = at === parts.length - 1;
		stream.write(part, (error) => {
			if (isLast && !error) sent();
		});
	}
}

/** What HTTP/2 counts for a field beside its name and value. */
const FIELD_OVERHEAD = 32;

/** Ends calls whose header fields are longer than allowed; the library itself stops at 64 KiB. */
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
