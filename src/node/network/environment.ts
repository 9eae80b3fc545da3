/**
 * What the peer network takes from its environment: time, randomness, sockets and name lookups. The real one is
 * `node-environment.ts`; a simulation provides its own, so that a whole network runs in one process under a virtual clock and
 * failures can be reproduced exactly. Nothing else in this directory may read a clock or open a socket.
 */

/** An IP literal and a port. */
export interface NodeAddress {
	readonly host: string;
	readonly port: number;
}

/** In display and URL form: IPv6 literals are in brackets. */
export function addressText({ host, port }: NodeAddress): string {
	return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Key for maps by address. */
export const keyOfAddress = ({ host, port }: NodeAddress): string => `${host} ${port}`;

export interface Timer {
	/** Cancels it, unless it has already started. May be called repeatedly. */
	cancel(): void;
}

/** Events of a byte stream for its owner. */
export interface StreamListener {
	data(bytes: Uint8Array): void;
	/** The stream is closed, by either side; called once, as the last event. */
	closed(): void;
}

/** One TCP connection. */
export interface ByteStream {
	readonly remote: NodeAddress;
	/** Bytes written but not yet handed to the other side's system. */
	readonly backlog: number;
	/** The creator of the stream sets this before anything else happens in the process. */
	listen(listener: StreamListener): void;
	/** Ignored once the stream is ended. */
	write(bytes: Uint8Array): void;
	/** Sends what was written, then closes. */
	end(): void;
	/** Closes immediately. */
	destroy(): void;
	/** Stops reading until {@link resume}, which holds the sender back. */
	pause(): void;
	resume(): void;
}

export interface PeerListener {
	/** Bound port. */
	readonly port: number;
	close(): Promise<void>;
}

export interface DatagramPort {
	readonly port: number;
	send(datagram: Uint8Array, to: NodeAddress): void;
	close(): Promise<void>;
}

export interface BindOptions {
	/** Address to bind; undefined: every interface. */
	readonly host?: string | undefined;
	/** 0: any. */
	readonly port: number;
}

export interface NetworkEnvironment {
	/** Milliseconds of a monotonic clock, for durations. Its origin is arbitrary, and it has fractions. */
	now(): number;
	/** Milliseconds since 1970, which may jump at any moment in either direction: for timestamps exchanged between nodes. */
	wallClock(): number;
	/** Runs a task once. Tasks due at the same time run in the order they were set. */
	after(delayMs: number, task: () => void): Timer;
	/** Runs a task periodically, each time `periodMs` after it returned. */
	every(periodMs: number, task: () => void, firstMs?: number): Timer;
	/** From 0 (inclusive) to 1. */
	random(): number;
	randomBytes(count: number): Uint8Array;
	/** @throws {Error} if the port can't be bound */
	listen(options: BindOptions, accept: (stream: ByteStream) => void): Promise<PeerListener>;
	/** @throws {Error} if there is no connection after `timeoutMs` */
	dial(address: NodeAddress, timeoutMs: number, from?: string): Promise<ByteStream>;
	/** @throws {Error} if the port can't be bound */
	bindDatagrams(
		options: BindOptions,
		receive: (datagram: Uint8Array, from: NodeAddress) => void,
	): Promise<DatagramPort>;
	/** Resolves a host, preferring IPv4. @throws {Error} if its name is not known */
	resolveHost(name: string): Promise<string>;
	/** TXT records of a name, each as its strings. @throws {Error} if no resolver answers */
	resolveText(name: string): Promise<readonly (readonly string[])[]>;
	/** Runs a task after the current one; the environment's `setImmediate`. */
	soon(task: () => void): void;
}
