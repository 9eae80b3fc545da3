/**
 * Serves commands of the same user on the same machine: a running node makes snapshots, stores sources of contracts and hands over to
 * another process, since no other process can access its database. It listens on a socket in a directory that only its user can access;
 * a file in the data directory has its path. A request is one line of JSON; the response is several lines, the last with the outcome.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { isAbsolute, join } from "node:path";
import { agentParent } from "../keystore/agent/server.js";
import { OperatorError } from "../protocol/operator-error.js";
import type { HandoverResult, SuccessorProgram } from "./handover.js";

/** Makes a snapshot; the second parameter is called with the progress, and returns false to cancel. */
export type SnapshotWork = (
	target: string,
	onProgress: (progress: ControlProgress) => boolean,
) => Promise<ControlResult | undefined>;

export interface ControlProgress {
	readonly entries: number;
	readonly bytes: number;
}

/** The result of a snapshot. */
export interface ControlResult {
	readonly manifest: string;
}

/** Stores a contract's sources from a file. */
export type SourceWork = (file: string) => Promise<void>;

/** Hands the node over to a program; the signal is aborted if the requester disconnects. */
export type HandoverWork = (program: SuccessorProgram, gone: AbortSignal) => Promise<HandoverResult>;

/** The requests that a node serves. */
interface ControlWork {
	readonly snapshot: SnapshotWork;
	readonly source: SourceWork;
	readonly handover: HandoverWork;
}

const MAX_REQUEST = 8_192;
const REQUEST_MS = 5_000;
const MAX_CLIENTS = 4;
const REPORT_MS = 500;

/** The file of a data directory with the path of its node's control socket. */
export function controlFile(dataDirectory: string): string {
	return join(dataDirectory, "control");
}

export class ControlServer {
	private readonly directory = mkdtempSync(join(agentParent(process.env), "coin-node-"));
	private readonly server: Server;
	private readonly clients = new Set<Socket>();
	private working: Promise<void> | undefined;
	private isClosed = false;

	private constructor(
		private readonly dataDirectory: string,
		private readonly work: ControlWork,
	) {
		this.server = createServer((socket) => this.serve(socket));
		this.server.maxConnections = MAX_CLIENTS;
	}

	/** @throws the system's error if the socket can't be created */
	static async start(dataDirectory: string, work: ControlWork): Promise<ControlServer> {
		const control = new ControlServer(dataDirectory, work);
		const path = join(control.directory, "socket");
		try {
			await new Promise<void>((done, fail) => {
				control.server.once("error", fail);
				control.server.listen(path, done);
			});
			writeFileSync(controlFile(dataDirectory), `${path}\n`, { mode: 0o600 });
		} catch (error) {
			await control.close();
			throw error;
		}
		return control;
	}

	/** Cancels work in progress, and waits for it to end. */
	async close(): Promise<void> {
		this.isClosed = true;
		await this.working;
		rmSync(controlFile(this.dataDirectory), { force: true });
		for (const client of this.clients) client.destroy();
		this.server.close();
		rmSync(this.directory, { recursive: true, force: true });
	}

	private serve(socket: Socket): void {
		let text = "";
		this.clients.add(socket);
		socket.on("close", () => this.clients.delete(socket));
		socket.on("error", () => socket.destroy());
		socket.setEncoding("utf8").setTimeout(REQUEST_MS, () => socket.destroy());
		socket.on("data", (part: string) => {
			text += part;
			const end = text.indexOf("\n");
			if (end < 0 && text.length <= MAX_REQUEST) return;
			socket.removeAllListeners("data").setTimeout(0);
			socket.resume();
			const request = end < 0 ? undefined : requestOf(text.slice(0, end));
			if (request?.do === "source") return void this.takeSource(socket, request.path);
			if (request?.do === "handover") return void this.handOver(socket, request);
			const target = request?.path;
			if (target === undefined) return answer(socket, { error: "the node doesn't know this request" }, true);
			if (this.working) return answer(socket, { error: "the node is making a snapshot already" }, true);
			this.working = this.snapshot(socket, target).finally(() => {
				this.working = undefined;
			});
		});
	}

	private async handOver(socket: Socket, { path: script, runtime = "" }: ControlRequest): Promise<void> {
		if (this.working) return answer(socket, { error: "the node is making a snapshot" }, true);
		// The requester still receives the outcome after this server has closed.
		this.clients.delete(socket);
		const gone = new AbortController();
		socket.on("close", () => gone.abort());
		await answerWith(socket, "the handover failed", async () => ({
			done: await this.work.handover({ runtime, script }, gone.signal),
		}));
	}

	private takeSource(socket: Socket, file: string): Promise<void> {
		return answerWith(socket, "the sources can't be stored", async () => {
			await this.work.source(file);
			return { done: {} };
		});
	}

	private snapshot(socket: Socket, target: string): Promise<void> {
		let reported = performance.now();
		return answerWith(socket, "the snapshot failed", async () => {
			const done = await this.work.snapshot(target, (progress) => {
				if (performance.now() - reported > REPORT_MS) {
					reported = performance.now();
					answer(socket, { ...progress });
				}
				return !this.isClosed && !socket.destroyed;
			});
			return done ? { done } : { error: "the snapshot was given up: the node stops" };
		});
	}
}

/** Does some work, and sends its outcome as the last line. @param failed the start of the message for an unexpected error */
async function answerWith(socket: Socket, failed: string, work: () => Promise<object>): Promise<void> {
	const line = await work().catch((error: unknown) => ({
		error: error instanceof OperatorError ? error.message : `${failed}: ${String(error)}`,
	}));
	answer(socket, line, true);
}

/** The member of each request that contains its path. */
const PATHS = { snapshot: "to", source: "file", handover: "script" } as const;

interface ControlRequest {
	readonly do: keyof typeof PATHS;
	/** Absolute. */
	readonly path: string;
	/** Absolute path of the Node.js that runs the program of a handover. */
	readonly runtime?: string;
}

const isPath = (value: unknown): value is string => typeof value === "string" && isAbsolute(value);

function requestOf(line: string): ControlRequest | undefined {
	try {
		const request = JSON.parse(line) as { readonly [name: string]: unknown } | null;
		const kind = request?.["do"];
		if (kind !== "snapshot" && kind !== "source" && kind !== "handover") return undefined;
		const path = request?.[PATHS[kind]];
		const runtime = request?.["runtime"];
		if (!isPath(path) || (kind === "handover" && !isPath(runtime))) return undefined;
		return isPath(runtime) ? { do: kind, path, runtime } : { do: kind, path };
	} catch {
		return undefined;
	}
}

function answer(socket: Socket, line: object, isLast = false): void {
	if (socket.destroyed) return;
	socket.write(`${JSON.stringify(line)}\n`);
	if (isLast) socket.end();
}
