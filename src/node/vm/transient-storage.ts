/** Values that contracts keep until the end of a transaction (protocol/machine §11.2). */

import type { Word } from "./word.js";

interface Write {
	readonly slots: Map<Word, Word>;
	readonly slot: Word;
	readonly before: Word | undefined;
}

export class TransientStorage {
	private readonly contracts = new Map<Word, Map<Word, Word>>();
	private readonly journal: Write[] = [];

	load(contract: Word, slot: Word): Word {
		return this.contracts.get(contract)?.get(slot) ?? 0;
	}

	store(contract: Word, slot: Word, value: Word): void {
		let slots = this.contracts.get(contract);
		if (!slots) {
			slots = new Map();
			this.contracts.set(contract, slots);
		}
		this.journal.push({ slots, slot, before: slots.get(slot) });
		slots.set(slot, value);
	}

	mark(): number {
		return this.journal.length;
	}

	revert(mark: number): void {
		for (let i = this.journal.length - 1; i >= mark; i--) {
			const { slots, slot, before } = this.journal[i] as Write;
			if (before === undefined) slots.delete(slot);
			else slots.set(slot, before);
		}
		this.journal.length = mark;
	}
}
