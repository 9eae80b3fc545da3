/** Asking for agreement before something that can't be taken back (sheet 11 §2.7). */

import { Failure } from "../wallet/failure.js";
import { canAsk } from "./controlling-terminal.js";
import { printNote } from "./output.js";
import { askYesNo } from "./prompts.js";

/** How much a step needs the owner's agreement. Level 1 goes ahead where nobody can be asked, level 2 needs `--yes`. */
export type ConfirmationLevel = 0 | 1 | 2;

/**
 * Shows what is about to happen and asks.
 * @param question yes means to go on
 * @throws {Failure} `confirmation_needed`, `confirmation_refused`
 */
export async function agree(
	level: ConfirmationLevel,
	summary: readonly string[],
	yes: boolean,
	question: string,
): Promise<void> {
	if (level === 0 || yes) return;
	if (!canAsk()) {
		if (level === 1) return;
		throw new Failure("confirmation_needed", "this needs --yes where nobody can be asked");
	}
	for (const line of summary) printNote(line);
	if (!(await askYesNo(question)))
		throw new Failure("confirmation_refused", "not confirmed; nothing was done");
}
