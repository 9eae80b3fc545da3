/** Addresses that a transaction has marked; frames that are undone take their marks with them. */

import { toKey } from "../../protocol/bytes.js";

export class AddressMarks {
	private readonly keys: string[] = [];
	/** How many times each address is in the list. */
	private counts: Map<string, number> | undefined;

	/** A point to which {@link revert} can return. */
	get length(): number {
		return this.keys.length;
	}

	has(address: Uint8Array): boolean {
		return this.counts?.has(toKey(address)) === true;
	}

	add(address: Uint8Array): void {
		const key = toKey(address);
		this.keys.push(key);
		this.counts ??= new Map();
		this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
	}

	/** Takes back the marks since a point. */
	revert(length: number): void {
		const { keys, counts } = this;
		while (counts && keys.length > length) {
			const key = keys.pop() as string;
			const count = counts.get(key) as number;
			if (count === 1) counts.delete(key);
			else counts.set(key, count - 1);
		}
	}
}
