/**
 * What the peer network takes from its environment: time, randomness, sockets and name look-ups. The real one is
 * `node-environment.ts`; a simulation brings its own, so that a whole network runs in one process under a clock of its
 * own and a failing run can be repeated exactly. Nothing else in this room may read a clock or make a socket.
 */

/** An IP literal and a port. */
export interface NodeAddress {
	readonly host: string;
	readonly port: number;
}

/** As people write it and as a URL needs it: an IPv6 literal stands in brackets. */
export function addressText({ host, port }: NodeAddress): string {
	return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Of maps by address. */
export const keyOfAddress = ({ host, port }: NodeAddress): string => `${host} ${port}`;

export interface Timer {
	/** Ends it; a task that has not begun does not run. May be called often. */
	cancel(): void;
}

/** What a byte stream tells its owner. */
export interface StreamListener {
	data(bytes: Uint8Array): void;
	/** The stream is closed, by either side; called once, as the last event. */
	closed(): void;
}

/** One TCP connection. */
export interface ByteStream {
	readonly remote: NodeAddress;
	/** Bytes that were written and are not yet with the other side's system. */
	readonly backlog: number;
	/** The creator of the stream sets this before anything else happens in the process. */
	listen(listener: StreamListener): void;
	/** Ignored once the stream is ended. */
	write(bytes: Uint8Array): void;
	/** Sends what is written, then closes. */
	end(): void;
	/** Closes at once. */
	destroy(): void;
	/** Stops reading until {@link resume}: the sender is held back. */
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
	/**
	 * Milliseconds of a clock that only goes forward and is never set: for durations. Its origin is
	 * arbitrary, and it has fractions.
	 */
	now(): number;
	/** Milliseconds since 1970, which may be set at any moment, either way: for times that nodes tell each other. */
	wallClock(): number;
	/** Runs a task once. Tasks of equal time run in the order in which they were set. */
	after(delayMs: number, task: () => void): Timer;
	/** Runs a task again and again, the next time `periodMs` after it returned. */
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
	/** An address of a host, an IPv4 one first. @throws {Error} if its name is not known */
	resolveHost(name: string): Promise<string>;
	/** TXT records of a name, each as its strings. @throws {Error} if no resolver answers */
	resolveText(name: string): Promise<readonly (readonly string[])[]>;
	/** Runs a task after what is running now; the environment's `setImmediate`. */
	soon(task: () => void): void;
}
