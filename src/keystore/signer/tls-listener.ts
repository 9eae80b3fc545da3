/**
 * Clients of a signer on other machines: mutual TLS 1.3. Before a request is looked at a connection has a place, which an
 * address can't take from all others, its handshake has had its bytes and its time, and its certificate is of the CA and
 * named by the policies.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { constants } from "node:crypto";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { createServer, type TLSSocket } from "node:tls";
import {
	budgetAddress,
	ConnectionGate,
	type ConnectionRule,
	MAX_CONNECTIONS,
	onFirstLine,
} from "../../node/listening/connection-gate.js";
import { OperatorError } from "../../protocol/operator-error.js";
import { CERTIFICATE_FAULTS, readSignerFiles, type SignerFiles, unusableFiles } from "./client.js";
import type { SignerClient } from "./policies.js";
import { MAX_SIGNER_REQUEST, SIGNER_ANSWER_MS } from "./requests.js";

const HANDSHAKE_MS = 5_000;
const CLOSE_GRACE_MS = 1_000;

/**
 * From a client until its certificate is known: two certificates of RSA with 4,096 bits are 5 KB with all around them. OpenSSL verifies
 * every signature of a chain, however wrong, on this thread: 8 ms for each 1.3 KB of keys made for that.
 */
const HANDSHAKE_BYTES = 8 << 10;

/** Processor time that an address may have taken for clients that aren't known: many handshakes at once, or two of those made for it. */
const STRANGER_CPU_MS = 100;
/** From then on it gets a tenth of the processor. */
const STRANGER_PART = 10;

/** `127.0.0.1:7443`, `[::1]:7443`. */
const LISTEN_ADDRESS = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):(\d{1,5})$/;

/** Milliseconds: a clock that only goes forward, and the processor time of this process. */
interface Meters {
	now(): number;
	cpu(): number;
}

const METERS: Meters = {
	now: () => performance.now(),
	cpu: () => {
		const { user, system } = process.cpuUsage();
		return (user + system) / 1_000;
	},
};

interface TlsListener {
	/** Where clients reach it. */
	readonly at: string;
	close(): Promise<void>;
}

/**
 * Listens.
 * @param address host and port; port 0: any
 * @param clients those of the moment
 * @param serve takes over a connection whose client is known
 * @param handshakeMs from accepting a connection to the end of its handshake; then it is closed
 * @throws {OperatorError} for files that can't be used, and an address that can't be bound
 */
export async function listenTls(
	address: string,
	{ certificate, key, ca }: SignerFiles,
	clients: () => readonly SignerClient[],
	serve: (socket: TLSSocket, client: SignerClient) => void,
	handshakeMs = HANDSHAKE_MS,
	meters = METERS,
): Promise<TlsListener> {
	const [, ipv6, name, port] = LISTEN_ADDRESS.exec(address) ?? [];
	const host = ipv6 ?? name;
	if (host === undefined || Number(port) > 65_535)
		throw new OperatorError(`"${address}" is not an address to listen at: write 127.0.0.1:7443`);
	const server = serverWith({ certificate, key, ca }, handshakeMs);
	const places = new Places();
	const strangers = new Strangers(meters);
	// Which connection carries one of TLS: the events of the latter come in the context in which it was begun.
	const carriers = new AsyncLocalStorage<Carrier>();
	server.on("secureConnection", (socket) => {
		socket.on("error", () => socket.destroy());
		const carrier = carriers.getStore() as Carrier;
		carrier.greeted();
		places.watch(socket, carrier.socket);
		const certificate = socket.getPeerX509Certificate();
		const fingerprint = certificate?.fingerprint256.replaceAll(":", "").toLowerCase();
		const client = clients().find((each) => each.certificate === fingerprint);
		if (client && socket.authorized) {
			carrier.accept();
			return serve(socket, client);
		}
		// Read its request first: closing a socket with unread data resets it, which would discard the response.
		onFirstLine(socket, MAX_SIGNER_REQUEST, SIGNER_ANSWER_MS, () => {
			socket.end(`${JSON.stringify({ error: refusalOf(socket, certificate !== undefined) })}\n`);
			socket.destroySoon();
		});
	});
	server.on("tlsClientError", (_, socket) => socket.destroy());
	const gate = new ConnectionGate(
		MAX_CONNECTIONS.signer,
		(socket) => {
			places.take(socket);
			const begin = (carrier: Carrier): void =>
				carriers.run(carrier, () => void server.emit("connection", carrier));
			new Carrier(socket, strangers, begin, handshakeMs);
		},
		false,
		places,
	);
	try {
		const bound = await gate.listen(Number(port), host);
		return {
			at: `tls://${ipv6 === undefined ? host : `[${host}]`}:${bound}`,
			// A node opens its connection one slot ahead; an idle one must not delay the next signer's start.
			close: () => gate.close((socket) => places.isReady(socket), CLOSE_GRACE_MS),
		};
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new OperatorError(`${address} can't be listened at (${code ?? "unknown error"})`);
	}
}

