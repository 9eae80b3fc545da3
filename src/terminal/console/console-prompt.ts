/**
 * The prompt of `coin console`: Node.js's REPL, with completion, a history file and multi-line statements. Output may contain untrusted
 * text, so it is escaped like all output of commands.
 */

import { Console } from "node:console";
import type { EventEmitter } from "node:events";
import { type REPLServer, Recoverable, type ReplOptions, start } from "node:repl";
import { PassThrough, type Readable, Writable } from "node:stream";
import { inspect, types } from "node:util";
import { plainDigits } from "../../abi/parameter.js";
import { KeystoreError } from "../../keystore/keystore-error.js";
import { Failure } from "../../wallet/failure.js";
import { parseCoinAmount } from "../../wallet/values/amount.js";
import { nearest } from "../../wallet/values/suggestion.js";
import { asFailure, reportFailure } from "../output/failure-report.js";
import { harmlessText } from "../output/harmless-text.js";
import {
	AMOUNT,
	amountsIn,
	COMPARED,
	compared,
	DECIDED,
	decided,
	type ReadText,
	statementsOf,
	TOKEN_AMOUNT,
	withConditions,
} from "./conditions.js";
import { TokenAmount } from "./contract-object.js";
import { RUNS_ALONE } from "./names.js";
import type { Operations } from "./operations.js";

/** Limits for printing a value; longer ones are truncated in output, but complete in variables. */
const PRINTED = { depth: 8, maxArrayLength: 100, maxStringLength: 10_000, breakLength: 100 } as const;
/** Size limit of a script from standard input. */
const MAX_SCRIPT_BYTES = 1 << 20;

export interface ConsoleTerminal {
	readonly input: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
	readonly output: Writable;
	/** The history file; undefined if no history is kept. */
	readonly history: string | undefined;
	/** Prints text of several lines as a command's result, with terminal control characters escaped. */
	print(text: string): void;
	note(line: string): void;
}

/** Formats a value for printing, with terminal control characters escaped. */
export function shownValue(value: unknown): string {
	return harmlessText(inspect(value, PRINTED));
}

/** Whether an error is one of this program's failures, which aren't printed like JavaScript errors. */
function isRefusal(error: unknown): boolean {
	return error instanceof Failure || error instanceof KeystoreError;
}

/** Message of an error in a typed statement, without the stack trace, which is of no interest. */
function messageOf(error: unknown): string {
	// Errors of the prompt's own context are instances of another class with the same name.
	return types.isNativeError(error) ? `${error.name}: ${error.message}` : shownValue(error);
}

/** Matches strings and comments, which are skipped, and amounts, in what isn't JavaScript even with them. */
const TOKENS = new RegExp(
	`${/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//.source}|(?<![\\w$.])${AMOUNT}`,
	"gi",
);

