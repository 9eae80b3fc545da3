/** Client of a signer, for nodes and wallets. Responses are limited in size and time, so that a faulty signer costs a slot at most. */

import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { fromBase58Check } from "../../protocol/address.js";
import { be64, fromHex, toHex } from "../../protocol/bytes.js";
import { sha256 } from "../../protocol/hash.js";
import { objectOf } from "../../protocol/json/modest-json.js";
import { OperatorError } from "../../protocol/operator-error.js";
import { type PostQuantumScheme, postQuantumSchemes } from "../../protocol/post-quantum/schemes.js";
import { SIGNATURE_LENGTH } from "../../protocol/signature.js";
import type { MessageKind } from "./messages.js";
import {
	CLIENT_ANSWER_MS,
	isSignatureOf,
	MAX_CONFIRM_MS,
	MAX_SIGNER_ANSWER,
	SIGNER_ANSWER_MS,
	type SignedKind,
} from "./requests.js";

/** The signer is unavailable, or refuses to sign. */
export class SignerError extends OperatorError {
	override readonly name = "SignerError";

	/**
	 * @param isTaken a node with the same signer had another block signed for the slot; false if the request is merely stale
	 * @param isRefusal the signer has examined a transaction, and no rule allows it
	 * @param isAway there was no response, which may resolve itself
	 */
	constructor(
		message: string,
		readonly isTaken = false,
		readonly isRefusal = false,
		readonly isAway = false,
	) {
		super(message);
	}
}

/** PEM files by which a signer on another machine and its clients authenticate each other. */
export interface SignerFiles {
	readonly certificate: string;
	readonly key: string;
	/** Certificate of the CA that issued the other side's certificate. */
	readonly ca: string;
}

/** Location of a signer: the path of a socket, or `tls://host:port` with the TLS files. */
export interface SignerPlace {
	readonly at: string;
	readonly files?: SignerFiles | undefined;
}

/** A signer's response to a transaction that it doesn't refuse. */
export type TransactionAnswer =
	| { readonly signature: Uint8Array }
	/** Id of the transaction, and the clients, any one of which must approve it. */
	| { readonly waiting: string; readonly awaits: readonly string[] };

