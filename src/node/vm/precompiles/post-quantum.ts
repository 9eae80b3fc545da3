/** Verification of post-quantum signatures, on the Nile test network (protocol/post-quantum §7.2). */

import { be32, concatBytes, equalBytes } from "../../../protocol/bytes.js";
import { sha256 } from "../../../protocol/hash.js";
import { wrap } from "../../../protocol/int64.js";
import type { Permission } from "../../../protocol/messages.js";
import { keyWeight, permissionById } from "../../../protocol/permission.js";
import { isPostQuantumSignature } from "../../../protocol/post-quantum/algorithms.js";
import {
	addressOfPostQuantumKey,
	FN_DSA_512,
	ML_DSA_44,
	type PostQuantumScheme,
	postQuantumScheme,
} from "../../../protocol/post-quantum/schemes.js";
import { SIGNATURE_LENGTH } from "../../../protocol/signature.js";
import { addressWord, toAddress } from "../addresses.js";
import type { Gates } from "../gates.js";
import type { Machine } from "../machine.js";
import { sat32, wordFromBytes } from "../word.js";
import {
	checkTime,
	failed,
	ONE_WORD,
	type Precompile,
	type PrecompileResult,
	paddedSlice,
	price,
	succeed,
	ZERO_WORD,
} from "./precompile.js";
import { MAX_BATCH, MAX_SIGNERS, recoverFromSignature } from "./signatures.js";

const WORD = 32;
const VERIFY_ENERGY = 3000;
const ENTRY_ENERGY = 2400n;
const RECOVERY_ENERGY = 1500n;
const MAX_MULTI_SIGN_ENERGY = 12_000n;
const MAX_PERMISSION_ID = 9;

/** A Falcon signature without its header byte, zero-padded. */
const FALCON_SLOT_LENGTH = 666;
const FALCON_HEADER = Uint8Array.of(0x39);

/** Length of a signature slot in call data. */
const slotLength = (scheme: PostQuantumScheme): number =>
	scheme === FN_DSA_512 ? FALCON_SLOT_LENGTH : scheme.longestSignature;

/** Converts a call data slot to the wire signature; undefined if it is too short. */
function signatureInSlot(scheme: PostQuantumScheme, slot: Uint8Array): Uint8Array | undefined {
	if (scheme !== FN_DSA_512) return slot;
	let end = slot.length;
	while (end > 0 && slot[end - 1] === 0) end--;
	return end + 1 < scheme.shortestSignature ? undefined : concatBytes(FALCON_HEADER, slot.subarray(0, end));
}

const isValid = (
	scheme: PostQuantumScheme,
	message: Uint8Array,
	signature: Uint8Array | undefined,
	publicKey: Uint8Array,
): boolean =>
	signature !== undefined &&
	isPostQuantumSignature(message, { scheme: scheme.id, public_key: publicKey, signature });

const gateOf = ({ id }: PostQuantumScheme): "fnDsa512" | "mlDsa44" =>
	id === FN_DSA_512.id ? "fnDsa512" : "mlDsa44";

/** Verifies one signature; the input is exactly message, slot and key. */
function verifyOne(name: string, word: number, scheme: PostQuantumScheme): Precompile {
	const keyAt = WORD + slotLength(scheme);
	const inputLength = keyAt + scheme.publicKeyLength;
	return {
		name,
		word,
		gate: gateOf(scheme),
		energy: price(VERIFY_ENERGY),
		run(input) {
			if (input.length !== inputLength) return succeed(ZERO_WORD);
			const signature = signatureInSlot(scheme, input.subarray(WORD, keyAt));
			const holds = isValid(scheme, input.subarray(0, WORD), signature, input.subarray(keyAt));
			return succeed(holds ? ONE_WORD : ZERO_WORD);
		},
	};
}

/** The input is malformed, which fails the call. */
class UnreadableInput extends Error {
	override readonly name = "UnreadableInput";
}

/** ABI arguments in words; offsets and counts are validated before use. */
class Arguments {
	private readonly words: number;

	/**
	 * @param headWords number of arguments
	 * @param arrays indices of array arguments, whose offsets are validated immediately
	 * @throws {UnreadableInput}
	 */
	constructor(
		private readonly data: Uint8Array,
		private readonly headWords: number,
		arrays: readonly number[],
	) {
		if (data.length % WORD !== 0 || data.length < headWords * WORD) throw new UnreadableInput();
		this.words = data.length / WORD;
		for (const argument of arrays) this.arrayAt(argument);
	}

	/** A word as a number, saturated at 31 bits. */
	number(index: number): number {
		return sat32(wordFromBytes(this.bytes(index)));
	}

