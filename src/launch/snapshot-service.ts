/** A snapshot service: makes one generation after another, serves them over HTTP, and retires them (protocol/command-line §7). */

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { KeystoreError } from "../keystore/keystore-error.js";
import { type HttpAnswer, JSON_TYPE } from "../node/api/http-answer.js";
import { HttpListener } from "../node/api/http-listener.js";
import { portError } from "../node/api/http-servers.js";
import type { HttpRequest } from "../node/api/plain-request.js";
import { headRefusal, pathOf } from "../node/api/request-head.js";
import { budgetAddress, MAX_CONNECTIONS } from "../node/listening/connection-gate.js";
import { addressText } from "../node/network/environment.js";
import { faultOf, type Generation, Generations, NOT_AS_LISTED } from "../node/snapshot/generations.js";
import { MANIFEST_NAME, type Manifest, type SnapshotFile } from "../node/snapshot/manifest.js";
import { OperatorError } from "../protocol/operator-error.js";
import { Failure } from "../wallet/failure.js";
import { sizeText } from "./adoption-work.js";
import { startFailure } from "./run-node.js";

/** How long a generation is kept after it was the newest: clients that have just read its manifest will fetch its files. */
export const GRACE_MS = 3_600_000;
/** Interval for checking whether retired generations still have clients. */
const LOOK_MS = 60_000;
/** Delay after a failure, and between attempts if no generation is intact, unless the interval is shorter. */
const RETRY_MS = 600_000;

/** Size of a piece of a file that is sent at once, and so is held in memory for each client. */
const PIECE_BYTES = 256 << 10;
/** A client that needs longer for a piece (less than 9 kB per second) is dropped in favor of others. */
const PIECE_MS = 30_000;
/** The most concurrent downloads per address: enough for restores on four machines. */
const MAX_FILES_PER_ADDRESS = 16;
/** Addresses without that limit: a reverse proxy on this machine has its own limits, and fetches for all its clients. */
const OWN_MACHINE: ReadonlySet<string> = new Set(["127.0.0.1", "::1", "::ffff:127.0.0.1"]);
const DAMAGED = { error: "this snapshot is damaged: begin anew with the newest" };
const COMMON = { "Accept-Ranges": "bytes", "X-Content-Type-Options": "nosniff" };

/** Clock and timers of the service. */
interface ServiceClock {
	/** Milliseconds since 1970. */
	readonly now: () => number;
	/** Runs a function after a delay in milliseconds. @returns a function that cancels it */
	readonly after: (ms: number, run: () => void) => () => void;
}

/**
 * The part of a file that a Range header requests (RFC 9110 §14.2): its first and last byte.
 * @returns undefined for the whole file, also for multiple ranges or an invalid header; "none" if it starts past the end of the file
 */
export function rangeOf(
	header: string | undefined,
	bytes: number,
): { readonly from: number; readonly to: number } | "none" | undefined {
	const [, first = "", last = ""] = /^bytes=(\d{0,20})-(\d{0,20})$/.exec(header ?? "") ?? [];
	if (first === "" && last === "") return undefined;
	if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
	const from = first === "" ? Math.max(0, bytes - Number(last)) : Number(first);
	const to = first === "" || last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
	return from < bytes ? { from, to } : "none";
}

/** Whether a list of entity tags contains a tag. */
function hasTag(list: string | undefined, tag: string): boolean {
	return (list ?? "").split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === tag);
}

/** Serves the files of generations, and nothing else. */
export class SnapshotServer {
	private readonly listener: HttpListener;
	/** Downloads in progress, by address. */
	private readonly sending = new Map<string, number>();

	constructor(
		private readonly generations: Generations,
		private readonly clock: ServiceClock,
		/** When the next generation is due; undefined while it is being made. */
		private readonly nextMs: () => number | undefined,
		report: (sentence: string) => void,
		private readonly filesPerAddress = MAX_FILES_PER_ADDRESS,
		/** The most connections, and how long an idle one is kept. */
		connections: { readonly most: number; readonly idleMs?: number } = { most: MAX_CONNECTIONS.snapshots },
	) {
		this.listener = new HttpListener({
			maxConnections: connections.most,
			idleMs: connections.idleMs,
			handle: (request, answer) => this.respond(request, answer),
			report: (error, where) => report(`${where}: ${error instanceof Error ? error.message : String(error)}`),
		});
	}