/** Why a client isn't served whose handshake is done. */
function refusalOf({ authorized, authorizationError }: TLSSocket, hasCertificate: boolean): string {
	if (!hasCertificate) return "the client shows no certificate";
	if (authorized) return "the policies name no client with this certificate";
	// The code, whatever the type says.
	const code = String(authorizationError);
	return `the client's certificate ${CERTIFICATE_FAULTS.get(code) ?? `can't be verified (${code})`}`;
}

/** Limits CPU time spent on handshakes per address, excluding those of known clients. */
class Strangers {
	/** When each address will be back within its share of CPU time; those within it are not stored. */
	private readonly evenMs = new Map<string, number>();

	constructor(readonly meters: Meters) {}

	/** Delay before more handshake data from an address is processed. */
	waitMs(address: string): number {
		const evenMs = this.evenMs.get(address) ?? 0;
		return Math.max(0, evenMs - this.meters.now() - STRANGER_CPU_MS * STRANGER_PART);
	}

	/** @param cpuMs CPU time used by an address; negative: refund for a known client */
	charge(address: string, cpuMs: number): void {
		const nowMs = this.meters.now();
		this.evenMs.set(address, Math.max(this.evenMs.get(address) ?? 0, nowMs) + cpuMs * STRANGER_PART);
		for (const [each, evenMs] of this.evenMs) if (evenMs <= nowMs) this.evenMs.delete(each);
	}
}

/**
 * What carries a connection of TLS: it ends where more bytes come than a handshake needs, waits where its address has taken much time for
 * handshakes, and has neither limit once its client is known. OpenSSL's session costs as much as a part of a handshake: it is made, and
 * charged like one, once its client, which speaks first, has sent something.
 */
class Carrier extends Duplex {
	private left = HANDSHAKE_BYTES;
	private readonly address: string;
	private chargedMs = 0;
	/** Until what has come is gone on with. */
	private holding: NodeJS.Timeout | undefined;
	private hasBegun = false;
	/** Until the handshake is done: OpenSSL's own time begins with the session, so it would come on top of the silence before. */
	private readonly deadline: NodeJS.Timeout;

	/**
	 * @param begin makes the session
	 * @param handshakeMs when a connection without a finished handshake is closed
	 */
	constructor(
		readonly socket: Socket,
		private readonly strangers: Strangers,
		private readonly begin: (carrier: Carrier) => void,
		handshakeMs: number,
	) {
		super();
		this.deadline = setTimeout(() => this.destroy(), handshakeMs).unref();
		this.address = budgetAddress(socket);
		socket.on("data", (bytes: Buffer) => this.receive(bytes));
		socket.on("end", () => this.push(null));
		socket.on("error", () => socket.destroy());
		socket.on("close", () => this.destroy());
	}

	private get isKnown(): boolean {
		return this.left === Number.POSITIVE_INFINITY;
	}

	private receive(bytes: Buffer): void {
		let wantsMore = true;
		for (let at = 0; at < bytes.length; ) {
			const waitMs = this.isKnown ? 0 : this.strangers.waitMs(this.address);
			if (waitMs > 0) {
				this.hold(bytes.subarray(at), waitMs);
				return;
			}
			if (!this.hasBegun) {
				this.hasBegun = true;
				this.measured(() => this.begin(this));
				// The session reads only behind this turn: what came earlier would not be measured.
				this.hold(bytes.subarray(at), 0);
				return;
			}
			// What ends the handshake and a long request may come as one: each part is taken before the next one is.
			const part = bytes.subarray(at, at + Math.min(bytes.length - at, this.left));
			if (part.length === 0) return void this.socket.destroy();
			this.left -= part.length;
			wantsMore = this.isKnown ? this.push(part) : this.measured(() => this.push(part));
			at += part.length;
		}
		if (!wantsMore) this.socket.pause();
	}

