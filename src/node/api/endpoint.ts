/**
 * An endpoint of the HTTP servers: one declaration from which routing, parsing, the solidity and PBFT servers
 * and the documents are derived (protocol/http-endpoints).
 */

import type { FieldDescriptor, Message, MessageType } from "../../protocol/codec/descriptor.js";
import { isLongMessage } from "../../protocol/codec/message-parts.js";
import type { Dialect } from "../../protocol/dialect.js";
import { byteClass } from "../../protocol/json/byte-fields.js";
import { exceptionText, NamedError } from "../../protocol/json/exceptions.js";
import { decodeHexText } from "../../protocol/json/hex-text.js";
import type { JsonLibrary } from "../../protocol/json/json-library.js";
import { messagePieces } from "../../protocol/json/message-pieces.js";
import { type JsonForm, mapOrderedMessage, printMessage } from "../../protocol/json/message-writer.js";
import { quoteMapOrdered } from "../../protocol/json/quoting.js";
import { PaginatedMessage } from "../../protocol/messages.js";
import type { Release } from "../rules/release.js";
import type { ApiContext, ServerKind } from "./context.js";
import { type HttpAnswer, JSON_TYPE } from "./http-answer.js";
import { LongAnswer } from "./long-answer.js";
import { observed } from "./observer.js";
import { type Parameters, parseAddressText, parseInt32, parseLong } from "./parameters.js";
import { OUT_OF_RESOURCES } from "./rate-limiter.js";
import type { InputMode, RequestInput } from "./request.js";

/** On all three servers. */
export const EVERYWHERE: readonly ServerKind[] = ["full", "solidity", "pbft"];

/** How an HTTP method is handled: it reads its input in some mode, answers nothing, or is rejected with 405. */
type MethodMode = InputMode | "empty" | "refused";

/** A request member, for documents. */
export interface RequestField {
	readonly name: string;
	readonly type: string;
	/** Its declaration in a message, for documenting nested members. */
	readonly descriptor?: FieldDescriptor;
}

/** How a request becomes a handler's input. */
export interface RequestForm<Q> {
	readonly fields: readonly RequestField[];
	/** @throws {NamedError} */
	read(input: RequestInput): Q;
}

/** Writes a handler's result as JSON text, or nothing for an empty answer. */
export interface ReplyWriter<R> {
	(context: ApiContext, reply: R): string | LongAnswer;
	/** Full name of the message written. */
	readonly answers?: string;
}

/** Writes the error response. */
export type FailureWriter = (context: ApiContext, error: Error) => string;

interface EndpointDeclaration<Q, R> {
	/** Name in the path, neutral spelling, case-sensitive. */
	readonly name: string;
	/** One sentence: what it answers. */
	readonly about: string;
	/** The first release with it; absent: all of them. */
	readonly since?: Release;
	/** Absent: `query`. */
	readonly get?: MethodMode;
	/** Absent: `body`. */
	readonly post?: MethodMode;
	/** Servers that serve it under their own folder. */
	readonly servers: readonly ServerKind[];
	/** Schema of the answer, for documents; derived automatically where the writer writes a message. */
	readonly answers?: string;
	/** Its name in `rate.limiter.http`, if different. */
	readonly limitedAs?: string;
	/** Whether it can read the state after a past block, via a member or parameter `block` (`at-block.ts`). */
	readonly readsState?: boolean;
	readonly request: RequestForm<Q>;
	readonly reply: ReplyWriter<R>;
	/** The default writes `{"Error":"class <Class> : <message>"}`. */
	readonly failure?: FailureWriter;
	/**
	 * Number of the block that fully determines the answer, which is then immutable once that block can't be
	 * undone. Undefined if there is none, as for a pending transaction.
	 */
	readonly blockOf?: (context: ApiContext, request: Q) => bigint | undefined;
	/** @throws {NamedError | ChainError} what the client is given */
	handle(context: ApiContext, request: Q): R | Promise<R>;
}

/** An endpoint with its request and reply types erased. */
export interface Endpoint {
	readonly name: string;
	readonly about: string;
	readonly since: Release | undefined;
	readonly get: MethodMode;
	readonly post: MethodMode;
	readonly servers: readonly ServerKind[];
	readonly limitedAs: string;
	readonly answers: string;
	readonly fields: readonly RequestField[];
	readonly readsState: boolean;
	readonly failure: FailureWriter;
	/** See {@link EndpointDeclaration}. @throws as {@link answer} */
	readonly blockOf: ((context: ApiContext, input: RequestInput) => bigint | undefined) | undefined;
	/** @throws {Error} what {@link failure} writes */
	answer(context: ApiContext, input: RequestInput): string | LongAnswer | Promise<string | LongAnswer>;
}

const BLOCK_FIELD: RequestField = { name: "block", type: "string" };

export function defineEndpoint<Q, R>(declaration: EndpointDeclaration<Q, R>): Endpoint {
	const { name, about, since, get = "query", post = "body", servers, limitedAs = name } = declaration;
	const { request, reply, blockOf } = declaration;
	const { failure = errorReply, answers = reply.answers ?? "Json", readsState = false } = declaration;
	return {
		name,
		about,
		since,
		get,
		post,
		servers,
		limitedAs,
		answers,
		fields: readsState ? [...request.fields, BLOCK_FIELD] : request.fields,
		readsState,
		failure,
		blockOf: blockOf && ((context, input) => blockOf(context, request.read(input))),
		answer: (context, input) => {
			const value = request.read(input);
			const result = observed(context.node.observer, name, () => declaration.handle(context, value));
			return result instanceof Promise
				? result.then((value) => reply(context, value))
				: reply(context, result);
		},
	};
}

