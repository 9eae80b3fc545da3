/** Checks of many signatures at once (sheet 05 §§13.3 and 13.4). */

import { be32, concatBytes, toKey } from "../../../protocol/bytes.js";
import { sha256 } from "../../../protocol/hash.js";
import { wrap } from "../../../protocol/int64.js";
import { keyWeight, permissionById } from "../../../protocol/permission.js";
import { addressWord, toAddress } from "../addresses.js";
import { hostFailed, outOfTime, runtimeFailed, VmError } from "../vm-error.js";
import { MAX_INT32, sat32, type Word, wordFromBytes } from "../word.js";
import { recoverSigner } from "./hashing.js";
import { ONE_WORD, type Precompile, paddedSlice, succeed, ZERO_WORD } from "./precompile.js";

const WORD = 32;
const SIGNATURE_ENERGY = 1500n;
const MAX_BATCH = 16;
const MAX_SIGNERS = 5;
const SIGNATURE_LENGTH = 65;

const wordCount = (input: Uint8Array): number => Math.floor(input.length / WORD);

/** Energy for the signatures that an input of this length can hold, `each` words apiece. */
const signatureEnergy =
	(each: bigint) =>
	(input: Uint8Array): bigint =>
		(BigInt(wordCount(input) - 5) / each) * SIGNATURE_ENERGY;

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

/** A byte string of an ABI array: its first bytes, and what tells it from others. */
interface SignatureBytes {
	readonly bytes: Uint8Array;
	readonly length: number;
	readonly identity: string;
}

/** The byte strings of an ABI array. @throws {VmError} where it points outside the input */
function readSignatures(input: Uint8Array, index: number): SignatureBytes[] {
	if (index >= wordCount(input) - 1) return [];
	const count = sat32(wordOf(input, index));
	if (count >= MAX_INT32 - 1) throw hostFailed();
	const list: SignatureBytes[] = [];
	for (let i = 0; i < count; i++) {
		const at = arrayIndex(wordOf(input, index + i + 1));
		const length = sat32(wordOf(input, index + at + 1));
		const from = (at + index + 2) * WORD;
		if (from > input.length || from + length > MAX_INT32) {
			throw runtimeFailed("java.lang.ArrayIndexOutOfBoundsException", "Array index out of range");
		}
		const present = input.subarray(from, from + length);
		list.push({
			bytes: paddedSlice(present, 0, Math.min(length, SIGNATURE_LENGTH)),
			length,
			identity: `${toKey(present)}/${length}`,
		});
	}
	return list;
}

/** The signer; undefined for a signature that is too short or invalid. */
function signerOf(hash: Uint8Array, { bytes, length }: SignatureBytes): Uint8Array | undefined {
	if (length < SIGNATURE_LENGTH) return undefined;
	let v = ((bytes[64] as number) << 24) >> 24;
	if (v < 27) v += 27;
	return recoverSigner(hash, bytes.subarray(0, 32), bytes.subarray(32, 64), v);
}

export const batchValidateSign: Precompile = {
	name: "batchvalidatesign",
	word: 0x09,
	gate: "solidity059",
	energy: signatureEnergy(6n),
	run(input) {
		try {
			return succeed(validateBatch(input));
		} catch (error) {
			if (error instanceof VmError) return succeed(ZERO_WORD);
			throw error;
		}
	},
};

function validateBatch(input: Uint8Array): Uint8Array {
	wordOf(input, 0);
	const hash = input.subarray(0, WORD);
	const signatures = readSignatures(input, arrayIndex(wordOf(input, 1)));
	const addresses = arrayIndex(wordOf(input, 2));
	const count = sat32(wordOf(input, addresses));
	if (count === 0 || count > MAX_BATCH || count !== signatures.length) return ZERO_WORD;
	const expected = signatures.map((_, i) => toAddress(wordOf(input, addresses + i + 1)));
	const result = new Uint8Array(WORD);
	for (const [i, signature] of signatures.entries()) {
		const signer = signerOf(hash, signature);
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
		const address = toAddress(wordOf(input, 0));
		const permissionId = sat32(wordOf(input, 1));
		wordOf(input, 2);
		const signatures = readSignatures(input, arrayIndex(wordOf(input, 3)));
		if (signatures.length === 0 || signatures.length > MAX_SIGNERS) return succeed(ZERO_WORD);
		const { state, gates } = machine;
		const account = state.account.get(address);
		const permission =
			account &&
			permissionById(account, address, permissionId, state.properties.get("ACTIVE_DEFAULT_OPERATIONS"));
		if (!permission) return succeed(ZERO_WORD);
		const hash = sha256(concatBytes(address, be32(permissionId), input.subarray(2 * WORD, 3 * WORD)));

		const seen = new Map<string, Set<string>>();
		let weight = 0n;
		for (const signature of signatures) {
			const signer = signerOf(hash, signature);
			if (!signer) return succeed(ZERO_WORD);
			const earlier = seen.get(toKey(signer));
			if (earlier?.has(signature.identity)) continue;
			if (earlier && gates.oneSignaturePerAddress) throw outOfTime("CPU timeout for 0x0a executing");
			const own = keyWeight(permission, signer);
			if (own === 0n) return succeed(ZERO_WORD);
			weight = wrap(weight + own);
			seen.set(toKey(signer), (earlier ?? new Set<string>()).add(signature.identity));
		}
		return succeed(weight >= permission.threshold ? ONE_WORD : ZERO_WORD);
	},
};
