/** Messages that quote addresses, names or client input. Dialects respell only the program's own words. */

import { type Dialect, spell } from "./dialect.js";

export class QuotingMessage {
	/** @param own one more than `quoted`: the text around the quotations, in neutral spelling */
	constructor(
		private readonly own: readonly string[],
		private readonly quoted: readonly string[],
	) {}

	/** Prepends words of the program. */
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

/** A message with quotations: `` quoting`No asset named ${name}` ``. */
export function quoting(own: TemplateStringsArray, ...quoted: readonly string[]): QuotingMessage {
	return new QuotingMessage(own, quoted);
}

/** Spells a message in a dialect; a plain string is entirely the program's own words. */
export function spellMessage(message: string | QuotingMessage, dialect: Dialect): string {
	return typeof message === "string" ? spell(message, dialect) : message.spell(dialect);
}
