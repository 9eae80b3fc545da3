/** Separate bundle of `coin network watch`: the whole program takes more memory than watching does. */

import { runWatch } from "./launch/watch/run-watch.js";
import { plainWords } from "./launch/watch/words.js";
import { asFailure, reportFailure } from "./terminal/output/failure-report.js";
import { printJson, printLine, printNote } from "./terminal/output/output.js";

/**
 * @param words after the command's own
 * @returns false if nothing was done, and the full program must handle them
 */
export async function watchMain(words: readonly string[]): Promise<boolean> {
	const read = plainWords(words);
	if (!read) return false;
	const json = read.json || process.env["COIN_CONTENT_TYPE"]?.toLowerCase() === "json";
	const quiet = read.quiet || process.env["COIN_QUIET"] === "1";
	// A closed reader, such as `head -1`, is not an error.
	process.stdout.on("error", () => process.exit());
	try {
		const note = (text: string): void => (quiet ? undefined : printNote(text));
		await runWatch(read.flags, { json, line: printLine, record: printJson, note });
		process.exit();
	} catch (error) {
		// Don't wait for handshakes in progress.
		process.exit(reportFailure(asFailure(error), json));
	}
}
