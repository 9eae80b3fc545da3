/**
 * The envelope up to release 4.8.1 (protocol/json-rpc §2.3): a batch may hold batches, and every part of it has an answer.
 * These releases have no limits; the texts of ours are those of later ones.
 */

import { TimeSlice } from "../../../scheduling/time-slice.js";
import {
	BATCH_TURN_MS,
	type Envelope,
	type Enveloped,
	type EnvelopeLimits,
	exceeds,
	type RequestWork,
	UnreadableCall,
} from "../envelope.js";
import { libraryError, methodError, VERSION } from "../error-text.js";
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
import { readId } from "../request-id.js";
import { EXCEEDS_LIMIT, INVALID_REQUEST, PARSE_ERROR, ResponseTooLong, RpcError } from "../rpc-error.js";

/** What the calls of one batch share, with those of the batches in it. */
interface BatchWork extends RequestWork {
	readonly turns: TimeSlice;
	/** Characters, and bytes of its long parts, that the answer may still have. */
	left: number;
}

export class NestedEnvelope implements Envelope {
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

	/** The answer to a call, also where the method finds that it would be too long. @throws {UnreadableCall} */
	private async called(call: RawObject, work: RequestWork): Promise<AnswerText | undefined> {
		try {
			return await work.single(call);
		} catch (error) {
			if (error instanceof ResponseTooLong) return refused(call, error);
			throw error;
		}
	}

	/** A batch with the batches in it: one limit bounds the calls of all. @throws {ResponseTooLong} */
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

/** How many calls a batch makes. */
function callsIn(batch: RawArray): number {
	let count = 0;
	for (const call of batch) count += isRawArray(call) ? callsIn(call) : 1;
	return count;
}
