/**
 * Messages of this program that quote others: addresses, names, what a client sent. The dialect respells the program's
 * own words only.
 */

import { type Dialect, spell } from "./dialect.js";

export class QuotingMessage {
	/** @param own one more than `quoted`: the words before, between and after the quotations, in neutral spelling */
	constructor(
		private readonly own: readonly string[],
		private readonly quoted: readonly string[],
	) {}

	/** The same behind some words of the program. */
	after(words: string): QuotingMessage {
		const [first = "", ...others] = this.own;
		return new QuotingMessage([words + first, ...others], this.quoted);
	}

	spell(dialect: Dialect): string {
		return this.own.map((words, i) => spell(words, dialect) + (this.quoted[i] ?? "")).join("");
	}

	/** The neutral text. */
	toString(): string {
		return this.spell("neutral");
	}
}

/** A message of the program with quotations in it: `` quoting`No asset named ${name}` ``. */
export function quoting(own: TemplateStringsArray, ...quoted: readonly string[]): QuotingMessage {
	return new QuotingMessage(own, quoted);
}

/** Spells a message for a dialect; a bare text is all the program's own. */
export function spellMessage(message: string | QuotingMessage, dialect: Dialect): string {
	return typeof message === "string" ? spell(message, dialect) : message.spell(dialect);
}