	/** @returns the bound port @throws {PortError} */
	async listen(port: number, host: string): Promise<number> {
		return this.listener.listen(port, host).catch((error: unknown) => {
			throw portError(port, "snapshot service", error);
		});
	}

	close(): Promise<void> {
		return this.listener.close();
	}

	private async respond(request: HttpRequest, answer: HttpAnswer): Promise<void> {
		const refused = headRefusal(request);
		if (refused !== undefined) return answer.page(refused);
		const { method = "" } = request;
		if (method !== "GET" && method !== "HEAD") {
			answer.header("Allow", "GET, HEAD");
			return answer.unsupported(method);
		}
		const path = pathOf(request).slice(1);
		const [newest] = this.generations.all;
		if (path === "") return send(answer, 200, listOf(this.generations.all));
		const found = this.generations.find(path);
		if (found?.generation.damaged !== undefined) return send(answer, 410, DAMAGED);
		if (found) {
			const isByContent = path.startsWith("files/");
			return this.sendFile(request, answer, found.generation, found.file, isByContent);
		}
		const isLatest = path.startsWith("latest/");
		const name = isLatest ? path.slice("latest/".length) : path;
		if (newest?.files.has(name) && /[/.]/.test(name)) {
			answer.header("Cache-Control", "no-cache");
			// Relative, so that it works under any path of a reverse proxy.
			return answer.redirect(`${"../".repeat(path.split("/").length - 1)}${newest.name}/${name}`);
		}
		if (newest || name !== MANIFEST_NAME) return send(answer, 404, { error: "not found" });
		const nextMs = this.nextMs();
		const leftMs = nextMs === undefined ? 0 : nextMs - this.clock.now();
		answer.header("Retry-After", String(Math.ceil(Math.max(LOOK_MS, leftMs) / 1000)));
		if (nextMs === undefined) return send(answer, 503, { error: "a snapshot is being made" });
		const when = leftMs > 0 ? `after ${new Date(nextMs).toISOString()}` : "within a minute";
		send(answer, 503, { error: `no whole snapshot is listed; one will be made ${when}` });
	}

	private async sendFile(
		request: HttpRequest,
		answer: HttpAnswer,
		generation: Generation,
		file: SnapshotFile,
		isByContent: boolean,
	): Promise<void> {
		const tag = `"${file.sha256}"`;
		const headers = {
			...COMMON,
			ETag: tag,
			"Cache-Control": isByContent ? "public, max-age=31536000, immutable" : "no-cache",
		};
		generation.usedMs = this.clock.now();
		const {
			"if-none-match": known,
			"if-range": condition,
			range: asked,
		} = request.headers as IncomingHttpHeaders;
		if (hasTag(known, tag)) return answer.notModified(headers);
		const range = condition === undefined || condition === tag ? rangeOf(asked, file.bytes) : undefined;
		if (range === "none") {
			const beyond = { ...headers, "Content-Range": `bytes */${file.bytes}` };
			return answer.send(416, JSON_TYPE, '{"error":"the file ends before this range"}', beyond);
		}
		const address = budgetAddress(request.socket);
		const sending = this.sending.get(address) ?? 0;
		if (sending >= this.filesPerAddress && !OWN_MACHINE.has(request.socket.remoteAddress ?? "")) {
			answer.header("Retry-After", "10");
			return send(answer, 429, { error: "too many files at once" });
		}
		this.sending.set(address, sending + 1);
		generation.active++;
		try {
			await this.sendPart(answer, generation, file, range, headers);
		} finally {
			generation.active--;
			generation.usedMs = this.clock.now();
			const left = (this.sending.get(address) ?? 1) - 1;
			if (left > 0) this.sending.set(address, left);
			else this.sending.delete(address);
		}
	}

