/**
 * Verifies signatures against keys that have signed for the same accounts before. Checking that a batch was signed by the
 * expected keys costs less than half of recovering each signature (crates/signature-recovery, src/check.c). Unexpected
 * signatures are recovered, and so is every batch with a wrong guess, so results never depend on what was seen before.
 */

import { randomFillSync } from "node:crypto";
import { ADDRESS_LENGTH } from "../../protocol/address.js";
import { EMPTY } from "../../protocol/bytes.js";
import { DecodeError, Reader } from "../../protocol/codec/reader.js";
import { type RecoverEngine, SIGNATURE_LENGTH } from "../../protocol/signature.js";

/** Cache key of a signer: account, permission id, index of the signature. All zeros: none. */
export const SOURCE_LENGTH = ADDRESS_LENGTH + 2;
/** A signer as returned by libraries: 1, the address, x and y of the public key. */
export const SIGNER_LENGTH = 1 + ADDRESS_LENGTH + 64;

export const HASH_LENGTH = 32;
/** One question: a hash and the first 65 bytes of a signature. */
export const QUESTION_LENGTH = HASH_LENGTH + SIGNATURE_LENGTH;
const FACTOR_LENGTH = 16;
export const CLAIM_LENGTH = QUESTION_LENGTH + FACTOR_LENGTH + 2;
export const KEY_LENGTH = 64;
/** Maximum claims per library call. */
export const MAX_CLAIMS = 512;
/** Smaller batches are recovered instead, since multi-scalar multiplication gains little on them. */
const MIN_CLAIMS = 16;

/** One slot per 16-bit value: 7 MB, of which untouched pages take no memory. Accounts with the same slot evict each other. */
const SLOTS = 1 << 16;
/** A slot: source, number of sightings until its key is expected (1: it is, as every new one), signer. */
const STATE_AT = SOURCE_LENGTH;
const SIGNER_AT = SOURCE_LENGTH + 1;
const SLOT_LENGTH = SIGNER_AT + SIGNER_LENGTH;
const EXPECTED = 1;
/** Delay before a changed key is expected: accounts that alternate between keys would make their batches be done twice. */
const AFTER_A_CHANGE = 32;
/** Maximum batches skipped after repeated wrong guesses, to limit the delay an attacker can cause. */
const MAX_PAUSE = 64;

/** Signatures per transaction whose keys are remembered: the maximum keys of a permission. */
const MAX_PLACES = 5;
/** Number of a contract's leading fields searched for its account. */
const MAX_FIELDS = 4;
/** Pseudo permission of block signing keys; transactions with this permission aren't remembered. */
export const HEADER_PERMISSION = 0xff;

/** Protobuf tags: contract of a raw transaction, its parameter and permission, value of a parameter. */
const CONTRACT_TAG = 11 * 8 + 2;
const PARAMETER_TAG = 2 * 8 + 2;
const PERMISSION_TAG = 5 * 8;
const VALUE_TAG = 2 * 8 + 2;

/** Cache key of a signer, except for the signature's index. */
export interface KeySource {
	/** 21 bytes. */
	readonly account: Uint8Array;
	/** Id of a permission, below 256. */
	readonly permission: number;
}

/**
 * The source of a transaction's keys: the first of its contract's fields that looks like an account, which is
 * the owner in nearly all types. A wrong guess only costs time.
 * @param raw the encoded raw data
 */
export function keySourceOf(raw: Uint8Array): KeySource | undefined {
	try {
		const contract = new Reader(lastField(raw, CONTRACT_TAG));
		let parameter: Uint8Array | undefined;
		let permission = 0;
		while (contract.pos < contract.end) {
			const tag = contract.tag();
			if (tag === PARAMETER_TAG) parameter = contract.bytes();
			else if (tag === PERMISSION_TAG) permission = contract.uint32();
			else contract.skip(tag);
		}
		const account = parameter && permission < HEADER_PERMISSION && accountIn(lastField(parameter, VALUE_TAG));
		return account ? { account, permission } : undefined;
	} catch (error) {
		if (!(error instanceof DecodeError)) throw error;
		return undefined;
	}
}

/** Writes a source. @param place index among the transaction's signatures; keys of later ones aren't remembered */
export function writeSource(
	target: Uint8Array,
	at: number,
	{ account, permission }: KeySource,
	place: number,
): void {
	if (place >= MAX_PLACES) return;
	target.set(account, at);
	target[at + ADDRESS_LENGTH] = permission;
	target[at + ADDRESS_LENGTH + 1] = place;
}

function lastField(bytes: Uint8Array, wanted: number): Uint8Array {
	const reader = new Reader(bytes);
	let found: Uint8Array = EMPTY;
	while (reader.pos < reader.end) {
		const tag = reader.tag();
		if (tag === wanted) found = reader.bytes();
		else reader.skip(tag);
	}
	return found;
}

function accountIn(contract: Uint8Array): Uint8Array | undefined {
	const reader = new Reader(contract);
	for (let field = 0; field < MAX_FIELDS && reader.pos < reader.end; field++) {
		const tag = reader.tag();
		if ((tag & 7) !== 2) {
			reader.skip(tag);
			continue;
		}
		const bytes = reader.bytes();
		if (bytes.length === ADDRESS_LENGTH) return bytes;
	}
	return undefined;
}

