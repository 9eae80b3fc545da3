/** Sizes and marks of the curve BLS12-381 (protocol/shielded §2, protocol/precompiles §2). */

/** Bytes. */
export const SCALAR_BYTES = 32;
export const COORDINATE = 48;
/** In the first byte of an encoded point: its second coordinate is left out; it is the point at infinity. */
export const COMPRESSED = 0x80;
export const INFINITY_FLAG = 0x40;
