/**
 * A signer: holds the keys of witnesses in a process of its own, and signs blocks, greetings and votes of nodes over a socket. It
 * looks at what it signs: nothing else than these is signed, no second block for a slot, and no second vote for a height.
 *
 * Contract: the mark and the line of the log are on the disk before a signature leaves. Requests are answered one after the
 * other. A connection carries one line of JSON each way.
 */

import { chmodSync, lstatSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { OperatorError } from "../../protocol/operator-error.js";
import { loadPostQuantum, postQuantumAlgorithm } from "../../protocol/post-quantum/algorithms.js";
import { signBlock } from "../../protocol/signature.js";
import { addressOfKey, forgetKey, type PrivateKey } from "../private-key.js";
import { type Decision, DecisionLog } from "./decision-log.js";
import { type MarkedStep, SigningMarks } from "./marks.js";
import {
	MAX_SIGNER_REQUEST,
	markedStepOf,
	type ReadRequest,
	readRequest,
	SIGNER_ANSWER_MS,
	type SignedKind,
} from "./requests.js";

const MAX_CONNECTIONS = 32;
/** The user, and the group in which the node's user may be. */
const SOCKET_MODE = 0o660;
const KINDS: ReadonlySet<unknown> = new Set<SignedKind>(["block", "hello", "vote"]);

interface SignerOptions {
	/** Overwritten when the signer ends. */
	readonly keys: readonly PrivateKey[];
	/** Of the marks and the log; made where it isn't there. */
	readonly directory: string;
	readonly socketPath: string;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** Notified of each decision. */
	readonly onDecision?: ((decision: string) => void) | undefined;
}

export const LOG_NAME = "decisions.log";

export class Signer {
	private readonly keys: ReadonlyMap<string, PrivateKey>;
	private readonly server: Server;
	/** One decision after the other. */
	private queue: Promise<unknown> = Promise.resolve();

	private constructor(
		private readonly options: SignerOptions,
		private readonly marks: SigningMarks,
		private readonly log: DecisionLog,
	) {
		this.keys = new Map(options.keys.map((key) => [toBase58Check(addressOfKey(key)), key]));
		this.server = createServer((socket) => this.serve(socket));
		this.server.maxConnections = MAX_CONNECTIONS;
	}

	/** @throws {OperatorError} if another signer uses the directory, its log was changed, or the socket can't be made */
	static async start(options: SignerOptions): Promise<Signer> {
		const { directory, socketPath, keys } = options;
		if (keys.some((key) => !(key instanceof Uint8Array))) await loadPostQuantum();
		await mkdir(directory, { recursive: true, mode: 0o700 });
		const marks = await SigningMarks.open(join(directory, "marks"));
		let log: DecisionLog | undefined;
		try {
			const signed = new Map<string, MarkedStep>();
			log = await DecisionLog.open(join(directory, LOG_NAME), await marks.logEnd(), (line) => {
				const { asked, key, decision, ...facts } = JSON.parse(line) as Decision & {
					readonly asked: SignedKind;
				};
				const step = decision === "signed" ? markedStepOf(asked, key, facts) : undefined;
				if (step) signed.set(step.subject, step);
			});
			await marks.raise(signed.values());
			const signer = new Signer(options, marks, log);
			await removeStale(socketPath);
			await new Promise<void>((done, fail) => {
				signer.server.once("error", ({ code }: NodeJS.ErrnoException) =>
					fail(new OperatorError(`the socket ${socketPath} can't be made (${code ?? "unknown error"})`)),
				);
				signer.server.listen(socketPath, done);
			});
			chmodSync(socketPath, SOCKET_MODE);
			return signer;
		} catch (error) {
			await log?.close();
			await marks.close();
			throw error;
		}
	}

	/** Forgets the keys and ends, once what was begun is done. */
	async close(): Promise<void> {
		this.server.close();
		await this.queue;
		for (const key of this.options.keys) forgetKey(key);
		await this.log.close();
		await this.marks.close();
	}

	private serve(socket: Socket): void {
		let text = "";
		// Whatever it sends or doesn't read: others wait for its place.
		const late = setTimeout(() => socket.destroy(), 5 * SIGNER_ANSWER_MS);
		socket.setEncoding("utf8").on("close", () => clearTimeout(late));
		socket.on("error", () => socket.destroy());
		socket.on("data", (chunk: string) => {
			text += chunk;
			const end = text.indexOf("\n");
			if (end < 0 && text.length <= MAX_SIGNER_REQUEST) return;
			socket.removeAllListeners("data");
			const isLong = end < 0 || end > MAX_SIGNER_REQUEST;
			const answer = isLong ? Promise.resolve({ error: "too long" }) : this.answer(text.slice(0, end));
			void answer.then((object) => {
				socket.end(`${JSON.stringify(object)}\n`);
				socket.destroySoon();
			});
		});
	}

	private async answer(line: string): Promise<object> {
		let request: Request;
		try {
			request = (JSON.parse(line) ?? {}) as Request;
		} catch {
			return { error: "not JSON" };
		}
		if (request.do === "list") return { keys: [...this.keys].map(([address, key]) => listed(address, key)) };
		if (!KINDS.has(request.do)) return { error: "unknown request" };
		const decided = this.queue.then(() => this.decide(request.do as SignedKind, request));
		this.queue = decided.catch(() => undefined);
		try {
			return await decided;
		} catch (error) {
			// A full disk, for instance: without its mark nothing is signed.
			return {
				error: `the decision can't be stored: ${error instanceof Error ? error.message : String(error)}`,
			};
		}
	}

	private async decide(kind: SignedKind, { address, data }: Request): Promise<object> {
		const name = String(address).slice(0, 64);
		const key = this.keys.get(name);
		// Not logged: it would let anyone fill the disk.
		if (!key) return { error: "unknown key" };
		const read = readRequest(kind, name, String(data), BigInt(this.options.now()));
		if (typeof read === "string") return this.refuse(kind, name, {}, read);
		const { step, facts, hash } = read;
		const { refused, isAgain = false } = step ? await this.marks.judge(step) : {};
		if (refused !== undefined) return { ...(await this.refuse(kind, name, facts, refused)), taken: true };
		const decision = isAgain ? "signed again" : "signed";
		const done = await Promise.allSettled([
			this.note(kind, name, facts, decision),
			!isAgain && step && this.marks.advance(step),
		]);
		const failed = done.find((each) => each.status === "rejected");
		if (failed) throw failed.reason;
		return { signature: toHex(signatureOf(key, hash)) };
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
		kind: SignedKind,
		key: string,
		facts: ReadRequest["facts"],
		decision: string,
	): Promise<void> {
		const at = new Date(this.options.now()).toISOString();
		await this.log.append({ at, asked: kind, key, ...facts, decision });
		await this.marks.setLogEnd(this.log.end);
		this.options.onDecision?.(`${kind} ${Object.values(facts).join(" ")}: ${decision}`);
	}
}

/** A socket that is left of a signer that was killed. @throws {OperatorError} if one listens there, of another directory */
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

function signatureOf(key: PrivateKey, hash: Uint8Array): Uint8Array {
	if (key instanceof Uint8Array) return signBlock(hash, key);
	return postQuantumAlgorithm(key.scheme).sign(hash, key.privateKey);
}

function listed(address: string, key: PrivateKey): object {
	return key instanceof Uint8Array
		? { address }
		: { address, scheme: key.scheme.name, publicKey: toHex(key.publicKey) };
}

/** What a node asks; nothing of it is trusted. */
interface Request {
	readonly do?: unknown;
	readonly address?: unknown;
	readonly data?: unknown;
}
