/** The real environment: system clock and randomness, OS sockets, public name servers. */

import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { lookup, Resolver } from "node:dns/promises";
import { createServer, isIPv6, connect as openSocket, type Server, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { MAX_TIMER_MS } from "../../protocol/timing.js";
import type {
	BindOptions,
	ByteStream,
	DatagramPort,
	NetworkEnvironment,
	NodeAddress,
	PeerListener,
	StreamListener,
	Timer,
} from "./environment.js";

/** Public resolvers (protocol/peers §3). */
const PUBLIC_RESOLVERS: readonly string[] = [
	"1.1.1.1",
	"1.0.0.1",
	"8.8.8.8",
	"8.8.4.4",
	"9.9.9.9",
	"149.112.112.112",
	"208.67.222.222",
	"208.67.220.220",
];

const RESOLVE_TIMEOUT_MS = 1_000;
const RESOLVE_TRIES = 5;
/** Time limit for `end` to send the remaining bytes before the socket is closed anyway. */
const END_MS = 5_000;
/** DNS errors after which asking another resolver is pointless. */
const FINAL_DNS_ERRORS: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA"]);

interface NodeEnvironmentOptions {
	/** Name servers, `ip` or `ip:port`; each query goes to a random one. */
	readonly resolvers?: readonly string[];
}

/** Network environment over Node's own modules. */
export function nodeEnvironment(options: NodeEnvironmentOptions = {}): NetworkEnvironment {
	const resolvers = options.resolvers ?? PUBLIC_RESOLVERS;
	return {
		now: () => performance.now(),
		wallClock: () => Date.now(),
		after,
		every,
		random: Math.random,
		randomBytes: (count) => new Uint8Array(randomBytes(count)),
		listen,
		dial,
		bindDatagrams,
		resolveHost: async (name) => (await lookup(name, { order: "ipv4first" })).address,
		resolveText: (name) => resolveText(name, resolvers),
		soon: (task) => {
			setImmediate(task);
		},
	};
}

/** Addresses of this machine that are reachable in its network; 127.0.0.1 if there is none. */
export function localAddresses(): { readonly ipv4: string; readonly ipv6: string } {
	const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
	const outside = all.filter(({ internal, scopeid }) => !internal && (scopeid ?? 0) === 0);
	return {
		ipv4: outside.find(({ family }) => family === "IPv4")?.address ?? "127.0.0.1",
		ipv6: outside.find(({ family }) => family === "IPv6")?.address ?? "",
	};
}

/** Clamps delays, since settings may contain any number. */
function startTimer(task: () => void, delayMs: number): NodeJS.Timeout {
	return setTimeout(task, Math.min(delayMs, MAX_TIMER_MS));
}

function after(delayMs: number, task: () => void): Timer {
	const timer = startTimer(task, delayMs);
	return { cancel: () => clearTimeout(timer) };
}

function every(periodMs: number, task: () => void, firstMs: number = periodMs): Timer {
	let isCancelled = false;
	const run = () => {
		task();
		if (!isCancelled) timer = startTimer(run, periodMs);
	};
	let timer = startTimer(run, firstMs);
	return {
		cancel: () => {
			isCancelled = true;
			clearTimeout(timer);
		},
	};
}

function listen(options: BindOptions, accept: (stream: ByteStream) => void): Promise<PeerListener> {
	return new Promise((resolve, reject) => {
		const server = createServer({ noDelay: true }, (socket) => {
			// A connection closed before it was accepted has no address.
			if (socket.remoteAddress === undefined) socket.destroy();
			else accept(new SocketStream(socket));
		});
		server.once("error", reject);
		server.listen({ port: options.port, host: options.host }, () => {
			server.off("error", reject);
			// E.g. too many open files: this connection is lost, others aren't.
			server.on("error", () => undefined);
			resolve({ port: portOf(server.address()), close: () => stopListening(server) });
		});
	});
}

function dial({ host, port }: NodeAddress, timeoutMs: number, from?: string): Promise<ByteStream> {
	return new Promise((resolve, reject) => {
		const localAddress = from !== undefined && isIPv6(from) === isIPv6(host) ? from : undefined;
		const socket = openSocket({ host, port, localAddress, noDelay: true });
		const timeout = startTimer(() => {
			socket.destroy();
			reject(new Error(`no connection to ${host} port ${port} within ${timeoutMs} ms`));
		}, timeoutMs);
		const fail = (error: Error) => {
			clearTimeout(timeout);
			reject(error);
		};
		socket.once("error", fail);
		socket.once("connect", () => {
			clearTimeout(timeout);
			socket.off("error", fail);
			resolve(new SocketStream(socket, { host, port }));
		});
	});
}

async function bindDatagrams(
	options: BindOptions,
	receive: (datagram: Uint8Array, from: NodeAddress) => void,
): Promise<DatagramPort> {
	const isV6 = options.host !== undefined && isIPv6(options.host);
	const isBoth = options.host === undefined && Object.values(networkInterfaces()).flat().some(hasIpv6);
	const socket = createSocket({ type: isV6 || isBoth ? "udp6" : "udp4", ipv6Only: isV6 });
	await new Promise<void>((resolve, reject) => {
		socket.once("error", reject);
		socket.bind({ port: options.port, address: options.host }, () => {
			socket.off("error", reject);
			resolve();
		});
	});
	// Datagrams are unreliable anyway: one that can't be sent or received counts as lost.
	socket.on("error", () => undefined);
	socket.on("message", (datagram, { address, port }) => {
		receive(plainBytes(datagram), { host: plainAddress(address), port });
	});
	let isOpen = true;
	return {
		port: socket.address().port,
		send: (datagram, { host, port }) => {
			if (!isOpen || port < 1 || port > 65_535) return;
			const address = isBoth && !isIPv6(host) ? `::ffff:${host}` : host;
			if (!isBoth && isIPv6(host) !== isV6) return;
			socket.send(datagram, port, address, () => undefined);
		},
		close: async () => {
			if (!isOpen) return;
			isOpen = false;
			await new Promise<void>((resolve) => socket.close(resolve));
		},
	};
}

function hasIpv6(address: { readonly family: string } | undefined): boolean {
	return address?.family === "IPv6";
}

async function resolveText(
	name: string,
	resolvers: readonly string[],
): Promise<readonly (readonly string[])[]> {
	let failure: unknown;
	for (let i = 0; i < RESOLVE_TRIES; i++) {
		const resolver = new Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: 1 });
		resolver.setServers([resolvers[Math.floor(Math.random() * resolvers.length)] as string]);
		try {
			return await resolver.resolveTxt(name);
		} catch (error) {
			failure = error;
			if (FINAL_DNS_ERRORS.has((error as NodeJS.ErrnoException).code)) break;
		}
	}
	throw failure;
}

