/** The checksums that end each block of a table (protocol/reference-stores §2). */

import { crc32c, maskedCrc32c } from "../../../protocol/crc32c.js";

export const CRC32C = 1;
export const XXH3 = 4;

/** What the last byte of a block is multiplied by when RocksDB mixes it into a checksum of the bytes before it. */
const LAST_BYTE_FACTOR = 0x6b9083d9;

/** XXH3 of 64 bits, its lower half. */
export type Xxh3 = (bytes: Uint8Array) => number;

let loaded: Promise<Xxh3> | undefined;

/** Loads the WebAssembly build of XXH3, once a process. */
export function loadXxh3(): Promise<Xxh3> {
	loaded ??= import("hash-wasm").then(async ({ createXXHash3 }) => {
		const hasher = await createXXHash3();
		return (bytes) => {
			const digest = hasher.init().update(bytes).digest("binary");
			return new DataView(digest.buffer, digest.byteOffset).getUint32(4);
		};
	});
	return loaded;
}

/** Checksum of bytes of which the last one is the block's type of compression, as it stands behind them. */
export function checksumOf(type: typeof CRC32C | typeof XXH3, bytes: Uint8Array, xxh3: Xxh3): number {
	if (type === CRC32C) return maskedCrc32c(crc32c(bytes));
	const last = bytes[bytes.length - 1] as number;
	return (xxh3(bytes.subarray(0, -1)) ^ Math.imul(last, LAST_BYTE_FACTOR)) >>> 0;
}

/** What RocksDB adds from format 6 on, so that a block in another place has another checksum. */
export function placeModifier(base: number, offset: number): number {
	if (base === 0) return 0;
	return (base ^ ((offset % 2 ** 32) + Math.floor(offset / 2 ** 32))) >>> 0;
}
