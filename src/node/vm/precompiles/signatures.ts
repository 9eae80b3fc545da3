/** Batch and multi-signature verification (protocol/precompiles §§3 and 4). */

import { be32, concatBytes, toKey } from "../../../protocol/bytes.js";
import { sha256 } from "../../../protocol/hash.js";
import { wrap } from "../../../protocol/int64.js";
import { keyWeight, permissionById } from "../../../protocol/permission.js";
import { SIGNATURE_LENGTH } from "../../../protocol/signature.js";
import { addressWord, toAddress } from "../addresses.js";
import type { Machine } from "../machine.js";
import { hostFailed, outOfTime, Result, runtimeFailed, VmError } from "../vm-error.js";
import { MAX_INT32, sat32, type Word, wordFromBytes } from "../word.js";
import { recoverSigner } from "./hashing.js";
import {
	checkTime,
	failed,
	ONE_WORD,
	type Precompile,
	paddedSlice,
	succeed,
	ZERO_WORD,
} from "./precompile.js";

const WORD = 32;
const HEADER_WORDS = 5;
const SIGNATURE_ENERGY = 1500n;
export const MAX_BATCH = 16;
export const MAX_SIGNERS = 5;

/** Array entries between two checks of the clock. */
const ENTRIES_BETWEEN_LOOKS = 1024;

const wordCount = (input: Uint8Array): number => Math.floor(input.length / WORD);

/** Energy for as many signatures as fit the input's length, at `each` words per signature. */
const signatureEnergy =
	(each: bigint) =>
	(input: Uint8Array): bigint =>
		(BigInt(wordCount(input) - HEADER_WORDS) / each) * SIGNATURE_ENERGY;

/** Whether an input is a header plus whole signatures of `each` words; required since #96. */
function hasShape(input: Uint8Array, each: number): boolean {
	const rest = input.length - HEADER_WORDS * WORD;
	return rest > 0 && rest % (each * WORD) === 0;
}

/** A word of the input. @throws {VmError} beyond the last whole word */
function wordOf(input: Uint8Array, index: number): Word {
	const count = wordCount(input);
	if (index < 0 || index >= count) {
		throw runtimeFailed(
			"java.lang.ArrayIndexOutOfBoundsException",
			`Index ${index} out of bounds for length ${count}`,
		);
	}
	return wordFromBytes(input.subarray(index * WORD, (index + 1) * WORD));
}

/** An array's position in words, from its offset in bytes. */
const arrayIndex = (offset: Word): number => Math.floor(sat32(offset) / WORD);

/** Position of a byte string of an ABI array in the input; bytes past the input's end are zeros. */
interface SignatureBytes {
	readonly from: number;
	readonly length: number;
}

/** Length of an ABI array of byte strings. @throws {VmError} where the array is outside the input */
function countSignatures(input: Uint8Array, index: number): number {
	if (index >= wordCount(input) - 1) return 0;
	const count = sat32(wordOf(input, index));
	if (count >= MAX_INT32 - 1) throw hostFailed();
	return count;
}

/** Error for a byte string outside the input: a position beyond 31 bits wraps to a negative one. */
function outside({ length }: Uint8Array, from: number): VmError {
	const reason =
		from > MAX_INT32
			? `source index ${from | 0} out of bounds for byte[${length}]`
			: `length ${length - from} is negative`;
	return runtimeFailed("java.lang.ArrayIndexOutOfBoundsException", `arraycopy: ${reason}`);
}

/**
 * Locates a byte string of an ABI array. Since #94 a signature is 65 bytes, whatever its length word says.
 * @throws {VmError} where it is outside the input
 */
function locateSignature({ gates }: Machine, input: Uint8Array, index: number, i: number): SignatureBytes {
	const at = arrayIndex(wordOf(input, index + i + 1));
	const length = gates.restrictedSelfDestruct ? SIGNATURE_LENGTH : sat32(wordOf(input, index + at + 1));
	const from = (at + index + 2) * WORD;
	// Only a length word can exceed what the network's runtime supports.
	if (!gates.restrictedSelfDestruct && from + length > MAX_INT32) throw hostFailed();
	if (from > input.length) throw outside(input, from);
	return { from, length };
}

/**
 * Locates the byte strings of an ABI array; undefined if there are more than `most`. Before #94 all are still
 * checked, since one outside the input fails the caller.
 * @throws {VmError} where one points outside the input, or out of time
 */
function locateSignatures(
	machine: Machine,
	input: Uint8Array,
	index: number,
	most: number,
): SignatureBytes[] | undefined {
	// Since #94 an excessive count is rejected before anything else is checked.
	if (machine.gates.restrictedSelfDestruct && sat32(wordOf(input, index)) > most) return undefined;
	const count = countSignatures(input, index);
	const list: SignatureBytes[] = [];
	for (let i = 0; i < count; i++) {
		if (i % ENTRIES_BETWEEN_LOOKS === 0) checkTime(machine, "0x0a");
		const found = locateSignature(machine, input, index, i);
		if (i < most) list.push(found);
	}
	return count > most ? undefined : list;
}

