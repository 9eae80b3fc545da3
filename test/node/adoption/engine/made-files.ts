/** Logs, manifests and tables made by hand, to hold what no recorded store holds. */

import { crc32c, maskedCrc32c } from "../../../../src/protocol/crc32c.js";

const BLOCK_BYTES = 32_768;

/** A number in groups of seven bits. */
export function varint(value: number): Buffer {
	const bytes: number[] = [];
	let rest = value;
	for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
	return Buffer.from([...bytes, rest]);
}

/** Bytes behind their length. */
export function counted(bytes: Uint8Array | string): Buffer {
	return Buffer.concat([varint(bytes.length), Buffer.from(bytes)]);
}

export function record(type: number, data: Uint8Array): Buffer {
	const bytes = Buffer.concat([Buffer.alloc(6), Buffer.from([type]), data]);
	bytes.writeUInt32LE(maskedCrc32c(crc32c(bytes, 6)), 0);
	bytes.writeUInt16LE(data.length, 4);
	return bytes;
}

/** A file of records, split over blocks where they don't fit. */
export function logFile(payloads: readonly Uint8Array[]): Buffer {
	const parts: Buffer[] = [];
	let used = 0;
	const push = (bytes: Buffer) => {
		parts.push(bytes);
		used = (used + bytes.length) % BLOCK_BYTES;
	};
	for (const payload of payloads) {
		let at = 0;
		for (let isFirst = true; isFirst || at < payload.length; isFirst = false) {
			if (BLOCK_BYTES - used < 7) push(Buffer.alloc(BLOCK_BYTES - used));
			const end = Math.min(payload.length, at + BLOCK_BYTES - used - 7);
			const isLast = end === payload.length;
			push(record(isFirst ? (isLast ? 1 : 2) : isLast ? 4 : 3, payload.subarray(at, end)));
			at = end;
		}
	}
	return Buffer.concat(parts);
}

/** What is written at once; an operation is its number and what follows it. */
export function batch(
	sequence: number,
	operations: readonly Uint8Array[],
	count = operations.length,
): Buffer {
	const head = Buffer.alloc(12);
	head.writeBigUInt64LE(BigInt(sequence), 0);
	head.writeUInt32LE(count, 8);
	return Buffer.concat([head, ...operations]);
}

export function put(key: Uint8Array | string, value: Uint8Array | string): Buffer {
	return Buffer.concat([Buffer.from([1]), counted(key), counted(value)]);
}

export function del(key: Uint8Array | string): Buffer {
	return Buffer.concat([Buffer.from([0]), counted(key)]);
}

/** Fields of an edit of a manifest, one number each. */
export function fields(...numbers: readonly number[]): Buffer {
	return Buffer.concat(numbers.map(varint));
}

/** The files of a young store of RocksDB: one log, and a manifest that knows of nothing. */
export function youngStore(batches: readonly Uint8Array[]): [string, Buffer][] {
	return [
		["CURRENT", Buffer.from("MANIFEST-000001\n")],
		["MANIFEST-000001", logFile([fields(2, 0, 3, 2, 4, 0)])],
		["000003.log", logFile(batches)],
	];
}
