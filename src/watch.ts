/** The small program of `coin network watch`, a bundle of its own: the whole program takes more memory than watching does. */

import { runWatch } from "./launch/watch/run-watch.js";
import { plainWords } from "./launch/watch/words.js";
import { asFailure, reportFailure } from "./terminal/output/failure-report.js";
import { printJson, printLine, printNote } from "./terminal/output/output.js";

/**
 * @param words after the command's own
 * @returns false: nothing was done, and the whole program has to look at them
 */
export async function watchMain(words: readonly string[]): Promise<boolean> {
	const read = plainWords(words);
	if (!read) return false;
	const json = read.json || process.env["COIN_CONTENT_TYPE"]?.toLowerCase() === "json";
	const quiet = read.quiet || process.env["COIN_QUIET"] === "1";
	// A reader that has seen enough, such as `head -1`, is not a failure.
	process.stdout.on("error", () => process.exit());
	try {
		const note = (text: string): void => (quiet ? undefined : printNote(text));
		await runWatch(read.flags, { json, line: printLine, record: printJson, note });
		process.exit();
	} catch (error) {
		// Peers that are still being greeted would be waited for.
		process.exit(reportFailure(asFailure(error), json));
	}
}
