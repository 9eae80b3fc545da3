/** Source of a snapshot: a directory or any static web server. The caller bounds everything that is read. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { MANIFEST_NAME, type Manifest, parseManifest, SnapshotError } from "./manifest.js";

export interface SnapshotSource {
	/** The bytes of a file from an offset on. @throws {SnapshotError | UnsteadyError | SnapshotStopped} */
	read(name: string, from: number): AsyncIterable<Uint8Array>;
	/** Waits before a retry; false: not worth one. */
	again(attempt: number): Promise<boolean>;
	/** Base URL of a web server; that of a single generation once a service has named its newest. */
	readonly address?: string | undefined;
}

/** The connection broke or the server failed: a retry may succeed. */
class UnsteadyError extends Error {
	override readonly name = "UnsteadyError";
}

/** The caller stopped. */
export class SnapshotStopped extends Error {
	override readonly name = "SnapshotStopped";
}

/** The part of `fetch` that is used. */
export type Fetch = (
	url: string,
	options: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
) => Promise<Response>;

const ATTEMPTS = 5;
/** A server that sends nothing for this long is asked again. */
const SILENCE_MS = 60_000;

/** How a web server is accessed. */
export interface Network {
	readonly fetch: Fetch;
	readonly pause: (ms: number) => Promise<unknown>;
	/** Aborts requests and waits. */
	readonly signal?: AbortSignal | undefined;
}

/**
 * @param place a directory, or an address that starts with http
 * @throws {SnapshotError} for an address with credentials: it would be shown, and stored in a restore's mark
 */
