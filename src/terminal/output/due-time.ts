/** Refusals that end by themselves: the same call succeeds from a time on (protocol/command-line §2.2). */

import type { Failure } from "../../wallet/failure.js";
import { localTime } from "./output.js";

/** @param due epoch milliseconds @param action what can be done then */
export function refusedUntil(failure: Failure, due: bigint, action: string): Failure {
	return failure.with({ retry: "later", details: { due }, hint: `${action} from ${localTime(due)}` });
}

/** The first of several times; undefined if there are none. */
export function firstDue(dues: readonly bigint[]): bigint | undefined {
	return dues.length > 0 ? dues.reduce((first, next) => (first < next ? first : next)) : undefined;
}
