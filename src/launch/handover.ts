/**
 * An upgrade without a gap. A running node is asked over its control socket to start another program with its own command line. The new
 * process inherits the listening sockets and prepares all that needs no data; then the old one stops at a block's end and closes the
 * database, and the new one opens it. Clients that connect in between wait in the system's queue, which belongs to both. Words go over
 * the channel that Node.js makes between a process and its child: `prepared`, `open`, `ready`, or `failed` in their places.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { checkMeta, DIRECTORY_FORMAT } from "../node/chain/data-directory.js";
import { eachBlock } from "../node/chain/observers.js";
import type { Producer } from "../node/chain/packing.js";
import type { NodeConfig } from "../node/config/config.js";
import { genesisId } from "../node/config/genesis-config.js";
import { scheduledWitness } from "../node/consensus/slots.js";
import {
	dropInherited,
	inheritSockets,
	type ListeningSocket,
	listeningSockets,
} from "../node/listening/connection-gate.js";
import type { NodeOptions, RunningNode } from "../node/node.js";
import { equalBytes } from "../protocol/bytes.js";
import { OperatorError } from "../protocol/operator-error.js";
import { SLOT_MS } from "../protocol/timing.js";
import { Failure } from "../wallet/failure.js";
import { checkPorts } from "./configuration-check.js";

/** What the new process learns from the old one, by its environment. */
interface Estate {
	/** Of the old one. */
	readonly pid: number;
	readonly genesisId: string;
	/** Layout of the directory. */
	readonly format: number;
	/** Where it is, as an absolute path. */
	readonly database: string;
	/** What the node listens on, the port of its peers among them. */
	readonly ports: readonly number[];
	readonly sockets: readonly ListeningSocket[];
}

const VARIABLE = "COIN_HANDOVER";
/** Behind the standard streams and the channel. */
const FIRST_FD = 4;
/** Longest wait for a word of the other process: as long as a service manager gives a start. */
const WORD_MS = 1_800_000;
/** Where no block comes, the handover doesn't wait for one longer. */
const BOUNDARY_MS = 3 * Number(SLOT_MS);
/** What peers need to fetch a block that was announced. */
const SPREAD_MS = 500;
/** How long the directory may stay locked behind the death of a process that said nothing. */
const DEATH_MS = 5_000;
const LOOK_AGAIN_MS = 10;
/** Where Linux lists the descriptors of a process; other systems give a child no more than what is named. */
const OWN_FILES = "/proc/self/fd";

/** What is started: a Node.js and the entry of a release, both absolute. */
export interface SuccessorProgram {
	readonly runtime: string;
	readonly script: string;
}

/** What a handover came to. */
export interface HandoverResult {
	/** Of the process that has the node now. */
	readonly pid: number;
	/** From the last answer of the old process to the first one of the new. */
	readonly gapMs: number;
}

// The old process's side.

/** What a {@link Handover} needs of the process that it starts. */
export type Successor = Pick<ChildProcess, "pid" | "on" | "send" | "kill">;

/** What a {@link Handover} needs of the running node. */
interface Handing {
	start(program: SuccessorProgram): Successor;
	/** Resolves when the node may stop: behind a block, and not before one of its own. */
	boundary(): Promise<void>;
}

/** Starts a program with this process's own command line and its listening sockets. */
export function startSuccessor(
	{ runtime, script }: SuccessorProgram,
	node: RunningNode,
	{ config, dataDirectory = "" }: NodeOptions,
): Successor {
	const sockets = listeningSockets();
	const estate: Estate = {
		pid: process.pid,
		genesisId: node.genesisId,
		format: DIRECTORY_FORMAT,
		database: resolve(dataDirectory, config.storage.directory),
		ports: Object.values(node.ports),
		sockets: sockets.map((socket, at) => ({ ...socket, fd: FIRST_FD + at })),
	};
	return spawn(runtime, [...process.execArgv, script, ...process.argv.slice(2)], {
		env: { ...process.env, [VARIABLE]: JSON.stringify(estate) },
		stdio: ["ignore", "inherit", "inherit", "ipc", ...sockets.map(({ fd }) => fd)],
		// An interruption at the terminal is this process's, which tells the other.
		detached: true,
	});
}

/**
 * Whether a node may stop behind a block: one whose slot is next makes its block first. With one in each slot there is no better moment
 * than behind one.
 * @param made who made the block @param next whose slot is next
 */
export function mayStopBehind(
	made: Uint8Array,
	next: Uint8Array,
	producers: readonly Pick<Producer, "witness">[],
): boolean {
	const isOurs = (witness: Uint8Array): boolean =>
		producers.some((producer) => equalBytes(producer.witness, witness));
	return isOurs(made) || !isOurs(next);
}

