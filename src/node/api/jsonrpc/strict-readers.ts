/** Parameter readers (protocol/json-rpc §3.1): an unreadable value is an invalid parameter with its own error text. */

import { equalBytes } from "../../../protocol/bytes.js";
import { wrap } from "../../../protocol/int64.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import { decodeFields } from "../../../protocol/json/field-decoder.js";
import { decodeHexText } from "../../../protocol/json/hex-text.js";
import { SmartContractABI } from "../../../protocol/messages.js";
import type { CallInput } from "./answers.js";
import { runtimeText } from "./declared-types.js";
import type { RawValue } from "./json-reader.js";
import {
	asWord,
	fullAddress,
	optionalHex,
	readAmount,
	readHexParameter,
	readIndex,
	WORD_LENGTH,
} from "./readings.js";
import { invalidParams } from "./rpc-error.js";
import { BARE_ADDRESS_LENGTH, type BlockTag } from "./values.js";

/** Maximum parameter lengths in characters; longer ones aren't parsed. */
const MAX_NUMBER = 20;
const MAX_INDEX = 10;
const MAX_ADDRESS = 44;
const MAX_FILTER_ADDRESS = 42;
const MAX_SLOT = 66;

const HASH = /^(?:0x)?[0-9a-fA-F]{64}$/;
const TOPIC = /^(?:0x)?[0-9a-fA-F]{63,64}$/;
/** `0x` with pairs of digits, or empty. */
const INPUT = /^(?:0x(?:[0-9a-fA-F]{2})*)?$/;
const HEX_NUMBER = /^0x[+-]?[0-9a-fA-F]+$/;
const DECIMAL_NUMBER = /^[+-]?\d+$/;

function readNumber(text: string | null): bigint {
	const value = text === null || text.length > MAX_NUMBER ? undefined : parseNumber(text);
	if (value === undefined || value < 0n || value !== wrap(value)) throw invalidParams("invalid block number");
	return value;
}

function parseNumber(text: string): bigint | undefined {
	if (!HEX_NUMBER.test(text) && !DECIMAL_NUMBER.test(text)) return undefined;
	const magnitude = BigInt(text.replace(/[+-]/, ""));
	return text.includes("-") ? -magnitude : magnitude;
}

function readHash(text: string | null): Uint8Array {
	if (text === null || !HASH.test(text)) throw invalidParams("invalid hash value");
	return decodeHexText(text);
}

function readAmountFromZero(text: string | null | undefined): bigint {
	const amount = readAmount(text);
	if (amount < 0n) throw invalidParams("invalid param value: negative");
	return amount;
}

function readData(data: string | null): Uint8Array {
	const bytes = optionalHex(data ?? "");
	if (!bytes) throw invalidParams('invalid hex string for "data"');
	return bytes;
}

function readInput(input: string): Uint8Array {
	if (!INPUT.test(input)) throw invalidParams('invalid hex string for "input"');
	return decodeHexText(input);
}

const isGiven = (text: string | null | undefined): text is string => text !== null && text !== undefined;

/** `input` takes precedence over `data`, which is then not even validated. */
function readCallInput({ data, input }: CallInput): Uint8Array {
	return isGiven(input) ? readInput(input) : readData(data ?? null);
}

function readAgreedInput(call: CallInput): Uint8Array {
	const bytes = readCallInput(call);
	if (isGiven(call.input) && isGiven(call.data) && !equalBytes(bytes, readData(call.data))) {
		throw invalidParams(
			'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
		);
	}
	return bytes;
}

/** All throw {@link RpcError} or a `NamedError`. */
export const strictReaders = {
	/** Tags without stored state, and tags without blocks. */
	pastStates: ["earliest", "pending", "finalized", "safe"] as readonly BlockTag[],
	unknownBlocks: ["pending", "safe"] as readonly BlockTag[],
	/** A block number, hex or decimal. */
	blockNumber: readNumber,
	/** A log filter bound given as a number, hex only. -1 means the head. */
	filterBound: (text: string) => {
		if (!text.startsWith("0x")) throw invalidParams("Incorrect hex syntax");
		return readNumber(text);
	},
	/** Whether a text is a block id. */
	isHash: (text: string | null): boolean => text !== null && HASH.test(text),
	/** A block or transaction id, and the id of a log filter's single block. */
	hash: readHash,
	filterHash: (text: string) => readHash(text),
	/** An address with or without its network prefix. */
	address: (text: string | null) => {
		const isReadable = text !== null && text.length <= MAX_ADDRESS;
		const address = isReadable ? fullAddress(readHexParameter(text)) : undefined;
		if (!address) throw invalidParams("invalid address");
		return address;
	},
	/** An address in a log filter. @param refusal what stands before the text that is refused */
	filterAddress: (value: RawValue, refusal: string) => {
		const isReadable = typeof value === "string" && value.length <= MAX_FILTER_ADDRESS;
		const bytes = isReadable ? optionalHex(value) : undefined;
		if (bytes?.length !== BARE_ADDRESS_LENGTH) throw invalidParams(`${refusal}: ${runtimeText(value)}`);
		return bytes;
	},
	topic: (value: RawValue) => {
		if (typeof value !== "string" || !TOPIC.test(value)) {
			throw invalidParams(`invalid topic(s): ${runtimeText(value)}`);
		}
		return decodeHexText(value);
	},
	/** An index into a list of this length; undefined if out of range. */
	index: (text: string | null, length: number) => {
		if (text !== null && text.length > MAX_INDEX) throw invalidParams("invalid index value");
		const place = readIndex(text);
		return place >= 0 && place < length ? place : undefined;
	},
	/** A storage slot: 32 bytes, left-padded with zeros. */
	slot: (text: string | null) => {
		const bytes = text === null || text.length > MAX_SLOT ? undefined : optionalHex(text);
		if (!bytes || bytes.length > WORD_LENGTH) throw invalidParams("invalid storage key value");
		return asWord(bytes);
	},
	/** An amount; 0 if missing. */
	amount: readAmountFromZero,
	/** The fee limit that buys the energy given as `gas`. @param price of a unit in sun */
	feeLimitSun: (gas: string | null | undefined, price: bigint) => {
		const feeLimit = readAmountFromZero(gas) * price;
		if (feeLimit !== wrap(feeLimit)) throw invalidParams("invalid gas: fee limit overflow");
		return feeLimit;
	},
	/** The call data as given. */
	inputText: ({ data, input }: CallInput) => input ?? data ?? null,
	/** The call data bytes. Errors occur when they are read or when they are requested, depending on the release. */
	input: (call: CallInput) => {
		const bytes = readCallInput(call);
		return () => bytes;
	},
	/** Like `input`, but `data` and `input` must agree. */
	agreedInput: (call: CallInput) => {
		const bytes = readAgreedInput(call);
		return () => bytes;
	},
	/** A contract ABI, given as the text of a list. */
	contractAbi: (text: string, visible: boolean) => {
		try {
			return decodeFields(SmartContractABI, `{"entrys":${text}}`, visible);
		} catch (error) {
			if (error instanceof NamedError) throw invalidParams("invalid abi");
			throw error;
		}
	},
};

export type ParameterReaders = typeof strictReaders;
