/**
 * The plainest requests, read without node:http, which takes as long to parse one as it takes to answer it:
 * an HTTP/1.1 GET or POST that arrived complete, in one piece and on its own, and can't be interpreted in two
 * ways. Everything else isn't judged here but left to node:http.
 */

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { asBuffer } from "../../protocol/bytes.js";

/** Maximum size of the head and of the whole request; longer ones are left to node:http. */
const MAX_HEAD = 4_096;
const MAX_REQUEST = 16_384;

const HEAD_END = Buffer.from("\r\n\r\n");
/** Paths and queries of these characters mean the same to any parser, however strict. */
const REQUEST_LINE = /^(GET|POST) (\/[0-9A-Za-z/_.?&=%+,:;~-]*) HTTP\/1\.1\r\n/;
/** A single-line header of printable characters, with no whitespace around the value except a space after the colon. */
const HEADER = /([0-9A-Za-z-]+):(?: ([!-~](?:[ -~]*[!-~])?)?)?\r\n/y;
/** Headers that change how the rest is read or how the connection is handled. */
const SPECIAL: ReadonlySet<string> = new Set([
	"expect",
	"proxy-connection",
	"set-cookie",
	"te",
	"trailer",
	"transfer-encoding",
	"upgrade",
]);

/** The head of a plain request, in node:http's terms. */
interface PlainHead {
	/** As received, including the final empty line. */
	readonly text: string;
	readonly method: "GET" | "POST";
	readonly url: string;
	readonly headers: Readonly<IncomingHttpHeaders>;
	readonly rawHeaders: readonly string[];
	readonly bodyLength: number;
}

/** A request that is complete from the start. */
export class PlainRequest {
	readonly httpVersion = "1.1";
	readonly complete = true;
	/** May be changed by its handler. */
	url: string;

	constructor(
		readonly head: PlainHead,
		readonly body: Uint8Array,
		readonly socket: Socket,
	) {
		this.url = head.url;
	}

	get method(): "GET" | "POST" {
		return this.head.method;
	}

	get headers(): Readonly<IncomingHttpHeaders> {
		return this.head.headers;
	}

	get rawHeaders(): readonly string[] {
		return this.head.rawHeaders;
	}
}

/**
 * Parses what arrived on a connection in one piece.
 * @param last the head of the connection's request before: clients send the same one again and again
 * @returns undefined: it is not a plain request
 */
export function readPlainRequest(
	bytes: Uint8Array,
	socket: Socket,
	last: PlainHead | undefined,
): PlainRequest | undefined {
	if (bytes.length > MAX_REQUEST) return undefined;
	const received = asBuffer(bytes);
	const end = received.indexOf(HEAD_END) + HEAD_END.length;
	if (end < HEAD_END.length || end > MAX_HEAD) return undefined;
	const text = received.toString("latin1", 0, end);
	const head = last?.text === text ? last : readHead(text);
	if (head?.bodyLength !== received.length - end) return undefined;
	return new PlainRequest(head, received.subarray(end), socket);
}

function readHead(text: string): PlainHead | undefined {
	const line = REQUEST_LINE.exec(text);
	if (!line) return undefined;
	const method = line[1] as "GET" | "POST";
	const headers: Record<string, string> = {};
	const rawHeaders: string[] = [];
	HEADER.lastIndex = line[0].length;
	while (HEADER.lastIndex < text.length - "\r\n".length) {
		const header = HEADER.exec(text);
		if (!header) return undefined;
		const [, raw = "", value = ""] = header;
		const name = raw.toLowerCase();
		if (SPECIAL.has(name) || Object.hasOwn(headers, name)) return undefined;
		headers[name] = value;
		rawHeaders.push(raw, value);
	}
	const { host, connection = "keep-alive", "content-length": length = "0" } = headers;
	if (host === undefined || connection.toLowerCase() !== "keep-alive" || !/^[0-9]{1,5}$/.test(length)) {
		return undefined;
	}
	const bodyLength = Number(length);
	if (method === "GET" && bodyLength > 0) return undefined;
	return { text, method, url: line[2] as string, headers, rawHeaders, bodyLength };
}

/** A request as handlers see it, whichever parser read it. */
export type HttpRequest = IncomingMessage | PlainRequest;
