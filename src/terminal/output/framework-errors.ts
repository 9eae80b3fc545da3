/**
 * Errors of the command framework (oclif), told apart without loading it: by the fields of its classes, and by their
 * text only where they have no field.
 */

/** An error that the framework threw. */
interface FrameworkError extends Error {
	readonly oclif: { readonly exit?: number };
	/** Of its refusal of flags that a command doesn't have: the words as typed. */
	readonly flags?: readonly string[];
	/** Of its refusal of arguments that are too many: those as typed; of its other refusals what the command declares. */
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

/** The first argument of a command line that is one too many. */
export function surplusArgument(error: unknown): string | undefined {
	const first = isFrameworkError(error) ? error.args?.[0] : undefined;
	return typeof first === "string" ? first : undefined;
}

/** Whether the words name no command, also behind a wish for help. The framework throws its general error for that, whose text alone says so. */
export function isUnknownCommand(error: unknown): boolean {
	return isFrameworkError(error) && /^command .* not found\.?$/i.test(error.message);
}

/** Whether a refusal of the parser, as {@link plainMessage} gives it, is about words that are missing or too many. */
export function isAboutWords(message: string): boolean {
	return /^(Unexpected argument|Missing \d+ required arg|--[\w-]+ is missing)/.test(message);
}

/** The parser's message in one line, without its colours and its own hint. */
export function plainMessage(message: string): string {
	const lines = message
		.replace(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g"), "")
		.split("\n")
		.map((line) => line.trim())
		.filter((line) => line !== "" && !/^(See more help|Note: --|Alternatively, you can use "--")/.test(line));
	const [title = "", ...errors] = lines;
	// Several errors are messages of their own; other lines belong to the first.
	if (/^The following errors? occurred:$/.test(title)) return inOurWords(errors.join("; "));
	return inOurWords(lines.join(" ").replace(/^The following errors? occurred: /, ""));
}

/** The framework names a flag without its dashes, at the end of half a sentence. */
function inOurWords(message: string): string {
	return message.replace(/Missing required flag ([\w-]+)/g, "--$1 is missing");
}
