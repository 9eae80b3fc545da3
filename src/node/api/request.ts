/** One request as endpoints read it: body text, JSON members, query parameters (protocol/http §3.1). */

import { fromUtf8, toKey } from "../../protocol/bytes.js";
import { type DecodeBudget, MAX_DEPTH } from "../../protocol/codec/budget.js";
import type { Message, MessageType } from "../../protocol/codec/descriptor.js";
import { NamedError } from "../../protocol/json/exceptions.js";
import { decodeFields } from "../../protocol/json/field-decoder.js";
import { type JsonLibrary, parseJsonObject } from "../../protocol/json/json-library.js";
import { mapOrderedJson } from "../../protocol/json/map-ordered-json.js";
import { readVisible } from "../../protocol/json/member-readers.js";
import type { JsonObject } from "../../protocol/json/value.js";
import type { Answers } from "./answers.js";
import { Parameters, readForm } from "./parameters.js";

/**
 * Maximum items in a request: results, signatures, contracts, votes, permission keys, notes. The largest
 * transaction has a few hundred; this stops requests full of empty items early.
 */
const MAX_ITEMS = 10_000;

/** No byte limit, since oversized bodies have their own answer. */
export const REQUEST_BUDGET: DecodeBudget = {
	bytes: Number.POSITIVE_INFINITY,
	items: MAX_ITEMS,
	depth: MAX_DEPTH,
};

const FORM = "application/x-www-form-urlencoded";

/** Whether parameters are also read from the body. */
export function isForm(contentType: string): boolean {
	return contentType.startsWith(FORM);
}

/**
 * How an endpoint takes its input: `body` and `raw` read the request's body, `raw` without turning forms into JSON;
 * `query` reads parameters and ignores a JSON body.
 */
export type InputMode = "body" | "raw" | "query";

export interface ReceivedRequest {
	readonly method: "GET" | "POST";
	/** The part of the URL after the question mark. */
	readonly query: string;
	/** As sent; empty if absent. */
	readonly contentType: string;
	/** Undefined if the body was longer than this server keeps. */
	readonly body: Uint8Array | undefined;
	/** Maximum body size in bytes. */
	readonly bodyLimit: number;
	readonly answers: Answers;
	/** Whether transactions may have the signatures only supported on the Nile testnet (protocol/schema §2.3). */
	readonly postQuantum: boolean;
}

export class RequestInput {
	private cachedText: string | undefined;
	private cachedObject: JsonObject | undefined;
	private cachedParameters: Parameters | undefined;
	private cachedVisible: boolean | undefined;

	constructor(
		private readonly received: ReceivedRequest,
		readonly mode: InputMode,
	) {}

	get contentType(): string {
		return this.received.contentType;
	}

	get answers(): Answers {
		return this.received.answers;
	}

	get library(): JsonLibrary {
		return this.answers.library;
	}

	get postQuantum(): boolean {
		return this.received.postQuantum;
	}

	get method(): "GET" | "POST" {
		return this.received.method;
	}

	/** URL parameters, and those of a form body. */
	get parameters(): Parameters {
		if (!this.cachedParameters) {
			const hasForm = this.received.method === "POST" && isForm(this.contentType);
			this.cachedParameters = Parameters.parse(this.received.query, hasForm ? this.bodyText() : "");
		}
		return this.cachedParameters;
	}

	/** Whether 64-bit integers are requested as text, by a parameter of GET requests. */
	get longsAsText(): boolean {
		if (!this.library.takesLongsAsText || this.method !== "GET" || this.received.query === "") return false;
		return this.parameters.find("int64_as_string")?.toLowerCase() === "true";
	}

	/**
	 * Whether the query is malformed in a release that reads {@link longsAsText} before anything else, outside
	 * any error handling.
	 */
	get hasUnreadableQuery(): boolean {
		return this.library.takesLongsAsText && this.method === "GET" && this.parameters.isMalformed;
	}

	/**
	 * The decoded body with normalized line feeds; up to release 4.8.1 without the size limit.
	 * @throws {NamedError} if it is too big
	 */
	bodyText(): string {
		const { body, bodyLimit } = this.received;
		if (!body || (this.answers.measuresBytes && body.length > bodyLimit)) throw this.tooBig();
		return decodeBody(body, this.contentType).replace(/\r\n?/g, "\n").replace(/\n$/, "");
	}

	private tooBig(): NamedError {
		return new NamedError("Exception", `body size is too big, the limit is ${this.received.bodyLimit}`);
	}

	/**
	 * The body as JSON text; in mode `body`, a form becomes an object of texts.
	 * @throws {NamedError} if it is too big
	 */
	get text(): string {
		if (this.cachedText === undefined) {
			const text = this.bodyText();
			const { measuresBytes } = this.answers;
			if (!measuresBytes && Buffer.byteLength(text) > this.received.bodyLimit) throw this.tooBig();
			this.cachedText =
				this.mode === "body" && this.contentType === FORM ? formToJson(text, this.library) : text;
		}
		return this.cachedText;
	}

	/** The body as an object. @throws {NamedError} if it is none */
	get object(): JsonObject {
		this.cachedObject ??= parseJsonObject(this.text, this.library);
		return this.cachedObject;
	}

	/** The block whose state is requested, from the body or the URL; undefined if none. */
	get block(): string | undefined {
		let member: unknown;
		try {
			if (this.mode !== "query" && this.text.trim() !== "") member = this.object.get("block");
		} catch (error) {
			// Whoever reads the body reports what is wrong with it.
			if (!(error instanceof NamedError)) throw error;
		}
		return member === undefined || member === null
			? (this.parameters.find("block") ?? undefined)
			: String(member);
	}

	/** Whether addresses and names are shown in their visible form. False for a blank body. */
	get visible(): boolean {
		this.cachedVisible ??= this.readVisible();
		return this.cachedVisible;
	}

	private readVisible(): boolean {
		if (this.mode === "query") return this.parameters.get("visible")?.toLowerCase() === "true";
		return this.text.trim() !== "" && readVisible(this.object);
	}

	/** The body as a message. @throws {NamedError} */
	fields<T extends Message>(type: MessageType<T>): T {
		return decodeFields(type, this.text, this.visible, this.library);
	}
}

function decodeBody(body: Uint8Array, contentType: string): string {
	const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase();
	if (charset === "utf-8" || charset === "utf8") return fromUtf8(body);
	if (charset === undefined) {
		return /^\s*(?:application|text)\/json\b/i.test(contentType) ? fromUtf8(body) : toKey(body);
	}
	if (charset === "iso-8859-1" || charset === "latin1") return toKey(body);
	try {
		return new TextDecoder(charset).decode(body);
	} catch {
		throw new NamedError("UnsupportedEncodingException", charset);
	}
}

/** A form as an object of texts, unless the text is already JSON. */
function formToJson(text: string, library: JsonLibrary): string {
	try {
		library.parse(text);
		return text;
	} catch (error) {
		if (!(error instanceof NamedError)) throw error;
	}
	const members = [...readForm(text)].map(
		([name, values]) => [name, values.length === 1 ? (values[0] as string) : values] as const,
	);
	return mapOrderedJson(library.object(members));
}
