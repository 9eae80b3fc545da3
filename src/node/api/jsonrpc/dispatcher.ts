/** From the text of a request to the text of its answer (protocol/json-rpc §2). */

import { className, isWireError, messageText, NamedError } from "../../../protocol/json/exceptions.js";
import type { Release } from "../../rules/release.js";
import { plainStyle } from "../answers.js";
import { rpcAnswersOf } from "./answers.js";
import { numberText, TypeMismatch } from "./declared-types.js";
import {
	type Envelope,
	type Enveloped,
	type EnvelopeLimits,
	errorPart,
	libraryError,
	methodError,
	readId,
	UnreadableCall,
	VERSION,
} from "./envelope.js";
import {
	isRawArray,
	isRawObject,
	JsonNumber,
	JsonTextError,
	type RawArray,
	type RawValue,
	readRawJson,
} from "./json-reader.js";
import type { PendingAnswer } from "./long-result.js";
import {
	type AnswerText,
	JsonParts,
	JsonText,
	type RpcContext,
	type RpcMethod,
	type RpcResult,
} from "./method.js";
import {
	INVALID_PARAMS,
	METHOD_NOT_FOUND,
	PARSE_ERROR,
	ResponseTooLong,
	RpcError,
	UNDECLARED,
} from "./rpc-error.js";
import type { Subscriber } from "./subscriptions/hub.js";

interface DispatcherOptions extends EnvelopeLimits {
	/** By name and alias. */
	readonly methods: ReadonlyMap<string, RpcMethod>;
	/** The node as seen by a caller's next call. */
	readonly context: (caller: Caller) => RpcContext;
	/** The release that defines the envelope. */
	readonly release: Release;
	/** Whether errors have the form Ethereum libraries expect: with the call's id, and data only if it carries information. */
	readonly lenient?: boolean;
}

/** The client that sent a request. */
export interface Caller {
	/** Whether the client has stopped waiting for the answer. */
	readonly isAbandoned?: () => boolean;
	/** Its address. */
	readonly client?: string;
	/** Its user agent. */
	readonly agent?: string | undefined;
	/** Its subscriptions; absent if it can't have any. */
	readonly subscriber?: Subscriber;
	/** What its answer holds until it has been sent. */
	readonly pending?: PendingAnswer;
}

/** What all calls to a server share. */
type ServerContext = Pick<RpcContext, "server" | "node" | "broadcaster" | "filters" | "producerAddresses">;

/**
 * The node as seen by each call to a server. PERF: built member by member, since every call creates one and
 * an object spread costs more than parsing a request.
 */
export function contextsOf(common: ServerContext): (caller: Caller) => RpcContext {
	const { server, node, broadcaster, filters, producerAddresses } = common;
	const style = plainStyle(node.config);
	return ({ client, isAbandoned, subscriber, pending }) => ({
		server,
		node,
		broadcaster,
		filters,
		producerAddresses,
		state: node.view(server),
		style,
		client,
		isAbandoned,
		subscriber,
		pending,
	});
}

export class Dispatcher {
	private readonly envelope: Envelope;

	constructor(private readonly options: DispatcherOptions) {
		this.envelope = rpcAnswersOf(options).envelope(options);
	}

	/** Answers a request; an empty text is an empty answer. Never throws. */
	answer(request: string, caller: Caller = {}): string | Promise<string> {
		const enveloped = this.enveloped(request, caller);
		return enveloped instanceof Promise ? enveloped.then(({ text }) => String(text)) : String(enveloped.text);
	}

	/** Like {@link answer}, with the newline that the network's servers append to most answers. */
	answerLine(request: string, caller: Caller = {}): AnswerText | Promise<AnswerText> {
		const enveloped = this.enveloped(request, caller);
		return enveloped instanceof Promise ? enveloped.then(lineOf) : lineOf(enveloped);
	}

	private enveloped(request: string, caller: Caller): Enveloped | Promise<Enveloped> {
		let value: RawValue;
		try {
			value = readRawJson(request, this.envelope.budget);
		} catch (error) {
			if (error instanceof JsonTextError) return this.envelope.unreadable(error);
			throw error;
		}
		return this.envelope.answer(value, {
			single: (call) => this.single(call, caller),
			isAbandoned: () => caller.isAbandoned?.() ?? false,
		});
	}

