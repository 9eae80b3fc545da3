/** Flags of commands that list what happened (protocol/command-line §1.2). */

import { Flags, type Interfaces } from "@oclif/core";
import { Failure } from "../../wallet/failure.js";
import { parseCount } from "../../wallet/values/integer-text.js";
import { parseMoment } from "../../wallet/values/moment.js";

export const historyFlags = {
	limit: Flags.string({ description: "at most so many, the newest", helpValue: "<n>" }),
	since: Flags.string({ description: "from a time on", helpValue: "<time>" }),
	until: Flags.string({ description: "up to a time", helpValue: "<time>" }),
	confirmed: Flags.boolean({ description: "only what is irreversible" }),
	format: Flags.option({
		options: ["csv"] as const,
		description: "for spreadsheets: one line a row, amounts with their point",
	})(),
};

type HistoryFlags = Interfaces.InferredFlags<typeof historyFlags>;

/** What the flags ask for. Times in milliseconds since 1970. */
interface RequestedHistory {
	readonly limit: number;
	readonly sinceMs: bigint | undefined;
	readonly untilMs: bigint | undefined;
}

/** @param usual how many without the flag @throws {Failure} */
export function requestedHistory(flags: HistoryFlags, usual: number): RequestedHistory {
	const limit = flags.limit === undefined ? usual : Number(parseCount(flags.limit));
	const [sinceMs, untilMs] = [readTime(flags.since), readTime(flags.until)];
	if (sinceMs !== undefined && untilMs !== undefined && sinceMs > untilMs) {
		throw new Failure("bad_value", "--since is later than --until");
	}
	return { limit, sinceMs, untilMs };
}

function readTime(text: string | undefined): bigint | undefined {
	if (text === undefined) return undefined;
	const moment = parseMoment(text);
	if ("atMs" in moment) return moment.atMs;
	throw new Failure("bad_value", `"${text}" is not a time: write it like 2026-12-24T18:00Z`);
}
