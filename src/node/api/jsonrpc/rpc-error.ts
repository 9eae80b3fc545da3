/** JSON-RPC errors and their codes (protocol/json-rpc §2.4). */

import type { Dialect } from "../../../protocol/dialect.js";
import { messageText } from "../../../protocol/json/exceptions.js";

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL = -32000;
/** A server failure outside the methods. */
export const INTERNAL_ERROR = -32603;
/** An error the method doesn't declare. */
export const UNDECLARED = -32001;
/** A reverted call, with the code Ethereum libraries know. */
export const EXECUTION_REVERTED = 3;
export const EXCEEDS_LIMIT = -32005;
const RESPONSE_TOO_LARGE = -32003;

/** An error reported by a method, sent as is. */
export class RpcError extends Error {
	override readonly name = "RpcError";

	constructor(
		readonly code: number,
		message: string,
		/** A reverted call's return data, which clients read besides the message. */
		readonly data?: string,
	) {
		super(message);
	}
}

export function invalidRequest(message: string): RpcError {
	return new RpcError(INVALID_REQUEST, message);
}

export function invalidParams(message: string): RpcError {
	return new RpcError(INVALID_PARAMS, message);
}

export function internal(message: string): RpcError {
	return new RpcError(INTERNAL, message);
}

/** The answer would exceed the size limit. */
export class ResponseTooLong extends RpcError {
	constructor(limit: number) {
		super(RESPONSE_TOO_LARGE, `Response exceeds the limit of ${limit} bytes`);
	}
}

/** A method that is listed but not served. */
export function notAvailable(method: string, where = ""): RpcError {
	return new RpcError(METHOD_NOT_FOUND, `the method ${method} does not exist/is not available${where}`);
}

/** The message of another layer's error, with double quotes replaced by single ones. */
export function quotedText(error: Error, dialect: Dialect): string {
	return messageText(error, dialect).replaceAll('"', "'");
}
