/** JSON-RPC behaviour before release 4.8.2 (protocol/json-rpc §§2 to 10). */

import { toHex } from "../../../../protocol/bytes.js";
import { parseWrapped, wrap } from "../../../../protocol/int64.js";
import { NamedError, nullPointer, numberFormat } from "../../../../protocol/json/exceptions.js";
import { decodeFields } from "../../../../protocol/json/field-decoder.js";
import { decodeHexText } from "../../../../protocol/json/hex-text.js";
import { hashedLibrary } from "../../../../protocol/json/older/hashed-library.js";
import { SmartContractABI } from "../../../../protocol/messages.js";
import type { Older } from "../../../rules/release.js";
import { TimeSlice } from "../../../scheduling/time-slice.js";
import type { CallInput, RpcAnswers } from "../answers.js";
import {
	BATCH_TURN_MS,
	type Envelope,
	type Enveloped,
	type EnvelopeLimits,
	exceeds,
	libraryError,
	methodError,
	type RequestWork,
	readId,
	UnreadableCall,
	VERSION,
} from "../envelope.js";
import {
	isRawArray,
	isRawObject,
	type JsonBudget,
	type RawArray,
	type RawObject,
	type RawValue,
	RPC_BUDGET,
} from "../json-reader.js";
import { BatchText } from "../long-result.js";
import type { AnswerText } from "../method.js";
import {
	asWord,
	fullAddress,
	parseHexInt64,
	readAmount,
	readHexParameter,
	readIndex,
	WORD_LENGTH,
} from "../readings.js";
import { dataOf, revertText } from "../revert-reason.js";
import {
	EXCEEDS_LIMIT,
	INTERNAL,
	INVALID_REQUEST,
	internal,
	invalidParams,
	PARSE_ERROR,
	ResponseTooLong,
	RpcError,
} from "../rpc-error.js";
import type { ParameterReaders } from "../strict-readers.js";
import { BARE_ADDRESS_LENGTH, ZERO_NONCE } from "../values.js";

const HASH = /^(?:0x)?[a-zA-Z0-9]{64}$/;

/** The class cast error for a list element that isn't text. */
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

/** Parameters up to release 4.8.1 (protocol/json-rpc §3). */
const looseReaders: ParameterReaders = {
	pastStates: ["earliest", "pending", "finalized"],
	unknownBlocks: ["pending"],
	blockNumber: (text) => {
		// A larger number is reduced to its low 64 bits.
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

/** Shared by the calls of a batch and its nested batches. */
interface BatchWork extends RequestWork {
	readonly turns: TimeSlice;
	/** Remaining size of the answer: characters, and bytes of long parts. */
	left: number;
}

/**
 * The envelope up to release 4.8.1 (protocol/json-rpc §2.3): batches may be nested, and every part gets an
 * answer. Those releases have no limits; ours use the error texts of later ones.
 */
class NestedEnvelope implements Envelope {
	readonly budget: JsonBudget = RPC_BUDGET;

	constructor(private readonly limits: EnvelopeLimits) {}

	unreadable(): Enveloped {
		return line(libraryError(PARSE_ERROR));
	}

	undeclared(className: string, message: string | null): string {
		return JSON.stringify({ exceptionTypeName: className, message });
	}

	async answer(request: RawValue, work: RequestWork): Promise<Enveloped> {
		try {
			return line(isRawArray(request) ? await this.batches(request, work) : await this.one(request, work));
		} catch (error) {
			if (error instanceof UnreadableCall) return line("");
			if (error instanceof ResponseTooLong) return line(methodError(VERSION, '"null"', error));
			throw error;
		}
	}

	private async one(request: RawValue, work: RequestWork): Promise<AnswerText> {
		if (!isRawObject(request)) return libraryError(INVALID_REQUEST);
		const { maxResponseSize } = this.limits;
		const text = await this.called(request, work);
		return exceeds(text ?? "", maxResponseSize)
			? refused(request, new ResponseTooLong(maxResponseSize))
			: (text ?? "");
	}

	/**
	 * The answer to a call, including the error if the method finds that it would be too long.
	 * @throws {UnreadableCall}
	 */
	private async called(call: RawObject, work: RequestWork): Promise<AnswerText | undefined> {
		try {
			return await work.single(call);
		} catch (error) {
			if (error instanceof ResponseTooLong) return refused(call, error);
			throw error;
		}
	}

	/** A batch with its nested batches: one limit covers the calls of all. @throws {ResponseTooLong} */
	private async batches(calls: RawArray, work: RequestWork): Promise<AnswerText> {
		const { maxBatchSize, maxResponseSize } = this.limits;
		const count = callsIn(calls);
		if (maxBatchSize > 0 && count > maxBatchSize) {
			const text = `Batch size ${count} exceeds the limit of ${maxBatchSize}`;
			return methodError(VERSION, '"null"', new RpcError(EXCEEDS_LIMIT, text));
		}
		const left = maxResponseSize > 0 ? maxResponseSize : Number.POSITIVE_INFINITY;
		return this.batch(calls, { ...work, turns: new TimeSlice(BATCH_TURN_MS), left });
	}

	private async batch(calls: RawArray, work: BatchWork): Promise<AnswerText> {
		const answers = new BatchText();
		for (const call of calls) {
			if (work.isAbandoned()) break;
			const answer = isRawArray(call) ? await this.batch(call, work) : await this.element(call, work);
			if (!isRawArray(call)) work.left -= answer.length + 1;
			if (work.left < 0) throw new ResponseTooLong(this.limits.maxResponseSize);
			answers.add(answer);
			if (work.turns.over) await work.turns.yield();
		}
		return answers.isEmpty ? "[]" : answers.end();
	}

	private async element(call: RawValue, work: RequestWork): Promise<AnswerText> {
		if (!isRawObject(call)) return libraryError(INVALID_REQUEST);
		try {
			return (await this.called(call, work)) ?? "null";
		} catch (error) {
			if (error instanceof UnreadableCall) return libraryError(PARSE_ERROR);
			throw error;
		}
	}
}

function refused(call: RawObject, error: ResponseTooLong): string {
	return methodError(VERSION, readId(call.get("id")) ?? "null", error);
}

function line(text: AnswerText): Enveloped {
	return { text, isLine: text !== "" };
}

/** Number of calls in a batch, including nested ones. */
function callsIn(batch: RawArray): number {
	let count = 0;
	for (const call of batch) count += isRawArray(call) ? callsIn(call) : 1;
	return count;
}

export const olderAnswers: Older<RpcAnswers> = {
	"4.8.1": {
		envelope: (limits) => new NestedEnvelope(limits),
		readers: looseReaders,
		objects: { transactionNonce: ZERO_NONCE, timesLogs: false },
		reverted: (output) => new RpcError(INTERNAL, revertText(output), dataOf(output)),
		unbuildable: internal,
		tooLong: (answer) => answer.page(413),
		dropsExpired: false,
		tellsNewBranch: false,
		filterRange: () => {},
	},
	"4.8.0": {
		reverted: (output) => new RpcError(INTERNAL, revertText(output)),
		runtime: (major, minor) => `${major}.${minor}`,
	},
};
