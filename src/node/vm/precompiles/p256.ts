/**
 * P256VERIFY (EIP-7951), since #96: verifies secp256r1 signatures (protocol/precompiles §1).
 *
 * A signature is valid if the x-coordinate of h/s·G + r/s·Q is r. That point equals r/s·(Q + h/r·G): two
 * multiplications that Node.js's crypto can do natively (multiples of the generator, and x-coordinates of
 * multiples of other points) and one addition.
 */

import { createECDH } from "node:crypto";
import { EMPTY, toHex } from "../../../protocol/bytes.js";
import { ONE_WORD, type Precompile, price, succeed } from "./precompile.js";

const ENERGY = 6_900;
const WORD = 32;
const INPUT_LENGTH = 5 * WORD;

/** Field prime, group order and coefficients of the curve (SEC 2, §2.4.2). */
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const A = P - 3n;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

interface Point {
	readonly x: bigint;
	readonly y: bigint;
}

/** Undefined: the point at infinity. */
type Sum = Point | undefined;

const mod = (value: bigint, modulus: bigint): bigint => {
	const rest = value % modulus;
	return rest < 0n ? rest + modulus : rest;
};

/** Modular inverse of a number that isn't a multiple of the prime. */
function inverse(value: bigint, prime: bigint): bigint {
	let [a, b, x, y] = [mod(value, prime), prime, 1n, 0n];
	while (a > 1n) {
		const quotient = b / a;
		[a, b, x, y] = [b - quotient * a, a, y - quotient * x, x];
	}
	return mod(x, prime);
}

function isOnCurve({ x, y }: Point): boolean {
	return x < P && y < P && (y * y - (x * x + A) * x - B) % P === 0n;
}

function add(a: Point, b: Point): Sum {
	const isSame = a.x === b.x;
	if (isSame && a.y !== b.y) return undefined;
	// y is never 0, since the curve's order is odd.
	const slope = isSame
		? (3n * a.x * a.x + A) * inverse(2n * a.y, P)
		: mod(b.y - a.y, P) * inverse(b.x - a.x, P);
	const x = mod(slope * slope - a.x - b.x, P);
	return { x, y: mod(slope * (a.x - x) - a.y, P) };
}

const integerAt = (input: Uint8Array, word: number): bigint =>
	BigInt(`0x${toHex(input.subarray(word * WORD, (word + 1) * WORD))}`);

const bytesOf = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(2 * WORD, "0"), "hex");

/** Multiple of the generator. @param scalar from 1 to N - 1 */
function generatorTimes(scalar: bigint): Point {
	const ecdh = createECDH("prime256v1");
	ecdh.setPrivateKey(bytesOf(scalar));
	const encoded = ecdh.getPublicKey();
	return { x: integerAt(encoded.subarray(1), 0), y: integerAt(encoded.subarray(1), 1) };
}

/** x-coordinate of a multiple of a point. @param scalar from 1 to N - 1 */
function abscissaTimes(point: Point, scalar: bigint): bigint {
	const ecdh = createECDH("prime256v1");
	ecdh.setPrivateKey(bytesOf(scalar));
	const encoded = Buffer.concat([Buffer.of(4), bytesOf(point.x), bytesOf(point.y)]);
	return integerAt(ecdh.computeSecret(encoded), 0);
}

/** @param input hash, r, s and the point's coordinates, 32 bytes each */
function isValid(input: Uint8Array): boolean {
	const [hash, r, s, x, y] = [0, 1, 2, 3, 4].map((word) => integerAt(input, word)) as [
		bigint,
		bigint,
		bigint,
		bigint,
		bigint,
	];
	const key = { x, y };
	if (r === 0n || r >= N || s === 0n || s >= N || !isOnCurve(key)) return false;
	const h = hash % N;
	const sum = h === 0n ? key : add(key, generatorTimes((h * inverse(r, N)) % N));
	return sum !== undefined && abscissaTimes(sum, (r * inverse(s, N)) % N) % N === r;
}

export const p256Verify: Precompile = {
	name: "p256Verify",
	word: 0x100,
	gate: "osaka",
	energy: price(ENERGY),
	run: (input) => succeed(input.length === INPUT_LENGTH && isValid(input) ? ONE_WORD : EMPTY),
};
