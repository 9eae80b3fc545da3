/**
 * The frame's stack during translation of a basic block: words that the block computed or read are in locals,
 * the others still in memory. Places count from the lowest word that the block uses.
 */

import { STACK_WORD } from "./arena.js";
import { type Limbs, type LimbWriter, retain } from "./limbs.js";
import { Op } from "./wasm-writer.js";

export class WordStack {
	/** Words in locals, by place. */
	private readonly held: (Limbs | undefined)[] = [];
	/** Places whose word is also in the frame's stack. */
	private readonly written: boolean[] = [];

	/**
	 * @param low local with the address of the lowest word
	 * @param height words that the block needs at its start
	 */
	constructor(
		private readonly limbs: LimbWriter,
		private readonly low: number,
		public height: number,
	) {}

	/** The word at a place, loading it if necessary. */
	private at(place: number): Limbs {
		const held = this.held[place];
		if (held) return held;
		const read = [0, 1, 2, 3].map((i) => {
			this.limbs.code.get(this.low).access(Op.I64_LOAD, STACK_WORD * place + 8 * i);
			return this.limbs.take();
		}) as unknown as Limbs;
		retain(read);
		this.held[place] = read;
		this.written[place] = true;
		return read;
	}

	/** The word at a depth below the top; 0 is the top. */
	peek(depth: number): Limbs {
		return this.at(this.height - 1 - depth);
	}

	/** The topmost words, top first. */
	top(count: number): Limbs[] {
		return Array.from({ length: count }, (_, depth) => this.peek(depth));
	}

	private put(place: number, word: Limbs): void {
		retain(word);
		this.forget(place);
		this.held[place] = word;
		this.written[place] = false;
	}

	private forget(place: number): void {
		const word = this.held[place];
		if (word) this.limbs.release(word);
		this.held[place] = undefined;
	}

	push(word: Limbs): void {
		this.put(this.height++, word);
	}

	pop(count: number): void {
		for (let i = 0; i < count; i++) this.forget(--this.height);
	}

	/** Replaces the topmost words with one. */
	replace(count: number, word: Limbs): void {
		retain(word);
		this.pop(count);
		this.push(word);
		this.limbs.release(word);
	}

	/** Pushes words that are already in the frame's stack. */
	pushWritten(count: number): void {
		for (let i = 0; i < count; i++) this.forget(this.height++);
	}

	swap(depth: number): void {
		const [top, other] = [this.peek(0), this.peek(depth)];
		retain(top);
		this.put(this.height - 1, other);
		this.put(this.height - 1 - depth, top);
		this.limbs.release(top);
	}

	/** Writes the topmost words to the frame's stack. */
	write(count = this.height): void {
		this.store(this.height - count, true);
	}

	/** Writes all words on an exit path, without marking them as written for the main path. */
	writeAside(): void {
		this.store(0, false);
	}

	private store(from: number, lasting: boolean): void {
		for (let place = from; place < this.height; place++) {
			const word = this.held[place];
			if (!word || this.written[place]) continue;
			word.forEach((limb, i) => {
				this.limbs.code.get(this.low);
				this.limbs.push(limb);
				this.limbs.code.access(Op.I64_STORE, STACK_WORD * place + 8 * i);
			});
			if (lasting) this.written[place] = true;
		}
	}
}
