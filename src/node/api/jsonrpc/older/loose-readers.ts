/** Parameters up to release 4.8.1 (protocol/json-rpc §3). */

import { toHex } from "../../../../protocol/bytes.js";
import { parseWrapped, wrap } from "../../../../protocol/int64.js";
import { NamedError, nullPointer, numberFormat } from "../../../../protocol/json/exceptions.js";
import { decodeFields } from "../../../../protocol/json/field-decoder.js";
import { decodeHexText } from "../../../../protocol/json/hex-text.js";
import { hashedLibrary } from "../../../../protocol/json/older/hashed-library.js";
import { SmartContractABI } from "../../../../protocol/messages.js";
import type { RawValue } from "../json-reader.js";
import type { CallInput } from "../parameter-readers.js";
import {
	asWord,
	fullAddress,
	parseHexInt64,
	readAmount,
	readHexParameter,
	readIndex,
	WORD_LENGTH,
} from "../readings.js";
import { invalidParams } from "../rpc-error.js";
import type { ParameterReaders } from "../strict-readers.js";
import { BARE_ADDRESS_LENGTH } from "../values.js";

const HASH = /^(?:0x)?[a-zA-Z0-9]{64}$/;

/** The class error of a list element that is not a text. */
function textOf(value: RawValue): string | null {
	if (value === null || typeof value === "string") return value;
	throw new NamedError("ClassCastException", "a list element is not a text");
}

function filterItem(value: RawValue, length: number, refusal: string): Uint8Array {
	const text = textOf(value);
	const bytes = decodeHexText(text);
	if (bytes.length !== length) throw invalidParams(`${refusal}: ${text}`);
	return bytes;
}

const input =
	({ data }: CallInput) =>
	() =>
		decodeHexText(data ?? null);

export const looseReaders: ParameterReaders = {
	pastStates: ["earliest", "pending", "finalized"],
	unknownBlocks: ["pending"],
	blockNumber: (text) => {
		// Of a larger number the low 64 bits.
		const value = text?.startsWith("0x") ? parseWrapped(text.slice(2), 16) : parseWrapped(text ?? "", 10);
		if (value === undefined) throw invalidParams("invalid block number");
		return value;
	},
	filterBound: (text) => {
		if (!text.startsWith("0x")) throw invalidParams("Incorrect hex syntax");
		const value = parseHexInt64(text);
		if (value === undefined) throw numberFormat(text.slice(2));
		return value;
	},
	isHash: (text) => text !== null && HASH.test(text),
	hash: (text) => {
		if (text === null) throw nullPointer();
		if (!HASH.test(text)) throw invalidParams("invalid hash value");
		return readHexParameter(text);
	},
	filterHash: (text) => decodeHexText(text),
	address: (text) => {
		const address = fullAddress(readHexParameter(text));
		if (!address) throw invalidParams("invalid address hash value");
		return address;
	},
	filterAddress: (value, refusal) => filterItem(value, BARE_ADDRESS_LENGTH, refusal),
	topic: (value) => filterItem(value, WORD_LENGTH, "invalid topic(s)"),
	index: (text, length) => {
		const place = readIndex(text);
		if (place < 0) {
			const reason = `Index ${place} out of bounds for length ${length}`;
			throw new NamedError("IndexOutOfBoundsException", reason);
		}
		return place < length ? place : undefined;
	},
	slot: (text) => {
		const bytes = decodeHexText(text);
		if (bytes.length > WORD_LENGTH) {
			throw new NamedError("RuntimeException", `Data word can't exceed 32 bytes: ${toHex(bytes)}`);
		}
		return asWord(bytes);
	},
	amount: readAmount,
	feeLimitSun: (gas, price) => wrap(readAmount(gas) * price),
	inputText: ({ data }) => data ?? null,
	input,
	agreedInput: input,
	contractAbi: (text, visible) =>
		decodeFields(SmartContractABI, `{"entrys":${text}}`, visible, hashedLibrary),
};
