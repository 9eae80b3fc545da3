/** Asking for agreement before something that can't be taken back (protocol/command-line §3.2). */

import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { printNote } from "../output/output.js";
import { canAsk } from "./controlling-terminal.js";
import { askYesNo, showOnTerminal } from "./prompts.js";

/** How much a step needs the owner's agreement. Level 1 goes ahead without a terminal to ask on, level 2 needs `--yes`. */
export type ConfirmationLevel = 0 | 1 | 2;

/** The higher one. */
export function higher(one: ConfirmationLevel, other: ConfirmationLevel): ConfirmationLevel {
	return one > other ? one : other;
}

/** What an amount of coins asks for, the same in every command and on every stream. */
export function levelOfAmount(
	amountSun: bigint,
	{ confirm, confirmOverSun }: Pick<Settings, "confirm" | "confirmOverSun">,
): ConfirmationLevel {
	if (amountSun > confirmOverSun) return 2;
	return confirm ? 1 : 0;
}

/** Why {@link levelOfAmount} asks; undefined where it doesn't insist. */
export function amountReason(
	amountSun: bigint,
	{ confirmOverSun }: Pick<Settings, "confirmOverSun">,
): string | undefined {
	return amountSun > confirmOverSun
		? `${formatCoin(amountSun)} is more than confirmOver, ${formatCoin(confirmOverSun)}`
		: undefined;
}

/**
 * Puts a summary before the eyes of whoever is about to agree or to give a password: on standard error where that is the
 * terminal, and else on the terminal itself, however the streams are redirected.
 */
export async function present(summary: readonly string[]): Promise<void> {
	if (process.stderr.isTTY !== true) return showOnTerminal(summary);
	for (const line of summary) printNote(line);
}

/**
 * Shows what is about to happen and asks.
 * @param summary its first line says what is agreed to
 * @param question yes means to go on
 * @param why it needs that, where the line doesn't tell
 * @returns whether it was shown and asked
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
