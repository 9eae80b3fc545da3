/**
 * The agent: holds unlocked keys for a limited time, and signs for programs of the same user. Keys are only in its memory; it
 * listens on a socket in a directory that only its user can access, and never reveals a signing key. For shielded addresses, it
 * reveals the keys that read notes and produce proofs, but authorizes spends itself.
 */

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onFirstLine } from "../../node/listening/connection-gate.js";
import { toBase58Check } from "../../protocol/address.js";
import { fromHex, toHex } from "../../protocol/bytes.js";
import {
	loadPostQuantum,
	type PostQuantumKeys,
	postQuantumAlgorithm,
} from "../../protocol/post-quantum/algorithms.js";
import { postQuantumScheme, postQuantumSchemes } from "../../protocol/post-quantum/schemes.js";
import { addressOfKeys, forgetKeys, type ShieldedKeys } from "../../protocol/sapling/key-set.js";
import { writePaymentAddress } from "../../protocol/sapling/payment-address.js";
import { authorizeSpend } from "../../protocol/sapling/spend-authorization.js";
import { sign } from "../../protocol/signature.js";
import { KeystoreError } from "../keystore-error.js";
import { addressOfKey, forgetKey, type PrivateKey } from "../private-key.js";

export const ANSWER_MS = 5_000;
const MAX_CONNECTIONS = 16;
/** Length of a socket path that every system supports. */
const MAX_PATH = 100;

/*
 * Limits of an agent and its clients. A connection carries one line of JSON each way, with bytes as hexadecimal digits: the
 * longest response is a post-quantum signature with its public key, and nothing longer is read.
 */

/** The most keys, of all kinds, that an agent holds; the list of their addresses is shorter than the longest response. */
export const MAX_HELD_KEYS = 64;
/** The most characters of a request: an address and two words, with the names of members. */
export const MAX_AGENT_REQUEST = 512;
/** Characters for member names and JSON syntax. */
const FRAME = 128;
/** The most characters of a response. */
export const MAX_AGENT_ANSWER =
	FRAME +
	2 *
		Math.max(
			...postQuantumSchemes.map(
				({ publicKeyLength, longestSignature }) => publicKeyLength + longestSignature,
			),
		);

/** @throws {KeystoreError} `bad_value` for more keys than an agent can hold */
export function checkKeyCount(count: number): void {
	if (count > MAX_HELD_KEYS)
		throw new KeystoreError(
			"bad_value",
			`an agent holds at most ${MAX_HELD_KEYS} keys, and ${count} are named`,
		);
}

interface AgentOptions {
	/** Private keys of any scheme; the agent overwrites them when it ends. */
	readonly keys: readonly PrivateKey[];
	/** Keys of shielded addresses; overwritten too. */
	readonly shielded?: readonly ShieldedKeys[];
	/** The agent's lifetime. */
	readonly lifeMs: number;
	/** Directory in which its own directory is created; should belong to the user. */
	readonly parent: string;
	/** Called once when it has ended. */
	readonly onEnd?: () => void;
}

/** The directory that contains the agents' directories. */
export function agentParent(environment: Readonly<Record<string, string | undefined>>): string {
	const { XDG_RUNTIME_DIR } = environment;
	return XDG_RUNTIME_DIR && XDG_RUNTIME_DIR.length < MAX_PATH - 30 ? XDG_RUNTIME_DIR : tmpdir();
}

export class Agent {
	private readonly keys: ReadonlyMap<string, PrivateKey>;
	private readonly shielded: ReadonlyMap<string, ShieldedKeys>;
	private readonly directory: string;
	private readonly timer: NodeJS.Timeout;
	private readonly server: Server;
	private ended = false;

	private constructor(private readonly options: AgentOptions) {
		this.keys = new Map(options.keys.map((key) => [toBase58Check(addressOfKey(key)), key]));
		const { shielded = [] } = options;
		this.shielded = new Map(
			shielded.map((keys) => [writePaymentAddress(addressOfKeys(keys), "neutral"), keys]),
		);
		// Created atomically with mode 0700, under an unpredictable name.
		this.directory = mkdtempSync(join(options.parent, "coin-agent-"));
		this.server = createServer((socket) => this.serve(socket));
		this.server.maxConnections = MAX_CONNECTIONS;
		this.timer = setTimeout(() => this.end(), options.lifeMs);
	}

	/** Starts an agent. @throws {KeystoreError} `bad_value` for too many keys; the system's error if the socket can't be created */
	static async start(options: AgentOptions): Promise<Agent> {
		checkKeyCount(options.keys.length + (options.shielded?.length ?? 0));
		if (options.keys.some((key) => !(key instanceof Uint8Array))) await loadPostQuantum();
		const agent = new Agent(options);
		try {
			await new Promise<void>((done, fail) => {
				agent.server.once("error", fail);
				agent.server.listen(agent.socketPath, done);
			});
		} catch (error) {
			agent.end();
			throw error;
		}
		return agent;
	}

