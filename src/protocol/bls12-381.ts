/** Sizes and marks of the curve BLS12-381 (protocol/shielded §2, protocol/precompiles §2). */

/** The curve's number in the compiled library. */
export const BLS12_381 = 5;
/** Words of eight bytes. */
const SCALAR_WORDS = 4;
const COORDINATE_WORDS = 6;
/** What the compiled library is told about the sizes that it was built for. */
export const COMPILED_SIZES = 10 * SCALAR_WORDS + COORDINATE_WORDS;
/** Bytes. */
export const SCALAR_BYTES = 32;
export const COORDINATE = 48;
/** In the first byte of an encoded point: its second coordinate is left out; it is the point at infinity. */
export const COMPRESSED = 0x80;
export const INFINITY = 0x40;
