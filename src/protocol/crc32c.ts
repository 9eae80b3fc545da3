/** CRC-32C (Castagnoli, RFC 3720 B.4), which zlib lacks: the checksum of LevelDB and RocksDB files. */

const POLYNOMIAL = 0x82f63b78;
const MASK_DELTA = 0xa282ead8;

/** Slicing-by-8 tables: the effect of a byte followed by 0 to 7 others. */
const TABLES = (() => {
	const tables = new Int32Array(8 * 256);
	for (let byte = 0; byte < 256; byte++) {
		let crc = byte;
		for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
		tables[byte] = crc;
	}
	for (let i = 256; i < tables.length; i++) {
		const before = tables[i - 256] as number;
		tables[i] = (tables[before & 0xff] as number) ^ (before >>> 8);
	}
	return tables;
})();

/** CRC of the bytes from `start` to `end`, 0 to 2^32 - 1. */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length): number {
	const t = TABLES;
	let crc = -1;
	let i = start;
	for (; i + 8 <= end; i += 8) {
		crc =
			(t[1792 + ((crc ^ (bytes[i] as number)) & 0xff)] as number) ^
			(t[1536 + (((crc >>> 8) ^ (bytes[i + 1] as number)) & 0xff)] as number) ^
			(t[1280 + (((crc >>> 16) ^ (bytes[i + 2] as number)) & 0xff)] as number) ^
			(t[1024 + ((crc >>> 24) ^ (bytes[i + 3] as number))] as number) ^
			(t[768 + (bytes[i + 4] as number)] as number) ^
			(t[512 + (bytes[i + 5] as number)] as number) ^
			(t[256 + (bytes[i + 6] as number)] as number) ^
			(t[bytes[i + 7] as number] as number);
	}
	for (; i < end; i++) crc = (t[(crc ^ (bytes[i] as number)) & 0xff] as number) ^ (crc >>> 8);
	return ~crc >>> 0;
}

/**
 * Finds the prefix whose CRC-32C is `wanted`.
 * @returns its length counted from `start`; -1 if there is none
 */
export function prefixWithCrc32c(bytes: Uint8Array, start: number, end: number, wanted: number): number {
	const t = TABLES;
	const remainder = ~wanted;
	let crc = -1;
	for (let i = start; i < end; i++) {
		crc = (t[(crc ^ (bytes[i] as number)) & 0xff] as number) ^ (crc >>> 8);
		if (crc === remainder) return i + 1 - start;
	}
	return -1;
}

/** LevelDB masks stored checksums, since the CRC of data that embeds CRCs is problematic. */
export function maskedCrc32c(crc: number): number {
	return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0;
}

export function unmaskedCrc32c(masked: number): number {
	const rotated = (masked - MASK_DELTA) >>> 0;
	return ((rotated >>> 17) | (rotated << 15)) >>> 0;
}