	private async sendPart(
		answer: HttpAnswer,
		generation: Generation,
		listed: SnapshotFile,
		range: { readonly from: number; readonly to: number } | undefined,
		headers: Readonly<Record<string, string>>,
	): Promise<void> {
		const { name, bytes } = listed;
		const { from, to } = range ?? { from: 0, to: bytes - 1 };
		const more = {
			...headers,
			...(range ? { "Content-Range": `bytes ${from}-${to}/${bytes}` } : {}),
			"Content-Length": to + 1 - from,
		};
		const file = await openListed(join(generation.directory, name), bytes);
		if (file === undefined) {
			answer.header("Retry-After", "10");
			return send(answer, 503, { error: "the service can't open another file now: try again" });
		}
		if (typeof file === "string") {
			await this.generations.damage(generation, listed, file);
			return send(answer, 410, DAMAGED);
		}
		try {
			answer.begin(name.endsWith(".json") ? JSON_TYPE : "application/octet-stream", range ? 206 : 200, more);
			const end = answer.isHeadOnly ? "sent" : await this.sendBytes(answer, file, listed, from, to + 1);
			if (end === "sent") return answer.end();
			if (end !== "gone") await this.generations.damage(generation, listed, end.fault);
			answer.breakOff();
		} finally {
			await file.close();
		}
	}

	/**
	 * Sends bytes of a file; hashes a whole file meanwhile, and withholds the last piece of a damaged one, so that the client retries and is
	 * told that it is damaged.
	 */
	private async sendBytes(
		answer: HttpAnswer,
		file: FileHandle,
		{ bytes, sha256 }: SnapshotFile,
		from: number,
		end: number,
	): Promise<"sent" | "gone" | { readonly fault: string }> {
		const hash = end - from === bytes ? createHash("sha256") : undefined;
		for (let at = from; at < end; ) {
			const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, end - at));
			const outcome = await file.read(piece, 0, piece.length, at).catch((error: unknown) => {
				const fault = faultOf(error);
				return fault === undefined ? ("gone" as const) : { fault };
			});
			if (outcome === "gone" || "fault" in outcome) return outcome;
			const read = piece.subarray(0, outcome.bytesRead);
			hash?.update(read);
			at += read.length;
			if (read.length === 0 || (at === end && hash && hash.digest("hex") !== sha256))
				return { fault: NOT_AS_LISTED };
			const cancel = this.clock.after(PIECE_MS, () => answer.breakOff());
			if (!(await answer.piece(read).finally(cancel))) return "gone";
		}
		return "sent";
	}
}

/**
 * Opens a file that is listed with this size. If it was replaced by a link or a pipe, that is neither followed nor waited for.
 * @returns a text saying what is wrong with it; undefined if it can't be opened now, which doesn't mean that it is damaged
 */
async function openListed(path: string, bytes: number): Promise<FileHandle | string | undefined> {
	let file: FileHandle | undefined;
	try {
		file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
		const found = await file.stat();
		if (found.isFile() && found.size === bytes) return file;
		await file.close();
		return NOT_AS_LISTED;
	} catch (error) {
		await file?.close();
		return faultOf(error);
	}
}

function send(answer: HttpAnswer, status: number, value: object): void {
	answer.send(status, JSON_TYPE, `${JSON.stringify(value)}\n`, {
		"Cache-Control": "no-cache",
		"X-Content-Type-Options": "nosniff",
	});
}

/** The list of generations, newest first: `manifest` is the signed SHA-256. */
function listOf(generations: readonly Generation[]): object {
	return {
		newest: generations[0]?.name ?? null,
		generations: generations.map(({ name, manifest, files, bytes }) => ({
			name,
			head: manifest.head.number,
			blockID: manifest.head.id,
			createdMs: manifest.createdMs,
			manifest: files.get(MANIFEST_NAME)?.sha256,
			bytes,
		})),
	};
}

interface MakerOptions {
	/** Interval between generations. */
	readonly everyMs: number;
	readonly keep: number;
	readonly graceMs: number;
	/** Makes a snapshot in a new directory; undefined if cancelled. @throws {Failure | OperatorError} */
	readonly make: (target: string) => Promise<Manifest | undefined>;
	/** Returns the text of the signature file for a manifest with this SHA-256. @throws {Failure | OperatorError} */
	readonly sign: (hash: string) => Promise<string>;
	readonly now: () => number;
	readonly note: (line: string) => void;
	readonly warn: (line: string) => void;
}

/** Makes generations when they are due, and retires them. */
export class GenerationMaker {
	/** Earliest time for the next generation, whatever the age of the newest. */
	private notBeforeMs = Number.NEGATIVE_INFINITY;
	/** When the last attempt ended. */
	private triedMs = Number.NEGATIVE_INFINITY;
	private isMaking = false;
	private hasStarted = false;
	private announcedMs = Number.NaN;