/** A failure answered with status 400, which few are. */
export class BadRequestError extends NamedError {}

/** `{"Error":"class <Class> : <message>"}`. */
export const errorReply: FailureWriter = (context, error) =>
	errorMessage(exceptionText(error, context.style.dialect));

/** Rejects a call because of rate or load limits. */
export function refuseForLoad(answer: HttpAnswer, dialect: Dialect): void {
	const error = new NamedError("IllegalAccessException", OUT_OF_RESOURCES);
	answer.send(200, JSON_TYPE, `${errorMessage(exceptionText(error, dialect))}\n`);
}

/** `{"Error":"<text>"}`. */
export function errorMessage(text: string): string {
	return `{"Error":${quoteMapOrdered(text)}}`;
}

/** Only `visible` is read, but an unreadable body is still an error. */
export const visibleOnly: RequestForm<boolean> = { fields: [], read: (input) => input.visible };

/** Nothing is read. */
export const noRequest: RequestForm<undefined> = { fields: [], read: () => undefined };

/** Converts a URL parameter into a message field. */
export type ParameterReader = (
	parameters: Parameters,
	name: string,
	visible: boolean,
	library: JsonLibrary,
) => unknown;

export const longParameter: ParameterReader = (parameters, name) => parseLong(parameters.get(name));
/** 0 if the parameter is missing. */
export const optionalLong: ParameterReader = (parameters, name) => parseLong(parameters.get(name) ?? "0");
/** 0 if the parameter is missing. */
export const optionalInt: ParameterReader = (parameters, name) => parseInt32(parameters.get(name) ?? "0");
export const textParameter: ParameterReader = (parameters, name) => parameters.get(name) ?? "";
export const trueParameter: ParameterReader = (parameters, name) =>
	parameters.get(name)?.toLowerCase() === "true";
export const hexParameter: ParameterReader = (parameters, name) => decodeHexText(parameters.get(name));
export const addressParameter: ParameterReader = (parameters, name, visible, library) =>
	parseAddressText(parameters.get(name), visible, library);

/** A field's type: that of its scalar, enum or message; map entries are objects. */
function documentedKind(owner: MessageType<Message>, field: FieldDescriptor): string {
	if (field.label === "map") return "Json";
	switch (field.kind) {
		case "enum":
			return field.enumeration?.typeName ?? "string";
		case "message":
			return field.message?.().typeName ?? "Json";
		case "bytes": {
			const shown = byteClass(owner.typeName, field.name);
			return shown === "hex" ? "bytes" : shown;
		}
		default:
			return field.kind;
	}
}

/** A message's fields, optionally only those with these names. */
export function declaredFields(type: MessageType<Message>, names?: readonly string[]): RequestField[] {
	const fields = names ? type.fields.filter((field) => names.includes(field.name)) : type.fields;
	return fields.map((field) => ({
		name: field.name,
		type: `${documentedKind(type, field)}${field.label === "singular" ? "" : "[]"}`,
		descriptor: field,
	}));
}

/**
 * A request that is a message, decoded from the body or built from URL parameters.
 * @param query how each parameter of the query mode is read
 */
export function messageRequest<T extends Message>(
	type: MessageType<T>,
	query?: Readonly<Partial<Record<keyof T & string, ParameterReader>>>,
): RequestForm<T> {
	const readers = Object.entries(query ?? {}) as [keyof T & string, ParameterReader][];
	return {
		fields: declaredFields(type, query && Object.keys(query)),
		read: (input) => {
			if (input.mode !== "query") return input.fields(type);
			const message = new type();
			for (const [name, read] of readers) {
				message[name] = read(input.parameters, name, input.visible, input.library) as T[keyof T & string];
			}
			return message;
		},
	};
}

/** A page of a list. */
export const pageRequest = messageRequest(PaginatedMessage, { offset: longParameter, limit: longParameter });

/** A message in the printed form; long lists are written piece by piece. */
export function printed<T extends Message>(type: MessageType<T>): ReplyWriter<Readonly<T> | undefined> {
	return messageWriter(type, "printed");
}

/** A message in the map-ordered form; long lists are written piece by piece. */
export function mapOrdered<T extends Message>(type: MessageType<T>): ReplyWriter<Readonly<T> | undefined> {
	return messageWriter(type, "mapOrdered");
}

function messageWriter<T extends Message>(
	type: MessageType<T>,
	form: JsonForm,
): ReplyWriter<Readonly<T> | undefined> {
	const whole = form === "printed" ? printMessage : mapOrderedMessage;
	const write = ({ style }: ApiContext, reply: Readonly<T> | undefined): string | LongAnswer => {
		if (!reply) return "{}";
		if (!isLongMessage(type, reply)) return whole(type, reply, style);
		return new LongAnswer(messagePieces(type, reply, style, form));
	};
	return Object.assign(write, { answers: type.typeName });
}

/** The handler writes the answer itself. */
export const written: ReplyWriter<string | LongAnswer> = (_context, reply) => reply;
