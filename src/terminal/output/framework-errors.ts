/**
 * Distinguishes errors of the command framework (oclif) without loading it: by the fields of its classes, and by their
 * text only if they have no such field.
 */

/** An error thrown by the framework. */
interface FrameworkError extends Error {
	readonly oclif: { readonly exit?: number };
	/** In its error about unknown flags: the words as typed. */
	readonly flags?: readonly string[];
	/** In its error about too many arguments: those as typed; in other errors, the declared arguments. */
	readonly args?: readonly unknown[];
}

export function isFrameworkError(error: unknown): error is FrameworkError {
	return error instanceof Error && (error as Partial<FrameworkError>).oclif !== undefined;
}

/** The first long flag of a command line that the command doesn't have, as typed. */
export function unknownFlag(error: unknown): string | undefined {
	if (!isFrameworkError(error) || !Array.isArray(error.flags)) return undefined;
	return error.flags.find((word) => word.startsWith("--"));
}

/** The first surplus argument of a command line. */
export function surplusArgument(error: unknown): string | undefined {
	const first = isFrameworkError(error) ? error.args?.[0] : undefined;
	return typeof first === "string" ? first : undefined;
}

/** Whether no such command exists, also when asking for help. The framework throws a general error for that, so only its text shows it. */
export function isUnknownCommand(error: unknown): boolean {
	return isFrameworkError(error) && /^command .* not found\.?$/i.test(error.message);
}

/** Whether a parser error, as returned by {@link plainMessage}, is about missing or surplus words. */
export function isAboutWords(message: string): boolean {
	return /^(Unexpected argument|Missing \d+ required arg|--[\w-]+ is missing)/.test(message);
}

/** The parser's message in one line, without its colors and its own hint. */
export function plainMessage(message: string): string {
	const lines = message
		.replace(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g"), "")
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "" && !/^(See more help|Note: --|Alternatively, you can use "--")/.test(line));
	const [title = "", ...errors] = lines;
	// If there are several errors, each line is a message; otherwise all lines belong to the first.
	if (/^The following errors? occurred:$/.test(title)) return inOurWords(errors.join("; "));
	return inOurWords(lines.join(" ").replace(/^The following errors? occurred: /, ""));
}

/** Rewords the framework's message, which gives a flag without its dashes. */
function inOurWords(message: string): string {
	return message.replace(/Missing required flag ([\w-]+)/g, "--$1 is missing");
}
