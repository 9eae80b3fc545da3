/**
 * Exception names on the wire. Clients read `class <package>.<Class> : <message>` in error answers
 * (protocol/http §4.2); only this file knows the packages.
 *
 * In code, an error's `name` is its bare class name. Answers in the neutral dialect contain just that.
 */

import { type Dialect, spell } from "../dialect.js";
import { QuotingMessage, spellMessage } from "../quoting-message.js";

/** An error whose class name clients see. Its text is sent verbatim: it may quote client input. */
export class NamedError extends Error {
	/** The message for clients; null if the original exception has none. */
	readonly text: string | null;

	constructor(
		/** Class name, as a key of the package table: `JsonFormat$ParseException`. */
		override readonly name: string,
		text: string | null,
	) {
		super(text ?? "null");
		this.text = text;
	}
}

/** Package of exceptions for violated chain rules. */
const CHAIN_PACKAGE = "org.coin.core.exception.";

const PACKAGES: Readonly<Record<string, readonly string[]>> = {
	[CHAIN_PACKAGE]: [
		"BadItemException",
		"ContractExeException",
		"ContractValidateException",
		"HeaderNotFound",
		"ItemNotFoundException",
		"MaintenanceUnavailableException",
		"NonUniqueObjectException",
		"PermissionException",
		"SignatureFormatException",
		"StoreException",
		"ZksnarkException",
	],
	"org.coin.core.services.http.": ["JsonFormat$ParseException"],
	"com.alibaba.fastjson.": ["JSONException"],
	"com.google.protobuf.": [
		"InvalidProtocolBufferException",
		"InvalidProtocolBufferException$InvalidWireTypeException",
	],
	"java.lang.": [
		"ArithmeticException",
		"ArrayIndexOutOfBoundsException",
		"ClassCastException",
		"Exception",
		"IllegalAccessException",
		"IllegalArgumentException",
		"IllegalStateException",
		"IndexOutOfBoundsException",
		"NullPointerException",
		"NumberFormatException",
		"RuntimeException",
		"StringIndexOutOfBoundsException",
		"UnsupportedOperationException",
	],
	"java.io.": ["UnsupportedEncodingException"],
	"java.security.": ["InvalidParameterException", "SignatureException"],
	"org.bouncycastle.util.encoders.": ["DecoderException"],
	"org.eclipse.jetty.http.": ["BadMessageException"],
	"org.eclipse.jetty.util.": ["Utf8Appendable$NotUtf8Exception"],
};

const packageOf = new Map<string, string>();
for (const [prefix, names] of Object.entries(PACKAGES)) for (const name of names) packageOf.set(name, prefix);

/** Internal error names that have another name on the wire. */
const ALIASES: Readonly<Record<string, string>> = {
	DecodeError: "InvalidProtocolBufferException",
	BudgetError: "InvalidProtocolBufferException",
};

/** Chain errors carry their wire class separately, some with its package. */
function declaredName(error: Error): string | undefined {
	const { className } = error as Error & { readonly className?: unknown };
	return typeof className === "string" ? className : undefined;
}

function wireName(error: Error): string {
	const declared = declaredName(error);
	if (declared !== undefined) return declared;
	const name = ALIASES[error.name] ?? error.name;
	if (packageOf.has(name) || name.includes(".") || name.startsWith("Program$")) return name;
	return "RuntimeException";
}

/** Whether clients see one of these class names for an error. */
export function hasWireName(error: unknown, ...names: readonly string[]): error is Error {
	return error instanceof Error && names.includes(error.name);
}

function packageFor(name: string): string {
	return packageOf.get(name) ?? (name.startsWith("Program$") ? "org.coin.core.vm.program." : CHAIN_PACKAGE);
}

/** Whether an error is an expected outcome reported to clients, rather than a bug. */
export function isWireError(error: unknown): error is Error {
	return error instanceof Error && (error instanceof NamedError || wireName(error) !== "RuntimeException");
}

/** An error's message, with its quotations if they are marked. */
function rawMessageOf(error: Error): string | QuotingMessage {
	const { rawMessage } = error as Error & { readonly rawMessage?: unknown };
	return rawMessage instanceof QuotingMessage ? rawMessage : error.message;
}

/** The error's message for clients, `null` if it has none. */
export function messageText(error: Error, dialect: Dialect): string {
	if (error instanceof NamedError) return error.text ?? "null";
	return spellMessage(rawMessageOf(error), dialect);
}

/** Class name for clients: with its package, or bare in the neutral dialect. */
export function className(error: Error, dialect: Dialect): string {
	const name = wireName(error);
	if (dialect === "neutral") return name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf("$")) + 1);
	return spell(name.includes(".") ? name : packageFor(name) + name, dialect);
}

/** `class <package>.<Class> : <message>`; in the neutral dialect `<Class> : <message>`. */
export function exceptionText(error: Error, dialect: Dialect): string {
	const name = className(error, dialect);
	return `${dialect === "deployed" ? "class " : ""}${name} : ${messageText(error, dialect)}`;
}

export function nullPointer(): NamedError {
	return new NamedError("NullPointerException", null);
}

export function numberFormat(text: string): NamedError {
	return new NamedError("NumberFormatException", `For input string: "${text}"`);
}
