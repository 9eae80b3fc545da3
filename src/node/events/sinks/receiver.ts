/** What a broker or database is to the node: something that takes messages and says that it has them. */

import { type EventMessage, triggerName } from "../event-kinds.js";

/** A connection stands within it, or the delivery has failed. */
export const CONNECTION_MS = 5_000;

/** A message, and under which id it is told. */
export interface Told {
	readonly message: EventMessage;
	/** The same whenever the same thing is told again, and of nothing else (protocol/events §7.2). */
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

export interface Receiver {
	/**
	 * Resolves once every message is stored there, in this order where it has one; rejects to be called again with the same
	 * messages, of which it may have some, or with a {@link RefusedError}.
	 */
	deliver(told: readonly Told[], signal: AbortSignal): Promise<void>;
	/** Ends connections. What is under way may fail. */
	close(): Promise<void>;
}

/** What is measured of a receiver. */
export interface FeedCounts {
	readonly name: string;
	/** The last block that it has acknowledged. */
	readonly position: number;
	/** Blocks above it that it will be told of. */
	readonly lag: number;
	/** Deliveries that failed. */
	readonly errors: number;
	/** Messages that it has acknowledged. */
	readonly sent: number;
	/** Messages that it refused for good, or, without a stored position, was too slow for. */
	readonly lost: number;
	/** Events that could not be published, to no receiver. */
	readonly leftOut: number;
}

/** A block that is told, and how often it was before, because the chain left it and came back. */
interface ToldBlock {
	readonly idHex: string;
	readonly round: number;
}

/** Messages of one step with their ids. */
export function withIds(messages: readonly EventMessage[], { idHex, round }: ToldBlock): Told[] {
	const seen = new Map<string, number>();
	return messages.map((message) => {
		const { blockHash, removed } = message.body;
		const isOfBlock = (blockHash ?? message.id) === idHex;
		const parts = [triggerName(message.kind), message.id];
		if (typeof blockHash === "string" && blockHash !== message.id) parts.push(blockHash);
		if (isOfBlock && round > 0) parts.push(String(round + 1));
		if (removed === true) parts.push("removed");
		const id = parts.join("/");
		const times = (seen.get(id) ?? 0) + 1;
		seen.set(id, times);
		return { message, id: times === 1 ? id : `${id}/again${times}` };
	});
}
