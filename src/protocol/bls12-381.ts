/** Sizes and flags of BLS12-381 encodings (protocol/shielded §2, protocol/precompiles §2). */

/** In bytes. */
export const SCALAR_BYTES = 32;
export const COORDINATE = 48;
/** Flags in the first byte of an encoded point: y is omitted; the point at infinity. */
export const COMPRESSED = 0x80;
export const INFINITY_FLAG = 0x40;
