/** Messages to a hashing thread, and their handling. */

import { DecodeError } from "../../../protocol/codec/reader.js";
import { applyBatch, applyRun } from "./entry-batch.js";
import { StateHash, type StateHashValue } from "./state-hash.js";

export type HashRequest =
	| { readonly kind: "apply"; readonly batch: Uint8Array }
	/** Entries to add, in snapshot chunk format. */
	| { readonly kind: "add"; readonly batch: Uint8Array }
	/** Sums computed elsewhere. */
	| { readonly kind: "merge"; readonly sums: Uint8Array }
	/** Requests the hash of everything received so far. */
	| { readonly kind: "value"; readonly id: number }
	/** Requests its sums. */
	| { readonly kind: "sums"; readonly id: number };

export type HashAnswer =
	| { readonly kind: "applied"; readonly bytes: number }
	| { readonly kind: "value"; readonly id: number; readonly value: StateHashValue }
	| { readonly kind: "sums"; readonly id: number; readonly sums: Uint8Array }
	/** A record can't be decoded: the thread's sums are now useless. */
	| { readonly kind: "unreadable"; readonly message: string };

/** Answers requests in their order. */
export class HashWorker {
	private readonly hash = new StateHash();

	constructor(private readonly answer: (answer: HashAnswer) => void) {}

	take(request: HashRequest): void {
		const { hash, answer } = this;
		if (request.kind === "merge") hash.merge(request.sums);
		else if (request.kind === "value") answer({ kind: "value", id: request.id, value: hash.value() });
		else if (request.kind === "sums") answer({ kind: "sums", id: request.id, sums: hash.sums() });
		else this.apply(request.kind === "add" ? applyRun : applyBatch, request.batch);
	}

	private apply(how: typeof applyBatch, batch: Uint8Array): void {
		try {
			how(this.hash, batch);
		} catch (error) {
			if (!(error instanceof DecodeError)) throw error;
			this.answer({ kind: "unreadable", message: error.message });
		}
		this.answer({ kind: "applied", bytes: batch.length });
	}
}
