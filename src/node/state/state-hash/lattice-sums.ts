/**
 * LtHash (eprint.iacr.org/2019/227, §4): the hash of a set is the sum of its members' hashes, 1,024 numbers of 16 bits each,
 * so members can be added and removed in any order. A member's hash is the first 2,048 bytes of its BLAKE3.
 */

import {
	BLOCK_BYTES,
	CHAIN,
	CHAIN_BYTES,
	CHAIN_START,
	CHUNK_BYTES,
	CHUNK_END,
	CHUNK_START,
	INPUT,
	PARENT,
	ROOT,
	SUM_BYTES,
	SUMS,
	startBlake3,
} from "./blake3-code.js";

export { SUM_BYTES };

const DIGEST_BYTES = 32;

/** Several sums, by index. */
export class LatticeSums {
	private readonly engine;
	private readonly bytes: Uint8Array;
	private readonly chaining: Uint32Array;

	constructor(private readonly count: number) {
		// One more, for digests.
		this.engine = startBlake3(count + 1);
		const { buffer } = this.engine.memory;
		this.bytes = new Uint8Array(buffer);
		this.chaining = new Uint32Array(buffer, CHAIN, CHAIN_START.length);
	}

	/** @param pieces the bytes of the member, in pieces */
	add(sum: number, pieces: readonly Uint8Array[]): void {
		this.change("add", sum, pieces);
	}

	remove(sum: number, pieces: readonly Uint8Array[]): void {
		this.change("subtract", sum, pieces);
	}

	/** A copy of the sum's 2,048 bytes; numbers are little-endian. */
	read(sum: number): Uint8Array {
		const at = this.placeOf(sum);
		return this.bytes.slice(at, at + SUM_BYTES);
	}

	/** Resets a sum to that of the empty set. */
	clear(sum: number): void {
		const at = this.placeOf(sum);
		this.bytes.fill(0, at, at + SUM_BYTES);
	}

	/** Adds a result of {@link read}, from here or elsewhere. */
	merge(sum: number, read: Uint8Array): void {
		const at = this.placeOf(sum);
		const lanes = new Uint16Array(this.bytes.buffer, at, SUM_BYTES / 2);
		const more = new DataView(read.buffer, read.byteOffset, SUM_BYTES);
		for (let i = 0; i < lanes.length; i++) lanes[i] = (lanes[i] as number) + more.getUint16(2 * i, true);
	}

	/** BLAKE3 of some bytes: 32 bytes of output, or up to 2,048. */
	digest(pieces: readonly Uint8Array[], length = DIGEST_BYTES): Uint8Array {
		const at = this.placeOf(this.count);
		this.clear(this.count);
		this.change("add", this.count, pieces);
		return this.bytes.slice(at, at + length);
	}

	private placeOf(sum: number): number {
		return SUMS + sum * SUM_BYTES;
	}

	/** PERF: nearly all members fit in one chunk, which is copied directly into the engine's memory. */
	private change(how: "add" | "subtract", sum: number, pieces: readonly Uint8Array[]): void {
		const { bytes } = this;
		let length = 0;
		for (const piece of pieces) length += piece.length;
		const at = this.placeOf(sum);
		if (length > CHUNK_BYTES) {
			this.foldChunks(Buffer.concat(pieces));
			this.engine[how](INPUT, BLOCK_BYTES, PARENT | ROOT, at);
			return;
		}
		let end = INPUT;
		for (const piece of pieces) {
			bytes.set(piece, end);
			end += piece.length;
		}
		const block = this.chainBlocks(length, 0);
		this.engine[how](block, end - block, lastFlags(block) | ROOT, at);
	}

	/** Compresses all blocks of a chunk in the input except the last. @returns the address of that one */
	private chainBlocks(length: number, counter: number): number {
		const { bytes, engine } = this;
		this.chaining.set(CHAIN_START);
		const end = INPUT + length;
		// A partial block is padded with zeros.
		if (length === 0 || length % BLOCK_BYTES !== 0)
			bytes.fill(0, end, end + BLOCK_BYTES - (length % BLOCK_BYTES));
		let block = INPUT;
		for (; block + BLOCK_BYTES < end; block += BLOCK_BYTES) {
			engine.chain(block, counter, BLOCK_BYTES, block === INPUT ? CHUNK_START : 0);
		}
		return block;
	}

	/** Leaves the two halves of the tree's root in the input. */
	private foldChunks(input: Uint8Array): void {
		const { engine, bytes } = this;
		const chunks = Math.ceil(input.length / CHUNK_BYTES);
		const halves: Uint8Array[] = [];
		for (let chunk = 0; chunk < chunks; chunk++) {
			const piece = input.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES);
			bytes.set(piece, INPUT);
			const block = this.chainBlocks(piece.length, chunk);
			engine.chain(block, chunk, INPUT + piece.length - block, lastFlags(block));
			let value = this.chained();
			// As many complete subtrees end here as the chunk count is divisible by two; the last ones wait for the root.
			for (let whole = chunk + 1; whole % 2 === 0 && chunk + 1 < chunks; whole /= 2) {
				value = this.joined(halves.pop() as Uint8Array, value);
			}
			halves.push(value);
		}
		let right = halves.pop() as Uint8Array;
		while (halves.length > 1) right = this.joined(halves.pop() as Uint8Array, right);
		this.setHalves(halves[0] as Uint8Array, right);
		this.chaining.set(CHAIN_START);
	}

	private setHalves(left: Uint8Array, right: Uint8Array): void {
		this.bytes.set(left, INPUT);
		this.bytes.set(right, INPUT + CHAIN_BYTES);
	}

	private joined(left: Uint8Array, right: Uint8Array): Uint8Array {
		this.setHalves(left, right);
		this.chaining.set(CHAIN_START);
		this.engine.chain(INPUT, 0, BLOCK_BYTES, PARENT);
		return this.chained();
	}

	private chained(): Uint8Array {
		return this.bytes.slice(CHAIN, CHAIN + CHAIN_BYTES);
	}
}

/** Flags of a chunk's last block, which may also be its first. */
function lastFlags(block: number): number {
	return block === INPUT ? CHUNK_START | CHUNK_END : CHUNK_END;
}
