/** Writes the answer to one HTTP request: statuses, headers, framing and backpressure (protocol/http §1.3). */

import { IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { HttpRequest } from "./plain-request.js";
import type { PlainResponse } from "./plain-response.js";

/** Content type of JSON answers. */
export const JSON_TYPE = "application/json;charset=utf-8";

/** Texts longer than this, in characters, are encoded to bytes first. */
const LARGE_TEXT = 64 << 10;

interface ErrorPage {
	readonly contentType: string;
	readonly text: string;
}

const HTML = "text/html;charset=iso-8859-1";

/** The servlet named on such a page; the network's nodes print a Java class and object here. */
const SERVLET = "coin";

/** The page for a non-200 status (protocol/http §1.3), in the form the client accepts, HTML by default. */
function errorPage(status: number, message: string, path: string, accept: string | undefined): ErrorPage {
	const form = acceptedForm(accept);
	const title = `${status} ${message}`;
	if (form === "application/json" || form === "text/json") {
		const page = { servlet: SERVLET, message, url: path, status: String(status) };
		const members = Object.entries(page).map(([name, value]) => `"${name}":${JSON.stringify(value)}`);
		return { contentType: form, text: `{\n${members.join(",\n")}\n}` };
	}
	const rows = Object.entries({ URI: path, STATUS: String(status), MESSAGE: message, SERVLET });
	if (form === "text/plain") {
		const lines = rows.map(([name, value]) => `${name}: ${value}\n`).join("");
		return { contentType: "text/plain;charset=iso-8859-1", text: `HTTP ERROR ${title}\n${lines}` };
	}
	const shown = escapeHtml(title);
	const cells = rows.map(([name, value]) => `<tr><th>${name}:</th><td>${escapeHtml(value)}</td></tr>\n`);
	return {
		contentType: HTML,
		text: `<html>\n<head>\n<title>Error ${shown}</title>\n</head>\n<body><h2>HTTP ERROR ${shown}</h2>\n<table>\n${cells.join("")}</table>\n</body>\n</html>\n`,
	};
}

const FORMS = ["text/html", "text/plain", "application/json", "text/json"];

/** The first known form in an Accept header, in listed order; otherwise HTML. */
function acceptedForm(accept: string | undefined): string {
	for (const part of (accept ?? "").split(",")) {
		const form = part.split(";")[0]?.trim().toLowerCase() ?? "";
		if (FORMS.includes(form)) return form;
		if (form === "*/*" || form === "text/*") break;
	}
	return "text/html";
}

function escapeHtml(text: string): string {
	return text
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;")
		.replaceAll('"', "&quot;");
}

/** The answer to one request. */
export class HttpAnswer {
	/** The status sent; 0 until then. */
	status = 0;
	/** Body bytes sent; 0 for error pages. */
	bytes = 0;
	/** Rewrites the body of a 200 before it is sent. */
	rewrite: ((text: string) => string) | undefined;

	constructor(
		private readonly request: HttpRequest,
		private readonly response: ServerResponse | PlainResponse,
	) {}

	/**
	 * Sends a status with a body, without the body for HEAD. Answers carry a Content-Length, like the network's
	 * (recorded in ops/limits).
	 */
	send(
		status: number,
		contentType: string | undefined,
		body: string | Buffer,
		more: Readonly<Record<string, string>> = {},
	): void {
		const { request, response, rewrite } = this;
		const written = status === 200 && rewrite ? rewrite(body.toString()) : body;
		// Encoded once: measuring, joining and writing a string would each copy it.
		const text = written.length > LARGE_TEXT && typeof written === "string" ? Buffer.from(written) : written;
		const length = typeof text === "string" ? Buffer.byteLength(text) : text.length;
		const headers: Record<string, string | number> = { ...more, "Content-Length": length };
		if (contentType !== undefined) headers["Content-Type"] = contentType;
		this.status = status;
		if (status === 200) this.bytes = length;
		response.writeHead(status, headers);
		response.end(request.method === "HEAD" ? undefined : text);
		this.readRest();
	}

	/** Sends a 200 whose body is in parts; each is released once the client has read the ones before. */
	async sendParts(contentType: string, parts: Buffer[], length: number): Promise<void> {
		if (this.rewrite || this.isHeadOnly) return this.send(200, contentType, Buffer.concat(parts, length));
		this.status = 200;
		this.response.writeHead(200, { "Content-Length": length, "Content-Type": contentType });
		for (let part = parts.shift(); part; part = parts.shift()) if (!(await this.piece(part))) return;
		this.end();
	}

	/** Answers HEAD with a 200 and the length the body would have. */
	sendHead(contentType: string, length: number): void {
		this.status = 200;
		this.bytes = length;
		this.response.writeHead(200, { "Content-Length": length, "Content-Type": contentType });
		this.response.end();
		this.readRest();
	}

	/** The client's cached copy is current. */
	notModified(headers: Readonly<Record<string, string>>): void {
		this.status = 304;
		this.response.writeHead(304, headers);
		this.response.end();
	}

	/** An unread request body must not block the connection. */
	private readRest(): void {
		if (this.request instanceof IncomingMessage) this.request.resume();
	}

	/**
	 * Starts an answer whose body comes in pieces. If the length is unknown, HTTP/1.1 uses chunks and older
	 * clients read until the connection closes, as with long answers of the network's node.
	 * @param more headers; the pieces come to the length that they name
	 */
	begin(contentType: string, status = 200, more: Readonly<Record<string, string | number>> = {}): void {
		this.status = status;
		this.response.writeHead(status, { ...more, "Content-Type": contentType });
	}

	/** Sends a piece; resolves once the client has accepted it. @returns false if the client has gone */
	async piece(bytes: Buffer): Promise<boolean> {
		const { response } = this;
		this.bytes += bytes.length;
		if (response.destroyed || response.writableEnded) return false;
		if (response.write(bytes)) return true;
		return new Promise((resolve) => {
			const settle = (goesOn: boolean) => (): void => {
				response.off("drain", drained);
				response.off("close", closed);
				resolve(goesOn);
			};
			const drained = settle(true);
			const closed = settle(false);
			response.once("drain", drained);
			response.once("close", closed);
		});
	}

	/** Ends what {@link begin} started. */
	end(): void {
		this.response.end();
		this.readRest();
	}

	/** Aborts the answer, so that the client doesn't take it for complete. */
	breakOff(): void {
		this.response.destroy();
	}

	/** Calls a function when the answer has been sent or can't be any more; possibly more than once. */
	whenSent(done: () => void): void {
		const { response } = this;
		response.once("close", done);
		if ("whenFinished" in response) response.whenFinished(done);
	}

	/** Whether the client requested only the head. */
	get isHeadOnly(): boolean {
		return this.request.method === "HEAD";
	}

	/** Adds a header to the answer. */
	header(name: string, value: string): void {
		this.response.setHeader(name, value);
	}

	empty(status: number): void {
		this.send(status, undefined, "");
	}

	page(status: number, message = STATUS_CODES[status] ?? ""): void {
		const { url = "/", headers } = this.request;
		const { contentType, text } = errorPage(status, message, url.split("?")[0] ?? url, headers.accept);
		this.send(status, contentType, text, { "Cache-Control": "must-revalidate,no-cache,no-store" });
	}

	/** What the network's servers answer from release 4.8.2 on to a body whose declared length exceeds the limit. */
	tooLarge(): void {
		const page = "<h1>Bad Message 413</h1><pre>reason: Payload Too Large</pre>";
		this.send(413, "text/html;charset=iso-8859-1", page);
	}

	unsupported(method: string): void {
		this.page(405, `HTTP method ${method} is not supported by this URL`);
	}

	options(allow: string, contentType: string | undefined): void {
		this.send(200, contentType, "", { Allow: allow });
	}

	redirect(location: string): void {
		this.send(302, undefined, "", { Location: location });
	}
}
