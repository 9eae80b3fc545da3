/** JSON of releases before 4.8.2 (protocol/releases §4): objects have hash map order. */

import { Base58Error, fromBase58Check, isAddress } from "../../address.js";
import { capacityFor } from "../../hash-table.js";
import { Decimal } from "../decimal.js";
import { NamedError, nullPointer } from "../exceptions.js";
import type { JsonLibrary } from "../json-library.js";
import { fieldOrder, hashOrdered } from "../map-ordered-json.js";
import type { JsonArray, JsonObject, JsonValue } from "../value.js";
import { END, isDigit, jsonError, LenientLexer, type LenientToken } from "./lenient-lexer.js";

const MAX_DEPTH = 512;
/** Maximum members and elements: more than the largest transaction has, parsed in tens of milliseconds. */
const MAX_VALUES = 100_000;

class LenientParser {
	private readonly lexer: LenientLexer;
	private depth = 0;
	private values = 0;

	constructor(source: string) {
		this.lexer = new LenientLexer(source);
	}

	document(): JsonValue {
		const lexer = this.lexer;
		// A leading bracket is consumed without a token, so positions in later messages start at zero.
		if (lexer.ch === "{" || lexer.ch === "[") {
			lexer.token = lexer.ch;
			lexer.next();
		} else lexer.nextToken();
		const value = this.value();
		if (lexer.token !== "EOF") throw jsonError(`not close json text, token : ${lexer.tokenName()}`);
		return value;
	}

	/** Reads the value at the current token and advances past it. */
	private value(): JsonValue {
		const lexer = this.lexer;
		switch (lexer.token) {
			case "Set":
			case "TreeSet":
				lexer.nextToken();
				return this.array(null);
			case "[":
				return this.array(null);
			case "{":
				return this.object();
			case "int":
			case "float": {
				const number = numberOf(lexer);
				lexer.nextToken();
				return number;
			}
			case "string": {
				const text = lexer.text;
				lexer.nextSeparator();
				return text;
			}
			case "null":
			case "undefined":
				lexer.nextToken();
				return null;
			case "true":
			case "false": {
				const value = lexer.token === "true";
				lexer.nextToken();
				return value;
			}
			case "new":
				return this.date();
			case "EOF":
				if (lexer.isBlank()) return null;
				throw jsonError(`unterminated json string, ${lexer.info()}`);
			case "hex": {
				const bytes = Buffer.from(lexer.text, "hex").toString("base64");
				lexer.nextToken();
				return bytes;
			}
			case "ident":
				if (lexer.text === "NaN") {
					lexer.nextToken();
					return null;
				}
				throw jsonError(`syntax error, ${lexer.info()}`);
			default:
				throw jsonError(`syntax error, ${lexer.info()}`);
		}
	}

	/** `new Date(5)` evaluates to its number. */
	private date(): JsonValue {
		const lexer = this.lexer;
		lexer.nextToken();
		if (!this.at("ident")) throw jsonError("syntax error");
		lexer.nextToken();
		this.accept("(");
		const number = this.at("int") ? numberOf(lexer) : null;
		this.accept("int");
		this.accept(")");
		return number;
	}

	/** Counts a member or element. */
	private spend(): void {
		if (++this.values > MAX_VALUES) throw jsonError(`more than ${MAX_VALUES} values`);
	}

	private at(token: LenientToken): boolean {
		return this.lexer.token === token;
	}

	private accept(token: LenientToken): void {
		if (!this.at(token)) {
			throw jsonError(`syntax error, expect ${token}, actual ${this.lexer.tokenName()}`);
		}
		this.lexer.nextToken();
	}

	private array(name: string | null): JsonArray {
		const lexer = this.lexer;
		if (!this.at("[")) {
			throw jsonError(
				`syntax error, expect [, actual ${lexer.tokenName()}, pos ${lexer.pos}, fieldName ${name}`,
			);
		}
		if (++this.depth > MAX_DEPTH) throw jsonError("array level > 512");
		const list: JsonValue[] = [];
		lexer.nextElement();
		for (;;) {
			while (this.at(",")) lexer.nextToken();
			this.spend();
			switch (lexer.token) {
				case "]":
					this.depth--;
					lexer.nextSeparator();
					return list;
				case "EOF":
					throw jsonError("unclosed jsonArray");
				case "int":
				case "float":
					list.push(numberOf(lexer));
					lexer.nextSeparator();
					break;
				case "string":
					list.push(lexer.text);
					lexer.nextSeparator();
					break;
				case "true":
				case "false":
					list.push(lexer.token === "true");
					lexer.nextSeparator();
					break;
				case "null":
				case "undefined":
					list.push(null);
					lexer.nextElement();
					break;
				case "{":
					list.push(this.object());
					break;
				default:
					list.push(this.value());
			}
			if (this.at(",")) lexer.nextElement();
		}
	}

