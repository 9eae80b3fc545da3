/** JSON-RPC behaviour that differs between releases (protocol/json-rpc §§2 to 10). */

import { byRelease, type Release } from "../../rules/release.js";
import { TimeSlice } from "../../scheduling/time-slice.js";
import type { ApiContext } from "../context.js";
import type { HttpAnswer } from "../http-answer.js";
import { REVERTED } from "../queries/contract-calls.js";
import {
	BATCH_TURN_MS,
	type Envelope,
	type Enveloped,
	type EnvelopeLimits,
	exceeds,
	type RequestWork,
	readId,
	serverError,
	UnreadableCall,
} from "./envelope.js";
import {
	isRawArray,
	isRawObject,
	type JsonBudget,
	JsonLimitError,
	type JsonTextError,
	type RawArray,
	type RawObject,
	type RawValue,
	RPC_BUDGET,
} from "./json-reader.js";
import { BatchText } from "./long-result.js";
import type { AnswerText } from "./method.js";
import type { ObjectStyle } from "./objects/style.js";
import { olderAnswers } from "./older/answers.js";
import { dataOf, reasonSuffix } from "./revert-reason.js";
import {
	EXCEEDS_LIMIT,
	INTERNAL,
	INTERNAL_ERROR,
	INVALID_REQUEST,
	invalidParams,
	invalidRequest,
	PARSE_ERROR,
	ResponseTooLong,
	RpcError,
} from "./rpc-error.js";
import { type ParameterReaders, strictReaders } from "./strict-readers.js";
import { isTag } from "./values.js";

export const RPC_TYPE = "application/json-rpc";

const INVALID = serverError(INVALID_REQUEST, "Invalid Request");
/** Brackets of a batch. */
const BRACKETS = 2;
/** One per answer in a batch, including the first. */
const COMMA = 1;

/** The error texts of the reference's JSON reader. */
const LIMIT_TEXTS: Readonly<Record<JsonLimitError["limit"], readonly [subject: string, getter: string]>> = {
	depth: ["Document nesting depth", "getMaxNestingDepth"],
	tokens: ["Token count", "getMaxTokenCount"],
};

/**
 * The envelope of calls (protocol/json-rpc §2.5): a batch holds only calls, notifications get no answer, and
 * requests rejected before reaching a method have their own form.
 */
class FlatEnvelope implements Envelope {
	readonly budget: JsonBudget = { ...RPC_BUDGET, depth: 20 };

	constructor(private readonly limits: EnvelopeLimits) {}

	unreadable(error: JsonTextError): Enveloped {
		return bare(serverError(PARSE_ERROR, parseText(error)));
	}

	undeclared(className: string): string {
		return JSON.stringify(className);
	}

	answer(request: RawValue, work: RequestWork): Enveloped | Promise<Enveloped> {
		if (isRawArray(request)) return this.batch(request, work).then(bare);
		if (!isRawObject(request)) return bare(INVALID);
		try {
			const text = work.single(request);
			if (!(text instanceof Promise)) return this.one(text);
			return text.then((later) => this.one(later)).catch((error: unknown) => refusedOne(request, error));
		} catch (error) {
			return refusedOne(request, error);
		}
	}

	/** The answer to a single-call request. @throws {ResponseTooLong} */
	private one(text: AnswerText = ""): Enveloped {
		const { maxResponseSize } = this.limits;
		if (exceeds(text, maxResponseSize)) throw new ResponseTooLong(maxResponseSize);
		return { text, isLine: text !== "" };
	}

	private async batch(calls: RawArray, work: RequestWork): Promise<AnswerText> {
		const { maxBatchSize } = this.limits;
		if (calls.length === 0) return INVALID;
		if (maxBatchSize > 0 && calls.length > maxBatchSize) {
			const text = `Batch size ${calls.length} exceeds the limit of ${maxBatchSize}`;
			return `[${serverError(EXCEEDS_LIMIT, text)}]`;
		}
		try {
			return (await this.answers(calls, work)).end();
		} catch (error) {
			// One unreadable call discards the answers of the whole batch.
			if (error instanceof UnreadableCall) return `[${serverError(INTERNAL_ERROR, "Internal error")}]`;
			throw error;
		}
	}

