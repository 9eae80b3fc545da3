/** Runs a node until it has to stop: readiness notifications, signals, shutdown (protocol/command-line §7). */

import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { ConfigError } from "../hocon/hocon.js";
import { PortError } from "../node/api/http-servers.js";
import { OtherChainError } from "../node/chain/data-directory.js";
import { AlreadyThereError } from "../node/chain/stop-condition.js";
import { inheritSockets, markHandedOver } from "../node/listening/connection-gate.js";
import { type NodeOptions, type RunningNode, startNode } from "../node/node.js";
import { OperatorError } from "../protocol/operator-error.js";
import { publicNetworkOf } from "../protocol/public-networks.js";
import { takeOverSignals } from "../terminal/prompt/interrupt.js";
import { Failure } from "../wallet/failure.js";
import { missingPartHint } from "./configuration-check.js";
import { ControlServer } from "./control-server.js";
import { Handover, nextBoundary, startSuccessor, type Takeover } from "./handover.js";
import { portHint } from "./listeners.js";
import { type ClosableLog, ignoreBrokenPipe } from "./node-log.js";
import { notifyManager, notifyReady, socketsOfManager } from "./service-manager.js";

/** Where to report that all listeners are bound. */
export interface ReadyTargets {
	readonly file?: string | undefined;
	readonly fd?: number | undefined;
	/** The handover, if this process takes over from another node. */
	readonly takeover?: Takeover | undefined;
}

/** Converts a node's own errors to failures with exit code 1. */
export function startFailure(error: unknown): unknown {
	if (!(error instanceof OperatorError)) return error;
	const hint = startHint(error);
	return new Failure("start_failed", error.message, { cause: error, ...(hint ? { hint } : {}) });
}

/** Runs an operation for a command. @throws {Failure} `start_failed` for the node's own errors */
export async function withStartFailures<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw startFailure(error);
	}
}

function startHint(error: OperatorError): string | undefined {
	if (error instanceof PortError) return portHint(error.owner);
	if (error instanceof OtherChainError) {
		const network = publicNetworkOf(error.genesisId);
		return (
			network && `--network ${network} is the network of the directory; another needs another directory (-d)`
		);
	}
	return error instanceof ConfigError ? missingPartHint(error) : undefined;
}

/**
 * Runs a node; resolves after a clean stop.
 * @param version of the program, for the log
 * @param onReady called to print that the node is ready
 * @param begin starts the node
 * @throws {Failure} `start_failed` if it can't start or can't continue
 */
export async function runNode(
	options: NodeOptions,
	log: ClosableLog,
	ready: ReadyTargets,
	version: string,
	onReady: (node: RunningNode) => void,
	begin: (options: NodeOptions) => Promise<RunningNode> = startNode,
): Promise<void> {
	let stop: (signal: string) => void = () => undefined;
	const stopped = new Promise<string>((resolve) => {
		stop = resolve;
	});
	process.stdout.removeAllListeners("error").on("error", ignoreBrokenPipe);
	let signals = 0;
	takeOverSignals((signal) => {
		signals++;
		// A second signal means not to wait for the last write.
		if (signals > 1) process.exit(signal === "SIGINT" ? 130 : 143);
		stop(signal);
	});
	const { takeover } = ready;
	const { dataDirectory } = options;
	if (!takeover)
		await withStartFailures(async () => inheritSockets(socketsOfManager(process, options.config)));
	const beforeOpening =
		takeover && (() => takeover.untilClosed(options.config, dataDirectory ?? "", stopped));
	const program = `coin ${version}`;
	const node = await begin({ ...options, program, beforeOpening }).catch((error: unknown) => {
		if (error instanceof AlreadyThereError) return error;
		throw startFailure(error);
	});
	if (node instanceof AlreadyThereError) {
		log.info({}, node.message);
		return log.flush();
	}
	log.info(
		{ version, genesis: node.genesisId, head: headOf(node), directory: dataDirectory ?? "memory" },
		"started",
	);
	onReady(node);
	const handover = new Handover({
		start: (release) => startSuccessor(release, node, options),
		boundary: () => {
			log.info({}, "a new process is prepared, and takes over at the end of a block");
			return nextBoundary(node, options.producers);
		},
	});
	let control: ControlServer | undefined;
	try {
		control = await startControl(node, options, log, version, handover);
		await announce(node, options.development !== undefined, ready);
		const untold = await notifyReady(`head ${node.open.chain.head.number}`, process.env);
		if (untold !== undefined) log.warn({ reason: untold }, "systemd waits to be told that the node is ready");
		if (takeover) {
			log.info({ gapMs: takeover.ready() }, "took over");
			void takeover.alone().then(() => tellOfAdoption(log));
		}
	} catch (error) {
		await control?.close();
		await node.close();
		throw error;
	}
	const end = await Promise.race([stopped, node.failure, node.finished, handover.agreed]);
	if (typeof end === "number") await tellOfSuccessor(end, log);
	else handover.giveUp();
	if (typeof end === "string") log.info({ signal: end }, "stopping");
	else if (end === undefined) log.info({ reason: "node.shutdown" }, "stopping");
	else if (end instanceof Error) log.error({ reason: end.message }, "stopping");
	const closingFrom = performance.now();
	try {
		await control?.close();
		await node.close();
	} catch (error) {
		if (typeof end === "number") handover.notClosed(error instanceof Error ? error.message : String(error));
		throw startFailure(error);
	}
	// Includes a block that was produced while stopping.
	log.info({ head: headOf(node) }, "stopped");
	log.flush();
	if (typeof end === "number") await completeHandover(handover, performance.now() - closingFrom, log);
	if (end instanceof Error) throw new Failure("start_failed", end.message, { cause: end });
}