/** Writes what can't be undone, so that closing takes less, and waits for a block at whose end the node may stop. */
export async function nextBoundary(
	{ open, peers }: Pick<RunningNode, "open" | "peers">,
	producers: NodeOptions["producers"],
): Promise<void> {
	await open.flushNow();
	await new Promise<void>((done) => {
		const end = (): void => {
			clearTimeout(timer);
			ignore();
			done();
		};
		const timer = setTimeout(end, BOUNDARY_MS);
		const ignore = open.chain.observe(
			eachBlock({
				committed: ({ block }) => {
					const next = scheduledWitness(open.chain.state, 1n);
					if (mayStopBehind(block.witness, next, producers)) setImmediate(end);
				},
			}),
		);
	});
	if (peers) await delay(SPREAD_MS);
}

/** What the new process has said, and how it ended. */
class Dialogue {
	readonly prepared: Promise<void>;
	readonly ready: Promise<void>;
	/** Ends every wait. */
	fail: (reason: string) => void = () => {};
	private readonly failed: Promise<never>;

	constructor(readonly successor: Successor) {
		const heard = (word: string): Promise<void> =>
			new Promise((done) => {
				successor.on("message", (said: { readonly is?: string } | null) => said?.is === word && done());
			});
		this.prepared = heard("prepared");
		this.ready = heard("ready");
		this.failed = new Promise((_, reject) => {
			this.fail = (reason) => reject(new OperatorError(reason));
		});
		this.failed.catch(() => undefined);
		successor.on("message", (said: { readonly is?: string; readonly message?: string } | null) => {
			if (said?.is === "failed") this.fail(String(said.message));
		});
		successor.on("error", (error) => this.fail(error.message));
		successor.on("exit", (code, signal) => this.fail(`it ended with ${signal ?? `exit code ${code}`}`));
	}

	/** @throws {OperatorError} if the new process fails first */
	async until(work: Promise<void>): Promise<void> {
		const late = setTimeout(() => this.fail(`it did nothing for ${WORD_MS / 60_000} minutes`), WORD_MS);
		try {
			await Promise.race([work, this.failed]);
		} finally {
			clearTimeout(late);
		}
	}

	tell(words: { readonly do: "open"; readonly closingMs: number }): void {
		// One that is gone has told so, or will.
		this.successor.send(words, () => undefined);
	}
}

/** Hands the node over to another process, where somebody asks for it. */
export class Handover {
	/** Resolves with the id of the process to hand over to: the node closes then, and calls {@link complete}. */
	readonly agreed: Promise<number>;
	private agree: (pid: number) => void = () => {};
	private dialogue: Dialogue | undefined;
	private isAgreed = false;
	private finish: (result: HandoverResult | OperatorError) => void = () => {};

	constructor(private readonly node: Handing) {
		this.agreed = new Promise((done) => {
			this.agree = done;
		});
	}

	/**
	 * Starts the new process, agrees on a moment, and waits for the end of it all.
	 * @param gone aborted when whoever asked is gone, which gives it up until the two have agreed
	 * @throws {OperatorError} with what became of the node
	 */
	async run(program: SuccessorProgram, gone: AbortSignal): Promise<HandoverResult> {
		if (this.dialogue) throw new OperatorError("a handover is under way already");
		const finished = new Promise<HandoverResult | OperatorError>((done) => {
			this.finish = done;
		});
		try {
			const dialogue = new Dialogue(this.node.start(program));
			this.dialogue = dialogue;
			gone.addEventListener("abort", () => dialogue.fail("the command was interrupted"));
			await dialogue.until(dialogue.prepared);
			await dialogue.until(this.node.boundary());
			this.isAgreed = true;
			this.agree(dialogue.successor.pid ?? 0);
		} catch (error) {
			this.giveUp();
			const reason = error instanceof Error ? error.message : String(error);
			throw new OperatorError(`the new process can't take over, and this one goes on: ${reason}`);
		}
		const result = await finished;
		if (result instanceof OperatorError) throw result;
		return result;
	}

	/** The node goes on, or stops for another reason: nobody takes over. */
	giveUp(): void {
		const { dialogue } = this;
		if (this.isAgreed || !dialogue) return;
		dialogue.fail("the node stops");
		this.endSuccessor();
	}

	/** The node couldn't be closed after the two had agreed: nobody takes over. */
	notClosed(reason: string): void {
		this.finish(
			new OperatorError(`the node could not be closed: ${reason}; start it again, with its usual command`),
		);
		this.endSuccessor();
	}

	/** One that hangs hears no word and no other signal, and would keep the ports, and this process by its channel. */
	private endSuccessor(): void {
		this.dialogue?.successor.kill("SIGKILL");
		this.dialogue = undefined;
	}

