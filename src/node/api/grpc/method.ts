/**
 * The methods of the gRPC services, typed by the schema: request in, response out, and how failures are
 * reported (protocol/grpc §2.1).
 */

import { status } from "@grpc/grpc-js";
import type { Message, MessageType } from "../../../protocol/codec/descriptor.js";
import type { services } from "../../../protocol/generated/services.js";
import { isWireError, messageText } from "../../../protocol/json/exceptions.js";
import type { ApiContext } from "../context.js";

/** The network's answer to a request it can't read. */
export const UNREADABLE = "Application error processing RPC";

type Services = typeof services;
export type ServiceName = keyof Services;

type MessageOf<T> = T extends abstract new () => infer M ? M : never;
type RequestOf<D> = D extends { readonly request: infer T } ? MessageOf<T> : never;
type ResponseOf<D> = D extends { readonly response: infer T } ? MessageOf<T> : never;

/** A message that may be very long, in parts that are produced lazily. */
export class LongMessage {
	constructor(readonly parts: Iterable<Uint8Array>) {}
}

type Answer<R> = Readonly<R> | LongMessage | undefined;

/** Answers a request; undefined stands for an empty message. */
export type Handler<Q, R> = (context: ApiContext, request: Readonly<Q>) => Answer<R> | Promise<Answer<R>>;

/** A handler for every method of a service. */
export type Handlers<S extends ServiceName> = {
	readonly [M in keyof Services[S]]: Handler<RequestOf<Services[S][M]>, ResponseOf<Services[S][M]>>;
};

/** A service method with its message types erased. */
export interface ServiceMethod {
	readonly request: MessageType<Message>;
	readonly response: MessageType<Message>;
	readonly handle: Handler<Message, Message>;
}

/** Ends a call with a status instead of an answer. */
export class CallError extends Error {
	override readonly name = "CallError";

	constructor(
		readonly code: number,
		/** Spelled for the client; if empty, the status has no description. */
		message: string,
	) {
		super(message);
	}
}

/** A method the network lists but doesn't serve. */
export class UnimplementedError extends Error {
	override readonly name = "UnimplementedError";
}

/** Handler of a method the network lists but doesn't serve. */
export function unimplemented(): never {
	throw new UnimplementedError();
}

/** Kind S (protocol/grpc §2.1): a failure is reported with its reason, as INTERNAL. */
export function withReason<Q, R>(handle: Handler<Q, R>): Handler<Q, R> {
	return guarded(
		handle,
		(error, { style }) => new CallError(status.INTERNAL, messageText(error, style.dialect)),
	);
}

/** Kind U (protocol/grpc §2.1): a failure is reported without its reason, as UNKNOWN. */
export function withoutReason<Q, R>(handle: Handler<Q, R>): Handler<Q, R> {
	return guarded(handle, () => new CallError(status.UNKNOWN, ""));
}

/** Turns failures meant for the client into a status; bugs of this program pass through. */
function guarded<Q, R>(
	handle: Handler<Q, R>,
	toStatus: (error: Error, context: ApiContext) => CallError,
): Handler<Q, R> {
	return async (context, request) => {
		try {
			return await handle(context, request);
		} catch (error) {
			if (error instanceof CallError || !isWireError(error)) throw error;
			throw toStatus(error, context);
		}
	};
}