/** Gives the service manager the successor's process id, and has closing listeners tell clients that the node is back at once. */
async function tellOfSuccessor(pid: number, log: ClosableLog): Promise<void> {
	const untold = await notifyManager([`MAINPID=${pid}`], process.env);
	if (untold !== undefined) log.warn({ reason: untold }, "systemd doesn't know of the new process");
	markHandedOver();
	log.info({ pid }, "handing over");
}

/**
 * Makes systemd wait for this process on stop, which it only does if the main process is its child. This one became its child when the
 * old one ended, but systemd doesn't re-examine a process that already is the main one: so another one is announced in between.
 */
async function tellOfAdoption(log: ClosableLog): Promise<void> {
	if (!process.env["NOTIFY_SOCKET"]) return;
	const between = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
	between.stdin.on("error", () => undefined);
	between.unref();
	const isThere = await new Promise<boolean>((resolve) => {
		between.once("error", () => resolve(false)).once("spawn", () => resolve(true));
	});
	let untold = isThere ? await notifyManager([`MAINPID=${between.pid}`], process.env) : "cat can't be run";
	// The helper process ends with this one at the latest.
	untold ??= await notifyManager([`MAINPID=${process.pid}`], process.env);
	if (untold === undefined) between.stdin.end();
	else log.warn({ reason: untold }, "systemd may not wait for this process at a stop");
}

async function completeHandover(handover: Handover, closingMs: number, log: ClosableLog): Promise<void> {
	try {
		log.info(await handover.complete(closingMs), "handed over");
		log.flush();
	} catch (error) {
		throw startFailure(error);
	}
}

/** Starts the control server for commands on this machine. If that fails, the node starts all the same. */
async function startControl(
	{ open, sources }: RunningNode,
	{ dataDirectory, development }: NodeOptions,
	log: ClosableLog,
	version: string,
	handover: Handover,
): Promise<ControlServer | undefined> {
	if (dataDirectory === undefined || development) return undefined;
	try {
		return await ControlServer.start(dataDirectory, {
			snapshot: async (target, onProgress) => {
				const { snapshotOfRunning } = await import("../node/snapshot/create.js");
				const options = { program: `coin ${version}`, nowMs: Date.now(), onProgress };
				return snapshotOfRunning(open, dataDirectory, target, options);
			},
			source: async (file) => {
				const { storeSourceFile } = await import("./source-work.js");
				storeSourceFile(sources, file);
			},
			handover: (program, gone) => handover.run(program, gone),
		});
	} catch (error) {
		log.warn(
			{ error: String(error) },
			"commands can't ask this node for snapshots or a handover, nor give it sources",
		);
		return undefined;
	}
}

function headOf({ open }: RunningNode): string {
	return open.chain.head.number.toString();
}

/** Writes the ready record. @throws {Failure} `start_failed`, as whoever waits for the record would wait forever */
async function announce(node: RunningNode, development: boolean, ready: ReadyTargets): Promise<void> {
	const record = JSON.stringify({
		ready: true,
		pid: process.pid,
		dev: development,
		ports: node.ports,
		genesis: node.genesisId,
	});
	try {
		// After a handover, the descriptor belonged to the old process.
		if (ready.fd !== undefined && !ready.takeover) writeSync(ready.fd, `${record}\n`);
		if (ready.file !== undefined) await writeWhole(ready.file, `${record}\n`);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new Failure("start_failed", `the ready record can't be written (${code ?? String(error)})`);
	}
}

/** Writes a file atomically, so that whoever waits for it finds it complete. */
async function writeWhole(path: string, text: string): Promise<void> {
	const part = `${path}.part`;
	await writeFile(part, text);
	await rename(part, path);
}
