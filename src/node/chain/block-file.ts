/**
 * Block files: our own export (length-delimited blocks, each with a varint prefix) and recordings of the
 * reference node (one JSON object per line). Either may be compressed (`.br`, `.gz`).
 */

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { fromHex } from "../../protocol/bytes.js";
import { OperatorError } from "../../protocol/operator-error.js";

/** The largest block a file may hold; anything longer is treated as corruption. */
const MAX_BLOCK_BYTES = 64 << 20;
/** Prefix of a line that records a block. */
const BLOCK_LINE = Buffer.from('{"t":"block"');

/** The file is not a valid block file; the message is one sentence. */
export class BlockFileError extends OperatorError {
	override readonly name = "BlockFileError";
}

/** Reads the encoded blocks of a file, or of standard input for `-`. @throws {BlockFileError} */
export async function* readBlockFile(path: string): AsyncGenerator<Uint8Array> {
	const source = path === "-" ? process.stdin : await openSource(path);
	const stream = decompress(path, source);
	const called = path === "-" ? "standard input" : path;
	try {
		yield* /\.ndjson(\.br|\.gz)?$/.test(path) ? readRecording(called, stream) : readDelimited(called, stream);
	} catch (error) {
		if (error instanceof BlockFileError) throw error;
		const action = stream === source ? "read" : "unpacked";
		throw new BlockFileError(
			`${called} can't be ${action}: ${error instanceof Error ? error.message : String(error)}`,
			{ cause: error },
		);
	} finally {
		// A decompressor that fails, or whose reader stops early, leaves its source open.
		if (path !== "-" && !source.closed) {
			const closed = new Promise((resolve) => source.once("close", resolve));
			source.destroy();
			await closed;
		}
	}
}

async function openSource(path: string): Promise<Readable> {
	try {
		const handle = await open(path);
		if ((await handle.stat()).isDirectory()) {
			await handle.close();
			throw new BlockFileError(`${path} is a directory, not a file of blocks`);
		}
		return createReadStream("", { fd: handle });
	} catch (error) {
		if (error instanceof BlockFileError) throw error;
		const { code } = error as NodeJS.ErrnoException;
		throw new BlockFileError(
			code === "ENOENT" ? `there is no file ${path}` : `${path} can't be read (${code ?? String(error)})`,
		);
	}
}

function decompress(path: string, source: Readable): Readable {
	const filter = path.endsWith(".br")
		? createBrotliDecompress()
		: path.endsWith(".gz")
			? createGunzip()
			: undefined;
	if (!filter) return source;
	source.on("error", (error) => filter.destroy(error));
	return source.pipe(filter);
}

async function* readRecording(path: string, stream: Readable): AsyncGenerator<Uint8Array> {
	let line = 0;
	for await (const bytes of linesOf(stream as AsyncIterable<Buffer>)) {
		line++;
		if (!BLOCK_LINE.equals(bytes.subarray(0, BLOCK_LINE.length))) continue;
		try {
			yield fromHex((JSON.parse(bytes.toString("utf8")) as { block: string }).block);
		} catch (error) {
			throw new BlockFileError(`line ${line} of ${path} is not a recorded block: ${String(error)}`);
		}
	}
}

/** Splits at line feeds. Most lines of a recording are not blocks, so lines stay bytes instead of strings. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	let parts: Buffer[] = [];
	for await (const chunk of chunks) {
		let start = 0;
		for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
			const last = chunk.subarray(start, end);
			yield parts.length === 0 ? last : Buffer.concat([...parts, last]);
			parts = [];
			start = end + 1;
		}
		if (start < chunk.length) parts.push(chunk.subarray(start));
	}
	if (parts.length > 0) yield Buffer.concat(parts);
}

async function* readDelimited(path: string, stream: Readable): AsyncGenerator<Uint8Array> {
	let rest: Buffer = Buffer.alloc(0);
	let offset = 0;
	for await (const chunk of stream as AsyncIterable<Buffer>) {
		rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
		for (;;) {
			const prefix = readLength(rest);
			if (!prefix) {
				if (rest.length > 5) throw damaged(path, offset);
				break;
			}
			if (prefix.length > MAX_BLOCK_BYTES) throw damaged(path, offset);
			const end = prefix.size + prefix.length;
			if (rest.length < end) break;
			yield rest.subarray(prefix.size, end);
			rest = rest.subarray(end);
			offset += end;
		}
	}
	if (rest.length > 0)
		throw new BlockFileError(`${path} ends inside a block, at byte ${offset + rest.length}`);
}

function damaged(path: string, offset: number): BlockFileError {
	return new BlockFileError(`${path} holds no block at byte ${offset}`);
}

function readLength(bytes: Uint8Array): { readonly length: number; readonly size: number } | undefined {
	let length = 0;
	for (let size = 0; size < 5 && size < bytes.length; size++) {
		const byte = bytes[size] as number;
		length += (byte & 0x7f) * 2 ** (7 * size);
		if (byte < 0x80) return { length, size: size + 1 };
	}
	return undefined;
}

/** A block with its length prefix, as {@link readBlockFile} reads it. */
export function delimited(block: Uint8Array): Uint8Array {
	const prefix: number[] = [];
	let rest = block.length;
	for (; rest > 0x7f; rest >>>= 7) prefix.push((rest & 0x7f) | 0x80);
	prefix.push(rest);
	return Buffer.concat([Uint8Array.from(prefix), block]);
}