/** The keys a thread has seen, and verification against them. */
export class KnownSigners {
	private readonly slots = new Uint8Array(SLOTS * SLOT_LENGTH);
	private readonly claims = new Uint8Array(MAX_CLAIMS * CLAIM_LENGTH);
	private readonly keys = new Uint8Array(MAX_CLAIMS * KEY_LENGTH);
	private readonly factors = new Uint8Array(MAX_CLAIMS * FACTOR_LENGTH);
	private pause = 0;
	private nextPause = 1;

	/**
	 * Answers the questions whose signatures match the expected keys.
	 * @param sources {@link SOURCE_LENGTH} bytes per question
	 * @param answered called with a question's index and its signer's bytes, which are only valid during the call
	 */
	check(
		engine: RecoverEngine,
		questions: Uint8Array,
		sources: Uint8Array,
		answered: (index: number, signer: Uint8Array) => void,
	): void {
		if (!engine.checkSigners || this.pause-- > 0) return;
		this.pause = 0;
		const expected: number[] = [];
		const count = questions.length / QUESTION_LENGTH;
		for (let index = 0; index < count; index++) {
			const slot = this.slotOf(sources, index * SOURCE_LENGTH);
			if (this.slots[slot + STATE_AT] === EXPECTED && this.holds(slot, sources, index * SOURCE_LENGTH))
				expected.push(index);
		}
		for (let from = 0; expected.length - from >= MIN_CLAIMS; from += MAX_CLAIMS) {
			const batch = expected.slice(from, from + MAX_CLAIMS);
			if (!this.areAllTrue(engine.checkSigners, questions, sources, batch)) {
				this.pause = this.nextPause;
				this.nextPause = Math.min(MAX_PAUSE, 2 * this.nextPause);
				return;
			}
			this.nextPause = 1;
			for (const index of batch) answered(index, this.signerAt(this.slotOf(sources, index * SOURCE_LENGTH)));
		}
	}

	private signerAt(slot: number): Uint8Array {
		return this.slots.subarray(slot + SIGNER_AT, slot + SLOT_LENGTH);
	}

	private areAllTrue(
		check: NonNullable<RecoverEngine["checkSigners"]>,
		questions: Uint8Array,
		sources: Uint8Array,
		batch: readonly number[],
	): boolean {
		const { claims, keys, factors } = this;
		randomFillSync(factors, 0, batch.length * FACTOR_LENGTH);
		const indexOfSlot = new Map<number, number>();
		for (const [at, index] of batch.entries()) {
			const slot = this.slotOf(sources, index * SOURCE_LENGTH);
			let key = indexOfSlot.get(slot);
			if (key === undefined) {
				key = indexOfSlot.size;
				indexOfSlot.set(slot, key);
				keys.set(this.slots.subarray(slot + SLOT_LENGTH - KEY_LENGTH, slot + SLOT_LENGTH), key * KEY_LENGTH);
			}
			const claim = at * CLAIM_LENGTH;
			claims.set(questions.subarray(index * QUESTION_LENGTH, (index + 1) * QUESTION_LENGTH), claim);
			claims.set(factors.subarray(at * FACTOR_LENGTH, (at + 1) * FACTOR_LENGTH), claim + QUESTION_LENGTH);
			claims[claim + CLAIM_LENGTH - 2] = key;
			claims[claim + CLAIM_LENGTH - 1] = key >> 8;
		}
		return check(
			claims.subarray(0, batch.length * CLAIM_LENGTH),
			keys.subarray(0, indexOfSlot.size * KEY_LENGTH),
		);
	}

	/** Remembers a signer. @param signer {@link SIGNER_LENGTH} bytes that a library recovered */
	learn(sources: Uint8Array, at: number, signer: Uint8Array): void {
		if (sources[at] === 0) return;
		const slot = this.slotOf(sources, at);
		const state = this.slots[slot + STATE_AT] as number;
		if (!this.holds(slot, sources, at)) {
			// A source whose key changed keeps its slot as long as it takes to be expected again, so others can't
			// evict it early.
			if (state > EXPECTED) {
				this.slots[slot + STATE_AT] = state - 1;
				return;
			}
			this.slots.set(sources.subarray(at, at + SOURCE_LENGTH), slot);
			this.slots[slot + STATE_AT] = EXPECTED;
		} else if (Buffer.compare(this.signerAt(slot), signer) !== 0) {
			this.slots[slot + STATE_AT] = AFTER_A_CHANGE;
		} else {
			if (state > EXPECTED) this.slots[slot + STATE_AT] = state - 1;
			return;
		}
		this.slots.set(signer, slot + SIGNER_AT);
	}

	/** Start of a source's slot. The last 16 bits of an address serve as a hash. */
	private slotOf(sources: Uint8Array, at: number): number {
		const end = at + ADDRESS_LENGTH;
		const high = sources[end - 2] as number;
		const low = (sources[end - 1] as number) ^ (2 * (sources[end] as number) + (sources[end + 1] as number));
		return ((high << 8) | (low & 0xff)) * SLOT_LENGTH;
	}

	private holds(slot: number, sources: Uint8Array, at: number): boolean {
		for (let i = 0; i < SOURCE_LENGTH; i++) if (this.slots[slot + i] !== sources[at + i]) return false;
		return true;
	}
}
