/**
 * A signer: holds keys in its own process, and signs blocks, greetings and votes for nodes, and transactions and messages for the clients
 * in its policies. It inspects what it signs: nothing but these, no second block for a slot, no second vote for a height, and no
 * transaction or message that no rule allows.
 *
 * Contract: mark and log line are synced to disk before a signature is released. Requests are processed in turn, with one per client
 * in the queue; what a person has to confirm on a device waits outside of it. A connection carries one line of JSON each way. Clients are
 * identified by socket or certificate, never by what they send.
 */

import { once } from "node:events";
import { chmodSync, existsSync, lstatSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { onFirstLine } from "../../node/listening/connection-gate.js";
import { toBase58Check } from "../../protocol/address.js";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { isModestJson } from "../../protocol/json/modest-json.js";
import { OperatorError } from "../../protocol/operator-error.js";
import { loadPostQuantum, postQuantumAlgorithm } from "../../protocol/post-quantum/algorithms.js";
import { signBlock } from "../../protocol/signature.js";
import {
	addressOfKey,
	type DeviceKey,
	forgetKey,
	type HeldKey,
	isDeviceKey,
	isHeldElsewhere,
} from "../private-key.js";
import { type Decision, DecisionLog } from "./decision-log.js";
import { type MarkedStep, SigningMarks } from "./marks.js";
import type { Policies, SignerClient } from "./policies.js";
import type { DeskDecision, PolicyDesk } from "./policy-desk.js";
import {
	CLIENT_ANSWER_MS,
	isSignatureOf,
	MAX_CLIENT_REQUEST,
	MAX_SIGNER_REQUEST,
	markedStepOf,
	type ReadRequest,
	readRequest,
	SIGNER_ANSWER_MS,
	type SignedKind,
} from "./requests.js";

const MAX_CONNECTIONS = 32;
/** Access for the user, and for the group, which may contain the node's user. */
const SOCKET_MODE = 0o660;
/** Limits of a request's JSON, as parsing a megabyte of brackets would take up a slot. */
const REQUEST = { values: 16, depth: 2 };
const BUSY = { error: "the device is busy: somebody has to answer there first" };
const NO_SLOTS = { error: "a device's key signs no blocks or votes: somebody would have to confirm each" };
const REFUSED_THERE = "refused on the device";
/** How long a client whose request was refused on the device asks nothing there: tired of questions, somebody confirms any. */
const REFUSED_PAUSE_MS = 60_000;
const PAUSED = {
	error: "somebody has refused this client's last request on the device: it can ask again after a minute",
	refused: true,
};
const NO_CLIENT = { error: "the policies don't name this client any more" };
const SIGNED_AGAIN = "signed again";
const KINDS: ReadonlySet<unknown> = new Set<SignedKind>(["block", "hello", "vote"]);

interface SignerOptions {
	/** Keys; all but those held elsewhere are overwritten when the signer ends. */
	readonly keys: readonly HeldKey[];
	/** Directory of the marks and the log; created if missing. */
	readonly directory: string;
	/** Path of the socket for nodes on this machine. */
	readonly socketPath?: string | undefined;
	/** Whether the directory may be a copy of another signer's. */
	readonly isMoved?: boolean | undefined;
	/** Decides on transactions; if absent, none are signed. */
	readonly desk?: PolicyDesk | undefined;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** Milliseconds of a monotonic clock; the system's if absent. */
	readonly monotonic?: () => number;
	/** Notified of each decision. */
	readonly onDecision?: ((decision: string) => void) | undefined;
	/**
	 * Called if the directory has no marks, for each block that was signed elsewhere, and if requests fail for a reason other than a rule:
	 * once per reason until a request succeeds.
	 */
	readonly warn?: ((reason: string) => void) | undefined;
}

export const LOG_NAME = "decisions.log";
export const MARKS_NAME = "marks";

export class Signer {
	private readonly keys: ReadonlyMap<string, HeldKey>;
	private nodes: Server | undefined;
	/** Sockets of clients by path, each with the client that it currently belongs to. */
	private readonly listeners = new Map<string, { readonly server: Server; client: SignerClient }>();
	/** Open connections with their clients; undefined for a node on this machine. */
	private readonly connections = new Map<Socket, SignerClient | undefined>();
	private isClosing = false;
	/** Why the last request failed. */
	private failure: string | undefined;
	/** Serializes decisions. */
	private queue: Promise<unknown> = Promise.resolve();
	/** While the device is asked: ends the wait for the person. The device itself can't be told to stop asking. */
	private confirming: AbortController | undefined;
	/** Resolves with the last answer that somebody had to confirm. */
	private confirmed: Promise<unknown> = Promise.resolve();
	/** Clients whose last request was refused on the device, until when they can't ask there. */
	private readonly refusedUntilMs = new Map<string, number>();
	/** Last request of each client: only its first one is in {@link queue}, so that others don't have to wait for all of them. */
	private readonly lines = new Map<string, Promise<unknown>>();

	private constructor(
		private readonly options: SignerOptions,
		private readonly marks: SigningMarks,
		private readonly log: DecisionLog,
	) {
		this.keys = new Map(
			options.keys.map((key) => [toBase58Check(isHeldElsewhere(key) ? key.address : addressOfKey(key)), key]),
		);
	}

	/** @throws {OperatorError} if another signer uses the directory, its log was changed, or the socket can't be created */
	static async start(options: SignerOptions): Promise<Signer> {
		const { directory, socketPath, keys, desk } = options;
		if (keys.some((key) => !(key instanceof Uint8Array || isHeldElsewhere(key)))) await loadPostQuantum();
		await mkdir(directory, { recursive: true, mode: 0o700 });
		const marks = await SigningMarks.open(join(directory, MARKS_NAME), options.monotonic);
		let log: DecisionLog | undefined;
		let signer: Signer | undefined;
		try {
			await marks.claim(options.isMoved === true);
			const signed = new Map<string, MarkedStep>();
			log = await DecisionLog.open(join(directory, LOG_NAME), await marks.logEnd(), (line) => {
				const written = JSON.parse(line) as Decision & { readonly asked: SignedKind };
				const { asked, key, decision, ...facts } = written;
				desk?.replay(written);
				// `signed again` matters if a full disk allowed the first log line but not the mark.
				const isSigned = decision === "signed" || decision === SIGNED_AGAIN;
				const step = isSigned ? markedStepOf(asked, key, facts) : undefined;
				if (step) signed.set(step.subject, step);
			});
			await marks.raise(signed.values(), log.end);
			if (log.end.count === 0)
				options.warn?.(`${directory} is begun anew: it has no marks of what was signed before`);
			signer = new Signer(options, marks, log);
			if (socketPath !== undefined)
				signer.nodes = await listenAt(socketPath, (socket) => signer?.serve(socket, undefined));
			for (const client of desk?.clients ?? []) await signer.listen(client);
			if (desk) await signer.notePolicies(desk, desk.policies);
			return signer;
		} catch (error) {
			signer?.closeSockets();
			await log?.close();
			await marks.close();
			throw error;
		}
	}

	/**
	 * Finishes requests in progress, but waits for nobody at a device; then erases the keys and ends.
	 * @returns whether a device still asks, and so keeps the process until somebody answers there
	 */
	async close(): Promise<boolean> {
		this.isClosing = true;
		this.closeSockets();
		// An idle or non-reading client would delay the next signer's start by several slots.
		for (const socket of this.connections.keys()) socket.unref();
		await Promise.all(this.lines.values());
		this.confirming?.abort("the signer ended before anybody confirmed it on the device");
		await this.confirmed;
		await this.queue;
		for (const key of this.options.keys) if (!isHeldElsewhere(key)) forgetKey(key);
		await this.log.close();
		await this.marks.close();
		return this.confirming !== undefined;
	}

	private closeSockets(): void {
		this.nodes?.close();
		for (const { server } of this.listeners.values()) server.close();
	}

	/** Creates a client's socket, if it has one. @returns its path if it is new @throws {OperatorError} */
	private async listen(client: SignerClient): Promise<string | undefined> {
		const { socket: path } = client;
		if (path === undefined || this.listeners.has(path)) return undefined;
		const server = await listenAt(path, (socket) => {
			const { client: its } = this.listeners.get(path) ?? {};
			if (its) this.serve(socket, its);
			else socket.destroy();
		});
		this.listeners.set(path, { server, client });
		return path;
	}

	private unlisten(path: string): void {
		this.listeners.get(path)?.server.close();
		this.listeners.delete(path);
	}

	/**
	 * Applies other policies from the next decision on. Nothing changes unless everything succeeds: the sockets of new clients, and the
	 * log line. Former clients lose their sockets and connections. Must not be called concurrently.
	 * @returns whether the policies have changed
	 * @throws {OperatorError} if a socket can't be created; the system's error if the line can't be written
	 */
	async adopt(policies: Policies): Promise<boolean> {
		const { desk, now } = this.options;
		if (policies.sha256 === desk?.policies.sha256) return false;
		const made: string[] = [];
		let steps: Iterator<void>;
		try {
			// Creating many sockets takes time, in which headers are signed; whoever connects to them is not a client yet.
			for (const client of policies.clients) {
				const path = await this.listen(client);
				if (path !== undefined) made.push(path);
			}
			steps = await this.inTurn(async () => {
				if (!desk || this.isClosing) throw new OperatorError("the signer takes no policies");
				await this.notePolicies(desk, policies);
				const judging = desk.adopt(policies, now());
				judging.next();
				return judging;
			});
		} catch (error) {
			for (const path of made) this.unlisten(path);
			throw error;
		}
		for (const [path, listener] of this.listeners) {
			const client = policies.clients.find(({ socket }) => socket === path);
			if (client) listener.client = client;
			else this.unlisten(path);
		}
		for (const [socket, client] of this.connections) if (client && !desk?.current(client)) socket.destroy();
		while (!this.isClosing && !(await this.inTurn(async () => steps.next().done))) await setImmediate();
		return true;
	}

	private async notePolicies(desk: PolicyDesk, policies: Policies): Promise<void> {
		desk.replay(await this.note("policies", "", desk.factsOf(policies), "read"));
	}

	/**
	 * Serves one connection.
	 * @param client the authenticated client; undefined for a node on this machine
	 */
	serve(socket: Socket, client: SignerClient | undefined): void {
		const limit = client ? MAX_CLIENT_REQUEST : MAX_SIGNER_REQUEST;
		this.connections.set(socket, client);
		socket.on("close", () => this.connections.delete(socket));
		const confirmMs = Math.max(0, ...this.options.keys.filter(isDeviceKey).map((key) => key.confirmMs));
		onFirstLine(socket, limit, client ? CLIENT_ANSWER_MS + confirmMs : 5 * SIGNER_ANSWER_MS, async (line) => {
			const answer = line === undefined ? { error: "too long" } : await this.answer(line, client);
			socket.end(`${JSON.stringify(answer)}\n`);
			socket.destroySoon();
		});
	}

	private async answer(line: string, client: SignerClient | undefined): Promise<object> {
		// Checked before parsing and not logged, as a client that keeps sending requests would fill the disk.
		const { desk, now } = this.options;
		if (client && !desk?.admits(client.name, now())) return { error: "too many requests" };
		let request: Request;
		try {
			if (!isModestJson(line, REQUEST)) return { error: "not a request" };
			request = (JSON.parse(line) ?? {}) as Request;
		} catch {
			return { error: "not JSON" };
		}
		if (client && !desk?.current(client)) return NO_CLIENT;
		if (request.do === "list") {
			// A node would take a device's key for a witness's.
			const shown = [...this.keys].filter(([, key]) => client?.isNode === false || !isDeviceKey(key));
			return { keys: shown.map(([address, key]) => listed(address, key)) };
		}
		const answering = async (): Promise<object | Confirming> => {
			// Policies may have changed while it was queued.
			const asking = client && desk?.current(client);
			if (client && !asking) return NO_CLIENT;
			if (KINDS.has(request.do) && (!asking || asking.isNode))
				return this.decide(request.do as SignedKind, request);
			if (request.do === "seen" && (!asking || asking.isNode)) return this.compare(request);
			return asking ? this.answerClient(asking, request) : { error: "unknown request" };
		};
		try {
			const decided = await (client ? this.inLine(client.name, answering) : this.inTurn(answering));
			const answer = decided instanceof Confirming ? await decided.answer : decided;
			this.failure = undefined;
			return answer;
		} catch (error) {
			// For example a full disk, as nothing is signed without its mark; or an agent that has ended.
			const reason = textOf(error);
			if (reason !== this.failure) this.options.warn?.(reason);
			this.failure = reason;
			return { error: reason };
		}
	}

	private inTurn<T>(work: () => Promise<T>): Promise<T> {
		const done = this.queue.then(work);
		this.queue = done.catch(() => undefined);
		return done;
	}

	private inLine(client: string, work: () => Promise<object>): Promise<object> {
		const done = (this.lines.get(client) ?? Promise.resolve()).then(() => this.inTurn(work));
		this.lines.set(
			client,
			done.catch(() => undefined),
		);
		return done;
	}

	private async answerClient(
		client: SignerClient,
		{ do: what, kind, address, data, id }: Request,
	): Promise<object | Confirming> {
		const { desk, now } = this.options;
		if (!desk) return { error: "unknown request" };
		if (what === "pending") return desk.listPending(client.name, id === undefined ? id : String(id), now());
		if (what === "approve") {
			const decisions = desk.decideApproval(client, String(id), now());
			for (const decision of decisions) await this.carryOut(desk, decision);
			return decisions[0]?.answer ?? { error: "nothing of that id waits for this client", refused: true };
		}
		if (what !== "transaction" && what !== "message") return { error: "unknown request" };
		const name = String(address).slice(0, 64);
		const key = this.keys.get(name);
		if (!key) return { error: "unknown key" };
		const bytes = String(data);
		if (what === "message") {
			// A message's signer is identified by recovering the key from the signature.
			if (!(key instanceof Uint8Array || isHeldElsewhere(key)))
				return { error: "a post-quantum key signs no messages", refused: true };
			const of = kind === "typed" ? "typed" : "text";
			if (of === "typed" && isDeviceKey(key)) return { error: "a device signs texts only", refused: true };
			return this.carryOut(desk, desk.decideMessage(client.name, name, of, bytes, now()), bytes);
		}
		return this.carryOut(desk, desk.decide(client, name, bytes, now()), bytes);
	}

	/** Logs a decision, then carries it out. @param data what is to be signed, in hexadecimal; an approval signs nothing */
	private async carryOut(
		desk: PolicyDesk,
		decided: DeskDecision,
		data?: string,
	): Promise<object | Confirming> {
		const { asked, key: name, facts, decision, sign, answer, isNoted = false } = decided;
		const key = this.keys.get(name);
		if (sign && data !== undefined && isDeviceKey(key)) {
			if (this.isClosing) return { error: "the signer ends" };
			if (this.confirming) return BUSY;
			if (this.options.now() < (this.refusedUntilMs.get(String(facts["client"])) ?? 0)) return PAUSED;
			// `allowed`, or `allowed again`.
			desk.replay(await this.note(asked, name, facts, decision.replace("signed", "allowed")));
			const confirmed = this.confirm(desk, key, decided, sign, fromHex(data));
			this.confirmed = confirmed.catch(() => undefined);
			return new Confirming(confirmed);
		}
		if (!isNoted) desk.replay(await this.note(asked, name, facts, decision));
		if (!sign || !key || isDeviceKey(key)) return answer;
		const signature = await signatureOf(key, sign);
		// Message signatures conventionally have v = 27 or 28.
		if (asked === "message") signature[64] = (signature[64] as number) + 27;
		return { ...answer, signature: toHex(signature) };
	}

	/**
	 * Has somebody confirm on the device what was allowed, while other requests go on. What becomes of it is a line of the log, too.
	 * @param hash of what was allowed, to which the signature must belong
	 * @throws {OperatorError} why there is no signature, unless the person refuses
	 */
	private async confirm(
		desk: PolicyDesk,
		key: DeviceKey,
		allowed: DeskDecision,
		hash: Uint8Array,
		bytes: Uint8Array,
	): Promise<object> {
		const { client = "", id = "" } = allowed.facts;
		const { sha256 } = desk.policies;
		// Without a rule, so that it isn't counted twice. Who tightens policies expects nothing to be signed by the former ones.
		const noted = ({ end, signature }: Outcome): Promise<Outcome> =>
			this.inTurn(async () => {
				const isOld = signature !== undefined && desk.policies.sha256 !== sha256;
				const outcome = isOld ? { end: "the policies have changed meanwhile" } : { end, signature };
				await this.note(allowed.asked, allowed.key, { client, id }, outcome.end);
				return outcome;
			});
		const limit = new AbortController();
		this.confirming = limit;
		const reason = `nobody confirmed it on the device within ${key.confirmMs / 1_000} s`;
		const timer = setTimeout(() => limit.abort(reason), key.confirmMs);
		const given: Promise<Outcome> = key
			.confirm(allowed.asked, bytes)
			.then(
				(signature) => {
					if (!signature) {
						// Also after the limit.
						this.refusedUntilMs.set(client, this.options.now() + REFUSED_PAUSE_MS);
						return { end: REFUSED_THERE };
					}
					const isIts = isSignatureOf(hash, signature, key.address);
					return isIts ? { end: "signed", signature } : { end: "the device signed something else" };
				},
				(error: unknown) => ({ end: textOf(error) }),
			)
			.finally(() => {
				this.confirming = undefined;
			});
		const waited = once(limit.signal, "abort").then((): Outcome => ({ end: String(limit.signal.reason) }));
		const outcome = await Promise.race([given, waited]);
		clearTimeout(timer);
		const { end, signature } = await noted(outcome);
		if (signature) return { ...allowed.answer, signature: toHex(signature) };
		if (end === REFUSED_THERE) return { error: end, refused: true };
		// Without effect unless the device still asks.
		void given
			.then((late) =>
				late.signature && !outcome.signature && !this.isClosing
					? noted({ end: "signed too late, for nobody" })
					: undefined,
			)
			.catch((error: unknown) => this.options.warn?.(textOf(error)));
		throw new OperatorError(end);
	}

	private async decide(kind: SignedKind, { address, data }: Request): Promise<object> {
		const name = String(address).slice(0, 64);
		const key = this.keys.get(name);
		// Not logged, as anyone could then fill the disk.
		if (!key) return { error: "unknown key" };
		if (isDeviceKey(key)) return NO_SLOTS;
		const read = readRequest(kind, name, String(data), BigInt(this.options.now()));
		if (typeof read === "string") return this.refuse(kind, name, {}, read);
		const { step, facts, hash } = read;
		const { refused, isTaken, isAgain = false } = step ? await this.marks.judge(step) : {};
		if (refused !== undefined)
			return { ...(await this.refuse(kind, name, facts, refused)), ...(isTaken ? { taken: true } : {}) };
		const decision = isAgain ? SIGNED_AGAIN : "signed";
		const done = await Promise.allSettled([
			this.note(kind, name, facts, decision),
			!isAgain && step && this.marks.advance(step).catch((error: unknown) => Promise.reject(unstored(error))),
		]);
		const failed = done.find((each) => each.status === "rejected");
		if (failed) throw failed.reason;
		return { signature: toHex(await signatureOf(key, hash)) };
	}

	/** Whether a received block has a signature of a key, but wasn't signed here: a clone of this signer, or a node, has the key, too. */
	private async compare({ address, data, signature }: Request): Promise<object> {
		const name = String(address).slice(0, 64);
		const key = this.keys.get(name);
		if (!key) return { error: "unknown key" };
		const read = readRequest("block", name, String(data), BigInt(this.options.now()));
		if (typeof read === "string") return { error: read };
		const { step, hash, facts } = read;
		// A witness may have changed its key: the block of the former one is none of this key.
		if (!step || !isSignedWith(key, hash, String(signature))) return { elsewhere: false };
		const elsewhere = await this.marks.isElsewhere(step);
		if (elsewhere) {
			this.options.warn?.(`a block of ${name} wasn't signed here: another signer or node has this key`);
			// The node has to know of it even if the disk is full.
			await this.note("block", name, facts, "signed elsewhere").catch(({ message }: OperatorError) =>
				this.options.warn?.(message),
			);
		}
		return { elsewhere };
	}

	private async refuse(
		kind: SignedKind,
		key: string,
		facts: ReadRequest["facts"],
		reason: string,
	): Promise<object> {
		await this.note(kind, key, facts, reason);
		return { error: reason };
	}

	private async note(
		kind: SignedKind | "transaction" | "message" | "policies",
		key: string,
		facts: ReadRequest["facts"],
		decision: string,
	): Promise<Decision> {
		const at = new Date(this.options.now()).toISOString();
		const written = { at, asked: kind, key, ...facts, decision };
		try {
			await this.log.append(written);
			await this.marks.setLogEnd(this.log.end);
		} catch (error) {
			throw unstored(error);
		}
		this.options.onDecision?.(`${kind} ${Object.values(facts).join(" ")}: ${decision}`);
		return written;
	}
}

/** @throws {OperatorError} if another process listens there, or the socket can't be created */
async function listenAt(socketPath: string, serve: (socket: Socket) => void): Promise<Server> {
	await removeStale(socketPath);
	const server = createServer(serve);
	server.maxConnections = MAX_CONNECTIONS;
	await new Promise<void>((done, fail) => {
		server.once("error", ({ code }: NodeJS.ErrnoException) => {
			// Node.js reports EACCES for a missing directory.
			const why = existsSync(dirname(socketPath)) ? (code ?? "unknown error") : "its directory isn't there";
			fail(new OperatorError(`the socket ${socketPath} can't be made (${why})`));
		});
		server.listen(socketPath, done);
	});
	chmodSync(socketPath, SOCKET_MODE);
	return server;
}

/** Removes the socket of a killed signer. @throws {OperatorError} if a signer, with another directory, is listening there */
async function removeStale(socketPath: string): Promise<void> {
	if (!lstatSync(socketPath, { throwIfNoEntry: false })?.isSocket()) return;
	const isLive = await new Promise<boolean>((resolve) => {
		const socket = connect(socketPath, () => resolve(true));
		socket.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code !== "ECONNREFUSED"));
		socket.on("connect", () => socket.destroy());
	});
	if (isLive) throw new OperatorError(`another process listens at ${socketPath}`);
	rmSync(socketPath);
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const unstored = (error: unknown): OperatorError =>
	new OperatorError(`the decision can't be stored: ${textOf(error)}`);

