/** From the text of a request to the text of its answer (protocol/json-rpc §2). */

import { className, isWireError, messageText, NamedError } from "../../../protocol/json/exceptions.js";
import { Turns } from "../turns.js";
import { numberText, TypeMismatch } from "./declared-types.js";
import {
	isJsonArray,
	isJsonObject,
	type JsonArray,
	JsonNumber,
	type JsonObject,
	JsonTextError,
	type JsonValue,
	REQUEST_BUDGET,
	readJson,
} from "./json-reader.js";
import { JsonText, type Method, type RpcContext, type RpcResult } from "./method.js";
import {
	EXCEEDS_LIMIT,
	INVALID_PARAMS,
	INVALID_REQUEST,
	METHOD_NOT_FOUND,
	PARSE_ERROR,
	RpcError,
	tooLong,
	UNDECLARED,
} from "./rpc-error.js";

const VERSION = "2.0";
/** A batch lets other work in after this long. */
const BATCH_TURN_MS = 10;

interface DispatcherOptions {
	/** By name and by alias. */
	readonly methods: ReadonlyMap<string, Method>;
	/** The node as the next call sees it. */
	readonly context: () => RpcContext;
	/** Calls in one batch, with those of the batches in it; 0 or less: any number. */
	readonly maxBatchSize: number;
	/** Characters of an answer. */
	readonly maxResponseSize: number;
	/** Whether errors are such as Ethereum's libraries expect: with the id of their call, and data only where it says something. */
	readonly lenient?: boolean;
}

/** Who sent a request. */
export interface Caller {
	/** Tells whether nobody waits for the answer any more. */
	readonly isAbandoned?: () => boolean;
	/** Their address. */
	readonly client?: string;
}

/** What the calls of one request share. */
interface BatchWork {
	readonly turns: Turns;
	/** Characters that the answer may still have. */
	left: number;
	readonly caller: Caller;
}

/** The answer has become longer than answers may be. */
class TooLong extends Error {
	override readonly name = "TooLong";
}

/** A request or a part of it that makes no call: its whole answer is empty, or that of a text that is no JSON. */
class UnreadableCall extends Error {
	override readonly name = "UnreadableCall";
}

export class Dispatcher {
	constructor(private readonly options: DispatcherOptions) {}

	/**
	 * Answers a request; an empty text is an empty answer. Never throws.
	 */
	async answer(request: string, caller: Caller = {}): Promise<string> {
		let value: JsonValue;
		try {
			value = readJson(request, REQUEST_BUDGET);
		} catch (error) {
			if (error instanceof JsonTextError) return libraryError(PARSE_ERROR);
			throw error;
		}
		try {
			if (isJsonArray(value)) return await this.batches(value, caller);
			const text = (await this.single(value, caller)) ?? "";
			return text.length > this.options.maxResponseSize ? this.tooLong() : text;
		} catch (error) {
			if (error instanceof UnreadableCall) return "";
			if (error instanceof TooLong) return this.tooLong();
			throw error;
		}
	}

	/** A batch with the batches in it: one limit bounds the calls of all. @throws {TooLong} */
	private async batches(calls: JsonArray, caller: Caller): Promise<string> {
		const { maxBatchSize } = this.options;
		const count = callsIn(calls);
		if (maxBatchSize > 0 && count > maxBatchSize) {
			return methodError(
				VERSION,
				'"null"',
				new RpcError(EXCEEDS_LIMIT, `Batch size ${count} exceeds the limit of ${maxBatchSize}`),
			);
		}
		return this.batch(calls, {
			turns: new Turns(BATCH_TURN_MS),
			left: this.options.maxResponseSize,
			caller,
		});
	}

	private tooLong(): string {
		return methodError(VERSION, '"null"', tooLong(this.options.maxResponseSize));
	}

	private async batch(calls: JsonArray, work: BatchWork): Promise<string> {
		const answers: string[] = [];
		for (const call of calls) {
			if (work.caller.isAbandoned?.()) break;
			const answer = isJsonArray(call) ? await this.batch(call, work) : await this.element(call, work.caller);
			if (!isJsonArray(call)) work.left -= answer.length + 1;
			if (work.left < 0) throw new TooLong();
			answers.push(answer);
			if (work.turns.over) await work.turns.yield();
		}
		return `[${answers.join(",")}]`;
	}

	private async element(call: JsonValue, caller: Caller): Promise<string> {
		try {
			return (await this.single(call, caller)) ?? "null";
		} catch (error) {
			if (error instanceof UnreadableCall) return libraryError(PARSE_ERROR);
			throw error;
		}
	}

