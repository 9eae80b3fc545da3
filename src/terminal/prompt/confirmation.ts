/** Asks for confirmation before irreversible actions (protocol/command-line §3.2). */

import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { printNote } from "../output/output.js";
import { canAsk } from "./controlling-terminal.js";
import { askYesNo, showOnTerminal } from "./prompts.js";

/** How much confirmation an action needs. Without a terminal, level 1 proceeds and level 2 needs `--yes`. */
export type ConfirmationLevel = 0 | 1 | 2;

/** The higher of two levels. */
export function higher(one: ConfirmationLevel, other: ConfirmationLevel): ConfirmationLevel {
	return one > other ? one : other;
}

/** The level for an amount of coins, the same in every command and on every stream. */
export function levelOfAmount(
	amountSun: bigint,
	{ confirm, confirmOverSun }: Pick<Settings, "confirm" | "confirmOverSun">,
): ConfirmationLevel {
	if (amountSun > confirmOverSun) return 2;
	return confirm ? 1 : 0;
}

/** The reason for level 2 of {@link levelOfAmount}; undefined for lower levels. */
export function amountReason(
	amountSun: bigint,
	{ confirmOverSun }: Pick<Settings, "confirmOverSun">,
): string | undefined {
	return amountSun > confirmOverSun
		? `${formatCoin(amountSun)} is more than confirmOver, ${formatCoin(confirmOverSun)}`
		: undefined;
}

/**
 * Shows a summary to the user who is about to confirm or to type a password: on standard error if that is the
 * terminal, else on the terminal itself, however the streams are redirected.
 */
export async function present(summary: readonly string[]): Promise<void> {
	if (process.stderr.isTTY !== true) return showOnTerminal(summary);
	for (const line of summary) printNote(line);
}

/**
 * Shows what is about to happen and asks for confirmation.
 * @param summary the first line says what is confirmed
 * @param question yes means to proceed
 * @param why the reason for asking, if that line doesn't give it
 * @returns whether the summary was shown and the user asked
 * @throws {Failure} `confirmation_needed`, `confirmation_refused`
 */
export async function agree(
	level: ConfirmationLevel,
	summary: readonly string[],
	yes: boolean,
	question: string,
	why?: string,
): Promise<boolean> {
	if (level === 0 || yes) return false;
	if (!canAsk()) {
		if (level === 1) return false;
		const [what = ""] = summary;
		throw new Failure(
			"confirmation_needed",
			`${what.trim()}${why === undefined ? "" : ` (${why})`}: that needs agreement, and there is no terminal to ask on`,
			{ hint: "--yes agrees to it" },
		);
	}
	await present(summary);
	if (!(await askYesNo(question)))
		throw new Failure("confirmation_refused", "not confirmed; nothing was done");
	return true;
}