/** Matches a number that is the whole value of an option in coins, or of a payment's amount. */
const COINS =
	/(?<=(?:[{,]\s*["']?(?:value|feeLimit)["']?\s*:|\bsend\s*\((?:"[^"\n]*"|'[^'\n]*'|\([^()]*\)|[^,()"'])+,)\s*)\d[\d_.]*e\+?\d+(?=\s*[,)}])/iy;

/**
 * Amounts in the console's JavaScript, as all commands have them: `5coin` and `20sun` stand for whole numbers of sun, `5@gold` for a
 * `TokenAmount`, `5e18` for the whole number that JavaScript would round; where coins are asked for it stays a text, which is refused as `coin send` does.
 * @param typed gets the amounts of coins
 * @throws {Failure} `bad_value`, `amount_unit` for an amount that isn't a whole number of sun
 */
export function withAmounts(source: string, typed?: Map<bigint, string>): string {
	return readAmounts(source, typed).text;
}

/** {@link withAmounts}, with what is where. */
export function readAmounts(source: string, typed?: Map<bigint, string>): ReadText {
	// The same number typed as one is no amount of coins.
	for (const [digits] of source.matchAll(/(?<![\w$.])\d[\d_]*(?=n\b)/g))
		typed?.delete(BigInt(digits.replaceAll("_", "")));
	const typedAt: number[] = [];
	const coinsAt = new Set<number>();
	let text = "";
	let from = 0;
	const take = (end: number): void => {
		text += source.slice(from, end);
		for (; from < end; from++) typedAt.push(from);
	};
	const matches = Array.from(source.matchAll(TOKENS), ({ 0: token, index }) => [index, token] as const);
	for (const [index, token] of amountsIn(source) ?? matches) {
		take(index);
		const isCoins = /^\d[^@]*[ns]$/i.test(token);
		if (isCoins) coinsAt.add(text.length);
		const written = isCoins ? coinsText(token, typed) : numberText(token, source, index);
		text += written;
		for (let at = 0; at < written.length; at++) typedAt.push(index + (written === token ? at : 0));
		from = index + token.length;
	}
	take(source.length);
	return { source, text, typedAt: Uint32Array.from([...typedAt, from]), coinsAt };
}

function coinsText(token: string, typed: Map<bigint, string> | undefined): string {
	const sun = parseCoinAmount(token);
	typed?.set(sun, token);
	return `${sun}n`;
}

/** Another one of the {@link TOKENS}. @param at where it is in the source */
function numberText(token: string, source: string, at: number): string {
	if (!/^\d/.test(token)) return token;
	// Neither a place that could be set nor a call that would be waited for.
	if (token.includes("@")) return `new ${TOKEN_AMOUNT}(${JSON.stringify(token)})`;
	const digits = plainDigits(token);
	if (digits === undefined || Number.isSafeInteger(Number(digits))) return token;
	COINS.lastIndex = at;
	return COINS.test(source) ? JSON.stringify(token) : `${BigInt(digits)}n`;
}

/** A line that can only continue a statement that has run at the prompt, since that looked complete. */
const CONTINUES = /^\s*(?:(?:else|catch|finally)\b|\?\.|\.(?![\d.]|exit\b))/;

/**
 * Adds advice to errors that JavaScript words for programmers: calculations with an amount and a plain number, mistyped names, and an
 * `else` on a line of its own.
 */
function withAdvice(error: unknown, source: string, names: Names): unknown {
	if (!types.isNativeError(error)) return error;
	const [near] = nearest(/^(\S+) is not defined$/.exec(error.message)?.[1] ?? "", Object.keys(names));
	if (near !== undefined) error.message += `; did you mean ${near}?`;
	if (error.name === "SyntaxError" && CONTINUES.test(source))
		error.message += "; the line before it was complete and has run: write both on one line";
	if (error.message.includes("$decided") || error.message.includes("$compared"))
		error.message = `${source.trim().slice(0, 80)}: ${/ is not .*$/.exec(error.message)?.[0].trim() ?? "can't be evaluated"}`;
	if (error.name !== "TypeError" || withAmounts(source) === source) return error;
	error.message += source.match(TOKENS)?.some((token) => /^\d.*[ns]$/i.test(token))
		? "; amounts are whole numbers of sun: 5coin * 2n, not 5coin * 2"
		: "; numbers such as 5e18 are whole ones: 5e18 * 2n, not 5e18 * 2";
	return error;
}

/** What is known by name. */
type Names = Readonly<Record<string, unknown>>;

/**
 * Evaluates JavaScript with amounts; promises are waited for, and questions that stand alone are asked.
 * @param incomplete called before this returns where more lines belong to the statement
 */
type Evaluate = (source: string, incomplete?: (error: Recoverable) => void) => Promise<unknown>;

/** Opens a Node.js prompt, and an evaluator that shares its context. @param options of the prompt */
function opened(
	options: ReplOptions,
	terminal: ConsoleTerminal,
	names: Names,
	operations: Operations,
): { readonly server: REPLServer; readonly evaluate: Evaluate } {
	let refuse: (error: unknown) => void = () => undefined;
	// What a statement throws is the prompt's own affair, and never answered here, unless it is taken over: by an option from
	// Node.js 24 on, in the prompt's domain before.
	const handleError = (error: unknown): "ignore" => {
		refuse(error);
		return "ignore";
	};
	const server = start({ ...options, ...{ handleError } });
	const { _domain: domain } = server as { readonly _domain?: EventEmitter };
	domain?.removeAllListeners("error");
	domain?.on("error", handleError);
	const printed = new Writable({
		write(chunk, _, done) {
			terminal.print(String(chunk).replace(/\n$/, ""));
			done();
		},
	});
	Object.assign(
		server.context,
		{ console: new Console(printed), [DECIDED]: decided, [COMPARED]: compared, [TOKEN_AMOUNT]: TokenAmount },
		names,
	);
	const own = server.eval.bind(server);
	const evaluate: Evaluate = async (source, incomplete) => {
		const amounts = [...operations.amounts];
		const result = await new Promise<unknown>((resolve, reject) => {
			refuse = (error) => {
				// It may have failed before it set them to something else.
				for (const name of amounts) operations.amounts.add(name);
				reject(error);
			};
			const done = (error: Error | null, value: unknown): void => {
				if (error instanceof Recoverable) incomplete?.(error);
				if (error) refuse(error);
				else resolve(value);
			};
			const read = readAmounts(source, operations.coins);
			own(withConditions(read, operations.amounts), server.context, "console", done);
		});
		return typeof result === "function" && RUNS_ALONE in result ? result.call(undefined) : result;
	};
	return { server, evaluate: settling(evaluate, names, operations) };
}

/** Waits for everything that a statement started; its error says whether something was sent. */
const settling =
	(evaluate: Evaluate, names: Names, operations: Operations): Evaluate =>
	async (source, incomplete) => {
		const [outcome] = await Promise.allSettled([evaluate(source, incomplete)]);
		if (outcome.status === "rejected" && outcome.reason instanceof Recoverable) throw outcome.reason;
		const { hasActed, failure } = await operations.settle();
		if (outcome.status === "fulfilled" && !failure) return outcome.value;
		const error: unknown = withAdvice(
			outcome.status === "rejected" ? outcome.reason : failure?.error,
			source,
			names,
		);
		if (!hasActed) throw error;
		if (error instanceof Failure) throw error.with({ sent: true });
		throw new Failure("bad_value", `${messageOf(error)}; what the statement sent before it was sent`, {
			sent: true,
		});
	};

/** Runs a prompt until it is left. */
export function runPrompt(terminal: ConsoleTerminal, names: Names, operations: Operations): Promise<void> {
	const { input, output, history } = terminal;
	const options: ReplOptions = {
		prompt: "coin> ",
		input,
		output,
		terminal: true,
		useColors: false,
		ignoreUndefined: true,
		writer: (value: unknown) =>
			typeof value === "string" && value.includes("\n") ? harmlessText(value) : shownValue(value),
	};
	const { server, evaluate } = opened(options, terminal, names, operations);
	oneAfterTheOther(terminal, server, evaluate);
	if (history !== undefined)
		server.setupHistory(history, (error) => {
			if (error) terminal.note(`lines are not kept: ${error.message}`);
		});
	return new Promise((resolve) => server.once("exit", resolve));
}

/** Lines that come while a statement runs, pasted ones above all, wait for its end; after a failure they don't run. */
function oneAfterTheOther(terminal: ConsoleTerminal, server: REPLServer, evaluate: Evaluate): void {
	const [readLine] = server.listeners("line") as ((line: string) => void)[];
	let isRunning = false;
	let waiting: string[] = [];
	const fail = (error: unknown): void => {
		if (isRefusal(error)) reportFailure(asFailure(error), false);
		else terminal.print(messageOf(error));
		const lines = waiting.filter((line) => line.trim() !== "").length;
		if (lines > 0) terminal.note(`lines behind that, which were not run: ${lines}`);
		waiting = [];
	};
	const proceed = (): void => {
		for (let line = waiting.shift(); line !== undefined; line = isRunning ? undefined : waiting.shift())
			readLine?.(line);
	};
	(server as { eval: REPLServer["eval"] }).eval = (source, _context, _file, done) => {
		isRunning = true;
		// Said at once: the next line would be read as another statement.
		const incomplete = (error: Recoverable): void => {
			isRunning = false;
			done(error, undefined);
		};
		const end = (value?: unknown): void => {
			isRunning = false;
			done(null, value);
			proceed();
		};
		evaluate(source, incomplete).then(end, (error: unknown) => {
			if (error instanceof Recoverable) return;
			fail(error);
			end();
		});
	};
	server.removeAllListeners("line").on("line", (line: string) => {
		if (isRunning) waiting.push(line);
		else readLine?.(line);
	});
	for (const event of ["SIGINT", "exit"])
		server.on(event, () => {
			waiting = [];
		});
}

/** Lets go of the terminal while a question is asked on it, which must not go to the prompt. */
export async function besidePrompt<T>({ input }: ConsoleTerminal, ask: () => Promise<T>): Promise<T> {
	if (input.isTTY !== true) return ask();
	input.pause();
	input.setRawMode?.(false);
	try {
		return await ask();
	} finally {
		input.setRawMode?.(true);
		input.resume();
	}
}

/**
 * Runs the statements of a script one after another, and prints the result of each; stops at the first that fails. Where the script
 * isn't JavaScript, none of it runs.
 * @throws {Failure}
 */
export async function runScript(
	terminal: ConsoleTerminal,
	names: Names,
	operations: Operations,
): Promise<void> {
	const [source = ""] = (await textOf(terminal.input)).split(/^[ \t]*\.exit[ \t]*$/m, 1);
	const statements = statementsOf(readAmounts(source));
	// What is refused by its form is refused before anything runs.
	for (const statement of statements) withConditions(readAmounts(statement));
	const silent = new PassThrough();
	const options = { prompt: "", input: new PassThrough(), output: silent.resume(), terminal: false };
	const { server, evaluate } = opened(options, terminal, names, operations);
	try {
		for (const statement of statements) {
			try {
				const value = await evaluate(statement);
				if (value !== undefined) terminal.print(typeof value === "string" ? value : shownValue(value));
			} catch (error) {
				if (isRefusal(error)) throw error;
				const { message } = error instanceof Recoverable ? error.err : (error as Error);
				throw new Failure("bad_value", `"${statement.slice(0, 80)}": ${message}`);
			}
		}
	} finally {
		server.close();
	}
}

async function textOf(input: Readable): Promise<string> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of input) {
		const bytes = Buffer.from(chunk as Uint8Array);
		length += bytes.length;
		if (length > MAX_SCRIPT_BYTES)
			throw new Failure("bad_value", `the script has more than ${MAX_SCRIPT_BYTES} bytes`);
		chunks.push(bytes);
	}
	return Buffer.concat(chunks).toString("utf8");
}