export function openSource(place: string, network: Network): SnapshotSource {
	if (/^https?:\/\/[^/?#]*@/.test(place))
		throw new SnapshotError("the address of a snapshot may hold no user and no password");
	return /^https?:\/\//.test(place)
		? new WebSource(place.replace(/\/?$/, "/"), network)
		: new FolderSource(place);
}

class FolderSource implements SnapshotSource {
	constructor(private readonly directory: string) {}

	async *read(name: string, from: number): AsyncGenerator<Uint8Array> {
		const path = join(this.directory, name);
		try {
			yield* createReadStream(path, { start: from, highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>;
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			throw new SnapshotError(
				code === "ENOENT"
					? `${path} of the snapshot is missing`
					: `${path} of the snapshot can't be read: ${code}`,
			);
		}
	}

	async again(): Promise<boolean> {
		return false;
	}
}

class WebSource implements SnapshotSource {
	constructor(
		private base: string,
		private readonly network: Network,
	) {}

	get address(): string {
		return this.base;
	}

	async *read(name: string, from: number): AsyncGenerator<Uint8Array> {
		const { signal } = this.network;
		if (signal?.aborted) throw new SnapshotStopped("stopped");
		const silence = new AbortController();
		const end = (): void => silence.abort();
		signal?.addEventListener("abort", end);
		let timer = setTimeout(() => silence.abort(), SILENCE_MS);
		try {
			const response = await this.ask(name, from, silence.signal);
			// A server without range support starts at the beginning.
			let skipped = response.status === 206 ? 0 : from;
			for await (const part of response.body ?? []) {
				clearTimeout(timer);
				timer = setTimeout(() => silence.abort(), SILENCE_MS);
				const skip = Math.min(skipped, part.length);
				skipped -= skip;
				if (skip < part.length) yield part.subarray(skip);
			}
		} catch (error) {
			if (signal?.aborted) throw new SnapshotStopped("stopped", { cause: error });
			if (error instanceof SnapshotError) throw error;
			const why = silence.signal.aborted ? "the server is silent" : causeOf(error);
			throw new UnsteadyError(`${this.base}${name} can't be read: ${why}`, { cause: error });
		} finally {
			clearTimeout(timer);
			signal?.removeEventListener("abort", end);
			silence.abort();
		}
	}

	private async ask(name: string, from: number, signal: AbortSignal): Promise<Response> {
		const url = this.base + name;
		const range = from > 0 ? { range: `bytes=${from}-` } : {};
		// Otherwise the length on the wire would differ.
		const response = await this.network.fetch(url, {
			headers: { "accept-encoding": "identity", ...range },
			signal,
		});
		if (response.status === 200 || (response.status === 206 && from > 0)) {
			// A service names its newest generation: keep reading that one, even if a newer one appears.
			if (name === MANIFEST_NAME && response.redirected && response.url.endsWith(`/${name}`))
				this.base = response.url.slice(0, -name.length);
			return response;
		}
		if (response.status >= 500 || response.status === 429)
			throw new Error(`the server answers ${response.status}`);
		throw new SnapshotError(`${url} can't be read: the server answers ${response.status}`);
	}

	async again(attempt: number): Promise<boolean> {
		if (attempt >= ATTEMPTS) return false;
		await this.network.pause(500 * 2 ** attempt);
		return true;
	}
}

/**
 * A source that reuses equal files of a directory: those of an earlier snapshot, or files named by their
 * SHA-256, in the directory or its `files`. Files are verified before use.
 * @returns the source, and the bytes of files that exist with their expected sizes
 * @throws {SnapshotError} if there is no such directory
 */
export async function reusing(
	source: SnapshotSource,
	{ chunks, segments }: Manifest,
	folder: string | undefined,
): Promise<{ readonly source: SnapshotSource; readonly bytes: number }> {
	if (folder === undefined) return { source, bytes: 0 };
	if (!(await stat(folder).catch(() => undefined))?.isDirectory())
		throw new SnapshotError(`there is no folder ${folder} whose files could be reused`);
	const earlier = await readFile(join(folder, MANIFEST_NAME)).then(parseManifest, () => undefined);
	const earlierFiles = [...(earlier?.chunks ?? []), ...(earlier?.segments ?? [])];
	const names = new Map(earlierFiles.map(({ name, sha256 }) => [sha256, name]));
	const paths = new Map<string, string>();
	let bytes = 0;
	for (const file of [...chunks, ...segments]) {
		for (const name of [names.get(file.sha256) ?? file.sha256, join("files", file.sha256)]) {
			const path = join(folder, name);
			if ((await stat(path).catch(() => undefined))?.size !== file.bytes) continue;
			if (!paths.has(file.name)) bytes += file.bytes;
			paths.set(file.name, path);
		}
	}
	const hashes = new Map([...chunks, ...segments].map(({ name, sha256 }) => [name, sha256]));
	const read = async function* (name: string, from: number): AsyncGenerator<Uint8Array> {
		const path = paths.get(name);
		if (path !== undefined && (await fileHash(path).catch(() => undefined)) === hashes.get(name))
			yield* createReadStream(path, { start: from, highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>;
		else yield* source.read(name, from);
	};
	return { source: { read, again: (attempt) => source.again(attempt), address: source.address }, bytes };
}

/** The SHA-256 of a file, 64 hexadecimal digits. @throws Error of the system */
export async function fileHash(path: string): Promise<string> {
	const hash = createHash("sha256");
	for await (const part of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(part as Buffer);
	return hash.digest("hex");
}

function causeOf(error: unknown): string {
	const { cause, message } = error as {
		readonly cause?: { readonly code?: string };
		readonly message: string;
	};
	return cause?.code ?? message;
}

/**
 * Reads a whole file, retrying as long as worthwhile; each attempt resumes where the last one ended.
 * @param most maximum size in bytes
 * @param take receives each part once
 * @param from bytes that the caller already has
 * @throws {SnapshotError} one sentence
 */
export async function download(
	source: SnapshotSource,
	name: string,
	most: number,
	take: (part: Uint8Array) => Promise<void> | void,
	from = 0,
): Promise<void> {
	let at = from;
	for (let attempt = 1; ; attempt++) {
		const before = at;
		try {
			for await (const part of source.read(name, at)) {
				if (at + part.length > most)
					throw new SnapshotError(`${name} of the snapshot is longer than it may be`);
				await take(part);
				at += part.length;
			}
			return;
		} catch (error) {
			if (!(error instanceof UnsteadyError)) throw error;
			if (at > before) attempt = 1;
			if (!(await source.again(attempt))) throw new SnapshotError(error.message, { cause: error });
		}
	}
}

/** The same, in memory. @throws {SnapshotError} */
export async function downloadWhole(source: SnapshotSource, name: string, most: number): Promise<Buffer> {
	const parts: Uint8Array[] = [];
	await download(source, name, most, (part) => {
		parts.push(part);
	});
	return Buffer.concat(parts);
}
