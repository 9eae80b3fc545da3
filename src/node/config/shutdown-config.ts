/** `node.shutdown`: where the node stops by itself (protocol/configuration §1.6). */

import { parseCron } from "./cron.js";
import type { Settings } from "./settings.js";

export type ShutdownConfig =
	| { readonly at: "height"; readonly height: bigint }
	/** This many blocks above the head at the start. */
	| { readonly at: "count"; readonly count: bigint }
	/** The first block whose timestamp, in ms, satisfies the test. */
	| { readonly at: "time"; readonly text: string; readonly reached: (timeMs: number) => boolean };

/** Reads `node.shutdown`; undefined if the node runs until it is stopped. @throws {ConfigError} */
export function readShutdown(settings: Settings): ShutdownConfig | undefined {
	const text = settings.get("node.shutdown.BlockTime").trim();
	const height = settings.get("node.shutdown.BlockHeight");
	const count = settings.get("node.shutdown.BlockCount");
	const reached = text === "" ? undefined : readTime(settings, text);
	const set = [
		...(text === "" ? [] : [`shutDownBlockTime ${text}`]),
		...(height < 0n ? [] : [`shutDownBlockHeight ${height}`]),
		...(count < 0n ? [] : [`shutDownBlockCount ${count}`]),
	];
	if (set.length > 1) throw settings.refuse("node.shutdown", `: ${set.join(" and ")} set both`);
	if (count === 0n)
		throw settings.refuse("node.shutdown.BlockCount", ": shutDownBlockCount 0 is less than 1");
	if (reached !== undefined) return { at: "time", text, reached };
	if (height >= 0n) return { at: "height", height };
	return count > 0n ? { at: "count", count } : undefined;
}

function readTime(settings: Settings, text: string): (timeMs: number) => boolean {
	try {
		return parseCron(text);
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		throw settings.refuse("node.shutdown.BlockTime", `= "${text}" ${error.message}`);
	}
}
