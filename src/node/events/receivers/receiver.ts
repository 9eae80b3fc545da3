/** A broker, database or web server that stores messages and acknowledges them. */

import type { EventMessage } from "./event-message.js";

/** Connection timeout of a delivery. */
export const CONNECTION_MS = 5_000;

/** A message and the id under which it is published. */
export interface Publication {
	readonly message: EventMessage;
	/** Stable across republication, and unique (protocol/events §7.2). */
	readonly id: string;
}

/** Identifies {@link RefusedError} across bundles: each client bundle has its own copy of the class. */
const REFUSED = Symbol.for("coin.events.refused");

/** The receiver will never accept a message as it is; the delivery then isolates it by bisection. */
export class RefusedError extends Error {
	override readonly name = "RefusedError";
	readonly [REFUSED] = true;

	static override [Symbol.hasInstance](value: unknown): boolean {
		return value instanceof Error && REFUSED in value;
	}
}

/** Size of one delivery, and backoff after failures. */
export interface DeliveryLimits {
	readonly messages: number;
	/** JSON characters; a longer message is sent alone. */
	readonly characters: number;
	/** Final blocks that may be combined, if they have few messages. */
	readonly blocks: number;
	/** Doubled on each failure, up to `lastPauseMs`. */
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

/** Which part of a block's messages a delivery contains. */
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
	 * Resolves once all messages are stored, in this order if the receiver is ordered. On rejection it is
	 * called again with the same messages, some of which may be stored, unless it was a {@link RefusedError}.
	 */
	deliver(publications: readonly Publication[], signal: AbortSignal, part: DeliveryPart): Promise<void>;
	/** Sends a message without waiting; used instead of a queue where no position is stored. */
	publish?(message: EventMessage): void;
	/** Set if the receiver accepts connections. */
	readonly listener?: ReceiverListener;
	/** Closes connections. Pending deliveries may fail. */
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
	/** Messages dropped because a subscriber was too slow. */
	readonly lost: number;
}