	constructor(
		private readonly generations: Generations,
		private readonly options: MakerOptions,
	) {}

	/**
	 * Performs what is due.
	 * @returns milliseconds until the next call
	 * @throws {Failure | OperatorError} if it starts without an intact generation and can't make one; later failures are logged and retried
	 */
	async step(): Promise<number> {
		const { everyMs, now, note } = this.options;
		await this.retire();
		if (now() >= this.dueMs) {
			const startedMs = now();
			this.notBeforeMs = startedMs + everyMs;
			this.isMaking = true;
			try {
				await this.make();
			} catch (error) {
				const isKnown =
					error instanceof OperatorError || error instanceof Failure || error instanceof KeystoreError;
				if (!isKnown || !(this.hasStarted || this.generations.all.length > 0)) throw error;
				this.notBeforeMs = now() + Math.min(RETRY_MS, everyMs);
				this.options.warn(`no snapshot was made: ${error.message}`);
			} finally {
				this.isMaking = false;
				this.triedMs = now();
			}
			await this.retire();
		}
		this.hasStarted = true;
		if (this.dueMs !== this.announcedMs)
			note(`the next snapshot is due at ${new Date(this.dueMs).toISOString()}`);
		this.announcedMs = this.dueMs;
		return Math.min(LOOK_MS, Math.max(0, this.dueMs - now()));
	}

	/** When the next one is due; undefined while it is being made. */
	get nextMs(): number | undefined {
		return this.isMaking ? undefined : this.dueMs;
	}

	private get dueMs(): number {
		const { everyMs, now } = this.options;
		const newest = this.generations.all[0]?.manifest.createdMs;
		// A time more than an interval ahead means that the clock was set back since.
		const near = (ms: number): number => (ms > now() + everyMs ? 0 : ms);
		// If all generations are damaged, the next is due at once, except for a pause in case the disk damages each one.
		if (newest === undefined) return Math.max(0, near(this.triedMs + Math.min(RETRY_MS, everyMs)));
		return Math.max(near(newest + everyMs), near(this.notBeforeMs));
	}

	private async make(): Promise<void> {
		const { make, sign, now, note } = this.options;
		const manifest = await make(await this.generations.place());
		if (!manifest) return;
		const published = await this.generations.publish(manifest, sign, now());
		if (!published) return note("the chain has no newer block that can't be undone; nothing new is listed");
		const { generation, newBytes } = published;
		note(`listed ${generation.name}: ${sizeText(generation.bytes)}, ${sizeText(newBytes)} of them new`);
	}

	private async retire(): Promise<void> {
		const { now, note } = this.options;
		for (const name of await this.generations.retire(this.options, now())) note(`retired ${name}`);
	}
}

interface ServiceOptions extends MakerOptions {
	readonly folder: string;
	readonly host: string;
	/** 0 for any free port. */
	readonly port: number;
	/** Whether a signature file's bytes are the service's own signature of a manifest with this SHA-256. */
	readonly isOwn: (signature: Uint8Array, hash: string) => boolean;
	readonly onListening: (url: string) => void;
	/** Aborted to end the service. */
	readonly signal: AbortSignal;
}

/**
 * Runs the service until it is aborted.
 * @throws {Failure} `start_failed` with one sentence, if it can't start or the first generation can't be made
 */
export async function serveSnapshots(options: ServiceOptions): Promise<void> {
	const { folder, host, port, isOwn, warn, now, onListening, signal } = options;
	const generations = new Generations(folder, isOwn, warn);
	const clock: ServiceClock = { now, after };
	const maker = new GenerationMaker(generations, options);
	const server = new SnapshotServer(generations, clock, () => maker.nextMs, warn);
	try {
		const bound = await server.listen(port, host);
		await generations.open(now());
		onListening(`http://${addressText({ host, port: bound })}/`);
		while (!signal.aborted) await sleep(await maker.step(), undefined, { signal }).catch(() => undefined);
	} catch (error) {
		throw startFailure(error);
	} finally {
		await server.close();
		await generations.close();
	}
}

function after(ms: number, run: () => void): () => void {
	const timer = setTimeout(run, ms);
	return () => clearTimeout(timer);
}