/** Signs in the form used by blocks, with v = 0 or 1, which is valid for transactions too. */
async function signatureOf(key: Exclude<HeldKey, DeviceKey>, hash: Uint8Array): Promise<Uint8Array> {
	if (isHeldElsewhere(key)) {
		const signature = (await key.sign(hash)).slice();
		signature[64] = (signature[64] as number) - 27;
		return signature;
	}
	if (key instanceof Uint8Array) return signBlock(hash, key);
	return postQuantumAlgorithm(key.scheme).sign(hash, key.privateKey);
}

/** @param signature in hexadecimal, from outside */
function isSignedWith(key: HeldKey, hash: Uint8Array, signature: string): boolean {
	if (!/^(?:[0-9a-f]{2})+$/.test(signature)) return false;
	if (isHeldElsewhere(key)) return isSignatureOf(hash, fromHex(signature), key.address);
	return isSignatureOf(
		hash,
		fromHex(signature),
		addressOfKey(key),
		key instanceof Uint8Array ? undefined : key,
	);
}

function listed(address: string, key: HeldKey): object {
	if (isDeviceKey(key)) return { address, confirmMs: key.confirmMs };
	return key instanceof Uint8Array || isHeldElsewhere(key)
		? { address }
		: { address, scheme: key.scheme.name, publicKey: toHex(key.publicKey) };
}

/** What became of a question at a device. */
interface Outcome {
	readonly end: string;
	readonly signature?: Uint8Array | undefined;
}

/** An answer for which somebody has to confirm something first, while the next request is decided. */
class Confirming {
	constructor(readonly answer: Promise<object>) {}
}

/** A request of a node or client; nothing in it is trusted. */
interface Request {
	readonly do?: unknown;
	readonly address?: unknown;
	readonly data?: unknown;
	/** Of a block that was received. */
	readonly signature?: unknown;
	/** Kind of a message. */
	readonly kind?: unknown;
	/** Id of a transaction. */
	readonly id?: unknown;
}
