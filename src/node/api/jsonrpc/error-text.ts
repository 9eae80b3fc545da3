/** Errors as parts of answers (protocol/json-rpc §2.4). */

import { INVALID_REQUEST, PARSE_ERROR, type RpcError } from "./rpc-error.js";

export const VERSION = "2.0";

/** The member `error`. @param data JSON text */
export function errorPart(code: number, message: string | null, data?: string): string {
	const member = data === undefined ? "" : `,"data":${data}`;
	return `"error":{"code":${code},"message":${JSON.stringify(message)}${member}}`;
}

const LIBRARY_TEXTS: ReadonlyMap<number, string> = new Map([
	[PARSE_ERROR, "JSON parse error"],
	[INVALID_REQUEST, "invalid request"],
]);

/** An error before any call: its id is the text `null`. */
export function libraryError(code: number): string {
	return `{"jsonrpc":"${VERSION}","id":"null",${errorPart(code, LIBRARY_TEXTS.get(code) ?? "")}}`;
}

/** A method's refusal. @param id JSON text */
export function methodError(version: string, id: string, { code, message, data = "{}" }: RpcError): string {
	const part = errorPart(code, message === "" ? null : message, JSON.stringify(data));
	return `{"jsonrpc":${JSON.stringify(version)},"id":${id},${part}}`;
}

/** A refusal by what stands before the methods, from release 4.8.2 on. @param id JSON text */
export function serverError(code: number, message: string, id = "null"): string {
	return `{"jsonrpc":"${VERSION}",${errorPart(code, message)},"id":${id}}`;
}
