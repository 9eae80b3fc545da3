/** What a broker, a database or a web server is to the node: something that takes messages and says that it has them. */

import type { EventMessage } from "./event-message.js";

/** A connection stands within it, or the delivery has failed. */
export const CONNECTION_MS = 5_000;

/** A message, and the id under which it is published. */
export interface Publication {
	readonly message: EventMessage;
	/** The same whenever the same thing is published again, and of nothing else (protocol/events §7.2). */
	readonly id: string;
}

/** Marks every copy of {@link RefusedError}: clients are in files of their own, each with one. */
const REFUSED = Symbol.for("coin.events.refused");

/** A receiver will never take a message as it is; rejected with it, a delivery is tried message by message. */
export class RefusedError extends Error {
	override readonly name = "RefusedError";
	readonly [REFUSED] = true;

	static override [Symbol.hasInstance](value: unknown): boolean {
		return value instanceof Error && REFUSED in value;
	}
}

/** How much one delivery holds, and how long a failed one waits. */
export interface DeliveryLimits {
	readonly messages: number;
	/** Of their JSON; a longer message goes alone. */
	readonly characters: number;
	/** Final blocks, where they have few messages. */
	readonly blocks: number;
	/** Doubled with each failure, up to the last. */
	readonly firstPauseMs: number;
	readonly lastPauseMs: number;
}

export const BROKER_LIMITS: DeliveryLimits = {
	messages: 500,
	characters: 512 << 10,
	blocks: 16,
	firstPauseMs: 250,
	lastPauseMs: 30_000,
};

/** Which part of a block's messages a delivery holds. */
export interface DeliveryPart {
	readonly block: { readonly number: bigint; readonly idHex: string };
	/** From 0. */
	readonly part: number;
	readonly parts: number;
}

export interface Receiver {
	/** {@link BROKER_LIMITS} if absent. */
	readonly limits?: DeliveryLimits;
	/**
	 * Resolves once every message is stored there, in this order where it has one; rejects to be called again with the same
	 * messages, of which it may have some, or with a {@link RefusedError}.
	 */
	deliver(publications: readonly Publication[], signal: AbortSignal, part: DeliveryPart): Promise<void>;
	/** Takes a message at once and never waits: where no position is stored, nothing is queued in front of it. */
	publish?(message: EventMessage): void;
	/** Of one that others connect to. */
	readonly listener?: ReceiverListener;
	/** Ends connections. What is under way may fail. */
	close(): Promise<void>;
}

export interface ReceiverListener {
	/** Bound port. */
	readonly port: number;
	readonly counts: SubscriberCounts;
}

export interface SubscriberCounts {
	readonly subscribers: number;
	readonly sent: number;
	/** Messages that a subscriber was too slow for. */
	readonly lost: number;
}