/** A key that a signer holds. */
export interface SignerKey {
	readonly address: Uint8Array;
	readonly postQuantum: { readonly scheme: PostQuantumScheme; readonly publicKey: Uint8Array } | undefined;
	/** @param data bytes, or the timestamp of a greeting (relay handshake) @throws {SignerError} */
	readonly sign: (kind: SignedKind, data: Uint8Array | bigint) => Promise<Uint8Array>;
	/**
	 * Whether a received block has a signature of this key that isn't this signer's.
	 * @param header encoded header data @throws {SignerError}
	 */
	readonly isElsewhere: (header: Uint8Array, signature: Uint8Array) => Promise<boolean>;
	/** Opens the connection of the next block's signature in advance, as the handshake with another machine takes longer than a signature. */
	readonly prepare: () => void;
	/** @param raw the raw data of a transaction @throws {SignerError} */
	readonly signTransaction: (raw: Uint8Array) => Promise<TransactionAnswer>;
	/**
	 * @param message a text in UTF-8, or typed structured data as JSON
	 * @param hash of the message, as computed by the caller
	 * @returns 65 bytes, v = 27 or 28
	 * @throws {SignerError}
	 */
	readonly signMessage: (kind: MessageKind, message: Uint8Array, hash: Uint8Array) => Promise<Uint8Array>;
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{34}$/;

/**
 * Connects to a signer and lists its keys.
 * @param answerMs timeout of requests that no person has to approve, so that a witness loses no more than its slot
 * @throws {SignerError} if none responds there
 */
export async function keysOfSigner(
	place: SignerPlace,
	answerMs = SIGNER_ANSWER_MS,
): Promise<readonly SignerKey[]> {
	const { keys } = await ask(place, { do: "list" }, answerMs);
	const found = Array.isArray(keys) ? keys.map((key) => keyOf(place, key, answerMs)) : [];
	if (found.length === 0) throw new SignerError(`the signer at ${place.at} holds no key`);
	return found;
}

function keyOf(place: SignerPlace, listed: unknown, answerMs: number): SignerKey {
	const { address, scheme: name, publicKey, confirmMs } = (listed ?? {}) as Readonly<Record<string, unknown>>;
	const text = String(address);
	const bytes = ADDRESS.test(text) ? fromBase58Check(text) : undefined;
	const scheme = postQuantumSchemes.find((each) => each.name === name);
	if (!bytes || (name !== undefined && !(scheme && isHex(publicKey, scheme.publicKeyLength))))
		throw new SignerError(`the signer at ${place.at} names a key that is none`);
	const { shortestSignature, longestSignature } = scheme ?? {
		shortestSignature: SIGNATURE_LENGTH,
		longestSignature: SIGNATURE_LENGTH,
	};
	const postQuantum = scheme && { scheme, publicKey: fromHex(publicKey as string) };
	/** Verifies signatures, since peers would ban a node for a block with an invalid one. */
	const checked = (hash: Uint8Array, signature: unknown): Uint8Array => {
		if (
			isHex(signature, shortestSignature, longestSignature) &&
			isSignatureOf(hash, fromHex(signature), bytes, postQuantum)
		)
			return fromHex(signature);
		throw new SignerError(`the signer at ${place.at} answered with no signature of ${text}`);
	};
	const clientMs = CLIENT_ANSWER_MS + Math.min(Math.max(Number(confirmMs) || 0, 0), MAX_CONFIRM_MS);
	let prepared: Connection | undefined;
	const takePrepared = (): Connection | undefined => {
		const taken = prepared?.socket.writable ? prepared : undefined;
		prepared = undefined;
		taken?.socket.ref();
		return taken;
	};
	return {
		address: bytes,
		postQuantum,
		sign: async (kind, data) => {
			const words = typeof data === "bigint" ? String(data) : toHex(data);
			const request = { do: kind, address: text, data: words };
			const { signature } = await ask(
				place,
				request,
				answerMs,
				kind === "block" ? takePrepared() : undefined,
			);
			return checked(sha256(typeof data === "bigint" ? be64(data) : data), signature);
		},
		prepare: () => {
			// One that wasn't needed, for example because the node isn't the active one, may have been lost without notice.
			prepared?.socket.destroy();
			prepared = opened(place);
		},
		isElsewhere: async (header, signature) => {
			const seen = { do: "seen", address: text, data: toHex(header), signature: toHex(signature) };
			const { elsewhere } = await ask(place, seen, answerMs);
			return elsewhere === true;
		},
		signMessage: async (kind, message, hash) => {
			const request = { do: "message", kind, address: text, data: toHex(message) };
			const { signature } = await ask(place, request, clientMs);
			return checked(hash, signature);
		},
		signTransaction: async (raw) => {
			const request = { do: "transaction", address: text, data: toHex(raw) };
			const { signature, waiting, awaits } = await ask(place, request, clientMs);
			if (waiting !== toHex(sha256(raw))) return { signature: checked(sha256(raw), signature) };
			return { waiting, awaits: Array.isArray(awaits) ? awaits.map((name) => harmless(String(name))) : [] };
		},
	};
}

/** A transaction that waits at a signer for an approval, as described by the signer; only its bytes are authoritative. */
export interface AwaitingTransaction {
	readonly id: string;
	readonly key: string;
	readonly client: string;
	readonly rule: string;
	readonly type: string;
	readonly sum: string;
	/** The most that the network can charge. */
	readonly fees: string;
	/** A contract that gets coins, the first recipients and how many more there are; empty if there are none, or from a signer of an earlier release. */
	readonly to: string;
	/** Clients that may approve it, separated by commas. */
	readonly awaits: string;
	/** Epoch milliseconds. */
	readonly expires: string;
}

/** Transactions at a signer that this client has to approve, or has submitted. @throws {SignerError} */
export async function pendingAt(place: SignerPlace): Promise<readonly AwaitingTransaction[]> {
	const { pending } = await ask(place, { do: "pending" }, CLIENT_ANSWER_MS);
	const texts = (each: Readonly<Record<string, unknown>>, name: string): string =>
		harmless(String(each?.[name] ?? ""));
	return (Array.isArray(pending) ? pending : []).map((each) => ({
		id: texts(each, "id"),
		key: texts(each, "key"),
		client: texts(each, "client"),
		rule: texts(each, "rule"),
		type: texts(each, "type"),
		sum: texts(each, "sum"),
		fees: texts(each, "fees"),
		to: texts(each, "to"),
		awaits: texts(each, "awaits"),
		expires: texts(each, "expires"),
	}));
}

/** The raw data of a waiting transaction; undefined if none has the id. @throws {SignerError} */
export async function pendingBytes(place: SignerPlace, id: string): Promise<Uint8Array | undefined> {
	const { pending } = await ask(place, { do: "pending", id }, CLIENT_ANSWER_MS);
	const [found] = Array.isArray(pending) ? pending : [];
	const { data } = (found ?? {}) as Readonly<Record<string, unknown>>;
	if (typeof data !== "string" || !/^[0-9a-f]*$/.test(data) || data.length % 2 !== 0) return undefined;
	const raw = fromHex(data);
	return toHex(sha256(raw)) === id ? raw : undefined;
}

/** Approves a waiting transaction. @throws {SignerError} if none has the id */
export async function approveAt(place: SignerPlace, id: string): Promise<void> {
	await ask(place, { do: "approve", id }, CLIENT_ANSWER_MS);
}

function isHex(value: unknown, least: number, most = least): value is string {
	return typeof value === "string" && new RegExp(`^(?:[0-9a-f]{2}){${least},${most}}$`).test(value);
}

const TLS_PLACE = /^tls:\/\/(?:\[([0-9a-fA-F:]+)\]|([^/:[\]]+)):(\d{1,5})$/;

/** Reads the files into TLS options. @throws {SignerError} for one that can't be read */
export function readSignerFiles({
	certificate,
	key,
	ca,
}: SignerFiles): Record<"cert" | "key" | "ca", Buffer> {
	const read = (path: string): Buffer => {
		try {
			return readFileSync(path);
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			throw new SignerError(`the file ${path} can't be read (${code ?? "unknown error"})`);
		}
	};
	return { cert: read(certificate), key: read(key), ca: read(ca) };
}

/** Opens a connection. @throws {SignerError} for an invalid location, or files that can't be read */
function connected({ at, files }: SignerPlace, onConnect: () => void): Socket {
	if (!at.startsWith("tls:")) return connect(at, onConnect);
	const [, ipv6, name, port] = TLS_PLACE.exec(at) ?? [];
	if (port === undefined) throw new SignerError(`${at} is not the place of a signer: tls://host:port`);
	if (!files) throw new SignerError(`${at} needs a certificate, its key and a CA`);
	// Read again for each connection, since certificates are renewed while a node runs.
	const options = { ...readSignerFiles(files), minVersion: "TLSv1.3" as const };
	try {
		return connectTls({ host: ipv6 ?? name ?? "", port: Number(port), ...options }, onConnect);
	} catch (error) {
		throw new SignerError(unusableFiles(files, error));
	}
}

/** Describes why TLS refuses the files: one isn't PEM, or the key doesn't match the certificate. */
export const unusableFiles = ({ certificate, key, ca }: SignerFiles, error: unknown): string =>
	`${certificate}, ${key} and ${ca} can't be used together (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`;

const SOCKET_FAILURES: ReadonlyMap<string | undefined, string> = new Map([
	["ENOENT", "there is no such socket"],
	["EACCES", "this user may not open it"],
	["ECONNREFUSED", "nobody listens there"],
	["ECONNRESET", "it closed the connection"],
]);

/** What is wrong with a certificate, by OpenSSL's code. */
export const CERTIFICATE_FAULTS: ReadonlyMap<string | undefined, string> = new Map([
	["CERT_HAS_EXPIRED", "has expired"],
	["CERT_NOT_YET_VALID", "isn't valid yet"],
	["ERR_TLS_CERT_ALTNAME_INVALID", "is for another name"],
	...[
		"DEPTH_ZERO_SELF_SIGNED_CERT",
		"SELF_SIGNED_CERT_IN_CHAIN",
		"UNABLE_TO_GET_ISSUER_CERT",
		"UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
		"UNABLE_TO_VERIFY_LEAF_SIGNATURE",
	].map((code) => [code, "is of another CA"] as const),
]);

/** TLS alerts from the other side about this side's certificate or the version. */
const ALERTS: ReadonlyMap<string | undefined, string> = new Map([
	["UNKNOWN_CA", "it refuses the certificate that it is shown: it is of another CA"],
	["CERTIFICATE_EXPIRED", "it refuses the certificate that it is shown: it has expired"],
	["CERTIFICATE_REQUIRED", "it wants a certificate, and is shown none that it takes"],
	["BAD_CERTIFICATE", "it refuses the certificate that it is shown"],
	["CERTIFICATE_REVOKED", "it refuses the certificate that it is shown: it is revoked"],
	["CERTIFICATE_UNKNOWN", "it refuses the certificate that it is shown"],
	["UNSUPPORTED_CERTIFICATE", "it refuses the certificate that it is shown"],
	["ACCESS_DENIED", "it refuses the certificate that it is shown"],
	["PROTOCOL_VERSION", "it doesn't speak TLS 1.3"],
]);

/** Why a connection failed, in words; OpenSSL's own messages name locations in its source. */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
	const known = SOCKET_FAILURES.get(code);
	if (known !== undefined) return known;
	const fault = CERTIFICATE_FAULTS.get(code);
	if (fault !== undefined) return `its certificate ${fault}`;
	// `EPROTO` is the equivalent from a system call.
	if (code !== "EPROTO" && !code?.startsWith("ERR_SSL_")) return harmless(message);
	if (code === "ERR_SSL_WRONG_VERSION_NUMBER") return "what answers there doesn't speak TLS";
	return ALERTS.get(/_ALERT_(\w+)$/.exec(code)?.[1]) ?? `TLS fails with it: ${code}`;
}