/** Whether two byte strings are equal, including zeros past the end of the input. */
function areEqual(input: Uint8Array, a: SignatureBytes, b: SignatureBytes): boolean {
	if (a.length !== b.length) return false;
	if (a.from === b.from) return true;
	const [longer, shorter] = (a.from < b.from ? [a, b] : [b, a]).map(({ from, length }) =>
		input.subarray(from, from + length),
	) as [Uint8Array, Uint8Array];
	return (
		Buffer.compare(longer.subarray(0, shorter.length), shorter) === 0 &&
		longer.subarray(shorter.length).every((byte) => byte === 0)
	);
}

/** Recovers the signers of a hash. Caches by signature, since an array can repeat one for free. */
class Signers {
	private readonly known = new Map<string, Uint8Array | undefined>();

	constructor(
		private readonly input: Uint8Array,
		private readonly hash: Uint8Array,
	) {}

	/** The signer; undefined for a signature that is too short or invalid. */
	of({ from, length }: SignatureBytes): Uint8Array | undefined {
		if (length < SIGNATURE_LENGTH) return undefined;
		const bytes = paddedSlice(this.input, from, SIGNATURE_LENGTH);
		const key = toKey(bytes);
		if (!this.known.has(key)) this.known.set(key, recoverFromSignature(this.hash, bytes));
		return this.known.get(key);
	}
}

/** The signer of a hash. @param signature 65 bytes */
export function recoverFromSignature(hash: Uint8Array, signature: Uint8Array): Uint8Array | undefined {
	let v = ((signature[64] as number) << 24) >> 24;
	if (v < 27) v += 27;
	return recoverSigner(hash, signature.subarray(0, 32), signature.subarray(32, 64), v);
}

export const batchValidateSign: Precompile = {
	name: "batchvalidatesign",
	word: 0x09,
	gate: "solidity059",
	energy: signatureEnergy(6n),
	run(input, { machine }) {
		if (machine.gates.osaka && !hasShape(input, 6)) return failed;
		try {
			return succeed(validateBatch(machine, input));
		} catch (error) {
			if (error instanceof VmError && error.result !== Result.OUT_OF_TIME) return succeed(ZERO_WORD);
			throw error;
		}
	},
};

function validateBatch(machine: Machine, input: Uint8Array): Uint8Array {
	wordOf(input, 0);
	const hash = input.subarray(0, WORD);
	const index = arrayIndex(wordOf(input, 1));
	const addresses = arrayIndex(wordOf(input, 2));
	// Any malformed input gives zeros, so checking the counts first changes nothing.
	const count = sat32(wordOf(input, addresses));
	if (count === 0 || count > MAX_BATCH || count !== countSignatures(input, index)) return ZERO_WORD;
	const signatures = Array.from({ length: count }, (_, i) => locateSignature(machine, input, index, i));
	const expected = signatures.map((_, i) => toAddress(wordOf(input, addresses + i + 1)));
	const signers = new Signers(input, hash);
	const result = new Uint8Array(WORD);
	for (const [i, signature] of signatures.entries()) {
		checkTime(machine, "0x09");
		const signer = signers.of(signature);
		if (signer && addressWord(signer) === addressWord(expected[i] as Uint8Array)) result[i] = 1;
	}
	return result;
}

export const validateMultiSign: Precompile = {
	name: "validatemultisign",
	word: 0x0a,
	gate: "solidity059",
	energy: signatureEnergy(5n),
	run(input, { machine }) {
		if (machine.gates.osaka && !hasShape(input, 5)) return failed;
		const address = toAddress(wordOf(input, 0));
		const permissionId = sat32(wordOf(input, 1));
		wordOf(input, 2);
		const signatures = locateSignatures(machine, input, arrayIndex(wordOf(input, 3)), MAX_SIGNERS);
		if (!signatures || signatures.length === 0) return succeed(ZERO_WORD);
		const { state, gates } = machine;
		const account = state.account.get(address);
		const permission =
			account &&
			permissionById(account, address, permissionId, state.properties.get("ACTIVE_DEFAULT_OPERATIONS"));
		if (!permission) return succeed(ZERO_WORD);
		const hash = sha256(concatBytes(address, be32(permissionId), input.subarray(2 * WORD, 3 * WORD)));

		const signers = new Signers(input, hash);
		const seen = new Map<string, SignatureBytes[]>();
		let weight = 0n;
		for (const signature of signatures) {
			checkTime(machine, "0x0a");
			const signer = signers.of(signature);
			if (!signer) return succeed(ZERO_WORD);
			const earlier = seen.get(toKey(signer)) ?? [];
			if (earlier.some((other) => areEqual(input, other, signature))) continue;
			if (earlier.length > 0 && gates.oneSignaturePerAddress)
				throw outOfTime("CPU timeout for 0x0a executing");
			const own = keyWeight(permission, signer);
			if (own === 0n) return succeed(ZERO_WORD);
			weight = wrap(weight + own);
			seen.set(toKey(signer), [...earlier, signature]);
		}
		return succeed(weight >= permission.threshold ? ONE_WORD : ZERO_WORD);
	},
};
