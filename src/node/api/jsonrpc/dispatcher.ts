/** From the text of a request to the text of its answer (sheet 07 §2). */

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
	UNDECLARED,
} from "./rpc-error.js";

const VERSION = "2.0";
/** A batch lets other work in after this long. */
const BATCH_TURN_MS = 10;

export interface DispatcherOptions {
	/** By name and by alias. */
	readonly methods: ReadonlyMap<string, Method>;
	/** The node as the next call sees it. */
	readonly context: () => RpcContext;
	/** Calls in one batch; 0 or less: any number. */
	readonly maxBatchSize: number;
}

/** A request or a part of it that makes no call: its whole answer is empty, or that of a text that is no JSON. */
class UnreadableCall extends Error {
	override readonly name = "UnreadableCall";
}

export class Dispatcher {
	constructor(private readonly options: DispatcherOptions) {}

	/**
	 * Answers a request; an empty text is an empty answer. Never throws.
	 * @param isAbandoned tells whether nobody waits for the answer any more
	 */
	async answer(request: string, isAbandoned?: () => boolean): Promise<string> {
		let value: JsonValue;
		try {
			value = readJson(request);
		} catch (error) {
			if (error instanceof JsonTextError) return libraryError(PARSE_ERROR);
			throw error;
		}
		if (isJsonArray(value)) return this.batch(value, isAbandoned);
		try {
			return (await this.single(value, isAbandoned)) ?? "";
		} catch (error) {
			if (error instanceof UnreadableCall) return "";
			throw error;
		}
	}

	private async batch(calls: JsonArray, isAbandoned?: () => boolean): Promise<string> {
		const { maxBatchSize } = this.options;
		if (maxBatchSize > 0 && calls.length > maxBatchSize) {
			return methodError(
				VERSION,
				'"null"',
				new RpcError(EXCEEDS_LIMIT, `Batch size ${calls.length} exceeds the limit of ${maxBatchSize}`),
			);
		}
		const answers: string[] = [];
		const turns = new Turns(BATCH_TURN_MS);
		for (const call of calls) {
			answers.push(await this.element(call, isAbandoned));
			if (turns.over) await turns.yield();
		}
		return `[${answers.join(",")}]`;
	}

	private async element(call: JsonValue, isAbandoned?: () => boolean): Promise<string> {
		if (isJsonArray(call)) return this.batch(call, isAbandoned);
		try {
			return (await this.single(call, isAbandoned)) ?? "null";
		} catch (error) {
			if (error instanceof UnreadableCall) return libraryError(PARSE_ERROR);
			throw error;
		}
	}

	/**
	 * The answer to one call; undefined: a notification that succeeded.
	 * @throws {UnreadableCall}
	 */
	private async single(call: JsonValue, isAbandoned?: () => boolean): Promise<string | undefined> {
		if (!isJsonObject(call)) return libraryError(INVALID_REQUEST);
		const id = readId(call.get("id"));
		const version = plainText(call.get("jsonrpc")) ?? VERSION;
		const method = this.options.methods.get(plainText(call.get("method")) ?? "");
		const reply = (part: string): string =>
			`{"jsonrpc":${JSON.stringify(version)},"id":${id ?? "null"},${part}}`;
		if (!method) return reply(errorPart(METHOD_NOT_FOUND, "method not found"));
		const values = readParameters(call.get("params"));
		if (values?.length !== method.parameters.length) {
			return reply(errorPart(INVALID_PARAMS, "method parameters invalid"));
		}
		const context = { ...this.options.context(), isAbandoned };
		const { observer } = context.node;
		const started = observer ? performance.now() : 0;
		try {
			const result = await method.call(context, values);
			return id === undefined ? undefined : reply(`"result":${resultText(result)}`);
		} catch (error) {
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
