/** The BLAKE2b compression function (RFC 7693 §3.2) in JavaScript, for systems without WebAssembly. */

import type { Compression } from "./blake2f.js";

/** Fractional parts of the square roots of the first eight primes, low half first. */
export const IV = Uint32Array.of(
	0xf3bcc908,
	0x6a09e667,
	0x84caa73b,
	0xbb67ae85,
	0xfe94f82b,
	0x3c6ef372,
	0x5f1d36f1,
	0xa54ff53a,
	0xade682d1,
	0x510e527f,
	0x2b3e6c1f,
	0x9b05688c,
	0xfb41bd6b,
	0x1f83d9ab,
	0x137e2179,
	0x5be0cd19,
);

export const SIGMA: readonly (readonly number[])[] = [
	[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
	[14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
	[11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
	[7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
	[9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
	[2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
	[12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
	[13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
	[6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
	[10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/** State word indices of the eight mixings in a round. */
export const MIXINGS: readonly (readonly [number, number, number, number])[] = [
	[0, 4, 8, 12],
	[1, 5, 9, 13],
	[2, 6, 10, 14],
	[3, 7, 11, 15],
	[0, 5, 10, 15],
	[1, 6, 11, 12],
	[2, 7, 8, 13],
	[3, 4, 9, 14],
];

/** Adds 64-bit word `b` of `other` to word `a` of `v`; words are pairs of 32 bits, low half first. */
function addTo(v: Uint32Array, a: number, other: Uint32Array, b: number): void {
	const low = (v[2 * a] as number) + (other[2 * b] as number);
	v[2 * a] = low;
	v[2 * a + 1] = (v[2 * a + 1] as number) + (other[2 * b + 1] as number) + (low > 0xffffffff ? 1 : 0);
}

/** Replaces word `a` by `(a xor b)` rotated right by `bits`. */
function xorRotate(v: Uint32Array, a: number, b: number, bits: number): void {
	let low = ((v[2 * a] as number) ^ (v[2 * b] as number)) >>> 0;
	let high = ((v[2 * a + 1] as number) ^ (v[2 * b + 1] as number)) >>> 0;
	if (bits === 63) {
		[low, high] = [(low << 1) | (high >>> 31), (high << 1) | (low >>> 31)];
	} else if (bits === 32) {
		[low, high] = [high, low];
	} else {
		[low, high] = [(low >>> bits) | (high << (32 - bits)), (high >>> bits) | (low << (32 - bits))];
	}
	v[2 * a] = low;
	v[2 * a + 1] = high;
}

/** Working buffers; only one compression runs at a time. */
const state = new Uint32Array(16);
const message = new Uint32Array(32);
const counter = new Uint32Array(4);
const v = new Uint32Array(32);

function begin(final: boolean): void {
	v.set(state);
	v.set(IV, 16);
	for (let i = 0; i < 4; i++) v[24 + i] = (v[24 + i] as number) ^ (counter[i] as number);
	if (final) {
		v[28] = ~(v[28] as number);
		v[29] = ~(v[29] as number);
	}
}

function mix(rounds: number): void {
	for (let round = 0; round < rounds; round++) {
		const order = SIGMA[round % 10] as readonly number[];
		for (let i = 0; i < 8; i++) {
			const [a, b, c, d] = MIXINGS[i] as readonly [number, number, number, number];
			addTo(v, a, v, b);
			addTo(v, a, message, order[2 * i] as number);
			xorRotate(v, d, a, 32);
			addTo(v, c, v, d);
			xorRotate(v, b, c, 24);
			addTo(v, a, v, b);
			addTo(v, a, message, order[2 * i + 1] as number);
			xorRotate(v, d, a, 16);
			addTo(v, c, v, d);
			xorRotate(v, b, c, 63);
		}
	}
}

function end(): void {
	for (let i = 0; i < 16; i++) {
		state[i] = (state[i] as number) ^ (v[i] as number) ^ (v[i + 16] as number);
	}
}

function readWords(target: Uint32Array, input: DataView, offset: number): void {
	for (let i = 0; i < target.length; i++) target[i] = input.getUint32(offset + 4 * i, true);
}

export const portableCompression: Compression = {
	begin(operands, final) {
		const view = new DataView(operands.buffer, operands.byteOffset, operands.length);
		readWords(state, view, 0);
		readWords(message, view, 64);
		readWords(counter, view, 192);
		begin(final);
	},
	mix,
	end() {
		end();
		const output = new Uint8Array(64);
		const view = new DataView(output.buffer);
		for (let i = 0; i < 16; i++) view.setUint32(4 * i, state[i] as number, true);
		return output;
	},
};
