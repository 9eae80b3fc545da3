/** Addresses that a transaction has marked; frames that are undone take their marks with them. */

import { toKey } from "../../protocol/bytes.js";

export class AddressMarks {
	private readonly keys: string[] = [];
	/** How many times each address is in the list. */
	private readonly counts = new Map<string, number>();

	/** A point to which {@link revert} can return. */
	get length(): number {
		return this.keys.length;
	}

	has(address: Uint8Array): boolean {
		return this.counts.has(toKey(address));
	}

	add(address: Uint8Array): void {
		const key = toKey(address);
		this.keys.push(key);
		this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
	}

	/** Takes back the marks since a point. */
	revert(length: number): void {
		while (this.keys.length > length) {
			const key = this.keys.pop() as string;
			const count = this.counts.get(key) as number;
			if (count === 1) this.counts.delete(key);
			else this.counts.set(key, count - 1);
		}
	}
}