	/** Makes no further calls once the answers exceed the size limit. @throws {UnreadableCall} */
	private async answers(calls: RawArray, work: RequestWork): Promise<BatchText> {
		const { maxResponseSize } = this.limits;
		const turns = new TimeSlice(BATCH_TURN_MS);
		const answers = new BatchText();
		let size = BRACKETS;
		let overflow: ResponseTooLong | undefined;
		for (const call of calls) {
			if (work.isAbandoned()) break;
			if (turns.over) await turns.yield();
			let answer: AnswerText | undefined;
			if (!isRawObject(call)) answer = INVALID;
			else if (!overflow) {
				try {
					answer = await work.single(call);
				} catch (error) {
					if (!(error instanceof ResponseTooLong)) throw error;
					// A notification has no answer, however long its result.
					if (refusedFor(call, error) !== undefined) overflow = error;
				}
			}
			if (answer !== undefined && !overflow && maxResponseSize > 0) {
				const own = typeof answer === "string" ? Buffer.byteLength(answer) : answer.length;
				size += own + COMMA;
				if (size > maxResponseSize) overflow = new ResponseTooLong(maxResponseSize);
			}
			if (overflow && isRawObject(call)) answer = refusedFor(call, overflow);
			if (answer !== undefined) answers.add(answer);
		}
		return answers;
	}
}

/**
 * The answer to a single-call request that is unreadable or whose answer is too long.
 * @throws what is no such error
 */
function refusedOne(call: RawObject, error: unknown): Enveloped {
	if (error instanceof UnreadableCall) return bare("");
	if (error instanceof ResponseTooLong) return bare(refusedFor(call, error) ?? "");
	throw error;
}

/** The error under a call's own id; undefined for a notification. */
function refusedFor(call: RawObject, { code, message }: ResponseTooLong): string | undefined {
	const id = readId(call.get("id"));
	return id === undefined ? undefined : serverError(code, message, id);
}

function parseText(error: JsonTextError): string {
	if (!(error instanceof JsonLimitError)) return "JSON parse error";
	const [subject, getter] = LIMIT_TEXTS[error.limit];
	return `${subject} (${error.reached}) exceeds the maximum allowed (${error.most}, from \`StreamReadConstraints.${getter}()\`)`;
}

function bare(text: AnswerText): Enveloped {
	return { text, isLine: false };
}

const today = {
	envelope: (limits: EnvelopeLimits): Envelope => new FlatEnvelope(limits),
	readers: strictReaders,
	objects: { transactionNonce: "0x0", timesLogs: true } as ObjectStyle,
	/** The error of a reverted call. @throws {NamedError} if the reason can't be read */
	reverted: (output: Uint8Array) => new RpcError(INTERNAL, REVERTED + reasonSuffix(output), dataOf(output)),
	/** The error when a transaction can't be built. */
	unbuildable: invalidRequest,
	/** The answer to a body longer than its declared length. */
	tooLong: (answer: HttpAnswer): void => answer.send(200, RPC_TYPE, ""),
	/** Whether a filter that wasn't polled in time expires at once, rather than with the next block. */
	dropsExpired: true,
	/** Whether filters report the blocks a reorg adds. */
	tellsNewBranch: true,
	/** Checks the block range of a log filter. */
	filterRange: (check: () => void): void => check(),
	/** The runtime version a node reports. */
	runtime: (major: string, _minor: string) => major,
};

export type RpcAnswers = typeof today;

const answers = byRelease<RpcAnswers>(today, olderAnswers);

/** The JSON-RPC behaviour of a release. */
export const rpcAnswersOf = ({ release }: { readonly release: Release }): RpcAnswers => answers[release];

/** The call data members of a call. */
export interface CallInput {
	readonly data?: string | null;
	readonly input?: string | null;
}

/** The parameter readers of the node's release. */
export function readersOf({ node }: Pick<ApiContext, "node">): ParameterReaders {
	return rpcAnswersOf(node.config.node).readers;
}

/** @throws {RpcError} for tags of which there are no blocks */
export function refuseTags({ unknownBlocks }: ParameterReaders, tag: string | null): void {
	const unknown = unknownBlocks.find((known) => isTag(tag, known));
	if (unknown) throw invalidParams(`TAG ${unknown} not supported`);
}
