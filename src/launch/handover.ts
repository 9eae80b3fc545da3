/**
 * Upgrades a node without downtime. A running node is asked over its control socket to start another program with its own command line.
 * The new process inherits the listening sockets and prepares everything that needs no data; then the old one stops at a block boundary
 * and closes the database, and the new one opens it. Clients that connect meanwhile wait in the sockets' backlog, which both share. The
 * processes communicate over Node.js's channel between parent and child: `prepared`, `open`, `ready`, or `failed` in place of any.
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

/** What the old process passes to the new one in its environment. */
interface Estate {
	/** Process id of the old one. */
	readonly pid: number;
	readonly genesisId: string;
	/** Format version of the data directory. */
	readonly format: number;
	/** Absolute path of the database. */
	readonly database: string;
	/** Ports that the node listens on, including the one for peers. */
	readonly ports: readonly number[];
	readonly sockets: readonly ListeningSocket[];
}

const VARIABLE = "COIN_HANDOVER";
/** The first descriptor after the standard streams and the channel. */
const FIRST_FD = 4;
/** Longest wait for a message of the other process: as long as service managers allow for a start. */
const WORD_MS = 1_800_000;
/** If no block arrives within this time, the handover proceeds without one. */
const BOUNDARY_MS = 3 * Number(SLOT_MS);
/** Time for peers to fetch a block that was announced. */
const SPREAD_MS = 500;
/** How long the directory may remain locked after a process has died without a message. */
const DEATH_MS = 5_000;
const LOOK_AGAIN_MS = 10;
/** Linux's list of a process's descriptors; on other systems, a child only inherits the descriptors given to it. */
const OWN_FILES = "/proc/self/fd";

/** The program to start: absolute paths of a Node.js and of a release's entry script. */
export interface SuccessorProgram {
	readonly runtime: string;
	readonly script: string;
}

/** The result of a handover. */
export interface HandoverResult {
	/** Id of the process that now runs the node. */
	readonly pid: number;
	/** Time between the old process's last response and the new one's first. */
	readonly gapMs: number;
}

// The old process's side.

/** The interface of the started process that {@link Handover} uses. */
export type Successor = Pick<ChildProcess, "pid" | "on" | "send" | "kill">;

/** The interface of the running node that {@link Handover} uses. */
interface Handing {
	start(program: SuccessorProgram): Successor;
	/** Resolves when the node may stop: after a block, and not when its own slot is next. */
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
		// Ctrl-C at the terminal should only reach this process, which then informs the other one.
		detached: true,
	});
}

/**
 * Whether a node may stop after a block: if it has the next slot, it should produce that block first. If it has every slot, any block
 * boundary is as good as another.
 * @param made witness of the block @param next witness of the next slot
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

/** Writes irreversible data ahead, so that closing takes less time, then waits for a block after which the node may stop. */
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

/** The messages from the new process, and how it ended. */
class Dialogue {
	readonly prepared: Promise<void>;
	readonly ready: Promise<void>;
	/** Rejects all pending waits. */
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
		// If the process has ended, its exit is reported separately.
		this.successor.send(words, () => undefined);
	}
}

/** Hands the node over to another process on request. */
export class Handover {
	/** Resolves with the id of the successor; the node must then close, and call {@link complete}. */
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
	 * Starts the new process, agrees on a moment, and waits until the handover is complete.
	 * @param gone aborted when the requester disconnects, which cancels the handover unless the two processes have already agreed
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

	/** Cancels the handover: the node continues, or stops for another reason. */
	giveUp(): void {
		const { dialogue } = this;
		if (this.isAgreed || !dialogue) return;
		dialogue.fail("the node stops");
		this.endSuccessor();
	}

	/** Cancels the handover because the node couldn't be closed after the two had agreed. */
	notClosed(reason: string): void {
		this.finish(
			new OperatorError(`the node could not be closed: ${reason}; start it again, with its usual command`),
		);
		this.endSuccessor();
	}

	/** Kills the successor: if it hangs, it reacts to no message or other signal, and would hold the ports and keep this process alive. */
	private endSuccessor(): void {
		this.dialogue?.successor.kill("SIGKILL");
		this.dialogue = undefined;
	}

	/**
	 * Completes the handover after everything is closed, so that the new process can open it.
	 * @param closingMs how long closing took
	 * @throws {OperatorError} if the new process failed; the data are then as after any stop
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

/** The interface of its own process that {@link Takeover} uses. */
type Own = Pick<NodeJS.Process, "env" | "on" | "ppid" | "connected"> & {
	send?: ((words: object, done: () => void) => unknown) | undefined;
	disconnect?: (() => void) | undefined;
};

/**
 * Closes inherited files of the database, which the library opens without close-on-exec. They would accumulate with every handover, and
 * keep deleted files on disk. Must run before the database is opened: closing the lock file's descriptor later would release the lock.
 */
function closeFilesBelow(directory: string, firstFd: number): void {
	if (!existsSync(OWN_FILES) || !existsSync(directory)) return;
	const folder = realpathSync(directory) + sep;
	for (const fd of readdirSync(OWN_FILES).map(Number)) {
		try {
			if (fd >= firstFd && readlinkSync(`${OWN_FILES}/${fd}`).startsWith(folder)) closeSync(fd);
		} catch {
			// The descriptor of the listing itself is already closed.
		}
	}
}

/** The side of a process that was started to take over from a running node. */
export class Takeover {
	/** Resolves when the other process has closed the database, or has ended without a message, for example because it was killed. */
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

	/** @returns undefined for a process that wasn't started for a handover */
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
	 * Reports that everything is prepared, and waits until the database is released.
	 * @param stopped resolves if this process has to stop
	 * @throws {Failure | OperatorError} if this configuration is for another node, or this process is no longer needed
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
		// A killed process keeps its files slightly longer than its channel; this process gets another parent once they are closed.
		const untilMs = performance.now() + DEATH_MS;
		while (end === "gone" && own.ppid === estate.pid && performance.now() < untilMs)
			await delay(LOOK_AGAIN_MS);
		this.openedMs = performance.now();
	}

	/** Resolves when the old process has ended, so that this one was adopted by the service manager. */
	async alone(): Promise<void> {
		while (this.own.ppid === this.estate.pid) await delay(LOOK_AGAIN_MS, undefined, { ref: false });
	}

	/** Reports that every listener serves. @returns the duration of the interruption, in milliseconds */
	ready(): number {
		dropInherited();
		this.say({ is: "ready" });
		if (this.own.connected) this.own.disconnect?.();
		return Math.round(this.closingMs + performance.now() - this.openedMs);
	}

	/** Reports why this process ends. */
	failed(error: unknown): void {
		this.say({ is: "failed", message: error instanceof Error ? error.message : String(error) });
		// An open channel would keep both processes alive.
		if (this.own.connected) this.own.disconnect?.();
	}

	private say(words: object): void {
		if (this.own.connected) this.own.send?.(words, () => undefined);
	}
}