	/**
	 * The answer to one call; undefined for a notification that succeeded.
	 * @throws {UnreadableCall | ResponseTooLong}
	 */
	private single(call: RawValue, caller: Caller): AnswerText | undefined | Promise<AnswerText | undefined> {
		if (!isRawObject(call)) throw new UnreadableCall("not an object");
		const id = readId(call.get("id"));
		const version = plainText(call.get("jsonrpc")) ?? VERSION;
		const known = this.options.methods.get(plainText(call.get("method")) ?? "");
		const method = known?.needsSubscriber && !caller.subscriber ? undefined : known;
		if (!method) return reply({ version, id }, errorPart(METHOD_NOT_FOUND, "method not found"));
		const values = readParameters(call.get("params"));
		const context = this.options.context(caller);
		const all = method.parameters.length;
		const most = method.pastBlock && context.node.past ? all + 1 : all;
		if (!values || values.length > most || values.length < (method.least ?? all)) {
			return reply({ version, id }, errorPart(INVALID_PARAMS, "method parameters invalid"));
		}
		const { observer } = context.node;
		const made: MadeCall = { version, id, method, context, startedMs: observer ? performance.now() : 0 };
		let result: RpcResult | Promise<RpcResult>;
		try {
			result = method.call(context, values);
		} catch (error) {
			return this.refuse(made, error);
		}
		if (!(result instanceof Promise)) return answerTo(made, result);
		return result.then(
			(later) => answerTo(made, later),
			(error: unknown) => this.refuse(made, error),
		);
	}

	/** The answer to a call whose method threw. @throws {ResponseTooLong} */
	private refuse(call: MadeCall, error: unknown): string {
		call.context.node.observer?.refused?.(call.method.name);
		if (error instanceof ResponseTooLong) throw error;
		if (this.options.lenient) {
			if (error instanceof TypeMismatch) return reply(call, errorPart(INVALID_PARAMS, error.message));
			if (error instanceof RpcError) return reply(call, lenientPart(error));
		}
		if (error instanceof TypeMismatch) return libraryError(PARSE_ERROR);
		if (error instanceof RpcError) return methodError(call.version, call.id ?? "null", error);
		return reply(call, this.undeclared(call.context, call.method, error));
	}

	/** An error the method doesn't declare: its class is reported. */
	private undeclared({ node, style }: RpcContext, method: RpcMethod, thrown: unknown): string {
		const error = thrown instanceof Error ? thrown : new Error(String(thrown));
		if (!isWireError(error)) node.report(error, `JSON-RPC ${method.name}`);
		const message =
			error instanceof NamedError && error.text === null ? null : messageText(error, style.dialect);
		const data = this.envelope.undeclared(className(error, style.dialect), message);
		return errorPart(UNDECLARED, message, data);
	}
}

/** What an answer repeats from its call. */
interface Named {
	readonly version: string;
	/** As JSON text; undefined for a notification. */
	readonly id: string | undefined;
}

/** A call in progress, with its context. */
interface MadeCall extends Named {
	readonly method: RpcMethod;
	readonly context: RpcContext;
	/** 0 if nothing observes it. */
	readonly startedMs: number;
}

function reply(call: Named, part: string): string {
	return `${replyHead(call, part)}}`;
}

/** A reply without its closing brace. */
function replyHead({ version, id }: Named, part: string): string {
	const shown = version === VERSION ? `"${VERSION}"` : JSON.stringify(version);
	return `{"jsonrpc":${shown},"id":${id ?? "null"},${part}`;
}

function answerTo(call: MadeCall, result: RpcResult): AnswerText | undefined {
	observe(call);
	if (call.id === undefined) return undefined;
	if (!(result instanceof JsonParts)) return reply(call, `"result":${resultText(result)}`);
	return result.within(replyHead(call, '"result":'), "}");
}

function observe({ context, method, startedMs }: MadeCall): void {
	context.node.observer?.called?.("jsonrpc", method.name, performance.now() - startedMs);
}

function lineOf({ text, isLine }: Enveloped): AnswerText {
	if (!isLine) return text;
	return text instanceof JsonParts ? text.within("", "\n") : `${text}\n`;
}

function resultText(result: Exclude<RpcResult, JsonParts>): string {
	return result instanceof JsonText ? result.text : JSON.stringify(result);
}

function lenientPart({ code, message, data }: RpcError): string {
	return errorPart(code, message, data === undefined ? undefined : JSON.stringify(data));
}

/** Text of a string, number or boolean; empty for an object or list; undefined if missing. */
function plainText(value: RawValue | undefined): string | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value === "object" && !(value instanceof JsonNumber)) return "";
	return value instanceof JsonNumber ? numberText(value) : String(value);
}

/** Positional parameters; undefined if they are named. @throws {UnreadableCall} */
function readParameters(params: RawValue | undefined): RawArray | undefined {
	if (params === undefined || params === null) return [];
	if (isRawArray(params)) return params;
	if (!isRawObject(params)) throw new UnreadableCall("the parameters are neither a list nor an object");
	return params.size === 0 ? [] : undefined;
}