	/** OpenSSL works within the call that gives it bytes. */
	private measured<T>(work: () => T): T {
		const { meters } = this.strangers;
		const before = meters.cpu();
		const result = work();
		// What has made its client known is that client's.
		if (!this.isKnown) this.charge(meters.cpu() - before);
		return result;
	}

	private hold(bytes: Buffer, ms: number): void {
		this.socket.pause();
		this.holding = setTimeout(() => {
			this.holding = undefined;
			this.socket.resume();
			this.receive(bytes);
		}, ms).unref();
	}

	private charge(cpuMs: number): void {
		this.chargedMs += cpuMs;
		this.strangers.charge(this.address, cpuMs);
	}

	/** The handshake is done, whoever the client is. */
	greeted(): void {
		clearTimeout(this.deadline);
	}

	/** Called once the client is authorized. */
	accept(): void {
		this.left = Number.POSITIVE_INFINITY;
		this.charge(-this.chargedMs);
	}

	override _read(): void {
		if (!this.holding) this.socket.resume();
	}

	override _write(bytes: Buffer, _encoding: BufferEncoding, written: (error?: Error | null) => void): void {
		this.socket.write(bytes, written);
	}

	override _final(ended: () => void): void {
		this.socket.end(ended);
	}

	override _destroy(error: Error | null, destroyed: (error?: Error | null) => void): void {
		clearTimeout(this.holding);
		clearTimeout(this.deadline);
		this.socket.destroy();
		destroyed(error);
	}
}

/**
 * Tracks connections: when all slots are in use, one that has sent no request or doesn't read is evicted.
 * So neither strangers nor a client can prevent a node's block from being signed.
 */
class Places implements ConnectionRule {
	private readonly begunMs = new WeakMap<Socket, number>();
	/** Those whose handshake is done. */
	private readonly greeted = new WeakSet<Socket>();
	/** Those on which a request has begun. */
	private readonly begun = new WeakSet<Socket>();
	/** Those with a request, by the connections that carry them. */
	private readonly asked = new Map<Socket, TLSSocket>();
	readonly everyMs = 1_000;

	take(socket: Socket): void {
		this.begunMs.set(socket, performance.now());
	}

	watch(socket: TLSSocket, carrier: Socket): void {
		this.greeted.add(carrier);
		socket.once("data", () => this.begun.add(carrier));
		socket.on("data", (chunk: Buffer | string) => chunk.includes("\n") && this.asked.set(carrier, socket));
		socket.on("close", () => this.asked.delete(carrier));
	}

	/** Whether its handshake is done, and nothing of a request has come. */
	isReady(socket: Socket): boolean {
		return this.greeted.has(socket) && !this.begun.has(socket);
	}

	private readonly ageMs = (socket: Socket): number => performance.now() - (this.begunMs.get(socket) ?? 0);
	readonly idleMs = (socket: Socket) => (this.asked.has(socket) ? undefined : this.ageMs(socket));
	readonly unreadMs = (socket: Socket) =>
		this.asked.get(socket)?.writableLength ? this.ageMs(socket) : undefined;
	readonly hasAsked = () => false;
	readonly unfinishedMs = () => undefined;
	/** Each has its time from the handshake and from the signer. */
	readonly isStale = () => false;
}

/** What does the handshakes; it never listens itself. @throws {OperatorError} */
function serverWith(files: SignerFiles, handshakeTimeout: number): ReturnType<typeof createServer> {
	const read = readSignerFiles(files);
	try {
		return createServer({
			...read,
			minVersion: "TLSv1.3",
			requestCert: true,
			// Unauthorized clients receive a reason.
			rejectUnauthorized: false,
			handshakeTimeout,
			// No session resumption: every connection presents its certificate.
			secureOptions: constants.SSL_OP_NO_TICKET,
		});
	} catch (error) {
		throw new OperatorError(unusableFiles(files, error));
	}
}