	bytes(index: number): Uint8Array {
		if (index >= this.words) throw new UnreadableInput();
		return this.data.subarray(index * WORD, (index + 1) * WORD);
	}

	/** Index of an array's length word. */
	arrayAt(argument: number): number {
		const offset = this.number(argument);
		const isInside = offset >= this.headWords * WORD && offset % WORD === 0 && offset / WORD < this.words;
		if (!isInside) throw new UnreadableInput();
		return offset / WORD;
	}

	/** The length of an array. @throws {UnreadableInput} if it is more than `most` */
	count(argument: number, most: number): number {
		const count = this.number(this.arrayAt(argument));
		if (count > most) throw new UnreadableInput();
		return count;
	}

	/** The words of an array. */
	elements(argument: number, count: number): readonly Uint8Array[] {
		const first = this.arrayAt(argument) + 1;
		return Array.from({ length: count }, (_, i) => this.bytes(first + i));
	}

	/** The byte strings of an array. */
	byteStrings(argument: number, count: number): readonly Uint8Array[] {
		const first = this.arrayAt(argument) + 1;
		return this.elements(argument, count).map((word) => {
			const offset = sat32(wordFromBytes(word));
			if (offset % WORD !== 0) throw new UnreadableInput();
			const lengthAt = first + offset / WORD;
			const from = (lengthAt + 1) * WORD;
			const end = from + this.number(lengthAt);
			if (end > this.data.length) throw new UnreadableInput();
			return this.data.subarray(from, end);
		});
	}

	/** An array's secp256k1 signatures: 65 bytes from where each begins, whatever its length word says. */
	recoverable(argument: number, count: number): readonly Uint8Array[] {
		const first = this.arrayAt(argument) + 1;
		return this.elements(argument, count).map((word) => {
			const offset = Math.floor(sat32(wordFromBytes(word)) / WORD);
			const from = (first + offset + 1) * WORD;
			if (from > this.data.length) throw new UnreadableInput();
			return paddedSlice(this.data, from, SIGNATURE_LENGTH);
		});
	}
}

/** @returns the result of `read`, or a failed call if the input is malformed */
function reading(read: () => PrecompileResult): PrecompileResult {
	try {
		return read();
	} catch (error) {
		if (error instanceof UnreadableInput) return failed;
		throw error;
	}
}

/** An array's length for pricing, without any validation; undefined if it is outside the input. */
function pricedCount(input: Uint8Array, argument: number): number | undefined {
	const words = Math.floor(input.length / WORD);
	const number = (index: number): number | undefined =>
		index < words ? sat32(wordFromBytes(input.subarray(index * WORD, (index + 1) * WORD))) : undefined;
	const offset = number(argument);
	return offset === undefined ? undefined : number(Math.floor(offset / WORD));
}

/** Verifies up to sixteen signatures of one message: marks those that match their addresses. */
function verifyBatch(name: string, word: number, scheme: PostQuantumScheme): Precompile {
	const [SLOTS, KEYS, ADDRESSES] = [1, 2, 3];
	return {
		name,
		word,
		gate: gateOf(scheme),
		energy: (input) => ENTRY_ENERGY * BigInt(Math.min(pricedCount(input, SLOTS) ?? MAX_BATCH, MAX_BATCH)),
		run: (input, { machine }) =>
			reading(() => {
				const data = new Arguments(input, 4, [SLOTS, KEYS, ADDRESSES]);
				const count = data.count(SLOTS, MAX_BATCH);
				const isEven = data.count(KEYS, MAX_BATCH) === count && data.count(ADDRESSES, MAX_BATCH) === count;
				if (count === 0 || !isEven) return failed;
				const slots = data.byteStrings(SLOTS, count);
				const keys = data.byteStrings(KEYS, count);
				const addresses = data.elements(ADDRESSES, count);
				const result = new Uint8Array(WORD);
				for (const [i, address] of addresses.entries()) {
					checkTime(machine, name);
					const [slot, key] = [slots[i] as Uint8Array, keys[i] as Uint8Array];
					if (slot.length !== slotLength(scheme) || key.length !== scheme.publicKeyLength) continue;
					if (!equalBytes(addressOfPostQuantumKey(key), toAddress(wordFromBytes(address)))) continue;
					if (isValid(scheme, data.bytes(0), signatureInSlot(scheme, slot), key)) result[i] = 1;
				}
				return succeed(result);
			}),
	};
}

/** Sums up the weight of a permission's signers, stopping when one decides. */
class Approvals {
	private readonly seen = new Set<unknown>();
	weight = 0n;