/** Whether a failed connection may succeed later: not if a certificate, or the socket's permissions, caused the failure. */
const maySucceed = ({ code, syscall }: NodeJS.ErrnoException): boolean =>
	code === "ECONNRESET" || (syscall !== undefined && code !== "EACCES" && code !== "EPROTO");

/** How much of a response's time passes before another connection is tried beside one that was opened in advance. */
const PREPARED_PART = 0.3;

interface Connection {
	readonly socket: Socket;
	/** Resolves once the other side is authenticated. */
	readonly ready: Promise<void>;
}

/** @throws as {@link connected} */
function open(place: SignerPlace): Connection {
	let onReady = (): void => undefined;
	const ready = new Promise<void>((resolve) => {
		onReady = resolve;
	});
	return { socket: connected(place, () => onReady()), ready };
}

/** A connection for a later request; it doesn't keep the process alive. Undefined if none can be opened, as the request will tell why. */
function opened(place: SignerPlace): Connection | undefined {
	try {
		const connection = open(place);
		// Only a socket that is read notices that the signer closes it.
		connection.socket.on("error", () => undefined).resume();
		connection.socket.unref();
		return connection;
	} catch {
		return undefined;
	}
}

/** Sends one request and reads the response. @param prepared a connection to try first @throws {SignerError} */
async function ask(
	place: SignerPlace,
	request: object,
	answerMs: number,
	prepared?: Connection,
): Promise<Answer> {
	const answer = await (prepared
		? firstAnswer(place, request, answerMs, prepared)
		: exchange(place.at, open(place), request, answerMs));
	const { error, taken, refused } = answer;
	if (typeof error !== "string") return answer;
	const message = `the signer refuses: ${harmless(error, MAX_REFUSAL)}`;
	throw new SignerError(message, taken === true, refused === true);
}

