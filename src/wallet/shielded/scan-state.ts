/** Resumable state of scanning a pool with a key, and its encryption (protocol/wallet-formats §8.2). */

import { createCipheriv, createDecipheriv } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { blake2b } from "@noble/hashes/blake2.js";
import { asBuffer, concatBytes, fromHex, toHex, utf8 } from "../../protocol/bytes.js";
import { IncrementalMerkleTree, IncrementalMerkleVoucher } from "../../protocol/messages.js";
import type { ShieldedKeys } from "../../protocol/sapling/key-set.js";
import type { Note } from "../../protocol/sapling/note.js";
import { Failure } from "../failure.js";
import type { BurntNote, HeldNote, Holdings, SentNote } from "./holdings.js";

/** A note that is spent by one of the holder's transactions that is not yet in a block. */
export interface PendingSpend {
	readonly txID: string;
	readonly nullifier: Uint8Array;
	/** Epoch milliseconds; after this the note can be spent again. */
	readonly expirationMs: bigint;
}

export interface ScanState {
	/** Genesis block id, in hexadecimal. */
	readonly chain: string;
	readonly pool: string;
	/** First block that was read. */
	readonly since: bigint;
	/** Holdings as of an irreversible block. */
	readonly holdings: Holdings;
	/** Holdings as of earlier blocks, newest first, to return to if the chain differs from there on. */
	readonly earlier: readonly Holdings[];
	readonly pending: readonly PendingSpend[];
}

const STATE_VERSION = 1;
const MAGIC = utf8("coin notes 1\n");
const NONCE = 12;
const SEAL_TAG = 16;
const SEAL_CIPHER = "chacha20-poly1305";
/** Larger than any real state; a file that decompresses to more is refused. */
export const MAX_STATE_BYTES = 256 << 20;

/** The key that encrypts a holder's states. @param ivk the holder's incoming viewing key */
export function stateKey(ivk: Uint8Array): Uint8Array {
	return blake2b(ivk, { personalization: utf8("coin scan states"), dkLen: 32 });
}

/** Name of a state's file: reveals nothing about the key or pool to anyone without the key. */
export function stateName({ full, ivk, ovk }: ShieldedKeys, chain: string, pool: string): string {
	// A full viewing key finds more in the same blocks than an incoming one.
	const sees = `${full ? "spent" : "incoming"} ${ovk ? "sent" : "unsent"}`;
	const text = concatBytes(ivk, utf8(`${chain} ${pool} ${sees}`));
	return toHex(blake2b(text, { personalization: utf8("coin scan names "), dkLen: 16 }));
}

/** Encrypts a state. @param nonce 12 bytes, never used before with the key */
export async function sealState(state: ScanState, key: Uint8Array, nonce: Uint8Array): Promise<Uint8Array> {
	const packed = await promisify(gzip)(Buffer.from(JSON.stringify(stateJson(state)), "utf8"));
	const cipher = createCipheriv(SEAL_CIPHER, key, nonce, { authTagLength: SEAL_TAG });
	cipher.setAAD(MAGIC, { plaintextLength: packed.length });
	return concatBytes(MAGIC, nonce, cipher.update(packed), cipher.final(), cipher.getAuthTag());
}

