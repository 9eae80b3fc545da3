/** Secrets that a command prints: into a pipe, or on a terminal after a typed confirmation (protocol/command-line §3.1). */

import { Failure } from "../../wallet/failure.js";
import { canAsk } from "../prompt/controlling-terminal.js";
import { askText } from "../prompt/prompts.js";

/**
 * Makes sure that a secret may go to standard output.
 * @throws {Failure} `confirmation_needed` without a terminal, `confirmation_refused`
 */
export async function confirmPrintedSecret(what: string): Promise<void> {
	if (process.stdout.isTTY !== true) return;
	if (!canAsk())
		throw new Failure("confirmation_needed", `printing ${what} on a terminal needs a confirmation`);
	const answer = await askText(`Type "show" to print ${what} on this screen:`);
	if (answer.trim() !== "show") throw new Failure("confirmation_refused", `${what} was not printed`);
}
