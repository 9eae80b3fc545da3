/**
 * Bounds what is published of a block. Contracts and their callers control the length of events, so it is
 * checked before an event is built. Events over the limit are dropped, counted and logged; all others are
 * published. Every publisher of events takes a budget.
 */

import { quietText } from "../../diagnostics/quiet-log.js";
import type { SignedBlock } from "../../protocol/block.js";

interface EventLimits {
	/** Characters of one event. */
	readonly event: number;
	/** Characters of a block's logs, and of its transactions, beyond the paid ones ({@link paidBy}). */
	readonly block: number;
	/** Characters of logs kept until their blocks are solidified; further logs are rebuilt from the chain. */
	readonly kept: number;
}

export const EVENT_LIMITS: EventLimits = { event: 16 << 20, block: 32 << 20, kept: 64 << 20 };

/**
 * Characters allowed per published byte: an ordinary event fits and is always published. Only the excess
 * counts against the limit, as when an ABI decodes the same bytes many times.
 */
const PAID_CHARACTERS = 8;
const PAID_BYTES = 512;
/** Multiple of the block limit that paid and unpaid characters share: so many logs cost much energy. */
const ALL_OF_BLOCK = 4;

/** Characters covered by the bytes themselves. @param bytes raw bytes that are published */
export const paidBy = (bytes: number): number => PAID_CHARACTERS * (bytes + PAID_BYTES);

/** Characters of the logged reason for a dropped event. */
const MAX_REASON = 200;

/** Identifies an event in logs. */
interface EventPlace {
	/** `log`, `transaction`, or a message kind. */
	readonly what: string;
	/** Block number, if known. */
	readonly block: bigint | undefined;
	readonly transaction?: string | undefined;
	/** Of a log in its transaction, or of a transaction in its block. */
	readonly index?: number | undefined;
}

export class EventBudget {
	private count = 0;

	/** @param onLeftOut called with each dropped event */
	constructor(
		private readonly onLeftOut: (place: EventPlace, reason: string) => void,
		private readonly limits: EventLimits = EVENT_LIMITS,
	) {}

	/** Number of dropped events. */
	get leftOut(): number {
		return this.count;
	}

	/** Characters of logs that may be kept until their blocks are solidified. */
	get maxKept(): number {
		return this.limits.kept;
	}

	/** A new budget with the same limits. */
	like(onLeftOut: (place: EventPlace, reason: string) => void): EventBudget {
		return new EventBudget(onLeftOut, this.limits);
	}

	leaveOut(place: EventPlace, reason: string): void {
		this.count++;
		this.onLeftOut(place, reason);
	}

	/** The budget of a block's logs, or of its transactions. */
	open({ number }: SignedBlock): BlockBudget {
		return new BlockBudget(this, number, this.limits);
	}

	/** Calls `make`. @returns undefined if it threw: the event is dropped */
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

	/** Characters built so far. */
	get spent(): number {
		return this.made;
	}

	/**
	 * Builds an event if the budget allows it.
	 * @param length estimated `characters`, of which `paid` are free ({@link paidBy})
	 * @param more characters beyond the estimate, known once it is built
	 * @returns undefined if it was dropped
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
 * The budget of one publisher; dropped events are logged at most a few times a minute.
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