/**
 * The answer on a prepared connection, or on another one beside it, if the former was closed or says nothing for a while: it may have been
 * lost without notice. A signer that is only slow signs the same bytes again.
 */
async function firstAnswer(
	place: SignerPlace,
	request: object,
	answerMs: number,
	prepared: Connection,
): Promise<Answer> {
	const firstMs = answerMs * PREPARED_PART;
	const first = exchange(place.at, prepared, request, answerMs);
	let timer: NodeJS.Timeout | undefined;
	const isAnswered = await Promise.race([
		first.then(
			() => true,
			() => false,
		),
		new Promise<boolean>((resolve) => {
			timer = setTimeout(resolve, firstMs, false);
		}),
	]);
	clearTimeout(timer);
	if (isAnswered) return first;
	let other: Connection;
	try {
		other = open(place);
	} catch {
		// The certificate is being renewed.
		return first;
	}
	const second = exchange(place.at, other, request, answerMs - firstMs);
	// A refusal of one, for example for too many requests, must not win over a signature that the other is still to get.
	return Promise.any([unlessRefused(first), unlessRefused(second)])
		.catch(() => Promise.any([first, second]))
		.catch(() => second)
		.finally(() => {
			for (const { socket } of [prepared, other]) socket.destroy();
		});
}

type Answer = Readonly<Record<string, unknown>>;

async function unlessRefused(asked: Promise<Answer>): Promise<Answer> {
	const answer = await asked;
	if (answer["error"] !== undefined) throw new SignerError("refused");
	return answer;
}

/** @param limitMs until the whole response @throws {SignerError} if there is none */
async function exchange(
	at: string,
	{ socket, ready }: Connection,
	request: object,
	limitMs: number,
): Promise<Answer> {
	return new Promise((resolve, reject) => {
		let text = "";
		let reason = "";
		let isAway = true;
		void ready.then(() => socket.write(`${JSON.stringify(request)}\n`));
		const late = setTimeout(() => {
			reason = `nothing came within ${limitMs} ms`;
			socket.destroy();
		}, limitMs);
		socket.setEncoding("utf8").on("data", (chunk: string) => {
			text += chunk;
			if (text.length > MAX_SIGNER_ANSWER) socket.destroy();
		});
		socket.on("error", (error: NodeJS.ErrnoException) => {
			reason = reasonOf(error);
			isAway = maySucceed(error);
		});
		socket.on("close", () => {
			clearTimeout(late);
			const answer = text.endsWith("\n") ? objectOf(text) : undefined;
			if (answer) return resolve(answer);
			reason ||= text === "" ? "it closed the connection" : "what answers there isn't a signer";
			const message = `no signer answers at ${at} (${reason})`;
			reject(new SignerError(message, false, false, isAway && text === ""));
		});
	});
}

/** Makes untrusted text safe for a terminal. */
const harmless = (text: string, most = 200): string => text.replace(/[^ -~]/g, "?").slice(0, most);
/** The most characters of a refusal, which may have a reason for each of several rules. */
const MAX_REFUSAL = 1_200;
