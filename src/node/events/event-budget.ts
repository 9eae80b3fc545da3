/**
 * How much may be published of a block. Contracts and their callers write what events say, so its length is bounded before an
 * event is made; what can't be published is left out, counted and named, and everything else is published. Whatever
 * publishes events takes a budget.
 */

import { quietText } from "../../diagnostics/quiet-log.js";
import type { SignedBlock } from "../../protocol/block.js";

interface EventLimits {
	/** Characters of one event. */
	readonly event: number;
	/** Characters of a block's logs, and of its transactions, beyond what is paid for ({@link paidBy}). */
	readonly block: number;
	/** Characters of all logs that are kept until their blocks are solidified; further ones are made again from the chain. */
	readonly kept: number;
}

export const EVENT_LIMITS: EventLimits = { event: 16 << 20, block: 32 << 20, kept: 64 << 20 };

/**
 * Characters that a byte of what is published pays for: an ordinary event isn't longer, and is published whatever else is in
 * its block. What a stored interface makes of the same bytes many times over is counted.
 */
const PAID_CHARACTERS = 8;
const PAID_BYTES = 512;
/** Times the limit of a block that all of it may take, whoever pays: energy makes so many logs dear. */
const ALL_OF_BLOCK = 4;

/** Characters that are paid for. @param bytes of what is published, in the block */
export const paidBy = (bytes: number): number => PAID_CHARACTERS * (bytes + PAID_BYTES);

/** What is said of an event that is left out. */
const MAX_REASON = 200;

/** Which event it is. */
interface EventPlace {
	/** `log`, `transaction`, or a kind of message. */
	readonly what: string;
	/** Number of the block; undefined where it isn't known. */
	readonly block: bigint | undefined;
	readonly transaction?: string | undefined;
	/** Of a log among those of its transaction, of a transaction in its block. */
	readonly index?: number | undefined;
}

export class EventBudget {
	private count = 0;

	/** @param onLeftOut called with each event that is left out */
	constructor(
		private readonly onLeftOut: (place: EventPlace, reason: string) => void,
		private readonly limits: EventLimits = EVENT_LIMITS,
	) {}

	/** Events that were left out. */
	get leftOut(): number {
		return this.count;
	}

	/** Characters of logs that may be kept until their blocks are solidified. */
	get maxKept(): number {
		return this.limits.kept;
	}

	/** One with the same limits. */
	like(onLeftOut: (place: EventPlace, reason: string) => void): EventBudget {
		return new EventBudget(onLeftOut, this.limits);
	}

	leaveOut(place: EventPlace, reason: string): void {
		this.count++;
		this.onLeftOut(place, reason);
	}

	/** For the logs of a block, or its transactions. */
	open({ number }: SignedBlock): BlockBudget {
		return new BlockBudget(this, number, this.limits);
	}

	/** Makes something; undefined: it is left out. */
	attempt<T>(place: EventPlace, make: () => T): T | undefined {
		try {
			return make();
		} catch (error) {
			this.leaveOut(place, error instanceof Error ? error.message.slice(0, MAX_REASON) : "it can't be made");
			return undefined;
		}
	}
}

export class BlockBudget {
	private used = 0;
	private made = 0;

	constructor(
		private readonly budget: EventBudget,
		private readonly number: bigint,
		private readonly limits: EventLimits,
	) {}

	/** Characters of what was made. */
	get spent(): number {
		return this.made;
	}

	/**
	 * Makes something of the block that is about so many characters long.
	 * @param length `paid`: of these, {@link paidBy}
	 * @param more characters beyond these, once it is made
	 * @returns undefined: it is left out
	 */
	make<T>(
		{ what, transaction, index }: Omit<EventPlace, "block">,
		{ characters, paid }: { readonly characters: number; readonly paid: number },
		make: () => T,
		more: (made: T) => number = () => 0,
	): T | undefined {
		const place = { what, block: this.number, transaction, index };
		if (!this.has(place, characters, paid)) return undefined;
		const made = this.budget.attempt(place, make);
		if (made === undefined) return undefined;
		const length = characters + more(made);
		if (!this.has(place, length, paid)) return undefined;
		this.made += length;
		this.used += Math.max(0, length - paid);
		return made;
	}

	private has(place: EventPlace, characters: number, paid: number): boolean {
		const { event, block } = this.limits;
		if (characters > event) {
			this.budget.leaveOut(place, `it is longer than ${event} characters`);
			return false;
		}
		const counted = Math.max(0, characters - paid);
		const isFull =
			(counted > 0 && this.used + counted > block) || this.made + characters > ALL_OF_BLOCK * block;
		if (isFull) {
			this.budget.leaveOut(place, `those before it in the block are ${block} characters long`);
			return false;
		}
		return true;
	}
}

/**
 * The budget of one way out: what is left out is logged a few times a minute.
 * @param name of the receiver
 * @param now milliseconds
 */
export function eventBudget(
	name: string,
	warn: (text: string) => void,
	now: () => number = () => performance.now(),
	limits = EVENT_LIMITS,
): EventBudget {
	const write = quietText(warn, now);
	return new EventBudget((place, reason) => {
		write("left out", `events of ${name}: ${placeText(place)} is left out: ${reason}`);
	}, limits);
}

function placeText({ what, block, transaction, index }: EventPlace): string {
	const at = index === undefined ? "" : ` ${index}`;
	const of = transaction === undefined ? "" : ` of transaction ${transaction}`;
	return `${what}${at}${of}${block === undefined ? "" : ` in block ${block}`}`;
}
