/** Prompts at the controlling terminal. SIGINT during a prompt is a failure with exit code 130. */

import { Failure } from "../../wallet/failure.js";
import { harmlessLine } from "../output/harmless-text.js";
import { type ControllingTerminal, openTerminal } from "./controlling-terminal.js";
import { endQuestion } from "./interrupt.js";

type Context = Pick<ControllingTerminal, "input" | "output"> & { readonly clearPromptOnDone?: boolean };

async function ask<T>(question: (context: Context) => Promise<T>): Promise<T> {
	const terminal = openTerminal();
	if (!terminal) throw new Failure("confirmation_needed", "there is no terminal to ask on");
	try {
		return await question(terminal);
	} catch (error) {
		if (error instanceof Error && error.name === "ExitPromptError") {
			terminal.close();
			endQuestion();
		}
		throw error;
	} finally {
		terminal.close();
	}
}

/** Asks for a secret without showing it. */
export async function askSecret(message: string): Promise<string> {
	const { password } = await import("@inquirer/prompts");
	return ask((context) => password({ message: harmlessLine(message), mask: false }, context));
}

/** Asks yes or no; no is the default. */
export async function askYesNo(message: string): Promise<boolean> {
	const { confirm } = await import("@inquirer/prompts");
	return ask((context) => confirm({ message: harmlessLine(message), default: false }, context));
}

/** Asks for a text. */
export async function askText(message: string): Promise<string> {
	const { input } = await import("@inquirer/prompts");
	return ask((context) => input({ message: harmlessLine(message) }, context));
}

/** Shows lines on the terminal only, never on standard output or error. */
export async function showOnTerminal(lines: readonly string[]): Promise<void> {
	await ask(
		(context) =>
			new Promise<void>((resolve, reject) => {
				context.output.write(`${lines.map(harmlessLine).join("\n")}\n`, (error?: Error | null) =>
					error ? reject(error) : resolve(),
				);
			}),
	);
}