	/**
	 * The answer to one call; undefined: a notification that succeeded.
	 * @throws {UnreadableCall}
	 */
	private async single(call: JsonValue, caller: Caller): Promise<string | undefined> {
		if (!isJsonObject(call)) return libraryError(INVALID_REQUEST);
		const id = readId(call.get("id"));
		const version = plainText(call.get("jsonrpc")) ?? VERSION;
		const method = this.options.methods.get(plainText(call.get("method")) ?? "");
		const reply = (part: string): string =>
			`{"jsonrpc":${JSON.stringify(version)},"id":${id ?? "null"},${part}}`;
		if (!method) return reply(errorPart(METHOD_NOT_FOUND, "method not found"));
		const values = readParameters(call.get("params"));
		const most = method.parameters.length;
		if (!values || values.length > most || values.length < (method.least ?? most)) {
			return reply(errorPart(INVALID_PARAMS, "method parameters invalid"));
		}
		const context = { ...this.options.context(), ...caller };
		const { observer } = context.node;
		const started = observer ? performance.now() : 0;
		try {
			const result = await method.call(context, values);
			return id === undefined ? undefined : reply(`"result":${resultText(result)}`);
		} catch (error) {
			if (this.options.lenient) {
				if (error instanceof TypeMismatch) return reply(errorPart(INVALID_PARAMS, error.message));
				if (error instanceof RpcError) return reply(lenientPart(error));
			}
			if (error instanceof TypeMismatch) return libraryError(PARSE_ERROR);
			if (error instanceof RpcError) return methodError(version, id ?? "null", error);
			return reply(this.undeclared(context, method, error));
		} finally {
			observer?.called?.("jsonrpc", method.name, performance.now() - started);
		}
	}

	/** An error that is no refusal by a method: its class is told. */
	private undeclared({ node, style }: RpcContext, method: Method, thrown: unknown): string {
		const error = thrown instanceof Error ? thrown : new Error(String(thrown));
		if (!isWireError(error)) node.report(error, `JSON-RPC ${method.name}`);
		const message =
			error instanceof NamedError && error.text === null ? null : messageText(error, style.dialect);
		const detail = { exceptionTypeName: className(error, style.dialect), message };
		return errorPart(UNDECLARED, message, JSON.stringify(detail));
	}
}

/** How many calls a batch makes. */
function callsIn(batch: JsonArray): number {
	let count = 0;
	for (const call of batch) count += isJsonArray(call) ? callsIn(call) : 1;
	return count;
}

function resultText(result: RpcResult): string {
	return result instanceof JsonText ? result.text : JSON.stringify(result);
}

function errorPart(code: number, message: string | null, detail?: string): string {
	const data = detail === undefined ? "" : `,"data":${detail}`;
	return `"error":{"code":${code},"message":${JSON.stringify(message)}${data}}`;
}

const LIBRARY_TEXTS: ReadonlyMap<number, string> = new Map([
	[PARSE_ERROR, "JSON parse error"],
	[INVALID_REQUEST, "invalid request"],
]);

/** An error before any call: its id is the text `null`. */
function libraryError(code: number): string {
	return `{"jsonrpc":"${VERSION}","id":"null",${errorPart(code, LIBRARY_TEXTS.get(code) ?? "")}}`;
}

function methodError(version: string, id: string, { code, message }: RpcError): string {
	return `{"jsonrpc":${JSON.stringify(version)},"id":${id},${errorPart(code, message === "" ? null : message, '"{}"')}}`;
}

function lenientPart({ code, message, data }: RpcError): string {
	return errorPart(code, message, data === undefined ? undefined : JSON.stringify(data));
}

/** The text of a text, number or boolean; of an object or list none; undefined if it is missing. */
function plainText(value: JsonValue | undefined): string | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value === "object" && !(value instanceof JsonNumber)) return "";
	return value instanceof JsonNumber ? numberText(value) : String(value);
}

/** The id as JSON text; undefined: a notification. @throws {UnreadableCall} */
function readId(value: JsonValue | undefined): string | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value === "string") return JSON.stringify(value);
	if (value instanceof JsonNumber) return idNumber(value);
	throw new UnreadableCall("the id is neither text nor number");
}

/** An integer beyond 64 bits keeps its low 32. */
function idNumber(value: JsonNumber): string {
	if (!value.isInteger) return Number.isFinite(Number(value.text)) ? numberText(value) : "null";
	const number = BigInt(value.text);
	return String(number === BigInt.asIntN(64, number) ? number : BigInt.asIntN(32, number));
}

/** Positional parameters; undefined: named ones. @throws {UnreadableCall} */
function readParameters(params: JsonValue | undefined): JsonArray | undefined {
	if (params === undefined || params === null) return [];
	if (isJsonArray(params)) return params;
	if (!isJsonObject(params)) throw new UnreadableCall("the parameters are neither a list nor an object");
	return isEmpty(params) ? [] : undefined;
}

function isEmpty(members: JsonObject): boolean {
	return members.size === 0;
}
