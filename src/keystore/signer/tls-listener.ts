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

/** `127.0.0.1:7443`, `[::1]:7443`. */
const LISTEN_ADDRESS = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):(\d{1,5})$/;

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
 * @param handshakeMs when a connection without a handshake is closed
 * @throws {OperatorError} for files that can't be used, and an address that can't be bound
 */
export async function listenTls(
	address: string,
	{ certificate, key, ca }: SignerFiles,
	clients: () => readonly SignerClient[],
	serve: (socket: TLSSocket, client: SignerClient) => void,
	handshakeMs = HANDSHAKE_MS,
): Promise<TlsListener> {
	const [, ipv6, name, port] = LISTEN_ADDRESS.exec(address) ?? [];
	const host = ipv6 ?? name;
	if (host === undefined || Number(port) > 65_535)
		throw new OperatorError(`"${address}" is not an address to listen at: write 127.0.0.1:7443`);
	const server = serverWith({ certificate, key, ca }, handshakeMs);
	const places = new Places();
	// Which connection carries one of TLS: the events of the latter come in the context in which it was begun.
	const carriers = new AsyncLocalStorage<Carrier>();
	server.on("secureConnection", (socket) => {
		socket.on("error", () => socket.destroy());
		const carrier = carriers.getStore() as Carrier;
		places.watch(socket, carrier.socket);
		const certificate = socket.getPeerX509Certificate();
		const fingerprint = certificate?.fingerprint256.replaceAll(":", "").toLowerCase();
		const client = clients().find((each) => each.certificate === fingerprint);
		if (client && socket.authorized) {
			carrier.accept();
			return serve(socket, client);
		}
		// What it asked must be read: an answer is lost where the system has to reset a connection with bytes that nobody took.
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
			const carrier = new Carrier(socket);
			carriers.run(carrier, () => server.emit("connection", carrier));
		},
		false,
		places,
	);
	try {
		const bound = await gate.listen(Number(port), host);
		return {
			at: `tls://${ipv6 === undefined ? host : `[${host}]`}:${bound}`,
			close: () => gate.close(() => false, CLOSE_GRACE_MS),
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

/** What carries a connection of TLS: it ends where more bytes come than a handshake needs, and has no such limit once its client is known. */
class Carrier extends Duplex {
	private left = HANDSHAKE_BYTES;

	constructor(readonly socket: Socket) {
		super();
		socket.on("data", (bytes: Buffer) => {
			let wantsMore = true;
			for (let at = 0; at < bytes.length; ) {
				// What ends the handshake and a long request may come as one: each part is taken before the next one is.
				const part = bytes.subarray(at, at + Math.min(bytes.length - at, this.left));
				if (part.length === 0) return void socket.destroy();
				this.left -= part.length;
				wantsMore = this.push(part);
				at += part.length;
			}
			if (!wantsMore) socket.pause();
		});
		socket.on("end", () => this.push(null));
		socket.on("error", () => socket.destroy());
		socket.on("close", () => this.destroy());
	}

	/** Its client is one that is served. */
	accept(): void {
		this.left = Number.POSITIVE_INFINITY;
	}

	override _read(): void {
		this.socket.resume();
	}

	override _write(bytes: Buffer, _encoding: BufferEncoding, written: (error?: Error | null) => void): void {
		this.socket.write(bytes, written);
	}

	override _final(ended: () => void): void {
		this.socket.end(ended);
	}

	override _destroy(error: Error | null, destroyed: (error?: Error | null) => void): void {
		this.socket.destroy();
		destroyed(error);
	}
}

/**
 * What connections are doing: where all places are taken, one that has asked nothing, or doesn't read, gives way to one that waits.
 * So neither strangers nor a client keep a node's block from being signed.
 */
class Places implements ConnectionRule {
	private readonly begunMs = new WeakMap<Socket, number>();
	/** Those with a request, by the connections that carry them. */
	private readonly asked = new Map<Socket, TLSSocket>();
	readonly everyMs = 1_000;

	take(socket: Socket): void {
		this.begunMs.set(socket, performance.now());
	}

	watch(socket: TLSSocket, carrier: Socket): void {
		socket.on("data", (chunk: Buffer | string) => chunk.includes("\n") && this.asked.set(carrier, socket));
		socket.on("close", () => this.asked.delete(carrier));
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
			// Who isn't is told why.
			rejectUnauthorized: false,
			handshakeTimeout,
			// Each connection shows its certificate anew.
			secureOptions: constants.SSL_OP_NO_TICKET,
		});
	} catch (error) {
		throw new OperatorError(unusableFiles(files, error));
	}
}
