/** A request before it reaches an endpoint: its path, the size of its head, and unreadable requests. */

import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { HttpRequest } from "./plain-request.js";

const MAX_REQUEST_LINE = 8192;
const MAX_HEAD = 8192;

/** The status for rejecting an oversized head. */
export function headRefusal({ method = "", url = "", rawHeaders }: HttpRequest): 414 | 431 | undefined {
	let size = method.length + url.length + "  HTTP/1.1".length;
	if (size > MAX_REQUEST_LINE) return 414;
	size += "\r\n".length;
	for (const part of rawHeaders) size += part.length + 2;
	return size > MAX_HEAD ? 431 : undefined;
}

/** The normalized path by which endpoints are looked up. */
export function pathOf({ url = "/" }: HttpRequest): string {
	const question = url.indexOf("?");
	return plainPath(question < 0 ? url : url.slice(0, question));
}

/** A request's Content-Length in bytes. */
export const lengthOf = ({ headers }: HttpRequest): number => Number(headers["content-length"] ?? 0);

/** What follows the question mark. */
export function queryOf({ url = "/" }: HttpRequest): string {
	const question = url.indexOf("?");
	return question < 0 ? "" : url.slice(question + 1);
}

/** A path without escapes, parameters (`;x=1`) and dot segments; a malformed one is left unchanged and matches nothing. */
function plainPath(path: string): string {
	if (!/[%;.]/.test(path)) return path;
	const segments: string[] = [];
	for (const part of path.split("/")) {
		const segment = part.replace(/;.*$/, "");
		if (segment === "..") segments.pop();
		else if (segment !== ".") segments.push(segment);
	}
	try {
		return decodeURIComponent(segments.join("/"));
	} catch {
		return path;
	}
}

export function traceOf({ method, url, httpVersion, rawHeaders }: HttpRequest): string {
	const lines = [`${method} ${url} HTTP/${httpVersion}`];
	for (let i = 0; i < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
	return `${lines.join("\r\n")}\r\n`;
}

/** Answers bytes that aren't an HTTP request, and closes the connection. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
	if (!socket.writable || error.code === "ECONNRESET") {
		socket.destroy();
		return;
	}
	const status = error.code === "HPE_INVALID_METHOD" ? 501 : error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400;
	socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