/** Decrypts a state. @throws {Failure} `keystore_format` if encrypted with another key, or damaged */
export async function openState(sealed: Uint8Array, key: Uint8Array): Promise<ScanState> {
	const bytes = asBuffer(sealed);
	const refuse = (cause?: unknown): Failure =>
		new Failure("keystore_format", "the stored notes can't be read: the file is damaged, or another key's", {
			hint: "coin shielded scan --again reads everything anew",
			cause,
		});
	const start = MAGIC.length + NONCE;
	if (bytes.length < start + SEAL_TAG || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw refuse();
	const end = bytes.length - SEAL_TAG;
	const decipher = createDecipheriv(SEAL_CIPHER, key, bytes.subarray(MAGIC.length, start), {
		authTagLength: SEAL_TAG,
	});
	decipher.setAAD(MAGIC, { plaintextLength: end - start });
	decipher.setAuthTag(bytes.subarray(end));
	try {
		const packed = Buffer.concat([decipher.update(bytes.subarray(start, end)), decipher.final()]);
		const text = await promisify(gunzip)(packed, { maxOutputLength: MAX_STATE_BYTES });
		return stateOf(JSON.parse(text.toString("utf8")) as StateJson);
	} catch (error) {
		throw refuse(error);
	}
}

type Place = { readonly tx: string; readonly block: string };
type NoteJson = { readonly d: string; readonly pkD: string; readonly value: string; readonly rcm: string };

interface HeldJson extends Place {
	readonly note: NoteJson;
	readonly memo: string;
	readonly index: number;
	readonly position?: string | undefined;
	readonly nf?: string | undefined;
	readonly voucher?: string | undefined;
	readonly spent?: Place | undefined;
}

interface HoldingsJson {
	readonly through: string;
	readonly id: string;
	readonly tree?: string | undefined;
	readonly received: readonly HeldJson[];
	readonly sent: readonly (Place & { readonly note: NoteJson; readonly memo: string })[];
	readonly burnt: readonly (Place & { readonly to: string; readonly amount: string })[];
	readonly silent: boolean;
}

interface StateJson {
	readonly version: number;
	readonly chain: string;
	readonly pool: string;
	readonly since: string;
	readonly holdings: HoldingsJson;
	readonly earlier: readonly HoldingsJson[];
	readonly pending: readonly { readonly tx: string; readonly nf: string; readonly until: string }[];
}

function stateJson({ chain, pool, since, holdings, earlier, pending }: ScanState): StateJson {
	return {
		version: STATE_VERSION,
		chain,
		pool,
		since: since.toString(),
		holdings: holdingsJson(holdings),
		earlier: earlier.map(holdingsJson),
		pending: pending.map(({ txID, nullifier, expirationMs }) => ({
			tx: txID,
			nf: toHex(nullifier),
			until: expirationMs.toString(),
		})),
	};
}

function stateOf(json: StateJson): ScanState {
	if (json.version !== STATE_VERSION) throw new RangeError(`version ${json.version}`);
	return {
		chain: json.chain,
		pool: json.pool,
		since: BigInt(json.since),
		holdings: holdingsOf(json.holdings),
		earlier: json.earlier.map(holdingsOf),
		pending: json.pending.map(({ tx, nf, until }) => ({
			txID: tx,
			nullifier: fromHex(nf),
			expirationMs: BigInt(until),
		})),
	};
}

const placeJson = ({ txID, block }: { readonly txID: string; readonly block: bigint }): Place => ({
	tx: txID,
	block: block.toString(),
});
const placeOf = ({ tx, block }: Place): { readonly txID: string; readonly block: bigint } => ({
	txID: tx,
	block: BigInt(block),
});

const noteJson = ({ diversifier, transmissionKey, value, randomness }: Note): NoteJson => ({
	d: toHex(diversifier),
	pkD: toHex(transmissionKey),
	value: value.toString(),
	rcm: toHex(randomness),
});
const noteOf = ({ d, pkD, value, rcm }: NoteJson): Note => ({
	diversifier: fromHex(d),
	transmissionKey: fromHex(pkD),
	value: BigInt(value),
	randomness: fromHex(rcm),
});

function holdingsJson({ through, id, tree, received, sent, burnt, hasSilentSpends }: Holdings): HoldingsJson {
	return {
		through: through.toString(),
		id: toHex(id),
		tree: tree && toHex(IncrementalMerkleTree.encode(tree)),
		received: received.map(heldJson),
		sent: sent.map((item) => ({ ...placeJson(item), note: noteJson(item.note), memo: toHex(item.memo) })),
		burnt: burnt.map((item) => ({
			...placeJson(item),
			to: toHex(item.to),
			amount: item.amount.toString(),
		})),
		silent: hasSilentSpends,
	};
}

function holdingsOf({ through, id, tree, received, sent, burnt, silent }: HoldingsJson): Holdings {
	return {
		through: BigInt(through),
		id: fromHex(id),
		tree: tree === undefined ? undefined : IncrementalMerkleTree.decode(fromHex(tree)),
		received: received.map(heldOf),
		sent: sent.map(
			(item): SentNote => ({ ...placeOf(item), note: noteOf(item.note), memo: fromHex(item.memo) }),
		),
		burnt: burnt.map(
			(item): BurntNote => ({ ...placeOf(item), to: fromHex(item.to), amount: BigInt(item.amount) }),
		),
		hasSilentSpends: silent,
	};
}

function heldJson(held: HeldNote): HeldJson {
	const { note, memo, index, position, nullifier, voucher, spent } = held;
	return {
		...placeJson(held),
		note: noteJson(note),
		memo: toHex(memo),
		index,
		position: position?.toString(),
		nf: nullifier && toHex(nullifier),
		voucher: voucher && toHex(IncrementalMerkleVoucher.encode(voucher)),
		spent: spent && placeJson(spent),
	};
}

function heldOf(json: HeldJson): HeldNote {
	const { note, memo, index, position, nf, voucher, spent } = json;
	return {
		...placeOf(json),
		note: noteOf(note),
		memo: fromHex(memo),
		index,
		position: position === undefined ? undefined : BigInt(position),
		nullifier: nf === undefined ? undefined : fromHex(nf),
		voucher: voucher === undefined ? undefined : IncrementalMerkleVoucher.decode(fromHex(voucher)),
		spent: spent && placeOf(spent),
	};
}