	get socketPath(): string {
		return join(this.directory, "socket");
	}

	/** Erases the keys and ends. */
	end(): void {
		if (this.ended) return;
		this.ended = true;
		clearTimeout(this.timer);
		for (const key of this.options.keys) forgetKey(key);
		for (const keys of this.shielded.values()) forgetKeys(keys);
		this.server.close();
		rmSync(this.directory, { recursive: true, force: true });
		this.options.onEnd?.();
	}

	private serve(socket: Socket): void {
		onFirstLine(socket, MAX_AGENT_REQUEST, ANSWER_MS, (line) => {
			const answer = line === undefined ? { error: "too long" } : this.answer(line);
			socket.end(`${JSON.stringify(answer)}\n`);
			if ("locked" in answer) this.end();
		});
	}

	private answer(line: string): object {
		let request: Request;
		try {
			request = (JSON.parse(line) ?? {}) as Request;
		} catch {
			return { error: "not JSON" };
		}
		if (this.ended) return { error: "locked" };
		switch (request.do) {
			case "list":
				return { addresses: [...this.keys.keys()], shielded: [...this.shielded.keys()] };
			case "lock":
				return { locked: true };
			case "sign":
				return this.sign(request);
			case "view":
				return this.view(request);
			case "authorize":
				return this.authorize(request);
			default:
				return { error: "unknown request" };
		}
	}

	private sign({ address, hash }: Request): object {
		const key = this.keys.get(String(address));
		if (!key) return { error: "unknown key" };
		if (!isWord(hash)) return { error: "not a hash" };
		if (key instanceof Uint8Array) return { signature: toHex(sign(fromHex(hash), key)) };
		const { scheme, privateKey, publicKey } = key;
		const signature = postQuantumAlgorithm(scheme).sign(fromHex(hash), privateKey);
		return { scheme: scheme.name, publicKey: toHex(publicKey), signature: toHex(signature) };
	}

	/** The keys that read notes and produce proofs: all except the one that authorizes spends. */
	private view({ address }: Request): object {
		const keys = this.shielded.get(String(address));
		if (!keys) return { error: "unknown key" };
		const { reach, spending, full, ivk, ovk, diversifier } = keys;
		const parts = { ...full, ivk, ovk, nsk: spending?.nsk, diversifier };
		const known = Object.entries(parts).filter(
			(entry): entry is [string, Uint8Array] => entry[1] !== undefined,
		);
		return { reach, ...Object.fromEntries(known.map(([name, bytes]) => [name, toHex(bytes)])) };
	}

	private authorize({ address, alpha, hash }: Request): object {
		const spending = this.shielded.get(String(address))?.spending;
		if (!spending) return { error: "unknown key" };
		if (!isWord(hash) || !isWord(alpha)) return { error: "not a hash" };
		const random = (length: number): Uint8Array => randomBytes(length);
		return { signature: toHex(authorizeSpend(spending.ask, fromHex(alpha), fromHex(hash), random)) };
	}
}

/** A client's request; nothing in it is trusted. */
interface Request {
	readonly do?: unknown;
	readonly address?: unknown;
	readonly hash?: unknown;
	readonly alpha?: unknown;
}

const isWord = (value: unknown): value is string => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

/** The message from the program that unlocked the keys to the process that will hold them. */
export interface AgentStart {
	readonly keys: readonly SentKey[];
	readonly shielded: readonly ShieldedKeys[];
	readonly lifeMs: number;
	readonly parent: string;
	/** The terminal's device, which exists as long as the terminal is open. */
	readonly terminal: string;
}

/** A key as sent between processes: its scheme, an object that each process has of its own, is given by number. */
type SentKey = Uint8Array | (PostQuantumKeys & { readonly schemeId: number });

/** Shares the key's bytes. */
export const sentOfKey = (key: PrivateKey): SentKey => {
	if (key instanceof Uint8Array) return key;
	const { scheme, privateKey, publicKey } = key;
	return { schemeId: scheme.id, privateKey, publicKey };
};

/** @throws {Error} for an unknown scheme, which would be a bug */
export function keyOfSent(sent: SentKey): PrivateKey {
	if (sent instanceof Uint8Array) return sent;
	const { schemeId, privateKey, publicKey } = sent;
	const scheme = postQuantumScheme(schemeId);
	if (!scheme) throw new Error(`no scheme has the number ${schemeId}`);
	return { scheme, privateKey, publicKey };
}