/** A socket as {@link ByteStream}. */
class SocketStream implements ByteStream {
	readonly remote: NodeAddress;
	private isEnded = false;

	constructor(
		private readonly socket: Socket,
		remote?: NodeAddress,
	) {
		this.remote = remote ?? { host: plainAddress(socket.remoteAddress ?? ""), port: socket.remotePort ?? 0 };
		// The error itself is of no use to anyone; `close` reports that the socket is closed.
		socket.on("error", () => undefined);
	}

	get backlog(): number {
		return this.socket.destroyed ? 0 : this.socket.writableLength;
	}

	listen(listener: StreamListener): void {
		this.socket.on("close", () => listener.closed());
		this.socket.on("data", (bytes: Buffer) => {
			if (!this.isEnded) listener.data(plainBytes(bytes));
		});
	}

	write(bytes: Uint8Array): void {
		if (!this.isEnded && this.socket.writable) this.socket.write(bytes);
	}

	end(): void {
		if (this.isEnded) return;
		this.isEnded = true;
		const timeout = setTimeout(() => this.socket.destroy(), END_MS);
		this.socket.on("close", () => clearTimeout(timeout));
		this.socket.end();
		// Remaining input is read and discarded: closing with unread bytes would discard our last output.
		this.socket.resume();
	}

	destroy(): void {
		this.isEnded = true;
		this.socket.destroy();
	}

	pause(): void {
		if (!this.isEnded) this.socket.pause();
	}

	resume(): void {
		this.socket.resume();
	}
}

/** Unmaps IPv4 addresses that arrived over an IPv6 socket. */
function plainAddress(address: string): string {
	const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
	return mapped?.[1] ?? address;
}

/** A plain view, without Node's buffer class, whose `slice` behaves differently. */
function plainBytes(bytes: Buffer): Uint8Array {
	return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

function portOf(address: ReturnType<ReturnType<typeof createServer>["address"]>): number {
	if (address === null || typeof address === "string") throw new Error("listening on no port");
	return address.port;
}

/** Frees the port without waiting for accepted connections, which are no longer the server's. */
function stopListening(server: Server): Promise<void> {
	return new Promise((resolve) => {
		server.close();
		setImmediate(resolve);
	});
}