	/**
	 * Everything is closed: the new process opens it.
	 * @param closingMs how long that took
	 * @throws {OperatorError} if it couldn't: the data are as after any stop
	 */
	async complete(closingMs: number): Promise<HandoverResult> {
		const { dialogue } = this;
		if (!dialogue) throw new Error("nothing was agreed");
		const started = performance.now();
		try {
			dialogue.tell({ do: "open", closingMs });
			await dialogue.until(dialogue.ready);
			const gapMs = Math.round(closingMs + performance.now() - started);
			const result = { pid: dialogue.successor.pid ?? 0, gapMs };
			this.finish(result);
			return result;
		} catch (error) {
			const refusal = new OperatorError(
				`the new process could not open what this one has closed (${(error as Error).message}); nothing is lost: start the former release again, with its usual command`,
			);
			this.finish(refusal);
			this.endSuccessor();
			throw refusal;
		}
	}
}

// The new process's side.

/** What a {@link Takeover} needs of its own process. */
type Own = Pick<NodeJS.Process, "env" | "on" | "ppid" | "connected"> & {
	send?: ((words: object, done: () => void) => unknown) | undefined;
	disconnect?: (() => void) | undefined;
};

/**
 * Closes files of the database that came with the process: the library opens them without a mark that keeps them from a child. They would
 * be more with every handover, and keep the space of files that are deleted. Closed behind the opening, the lock's would end the lock.
 */
function closeFilesBelow(directory: string, firstFd: number): void {
	if (!existsSync(OWN_FILES) || !existsSync(directory)) return;
	const folder = realpathSync(directory) + sep;
	for (const fd of readdirSync(OWN_FILES).map(Number)) {
		try {
			if (fd >= firstFd && readlinkSync(`${OWN_FILES}/${fd}`).startsWith(folder)) closeSync(fd);
		} catch {
			// That of the listing itself is closed already.
		}
	}
}

/** A process that was started to take over from a running node. */
export class Takeover {
	/** The other one has closed; or it is gone without a word, as by a kill. */
	private readonly told: Promise<"open" | "gone">;
	private closingMs = 0;
	private openedMs = 0;

	private constructor(
		private readonly own: Own,
		private readonly estate: Estate,
	) {
		this.told = new Promise((done) => {
			own.on("message", (said: { readonly do?: unknown; readonly closingMs?: number } | null) => {
				this.closingMs = said?.closingMs ?? 0;
				if (said?.do === "open") done("open");
			});
			own.on("disconnect", () => done("gone"));
			if (!own.connected) done("gone");
		});
	}

	/** @returns undefined for a process that a person or a service manager has started */
	static begin(own: Own): Takeover | undefined {
		const text = own.env[VARIABLE];
		delete own.env[VARIABLE];
		if (text === undefined || !own.send) return undefined;
		const estate = JSON.parse(text) as Estate;
		inheritSockets(estate.sockets);
		closeFilesBelow(dirname(estate.database), FIRST_FD + estate.sockets.length);
		return new Takeover(own, estate);
	}

	/**
	 * Says that everything is prepared, and waits until the data are free.
	 * @param stopped resolves where this process is to stop
	 * @throws {Failure | OperatorError} if this configuration is of another node, or nobody needs this process any more
	 */
	async untilClosed(config: NodeConfig, dataDirectory: string, stopped: Promise<unknown>): Promise<void> {
		const { estate, own } = this;
		const database = resolve(dataDirectory, config.storage.directory);
		if (database !== estate.database)
			throw new Failure(
				"start_failed",
				`the configuration names the database ${database}, and the running node has ${estate.database}`,
			);
		const meta = { format: estate.format, genesisId: Buffer.from(estate.genesisId, "hex") };
		checkMeta(meta, genesisId(config.genesis), dataDirectory);
		const [taken] = await checkPorts(config, estate.ports);
		if (taken) throw new Failure("start_failed", `${taken.place} ${taken.message}`);
		this.say({ is: "prepared" });
		const end = await Promise.race([this.told, stopped.then(() => "end" as const)]);
		if (end === "end") throw new Failure("start_failed", "the handover was given up");
		// A process that was killed has its files for a moment longer than its channel; whose parent it was is told when it has none.
		const untilMs = performance.now() + DEATH_MS;
		while (end === "gone" && own.ppid === estate.pid && performance.now() < untilMs)
			await delay(LOOK_AGAIN_MS);
		this.openedMs = performance.now();
	}

	/** Resolves when the former process has ended, and so this one is the child of whoever takes orphans: the service manager. */
	async alone(): Promise<void> {
		while (this.own.ppid === this.estate.pid) await delay(LOOK_AGAIN_MS, undefined, { ref: false });
	}

	/** Every listener serves. @returns how long nobody was served, in milliseconds */
	ready(): number {
		dropInherited();
		this.say({ is: "ready" });
		if (this.own.connected) this.own.disconnect?.();
		return Math.round(this.closingMs + performance.now() - this.openedMs);
	}

	/** This process ends: why. */
	failed(error: unknown): void {
		this.say({ is: "failed", message: error instanceof Error ? error.message : String(error) });
		// An open channel would keep both processes.
		if (this.own.connected) this.own.disconnect?.();
	}

	private say(words: object): void {
		if (this.own.connected) this.own.send?.(words, () => undefined);
	}
}