	constructor(private readonly permission: Readonly<Permission>) {}

	/**
	 * Counts each signer once.
	 * @param isGood checks the signature; called only if it counts
	 * @returns false: not a key of the permission, or an invalid signature
	 */
	add(signer: Uint8Array, isGood: () => boolean): boolean {
		const word = addressWord(signer);
		if (this.seen.has(word)) return true;
		const own = keyWeight(this.permission, signer);
		if (own === 0n || !isGood()) return false;
		this.seen.add(word);
		this.weight = wrap(this.weight + own);
		return true;
	}
}

const [PERMISSION, DATA, RECOVERABLE, SCHEMES, SIGNATURES, KEYS] = [1, 2, 3, 4, 5, 6];

/** Verifies signatures of all schemes against a permission's threshold. */
const validateMultiPqSign: Precompile = {
	name: "validatemultipqsign",
	word: 0x0200001a,
	gate: "anyPostQuantum",
	energy(input) {
		const recoverable = pricedCount(input, RECOVERABLE);
		const entries = pricedCount(input, SCHEMES);
		if (recoverable === undefined || entries === undefined || recoverable + entries > MAX_SIGNERS)
			return MAX_MULTI_SIGN_ENERGY;
		return BigInt(recoverable) * RECOVERY_ENERGY + BigInt(entries) * ENTRY_ENERGY;
	},
	run: (input, { machine }) => reading(() => checkApprovals(machine, input)),
};

function checkApprovals(machine: Machine, input: Uint8Array): PrecompileResult {
	const data = new Arguments(input, 7, [RECOVERABLE, SCHEMES, SIGNATURES, KEYS]);
	const permissionId = data.number(PERMISSION);
	if (permissionId > MAX_PERMISSION_ID) return failed;
	const address = toAddress(wordFromBytes(data.bytes(0)));
	const recoverable = data.count(RECOVERABLE, MAX_SIGNERS);
	const count = data.count(SCHEMES, MAX_SIGNERS);
	const isEven = data.count(SIGNATURES, MAX_SIGNERS) === count && data.count(KEYS, MAX_SIGNERS) === count;
	const total = recoverable + count;
	if (!isEven || total === 0 || total > MAX_SIGNERS) return failed;
	const signatures = data.recoverable(RECOVERABLE, recoverable);
	const schemes = data.elements(SCHEMES, count);
	const slots = data.byteStrings(SIGNATURES, count);
	const keys = data.byteStrings(KEYS, count);

	const { state, gates } = machine;
	const account = state.account.get(address);
	const operations = state.properties.get("ACTIVE_DEFAULT_OPERATIONS");
	const permission = account && permissionById(account, address, permissionId, operations);
	if (!permission) return succeed(ZERO_WORD);
	const message = sha256(concatBytes(address, be32(permissionId), data.bytes(DATA)));
	const approvals = new Approvals(permission);
	for (const signature of signatures) {
		checkTime(machine, "0x0200001a");
		const signer = recoverFromSignature(message, signature);
		if (!signer || !approvals.add(signer, () => true)) return succeed(ZERO_WORD);
	}
	for (const [i, number] of schemes.entries()) {
		checkTime(machine, "0x0200001a");
		const scheme = postQuantumScheme(sat32(wordFromBytes(number)));
		if (!scheme) return failed;
		if (!isAllowed(gates, scheme)) return succeed(ZERO_WORD);
		const [slot, key] = [slots[i] as Uint8Array, keys[i] as Uint8Array];
		if (slot.length !== slotLength(scheme) || key.length !== scheme.publicKeyLength) return failed;
		const signature = signatureInSlot(scheme, slot);
		if (!signature) return failed;
		const isGood = () => isValid(scheme, message, signature, key);
		if (!approvals.add(addressOfPostQuantumKey(key), isGood)) return succeed(ZERO_WORD);
	}
	return succeed(approvals.weight >= permission.threshold ? ONE_WORD : ZERO_WORD);
}

const isAllowed = (gates: Gates, scheme: PostQuantumScheme): boolean => gates[gateOf(scheme)];

export const postQuantumPrecompiles: readonly Precompile[] = [
	verifyOne("verifyFnDsa512", 0x02000016, FN_DSA_512),
	verifyBatch("batchVerifyFnDsa512", 0x02000017, FN_DSA_512),
	verifyOne("verifyMlDsa44", 0x02000018, ML_DSA_44),
	verifyBatch("batchVerifyMlDsa44", 0x02000019, ML_DSA_44),
	validateMultiPqSign,
];
