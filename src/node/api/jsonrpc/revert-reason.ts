/** Revert reasons in errors (protocol/json-rpc §10). */

import { asBuffer, equalBytes, fromHex } from "../../../protocol/bytes.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import { REVERTED } from "../queries/contract-calls.js";
import { EXECUTION_REVERTED, RpcError } from "./rpc-error.js";
import { data } from "./values.js";

/** Selector of `Error(string)`, in which compilers wrap a reason. */
const ERROR_SELECTOR = fromHex("08c379a0");
const WORD = 32;
/** Longer reasons aren't read, or aren't reported. */
const MAX_REASON_BYTES = 1 << 20;
const MAX_TOLD_BYTES = 4_096;

/**
 * @param output what the call returned
 * @throws {NamedError} if the reason can't be read
 */
export function revertText(output: Uint8Array): string {
	const { length } = ERROR_SELECTOR;
	if (output.length <= length || !equalBytes(output.subarray(0, length), ERROR_SELECTOR)) return REVERTED;
	return `${REVERTED}: ${readString(output.subarray(length))}`;
}

/** A revert error with the text and code Ethereum libraries know. */
export function lenientRevert(output: Uint8Array): RpcError {
	return new RpcError(EXECUTION_REVERTED, `execution reverted${reasonSuffix(output)}`, data(output));
}

/** A call's return data, as error data. */
export function dataOf(output: Uint8Array): string | undefined {
	return output.length > 0 ? data(output) : undefined;
}

/** The revert reason; undefined if missing, empty, too long, or unreadable. */
export function revertMessage(output: Uint8Array): string | undefined {
	try {
		const reason = revertText(output).slice(REVERTED.length + 2);
		return reason === "" || Buffer.byteLength(reason) > MAX_TOLD_BYTES ? undefined : reason;
	} catch (error) {
		if (error instanceof NamedError) return undefined;
		throw error;
	}
}

/** `: <reason>`; empty if there is none, or it is empty, too long, or unreadable. */
export function reasonSuffix(output: Uint8Array): string {
	const reason = revertMessage(output);
	return reason === undefined ? "" : `: ${reason}`;
}

/** The string at the offset in the first word; bytes beyond the end are zero. */
function readString(body: Uint8Array): string {
	const place = readSize(body, 0);
	const size = readSize(body, place);
	const bytes = Buffer.alloc(size);
	bytes.set(body.subarray(place + WORD, place + WORD + size));
	return bytes.toString("utf8");
}

function readSize(body: Uint8Array, at: number): number {
	const word = asBuffer(body.subarray(at, at + WORD));
	const size = word.length === WORD ? BigInt(`0x${word.toString("hex")}`) : undefined;
	if (size === undefined || size > BigInt(MAX_REASON_BYTES)) {
		throw new NamedError("UnsupportedOperationException", "unsupported type:string");
	}
	return Number(size);
}
