/** What JSON-RPC does that older releases do otherwise (protocol/json-rpc §§2 to 10). */

import { byRelease, type Release } from "../../rules/release.js";
import type { HttpAnswer } from "../http-answer.js";
import { REVERTED } from "../queries/contract-calls.js";
import type { Envelope, EnvelopeLimits } from "./envelope.js";
import { FlatEnvelope } from "./flat-envelope.js";
import type { ObjectStyle } from "./objects/style.js";
import { olderAnswers } from "./older/answers.js";
import { dataOf, reasonSuffix } from "./revert-reason.js";
import { INTERNAL, invalidRequest, RpcError } from "./rpc-error.js";
import { strictReaders } from "./strict-readers.js";

export const RPC_TYPE = "application/json-rpc";

const today = {
	envelope: (limits: EnvelopeLimits): Envelope => new FlatEnvelope(limits),
	readers: strictReaders,
	objects: { transactionNonce: "0x0", timesLogs: true } as ObjectStyle,
	/** The error of a reverted call. @throws {NamedError} if the reason can't be read */
	reverted: (output: Uint8Array) => new RpcError(INTERNAL, REVERTED + reasonSuffix(output), dataOf(output)),
	/** The error of a call to be built that can't be. */
	unbuildable: invalidRequest,
	/** The answer to a body that was longer than announced. */
	tooLong: (answer: HttpAnswer): void => answer.send(200, RPC_TYPE, ""),
	/** Whether a filter that was not polled for so long is gone at once, and not only with the next block. */
	dropsExpired: true,
	/** Checks the range of the logs that a filter asks for. */
	filterRange: (check: () => void): void => check(),
	/** The version of the runtime that a node tells of itself. */
	runtime: (major: string, _minor: string) => major,
};

export type RpcAnswers = typeof today;

const answers = byRelease<RpcAnswers>(today, olderAnswers);

/** What the JSON-RPC of a release does. */
export const rpcAnswersOf = ({ release }: { readonly release: Release }): RpcAnswers => answers[release];