	/** Reads members up to the closing brace; the opening one was consumed. */
	private object(): JsonObject {
		const lexer = this.lexer;
		if (++this.depth > MAX_DEPTH) throw jsonError("object level > 512");
		const members = new Map<string, JsonValue>();
		for (;;) {
			lexer.skipSpace();
			while (lexer.ch === ",") {
				lexer.next();
				lexer.skipSpace();
			}
			if (lexer.ch === "}") {
				lexer.next();
				break;
			}
			this.spend();
			const name = this.memberName();
			const ch = lexer.ch;
			if (ch === '"' || isDigit(ch) || ch === "-") {
				if (ch === '"') lexer.scanString(ch);
				else lexer.scanNumber();
				members.set(name, ch === '"' ? lexer.text : numberOf(lexer));
				lexer.skipSpace();
				if (lexer.ch === ",") {
					lexer.next();
					continue;
				}
				if (lexer.ch !== "}") throw jsonError(`syntax error, position at ${lexer.pos}, name ${name}`);
				lexer.next();
				break;
			}
			lexer.nextToken();
			if (ch === "[") {
				members.set(name, this.array(name));
				if (!this.endsMember()) throw jsonError("syntax error");
			} else if (ch === "{") {
				members.set(name, this.object());
				if (!this.endsMember()) throw jsonError(`syntax error, ${lexer.tokenName()}`);
			} else {
				members.set(name, this.value());
				if (!this.endsMember()) throw jsonError(`syntax error, position at ${lexer.pos}, name ${name}`);
			}
			if (this.at("}")) break;
		}
		this.depth--;
		lexer.nextToken();
		return members;
	}

	private endsMember(): boolean {
		return this.lexer.token === "}" || this.lexer.token === ",";
	}

	/** Reads a name and its colon, and advances to the value's first character. */
	private memberName(): string {
		const lexer = this.lexer;
		const ch = lexer.ch;
		let name: string;
		if (ch === '"' || ch === "'") {
			name = lexer.scanMemberName(ch);
			lexer.skipSpace();
			if (lexer.ch !== ":")
				throw jsonError(`expect ':' at ${lexer.pos}${ch === '"' ? `, name ${name}` : ""}`);
		} else if (ch === END) throw jsonError("syntax error");
		else if (isDigit(ch) || ch === "-") {
			lexer.scanNumber();
			try {
				name = numberOf(lexer).toString();
			} catch (error) {
				if (error instanceof NamedError) throw jsonError(`parse number key error${lexer.info()}`);
				throw error;
			}
			if (lexer.ch !== ":") throw jsonError(`parse number key error${lexer.info()}`);
		} else if (ch === "{" || ch === "[") throw jsonError(`illegal identifier : ${ch}${lexer.info()}`);
		else {
			name = lexer.scanBareName();
			lexer.skipSpace();
			if (lexer.ch !== ":") throw jsonError(`expect ':' at ${lexer.pos}, actual ${lexer.ch}`);
		}
		lexer.next();
		lexer.skipSpace();
		return name;
	}
}

function numberOf(lexer: LenientLexer): Decimal {
	if (lexer.token === "float") return Decimal.parse(lexer.text);
	if (lexer.text === "" || lexer.text === "-") throw new NamedError("NumberFormatException", lexer.text);
	return new Decimal(BigInt(lexer.text), 0);
}

/**
 * The generic JSON step (protocol/http §3.2): parses JSON with exact numbers. Accepts bare and single-quoted
 * names, comments, surplus commas and duplicate members (the last wins). Blank text is null.
 * @throws {NamedError} JSONException, or NumberFormatException for a malformed number
 */
export function parseLenient(text: string): JsonValue {
	return new LenientParser(text).document();
}

export const hashedLibrary: JsonLibrary = {
	number: 1,
	parse: parseLenient,
	error: jsonError,
	object: (members) => new Map(members),
	ordered: (members) => hashOrdered(members, ([name]) => name),
	fieldOrders: (fields) => {
		const orders = new Map<number, typeof fields>();
		for (let capacity = 16; capacity <= capacityFor(fields.length); capacity *= 2) {
			orders.set(
				capacity,
				fieldOrder(fields, ({ name }) => name, capacity),
			);
		}
		return orders;
	},
	mapEntry: (key, value) => `{"value":${value},"key":${key}}`,
	takesLongsAsText: false,
	endsAtComma: false,
	// The generic step has a lower limit, but a different grammar.
	maxDepth: 600,
	tooDeep: "The text is nested too deeply.",
	fieldAddress: (text, _name, error) => {
		let bytes: Uint8Array | undefined;
		try {
			bytes = fromBase58Check(text);
		} catch (thrown) {
			if (thrown instanceof Base58Error) throw error(`INVALID base58 String, ${thrown.message}`);
			throw thrown;
		}
		if (!bytes || !isAddress(bytes)) throw nullPointer();
		return bytes;
	},
	address: (text) => {
		const bytes = fromBase58Check(text);
		return bytes && isAddress(bytes) ? bytes : undefined;
	},
};
